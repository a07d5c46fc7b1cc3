"""The documents of an index on a cluster by number (names, dates, classes, lengths, records, term counts); statistics.

What is known of a document is fetched together and kept, since the documents of one search recur in the next. This side
numbers the terms, in the order in which they are first met.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import zstandard

from antecede.errors import InputError, advise, shown
from antecede.index.arrays import pointers_from_sizes
from antecede.index.codec import Lists
from antecede.index.documents import COLUMNS, LATEST_DAY, DocumentStore, day_number, is_row, name_key, split_values
from antecede.index.index import Segment
from antecede.index.matrix import NOTHING, Matrix
from antecede.index.records import BROKEN, unpack
from antecede.index.statistics import Frequencies, Statistics
from antecede.index.validation import check
from antecede.opensearch.address import FolderOnly, needs_folder
from antecede.opensearch.answers import LENGTHS, RECORDS, VECTORS
from antecede.opensearch.clauses import ExpressionClauses, all_of, any_of, clause_of, none_of
from antecede.opensearch.layout import days_of, decode, field_of, split_counts
from antecede.parallel import counting_time
from antecede.patent import PatentNumber
from antecede.search.conditions import prepare
from antecede.text.vocabulary import NEW_LINE, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.filters import Filters
    from antecede.index.matrix import Room
    from antecede.opensearch.clauses import Clause
    from antecede.opensearch.cluster import Cluster
    from antecede.patent import Patent

    Vector = tuple[NDArray[np.uint32], NDArray[np.uint32]]

MOST_HEADS = 1 << 18
"""Documents of which everything but the text is kept in memory."""
NAMES_AT_ONCE = 10_000
"""Names that one request looks up, or returns."""
MOST_POSTINGS = 1 << 25
"""Term counts of documents that are kept in memory, of eight bytes each."""
VECTORS_AT_ONCE = 500
"""Documents whose term counts are fetched with one request."""
NUMBERED_AT_ONCE = 32
"""Documents whose terms are numbered together."""
TERMS_AT_ONCE = 4000
"""Terms whose frequencies are fetched with one request."""
UNKNOWN = -1


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
        return days.get("day", days.get("year_last", LATEST_DAY))


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
        return self.cluster.error(
            f"is damaged ({what})",
            f"load it again with {advise('build_index(…, overwrite=True)', 'antecede index --overwrite')}",
        )

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

    def numbers_with(self, column: str, *values: str) -> NDArray[np.uint32]:
        numbers = {number for value in values for number in self.find_numbers(column, value)}
        return np.array(sorted(numbers), np.uint32)

    def with_values(self, field: str, values: Sequence[str], numbers: Sequence[int]) -> set[int]:
        heads, wanted = self.heads(numbers), {*values}
        names = {number: split_values(heads[number].columns[field]) for number in numbers}
        return {number for number, own in names.items() if not wanted.isdisjoint(map(name_key, own))}

    def has_values(self, fields: Sequence[str]) -> bool:
        return self.cluster.count(self.name, any_of({"exists": {"field": field}} for field in fields)) > 0

    def citing(self, keys: Sequence[str]) -> dict[str, list[int]]:
        return self.group_by(keys, "citations")

    def numbers_by_key(self, keys: Sequence[str]) -> dict[str, list[int]]:
        return self.group_by(keys, "patent_number")

    def numbers_by_name(self, names: Sequence[str]) -> dict[str, int]:
        known: dict[str, int] = {}
        wanted = list(dict.fromkeys(names))
        for first in range(0, len(wanted), NAMES_AT_ONCE):
            part = wanted[first : first + NAMES_AT_ONCE]
            known |= {name: same[0] for name, same in self.group_by(part, "doc_id").items()}
        return known

    def names(self, clause: Clause) -> Iterator[str]:
        """The names of the documents that meet a condition, in the order of their bytes."""
        body = {"size": NAMES_AT_ONCE, "query": all_of([clause]), "sort": "doc_id", "stored_fields": "_none_"}
        return (str(hit["sort"][0]) for hit in self.cluster.pages(self.name, body))

    def group_by(self, keys: Sequence[str], field: str) -> dict[str, list[int]]:
        """Value of a field → the documents that have it, ascending; values that none has are left out."""
        wanted, found = {*keys}, dict[str, list[int]]()
        if wanted:
            for each in self.cluster.scan(self.name, {"terms": {field: sorted(wanted)}}, ["n", "head"]):
                number, head = self.learn(each)
                for value in wanted.intersection(split_values(head.columns[field])):
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
        with counting_time(partial(prepare, asked.index)):
            return ClauseLookup(self, ExpressionClauses(asked.index, self).clause(asked.node))


def _is_encodable(value: str | None) -> bool:
    """Whether a text has no half of a surrogate pair, which JSON may contain."""
    return value is None or value.isascii() or value.encode("utf-8", "replace").decode() == value


class ClusterTerms:
    """The terms of a language that were met so far, with their frequencies; may be used from several threads."""

    def __init__(self, cluster: Cluster, name: str, language: str, routings: Sequence[str], tokens: int = 0) -> None:
        """`routings` are texts by which a document goes to each shard, one per shard; `tokens` are at least there."""
        self.cluster, self.name, self.field, self.routings = cluster, name, field_of("t", language), routings
        self.tokens = tokens
        self.vocabulary = Vocabulary()
        """The terms of documents and queries. A million may come with one search: there is no object per term."""
        self.asked: dict[str, int] = {}
        """The numbers of terms whose frequencies were asked for; −1 for one that no document has."""
        self.often = np.full((2, 1 << 14), UNKNOWN, np.int64)
        """Document and collection frequency of each term; −1 where they were not asked for."""
        self.lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.vocabulary)

    def number_terms(self, lines: bytes) -> NDArray[np.uint32]:
        """The numbers of terms that documents have, each followed by a newline; new ones are numbered."""
        data = np.frombuffer(lines, np.uint8)
        ends = np.flatnonzero(data == NEW_LINE)
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1)) if len(ends) else ends
        with self.lock:
            found = self.vocabulary.number(data, starts, ends)
            if len(self) > self.often.shape[1]:
                # Another thread may still read the old array: it is not changed.
                more = np.full((2, 2 * len(self) - self.often.shape[1]), UNKNOWN, np.int64)
                self.often = np.concatenate((self.often, more), axis=1)
        return found.view(np.uint32)

    def term(self, number: int) -> str:
        with self.lock:
            return self.vocabulary.terms().text(number)

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        new = [term for term in dict.fromkeys(terms) if term not in self.asked]
        if new:
            self.learn(new)
        return np.array([self.asked[term] for term in terms], np.int64)

    def frequencies(self, numbers: NDArray[np.int64]) -> Frequencies:
        missing = np.unique(numbers[self.often[0, numbers] == UNKNOWN])
        if len(missing):
            self.learn([self.term(number) for number in missing.tolist()])
        often = self.often
        return Frequencies(often[0, numbers], often[1, numbers])

    def learn(self, terms: Sequence[str]) -> None:
        for first in range(0, len(terms), TERMS_AT_ONCE):
            part = terms[first : first + TERMS_AT_ONCE]
            df, cf = self.fetch(part)
            there = np.flatnonzero(df)
            known = [part[at] for at in there.tolist()]
            numbers = self.number_terms("".join(f"{term}\n" for term in known).encode()).astype(np.int64)
            with self.lock:
                self.often[:, numbers] = df[there], cf[there]
                self.asked.update(dict.fromkeys(part, -1) | dict(zip(known, numbers.tolist(), strict=True)))

    def fetch(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Document and collection frequencies: an artificial document with the terms is sent to each shard."""
        place = {term: at for at, term in enumerate(terms) if "|" not in term and term.split() == [term]}
        often = np.zeros((2, len(terms)), np.int64)
        if not place:
            return often
        for vector in self.ask({self.field: " ".join(f"{term}|1" for term in place)}):
            for term, each in vector.get("terms", {}).items():
                if term not in place:
                    raise self.cluster.misunderstood(f"{term} was not asked for")
                often[:, place[term]] += each.get("doc_freq", 0), each.get("ttf", 0)
        return often

    def totals(self) -> tuple[int, int]:
        """Documents with a term, and tokens, as the cluster's BM25 counts them: with documents that were replaced."""
        found = [vector["field_statistics"] for vector in self.ask({self.field: "a|1"})]
        return sum(max(each["doc_count"], 0) for each in found), sum(max(each["sum_ttf"], 0) for each in found)

    def ask(self, document: dict[str, str]) -> list[dict[str, Any]]:
        """The statistics of the terms of an artificial document on each shard.

        A shard that does not answer, or a copy that does not have all documents yet, is an error: document frequencies
        that are too small would give another ranking.
        """
        how = {"fields": [self.field], "term_statistics": True, "field_statistics": True}
        how |= dict.fromkeys(("positions", "offsets", "payloads"), False)
        asked = [{"_index": self.name, "doc": document, "routing": each, **how} for each in self.routings]
        answers = self.cluster.call(lambda client: client.mtermvectors(body={"docs": asked}), VECTORS)["docs"]
        if len(answers) != len(asked):
            raise self.cluster.misunderstood(f"{len(answers)} statistics of {len(asked)} shards")
        found = [each["term_vectors"][self.field] for each in answers if self.field in each.get("term_vectors", {})]
        why = next((each["error"].get("reason", "") for each in answers if "error" in each), None)
        tokens = sum(max(each["field_statistics"]["sum_ttf"], 0) for each in found)
        if why is None and tokens < self.tokens:
            why = f"it has {tokens} tokens of {self.tokens}"
        if why is not None:
            raise self.cluster.error(
                f"a shard does not give its statistics ({shown(why, 200)})",
                "wait until the cluster is green, and repeat the search",
            )
        return found


