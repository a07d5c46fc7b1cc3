"""The documents of an index on a cluster by number: names, dates, classes, lengths, records; and filters as conditions.

What is known of a document is fetched together and kept, since the documents of one search recur in the next. The
conditions of a query come in the order in which `Filters.stages` applies them.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import InputError, shown
from antecede.index.documents import EPOCH, DocumentStore, day_number
from antecede.index.filters import DROP, Filters, parse_class_prefix
from antecede.index.index import Segment
from antecede.index.matrix import NOTHING
from antecede.index.metadata import COLUMNS, is_row, name_key, split_values
from antecede.index.records import BROKEN, unpack
from antecede.index.validation import check
from antecede.opensearch.address import FolderOnly, needs_folder
from antecede.opensearch.answers import LENGTHS, RECORDS
from antecede.opensearch.layout import days_of, decode, field_of
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from antecede.opensearch.cluster import Cluster
    from antecede.patent import Patent

Clause = dict[str, Any]
NO_DAY: Clause = {"bool": {"must_not": {"exists": {"field": "day"}}}}
MOST_HEADS = 1 << 18
"""Documents of which everything but the text is kept in memory."""
MOST_READ = 20_000
"""Documents that are read at most to see whether they have a phrase."""
NAMES_AT_ONCE = 10_000
"""Names that one request looks up, or returns."""
LATEST = np.iinfo(np.int32).max


def any_of(clauses: Iterable[Clause]) -> Clause:
    """At least one of several conditions."""
    return {"bool": {"should": [*clauses], "minimum_should_match": 1}}


def all_of(clauses: Iterable[Clause]) -> Clause:
    """All of several conditions."""
    return {"bool": {"filter": [*clauses]}}


def none_of(*clauses: Clause) -> Clause:
    """None of several conditions."""
    return {"bool": {"must_not": [*clauses]}}


def stages(filters: Filters, segment: ClusterSegment) -> Iterator[tuple[str, Clause]]:
    """Each condition of filters by name, as `Filters.stages` on this machine."""
    if filters.dated:
        yield "date", within(filters.before, filters.after)
        if filters.undated == DROP:
            yield "undated", none_of(date_unknown(filters.before, filters.after))
    yield from unions(filters)
    own = [*map(named, filters.without)]
    if filters.without_family is not None:
        own.append({"term": {"family_id": filters.without_family}})
    if own:
        yield "topic", none_of(*own)
    for condition in filters.conditions:
        met: Any = condition.allowed(segment)
        yield condition.name, met.clause


def unions(filters: Filters) -> Iterator[tuple[str, Clause]]:
    """The conditions with several values, of which a document must have one."""
    for field in ("ipc", "cpc"):
        if codes := getattr(filters, field):
            yield field, any_of({"prefix": {field: parse_class_prefix(code)}} for code in codes)
    for name, field in (("applicant", "applicants"), ("inventor", "inventors")):
        if names := getattr(filters, field):
            yield name, any_of({"match_phrase": {field: name_key(each)}} for each in names)
    if filters.countries:
        yield "country", {"terms": {"country": [*map(str.upper, filters.countries)]}}
    if filters.languages:
        yield "language", {"terms": {"language": [*filters.languages]}}


def clause_of(filters: Filters, segment: ClusterSegment) -> Clause | None:
    """All conditions of filters together; None where there is none."""
    every = [clause for _, clause in stages(filters, segment)]
    return all_of(every) if every else None


def with_text(language: str, filters: Filters, segment: ClusterSegment) -> Clause:
    """The documents with text in a language that pass filters."""
    clauses = (clause for _, clause in stages(filters, segment))
    return all_of([{"exists": {"field": field_of("length", language)}}, *clauses])


def named(name: str) -> Clause:
    """The documents of a name, and those of the patent number that it writes out."""
    number = PatentNumber.parse_name(name)
    exact: Clause = {"term": {"doc_id": name}}
    return exact if number is None else any_of([exact, {"term": {"patent_number": number.key}}])


def _days(before: date | None, after: date | None) -> dict[str, int]:
    bounds = {"lt": before, "gte": after}
    return {name: (day - EPOCH).days for name, day in bounds.items() if day is not None}


def within(before: date | None, after: date | None) -> Clause:
    """Documents within date bounds; one without a date passes unless the year in its number excludes it."""
    outside = [{"range": {"year_first": _days(None, before)}}, {"range": {"year_last": _days(after, None)}}]
    asked = [clause for clause, bound in zip(outside, (before, after), strict=True) if bound is not None]
    return any_of([{"range": {"day": _days(before, after)}}, all_of([NO_DAY, none_of(*asked)])])


def _year_inside(before: date | None, after: date | None) -> Clause:
    """Documents without a date whose year lies within date bounds."""
    inside = [{"range": {"year_last": _days(before, None)}}, {"range": {"year_first": _days(None, after)}}]
    asked = [clause for clause, bound in zip(inside, (before, after), strict=True) if bound is not None]
    return all_of([NO_DAY, {"exists": {"field": "year_first"}}, *asked])


def date_unknown(before: date | None, after: date | None) -> Clause:
    """Documents that pass date bounds because neither their date nor their year decides."""
    return all_of([NO_DAY, within(before, after), none_of(_year_inside(before, after))])


def decided_by_year(before: date | None, after: date | None) -> Clause:
    """Documents without a date that the year in their number admits or excludes."""
    return all_of([NO_DAY, any_of([none_of(within(before, after)), _year_inside(before, after)])])


class Head(NamedTuple):
    """What is known of a document besides its text."""

    columns: dict[str, Any]
    lengths: dict[str, int]
    """Language → number of tokens."""

    @property
    def day(self) -> int:
        """The day from which on it is prior art, since 1970; the smallest number where it is not known."""
        return day_number(self.columns["day"])

    @property
    def last_day(self) -> int:
        """The last day on which it may have been published; the largest number where it is not known."""
        days = days_of(self.columns["day"], self.columns["patent_number"])
        return days.get("day", days.get("year_last", LATEST))


class Lookup:
    """Values of documents that are looked up when they are asked for, as an array is by numbers."""

    def __init__(self, look_up: Callable[[list[int]], Sequence[Any]], kind: Any) -> None:
        self.look_up, self.kind = look_up, kind

    def __getitem__(self, numbers: Any) -> Any:
        if isinstance(numbers, int | np.integer):
            return self.look_up([int(numbers)])[0]
        return np.array(self.look_up(np.asarray(numbers, np.int64).tolist()), self.kind)

    def refuse(self, *_: object, **__: object) -> Any:
        """Refuse to be an array of all documents: there may be a hundred million."""
        raise needs_folder()

    __array__ = __len__ = __iter__ = __and__ = __rand__ = refuse


class ClauseLookup(Lookup):
    """Which documents meet a condition of the cluster; also as that condition."""

    def __init__(self, segment: ClusterSegment, clause: Clause) -> None:
        super().__init__(self.meet, np.bool_)
        self.segment, self.clause = segment, clause

    def meet(self, numbers: list[int]) -> list[bool]:
        store, met = self.segment.store, set[int]()
        for first in range(0, len(numbers), NAMES_AT_ONCE):
            both = all_of([{"terms": {"n": numbers[first : first + NAMES_AT_ONCE]}}, self.clause])
            met |= {int(fields["n"][0]) for fields in store.cluster.scan(store.name, both, ["n"])}
        return [number in met for number in numbers]

    def __invert__(self) -> ClauseLookup:
        return ClauseLookup(self.segment, none_of(self.clause))


class ClusterStore(FolderOnly, DocumentStore):
    """The documents of an index on a cluster; may be used from several threads."""

    def __init__(self, cluster: Cluster, name: str, records: str) -> None:
        self.cluster, self.name, self.records_name = cluster, name, records
        self.known: OrderedDict[int, Head] = OrderedDict()
        self.lock = threading.Lock()
        self.find_numbers = lru_cache(maxsize=1 << 16)(self.search_numbers)

    def damaged(self, what: object) -> InputError:
        """The error of a document that is not what was loaded."""
        return self.cluster.error(f"is damaged ({what})", "load it again with antecede index --overwrite")

    def learn(self, fields: dict[str, Any]) -> tuple[int, Head]:
        """Take in what an answer says of a document: its number, and what is known of it."""
        number = int(fields["n"][0])
        head = self.known.get(number)
        if head is None:
            try:
                row, lengths = json.loads(decode(fields["head"][0]))
                check(LENGTHS, lengths)
                if not is_row(row) or not all(map(_is_encodable, row)):
                    raise ValueError("its columns are not those of a document")
                head = Head(dict(zip(COLUMNS, row, strict=True)), lengths)
            except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
                raise self.damaged(f"document {number}: {shown(str(error))}") from None
            with self.lock:
                self.known[number] = head
        return number, head

    def heads(self, numbers: Iterable[int]) -> dict[int, Head]:
        """What is known of documents; those that are not kept are fetched together."""
        wanted = list(dict.fromkeys(numbers))
        found = {number: known for number in wanted if (known := self.known.get(number)) is not None}
        missing = [number for number in wanted if number not in found]
        if missing:
            for fields in self.cluster.by_number(self.name, missing, ["n", "head"]):
                number, head = self.learn(fields)
                found[number] = head
            self.forget()
        if not found.keys() >= {*wanted}:
            raise self.damaged("documents are missing")
        return found

    def forget(self) -> None:
        """Forget the documents that were learned first, where there are too many."""
        with self.lock:
            while len(self.known) > MOST_HEADS:
                self.known.popitem(last=False)

    def search_numbers(self, field: str, value: str) -> tuple[int, ...]:
        """The documents with a value in a field, ascending."""
        hits = self.cluster.scan(self.name, {"term": {field: value}}, ["n", "head"])
        return tuple(self.learn(fields)[0] for fields in hits)

    def by_number(self, columns: str, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        names = columns.split(", ")
        heads = self.heads(numbers)
        return {number: tuple(heads[number].columns[name] for name in names) for number in numbers}

    def record(self, number: int) -> Patent:
        found = self.cluster.call(
            lambda client: client.mget(index=self.records_name, body={"ids": [str(number)]}), RECORDS
        )
        only = found["docs"][0] if found["docs"] else {}
        if not only.get("found") or "_source" not in only:
            raise self.damaged(f"the record of document {number} is missing")
        try:
            return unpack(decode(only["_source"]["record"]))
        except BROKEN as error:
            raise self.damaged(f"record {number}: {shown(str(error))}") from None

    def number_of(self, doc_id: str) -> int | None:
        return next(iter(self.find_numbers("doc_id", doc_id)), None)

    def numbers_of_patent(self, written: str) -> list[int]:
        number = PatentNumber.parse_name(written)
        return [*self.find_numbers("patent_number", number.key)] if number is not None else []

    def numbers_with(self, column: str, value: str) -> NDArray[np.uint32]:
        return np.array(self.find_numbers(column, value), np.uint32)

    def with_values(self, field: str, values: Sequence[str], numbers: Sequence[int]) -> set[int]:
        heads, wanted = self.heads(numbers), {*values}
        names = {number: split_values(heads[number].columns[field]) for number in numbers}
        return {number for number, own in names.items() if not wanted.isdisjoint(map(name_key, own))}

    def has_values(self, fields: Sequence[str]) -> bool:
        return self.cluster.count(self.name, any_of({"exists": {"field": field}} for field in fields)) > 0

    def citing(self, keys: Sequence[str]) -> dict[str, list[int]]:
        return self.group_by(keys, "citations", lambda head: split_values(head.columns["citations"]))

    def numbers_by_key(self, keys: Sequence[str]) -> dict[str, list[int]]:
        return self.group_by(keys, "patent_number", lambda head: (head.columns["patent_number"],))

    def numbers_by_name(self, names: Sequence[str]) -> dict[str, int]:
        known: dict[str, int] = {}
        wanted = list(dict.fromkeys(names))
        for first in range(0, len(wanted), NAMES_AT_ONCE):
            part = wanted[first : first + NAMES_AT_ONCE]
            numbers = self.group_by(part, "doc_id", lambda head: (head.columns["doc_id"],))
            known |= {name: same[0] for name, same in numbers.items()}
        return known

    def names(self, clause: Clause) -> Iterator[str]:
        """The names of the documents that meet a condition, in the order of their bytes."""
        body = {"size": NAMES_AT_ONCE, "query": all_of([clause]), "sort": "doc_id", "stored_fields": "_none_"}
        return (str(hit["sort"][0]) for hit in self.cluster.pages(self.name, body))

    def group_by(
        self, keys: Sequence[str], field: str, values: Callable[[Head], Iterable[str]]
    ) -> dict[str, list[int]]:
        """Value → the documents that have it, ascending; values that none has are left out."""
        wanted, found = {*keys}, dict[str, list[int]]()
        if wanted:
            for each in self.cluster.scan(self.name, {"terms": {field: sorted(wanted)}}, ["n", "head"]):
                number, head = self.learn(each)
                for value in values(head):
                    if value in wanted:
                        found.setdefault(value, []).append(number)
        return found


class ClusterSegment(FolderOnly, Segment):
    """The documents of an index on a cluster: one segment, whatever the number of shards."""

    store: ClusterStore

    def __init__(self, store: ClusterStore, documents: int) -> None:
        """`documents` is the number that follows the largest of a document."""
        self.store, self.name, self.documents = store, store.name, documents
        self.deleted = NOTHING

    @cached_property
    def live(self) -> Any:
        return Lookup(lambda numbers: [True] * len(numbers), np.bool_)

    @cached_property
    def days(self) -> Any:
        return Lookup(lambda numbers: self.of_heads(numbers, lambda head: head.day), np.int32)

    @cached_property
    def order(self) -> Any:
        """The rank of each document's name among those that are asked for."""
        return Lookup(self.rank_names, np.uint32)

    def rank_names(self, numbers: list[int]) -> list[int]:
        names = np.array([name.encode() for name in self.doc_ids(np.array(numbers, np.int64))], object)
        ranks: list[int] = np.argsort(np.argsort(names, kind="stable"), kind="stable").tolist()
        return ranks

    def of_heads(self, numbers: list[int], value: Callable[[Head], Any]) -> list[Any]:
        """A value of what is known of each document."""
        heads = self.store.heads(numbers)
        return [value(heads[number]) for number in numbers]

    def doc_ids(self, numbers: NDArray[Any]) -> list[str]:
        return self.of_heads(numbers.tolist(), lambda head: head.columns["doc_id"])

    def allowed(self, filters: Filters) -> Any:
        clause = clause_of(filters, self)
        return None if clause is None else ClauseLookup(self, clause)

    @cached_property
    def last_days(self) -> Any:
        return Lookup(lambda numbers: self.of_heads(numbers, lambda head: head.last_day), np.int32)

    def find_text(self, asked: Any) -> Any:
        from antecede.opensearch.expressions import ExpressionClauses  # which makes clauses with this module

        return ClauseLookup(self, ExpressionClauses(asked.index, self).clause(asked.node))


def _is_encodable(value: str | None) -> bool:
    """Whether a text has no half of a surrogate pair, which JSON may contain."""
    return value is None or value.isascii() or value.encode("utf-8", "replace").decode() == value
