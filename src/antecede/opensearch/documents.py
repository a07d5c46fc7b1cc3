"""The documents of an index on a cluster by number: names, dates, classes, lengths, records.

What is known of a document is fetched together and kept, since the documents of one search recur in the next.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.conditions.values import name_key
from antecede.engine import LATEST_DAY, split_values
from antecede.errors import InputError, advise, printable
from antecede.index.documents import COLUMNS, PEOPLE, complete_row, day_number, is_row
from antecede.index.records import BROKEN, unpack
from antecede.opensearch.answers import LENGTHS, RECORDS
from antecede.opensearch.clauses import all_of
from antecede.opensearch.layout import days_of, decode
from antecede.patent import PatentNumber
from antecede.validation import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.opensearch.clauses import Clause
    from antecede.opensearch.cluster import Cluster
    from antecede.patent import Patent
    from antecede.text.folding import Folding

    Numbers = NDArray[np.int64]

MAX_HEADS = 1 << 18
"""Documents of which everything but the text is kept in memory."""
NAMES_PER_REQUEST = 10_000
"""Names that one request looks up, or returns."""
FEW = 3
"""Values that are looked up one by one, to be kept."""


class Head(NamedTuple):
    """What is known of a document besides its text."""

    columns: dict[str, Any]
    lengths: dict[str, int]
    """Language → number of tokens."""
    stored: int
    """How many of the columns were stored: a document of an older generation lacks the last of them."""

    @property
    def day(self) -> int:
        """The day from which on it is prior art, since 1970; the smallest number where it is not known."""
        return day_number(self.columns["day"])

    @property
    def last_day(self) -> int:
        """The last day on which it may have been published; the largest number where it is not known."""
        days = days_of(self.columns["day"], self.columns["patent_number"])
        return days.get("day", days.get("year_last", LATEST_DAY))


class ClusterDocuments:
    """The documents of an index on a cluster; may be used from several threads."""

    def __init__(self, cluster: Cluster, name: str, records: str, folding: Folding) -> None:
        """`folding` is that of names."""
        self.cluster, self.name, self.records_name, self.folding = cluster, name, records, folding
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
                columns = complete_row(row)
                if not is_row(columns) or not all(map(_is_encodable, columns)):
                    raise ValueError("its columns are not those of a document")
                head = Head(dict(zip(COLUMNS, columns, strict=True)), lengths, len(row))
            except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
                raise self.damaged(f"document {number}: {printable(str(error))}") from None
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
            while len(self.known) > MAX_HEADS:
                self.known.popitem(last=False)

    def search_numbers(self, field: str, value: str) -> tuple[int, ...]:
        """The documents with a value in a field, ascending."""
        hits = self.cluster.scan(self.name, {"term": {field: value}}, ["n", "head"])
        return tuple(self.learn(fields)[0] for fields in hits)

    def read(self, numbers: Numbers, value: Callable[[Head], Any]) -> list[Any]:
        """A value of what is known of each of some documents."""
        wanted = numbers.tolist()
        heads = self.heads(wanted)
        return [value(heads[number]) for number in wanted]

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
            raise self.damaged(f"record {number}: {printable(str(error))}") from None

    def having(self, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        """Value → the documents that have it in a column, ascending; a value that none has is left out."""
        if column == "number":  # in any customary form
            parsed = {value: PatentNumber.parse_name(value) for value in values}
            found = {value: self.find_numbers("patent_number", each.key) for value, each in parsed.items() if each}
        elif len(values) > FEW:
            return self.group_by(values, column)
        else:
            found = {value: self.find_numbers(column, value) for value in values}
        return {value: [*numbers] for value, numbers in found.items() if numbers}

    def have(self, numbers: Numbers, column: str, values: Iterable[str]) -> NDArray[np.bool_]:
        key = partial(name_key, folding=self.folding) if column in PEOPLE else str
        wanted = {*map(key, values)}
        own = self.read(numbers, lambda head: split_values(head.columns[column]))
        return np.array([not wanted.isdisjoint(map(key, each)) for each in own], np.bool_)

    def numbers_by_name(self, names: Sequence[str]) -> dict[str, int]:
        known: dict[str, int] = {}
        wanted = list(dict.fromkeys(names))
        for first in range(0, len(wanted), NAMES_PER_REQUEST):
            part = wanted[first : first + NAMES_PER_REQUEST]
            known |= {name: same[0] for name, same in self.group_by(part, "doc_id").items()}
        return known

    def meet(self, numbers: Numbers, clause: Clause) -> NDArray[np.bool_]:
        """Which documents meet a condition of the cluster."""
        wanted, met = numbers.tolist(), set[int]()
        for first in range(0, len(wanted), NAMES_PER_REQUEST):
            both = all_of([{"terms": {"n": wanted[first : first + NAMES_PER_REQUEST]}}, clause])
            met |= {int(fields["n"][0]) for fields in self.cluster.scan(self.name, both, ["n"])}
        return np.array([number in met for number in wanted], np.bool_)

    def names(self, clause: Clause) -> Iterator[str]:
        """The names of the documents that meet a condition, in the order of their bytes."""
        body = {"size": NAMES_PER_REQUEST, "query": all_of([clause]), "sort": "doc_id", "stored_fields": "_none_"}
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


def _is_encodable(value: str | None) -> bool:
    """Whether a text has no half of a surrogate pair, which JSON may contain."""
    return value is None or value.isascii() or value.encode("utf-8", "replace").decode() == value