class ClusterMatrix(FolderOnly, Matrix):
    """The term counts of one language on a cluster; rows are the numbers of documents."""

    complete = False

    def __init__(self, segment: ClusterSegment, language: str, table: ClusterTerms) -> None:
        self.segment, self.language, self.table = segment, language, table
        self.deleted = NOTHING
        self.kept: OrderedDict[int, Vector] = OrderedDict()
        self.postings_kept = 0
        self.lock = threading.Lock()

    @property
    def rows(self) -> int:
        return self.segment.documents

    @property
    def terms(self) -> int:
        return len(self.table)

    @cached_property
    def documents(self) -> Any:
        return Lookup(lambda numbers: numbers, np.uint32)

    @cached_property
    def lengths(self) -> Any:
        return Lookup(
            lambda numbers: self.segment.of_heads(numbers, lambda head: head.lengths.get(self.language, 0)), np.uint32
        )

    def rows_of(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        numbers = np.asarray(documents, np.int64)
        there = self.segment.of_heads(numbers.tolist(), lambda head: self.language in head.lengths)
        return np.where(np.array(there, np.bool_), numbers, -1)

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        return self.table.find(terms)

    def term(self, number: int) -> str:
        return self.table.term(number)

    def vectors_of(self, rows: NDArray[np.int64], room: Room | None = None) -> Lists:  # noqa: ARG002 - they are kept
        found = self.vectors(np.asarray(rows, np.int64).tolist())
        ptr = pointers_from_sizes(np.array([len(items) for items, _ in found], np.int64))
        empty = [NOTHING]
        return Lists(ptr, np.concatenate(empty + [i for i, _ in found]), np.concatenate(empty + [c for _, c in found]))

    def vectors(self, rows: Sequence[int]) -> list[Vector]:
        """The term numbers and counts of each of some rows; those that are not kept are fetched together."""
        kept = self.kept
        found = {row: vector for row in rows if (vector := kept.get(row)) is not None}
        missing = [row for row in dict.fromkeys(rows) if row not in found]
        for first in range(0, len(missing), VECTORS_AT_ONCE):
            found.update(self.fetch(missing[first : first + VECTORS_AT_ONCE]))
        if not found.keys() >= {*rows}:
            raise self.segment.store.damaged(f"documents without text in {self.language or 'an unknown language'}")
        return [found[row] for row in rows]

    def fetch(self, rows: Sequence[int]) -> dict[int, Vector]:
        """The vectors of some rows from the cluster; what else is known of the documents comes with them."""
        field, store = field_of("v", self.language), self.segment.store
        read: list[tuple[int, bytes, NDArray[np.uint32]]] = []
        for each in store.cluster.by_number(store.name, rows, ["n", "head", field]):
            number, _ = store.learn(each)
            if field in each:
                try:
                    read.append((number, *split_counts(decode(each[field][0]))))
                except (ValueError, TypeError, IndexError, zstandard.ZstdError) as error:
                    raise store.damaged(f"document {number}: {shown(str(error))}") from None
        store.forget()
        found = {}
        for first in range(0, len(read), NUMBERED_AT_ONCE):
            part = read[first : first + NUMBERED_AT_ONCE]
            numbers = self.table.number_terms(b"".join(lines for _, lines, _ in part))
            ptr = pointers_from_sizes(np.array([len(counts) for _, _, counts in part], np.int64)).tolist()
            for at, (number, _, counts) in enumerate(part):
                found[number] = numbers[ptr[at] : ptr[at + 1]].copy(), counts
        with self.lock:
            self.kept.update(found)
            self.postings_kept += sum(len(items) for items, _ in found.values())
            while self.postings_kept > MOST_POSTINGS and self.kept:
                self.postings_kept -= len(self.kept.popitem(last=False)[1][0])
        return found


class ClusterStatistics(Statistics):
    """The statistics of one language on a cluster."""

    def __init__(self, matrix: ClusterMatrix, documents: int, tokens: int) -> None:
        super().__init__(matrix.language, [matrix])
        self.table = matrix.table
        self.__dict__["documents"], self.__dict__["tokens"] = documents, tokens

    def frequencies_of(self, numbers: Sequence[NDArray[np.int64]]) -> Frequencies:
        only = numbers[0]
        df, cf = np.zeros(len(only), np.int64), np.zeros(len(only), np.int64)
        there = np.flatnonzero(only >= 0)
        found = self.table.frequencies(only[there])
        df[there], cf[there] = found.documents, found.occurrences
        return Frequencies(df, cf)

    @cached_property
    def candidate_totals(self) -> tuple[int, int]:
        """Documents and tokens as the cluster's own BM25 counts them."""
        return self.table.totals()
