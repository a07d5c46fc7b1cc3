"""What is known of candidates besides their text, looked up once per index: classes, applicants, citations, numbers."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.index.metadata import name_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.segment import Segment
    from antecede.ranking.candidates import Candidates

    Ints = NDArray[np.int64]

CACHE_KEY = "attributes for rankings"
MOST = 1 << 24
"""Values that are kept per field; beyond that, it begins anew."""

Document = tuple[int, int]
"""The position of a segment in the index, and the number of a document there."""


class ListCache:
    """Lists of texts of documents as numbers, looked up once; may be used from several threads."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.number: dict[str, int] = {}
        self.names: list[str] = []
        """The texts in the order in which they were first met, which is their number."""
        self.begin()
        self.lock = threading.Lock()

    def begin(self) -> None:
        """Forget all lists."""
        self.bounds = {segment.name: np.full((2, segment.documents), -1, np.int64) for segment in self.index.segments}
        """Where the list of each document begins and ends; −1 for one that is not known."""
        self.items, self.used = np.empty(1024, np.int64), 0

    def lists(self, candidates: Candidates, look_up: Callable[[Segment, list[int]], list[list[str]]]) -> NumberLists:
        """The lists of candidates; `look_up` gives those of documents of a segment by their numbers."""
        starts, ends = np.zeros(len(candidates), np.int64), np.zeros(len(candidates), np.int64)
        with self.lock:
            if self.used > MOST:
                self.begin()
            for here, segment, _ in candidates.by_segment():
                documents = candidates.documents[here]
                bounds = self.bounds[segment.name]
                missing = documents[bounds[0, documents] < 0]
                if len(missing):
                    self.learn(bounds, missing, look_up(segment, missing.tolist()))
                starts[here], ends[here] = bounds[0, documents], bounds[1, documents]
            items = self.items
        sizes = ends - starts
        owners = np.repeat(np.arange(len(candidates)), sizes)
        places = np.arange(len(owners)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        return NumberLists(owners, items[places], len(candidates), self)

    def learn(self, bounds: Ints, documents: Ints, lists: list[list[str]]) -> None:
        """Take in the lists of documents."""
        for document, values in zip(documents.tolist(), lists, strict=True):
            numbers = [self.number_of(value) for value in dict.fromkeys(values)]
            end = self.used + len(numbers)
            if end > len(self.items):
                # A thread may still read the old items: they are not changed.
                self.items = np.concatenate((self.items, np.empty(max(end, len(self.items)), np.int64)))
            self.items[self.used : end] = numbers
            bounds[:, document] = self.used, end
            self.used = end

    def number_of(self, value: str) -> int:
        """The number of a text, a new one if it was not met before."""
        found = self.number.get(value)
        if found is None:
            found = self.number[value] = len(self.names)
            self.names.append(value)
        return found


@dataclass(frozen=True, eq=False)
class NumberLists:
    """Lists of numbers of several documents: which document each number belongs to."""

    owners: Ints
    items: Ints
    size: int
    """How many documents there are."""
    cache: ListCache

    def add_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of values of items for each document."""
        return np.bincount(self.owners, weights=values, minlength=self.size).astype(np.float64, copy=False)

    def known(self, texts: Iterable[str]) -> Ints:
        """The numbers of texts that some list has, each once."""
        found = (self.cache.number.get(text, -1) for text in {*texts})
        numbers = np.fromiter(found, np.int64)
        return np.sort(numbers[numbers >= 0])


class Attributes:
    """Lists of values of documents, kept in memory once they are looked up; may be used from several threads."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.position = {segment.name: at for at, segment in enumerate(index.segments)}
        self.known: dict[str, dict[Any, Any]] = {}
        self.caches: dict[str, ListCache] = {}
        self.lock = threading.Lock()

    def has(self, *fields: str) -> bool:
        """Whether a document of the index has a value in one of these lists, looked up once."""
        marks = ", ".join("?" * len(fields))
        question = f"SELECT 1 FROM attributes WHERE field IN ({marks}) LIMIT 1"  # noqa: S608
        found = self.remember(
            "present",
            [fields],
            lambda _: {fields: any(each.store.rows(question, fields) for each in self.index.segments)},
        )
        return bool(found[fields])

    def remember(
        self, field: str, wanted: Iterable[Any], look_up: Callable[[list[Any]], dict[Any, Any]]
    ) -> dict[Any, Any]:
        """The values of some things; those that are not known are looked up together."""
        known = self.known.setdefault(field, {})
        keys = list(dict.fromkeys(wanted))
        missing = [each for each in keys if each not in known]
        if missing:
            if len(known) + len(missing) > MOST:
                known = self.known[field] = {}
                missing = keys
            known.update(look_up(missing))
        return {each: known[each] for each in keys}

    def lists(self, field: str, documents: Sequence[Document]) -> list[tuple[str, ...]]:
        """The values of a list of each document: `ipc`, `cpc`, `applicants`, `citations`."""
        found = self.remember(field, documents, lambda missing: self.by_segment(missing, field))
        return [found[each] for each in documents]

    def by_segment(self, documents: Sequence[Document], field: str) -> dict[Document, tuple[str, ...]]:
        """The values of a list of documents, from the segments that they are in."""
        found: dict[Document, tuple[str, ...]] = {}
        for at, numbers in grouped(documents).items():
            values = self.index.segments[at].store.lists(field, numbers)
            found.update(((at, number), each) for number, each in zip(numbers, values, strict=True))
        return found

    def titles(self, candidates: Candidates, language: str) -> NumberLists:
        """The terms of the title of each candidate, analysed as a language, each once."""
        analyzer = self.index.analyzer(language)

        def look_up(segment: Segment, numbers: list[int]) -> list[list[str]]:
            rows = segment.store.by_number("title", numbers)
            return [analyzer.terms(rows[number][0] or "") for number in numbers]

        return self.numbers(f"title {language}", candidates, look_up)

    def classes(self, candidates: Candidates, level: int) -> NumberLists:
        """The IPC and CPC codes of each candidate truncated to a level, each once."""

        def look_up(segment: Segment, numbers: list[int]) -> list[list[str]]:
            both = zip(segment.store.lists("ipc", numbers), segment.store.lists("cpc", numbers), strict=True)
            return [truncate((*ipc, *cpc), level) for ipc, cpc in both]

        return self.numbers(f"classes {level}", candidates, look_up)

    def applicants(self, candidates: Candidates) -> NumberLists:
        """The applicants of each candidate, as names are compared."""

        def look_up(segment: Segment, numbers: list[int]) -> list[list[str]]:
            return [[*map(name_key, names)] for names in segment.store.lists("applicants", numbers)]

        return self.numbers("applicants", candidates, look_up)

    def numbers(
        self, field: str, candidates: Candidates, look_up: Callable[[Segment, list[int]], list[list[str]]]
    ) -> NumberLists:
        """The values of a list of each candidate as numbers."""
        with self.lock:
            cache = self.caches.setdefault(field, ListCache(self.index))
        return cache.lists(candidates, look_up)

    def keys(self, documents: Sequence[Document]) -> list[str | None]:
        """The key of the patent number of each document, by which it is cited."""

        def look_up(missing: list[Document]) -> dict[Document, str | None]:
            found: dict[Document, str | None] = {}
            for at, numbers in grouped(missing).items():
                rows = self.index.segments[at].store.by_number("patent_number", numbers)
                found.update(((at, number), key) for number, (key,) in rows.items())
            return found

        found = self.remember("patent_number", documents, look_up)
        return [found[each] for each in documents]

    def numbered(self, keys: Iterable[str]) -> dict[str, tuple[Document, ...]]:
        """Key of a patent number → the documents of that number."""
        return self.remember("documents", keys, lambda missing: self.everywhere("numbers_by_key", missing))

    def citing(self, keys: Iterable[str]) -> dict[str, tuple[Document, ...]]:
        """Key of a patent number → the documents that cite it."""
        return self.remember("citing", keys, lambda missing: self.everywhere("citing", missing))

    def everywhere(self, question: str, keys: list[str]) -> dict[str, tuple[Document, ...]]:
        """Key → the documents of all segments that answer a question, without those that were replaced."""
        found: dict[str, list[Document]] = {key: [] for key in keys}
        for at, segment in enumerate(self.index.segments):
            for key, numbers in getattr(segment.store, question)(keys).items():
                found[key] += [(at, number) for number in numbers if segment.live[number]]
        return {key: tuple(documents) for key, documents in found.items()}

    def documents(self, candidates: Candidates) -> list[Document]:
        """Candidates as documents."""
        position = np.array([self.position[segment.name] for segment, _ in candidates.matrices] or [0], np.int64)
        pairs = zip(position[candidates.places[:, 0]].tolist(), candidates.documents.tolist(), strict=True)
        return [*pairs]

    def segments_of(self, documents: Iterable[Document]) -> list[tuple[Segment, Any]]:
        """Documents as their numbers in each segment."""
        return [(self.index.segments[at], np.array(each, np.int64)) for at, each in grouped(documents).items()]


def grouped(documents: Iterable[Document]) -> dict[int, list[int]]:
    """The numbers of documents by segment."""
    found: dict[int, list[int]] = {}
    for at, number in documents:
        found.setdefault(at, []).append(number)
    return found


def attributes_of(index: Index) -> Attributes:
    """The attributes of an index, kept with it."""
    if CACHE_KEY not in index.cache:
        index.cache[CACHE_KEY] = Attributes(index)
    found: Attributes = index.cache[CACHE_KEY]
    return found


def truncate(codes: Sequence[str], level: int) -> list[str]:
    """Codes truncated to a level: 0 for the subclass `H04L`, 1 for the main group `H04L 12`, 2 for `H04L 12/56`."""
    if level == 0:
        return [code[:4] for code in codes]
    whole = [code for code in codes if "/" in code]
    return [code.partition("/")[0] for code in whole] if level == 1 else whole
