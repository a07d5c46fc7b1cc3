"""What is known of candidates besides their text, looked up once per index: classes, titles, applicants, citations.

A document is denoted by its position in the index: its number in its segment, after the documents of the segments
before it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.index.arrays import distinct
from antecede.index.documents import EPOCH
from antecede.index.metadata import split_values
from antecede.text.analyzer import find_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.segment import Segment
    from antecede.ranking.candidates import Candidates

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Lists = Iterable[Collection[int] | Ints]
    Rows = list[tuple[Any, ...]]
    """`COLUMNS` of documents."""

CACHE_KEY = "attributes for rankings"
MOST = 1 << 24
"""Values that are kept per field; beyond that, it begins anew."""
LEVELS = 3
"""Subclass, main group, group."""
COLUMNS = "title, ipc, cpc"
"""What is read of candidates together: finding a row takes longer than reading its columns."""


@dataclass(frozen=True, eq=False)
class NumberLists:
    """Lists of numbers of several documents: which of the documents each number belongs to."""

    owners: Ints
    items: Ints
    size: int
    """How many documents there are."""

    @property
    def sizes(self) -> Ints:
        """How many numbers each document has."""
        return np.bincount(self.owners, minlength=self.size)

    def add_up(self, values: Floats) -> Floats:
        """The sum of values of items for each document."""
        return np.bincount(self.owners, weights=values, minlength=self.size).astype(np.float64, copy=False)

    def keep(self, which: NDArray[np.bool_]) -> NumberLists:
        """The lists with some of their items only."""
        return NumberLists(self.owners[which], self.items[which], self.size)

    def expand(self, which: Ints) -> tuple[Ints, Ints]:
        """The lists of some of the documents one after the other: which of these each item is from, and the item."""
        sizes = self.sizes
        return expand((np.cumsum(sizes) - sizes)[which], sizes[which], self.items)


def expand(starts: Ints, sizes: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Slices of an array one after the other: which slice each value is from, and the value."""
    owners = np.repeat(np.arange(len(sizes)), sizes)
    places = np.arange(len(owners)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return owners, values[places]


def join(lists: Sequence[Collection[int] | Ints], size: int) -> Ints:
    """Lists of numbers one after the other, of the size given."""
    if isinstance(lists[0], np.ndarray):
        return np.concatenate(lists)
    return np.fromiter(chain.from_iterable(lists), np.int64, size)


class ListCache:
    """Lists of numbers of documents, looked up once; may be used from several threads."""

    def __init__(self, documents: int) -> None:
        self.documents = documents
        self.lock = threading.Lock()
        self.begin()

    def begin(self) -> None:
        """Forget all lists."""
        # Zeros take no memory until they are written to, however many documents there are.
        self.starts, self.ends = np.zeros(self.documents, np.int64), np.zeros(self.documents, np.int64)
        """Where the list of each document begins and ends; 0 for one that is not known."""
        self.items, self.used = np.empty(1024, np.int64), 1

    def lists(self, documents: Ints, look_up: Callable[[Ints], Lists]) -> NumberLists:
        """The lists of documents; `look_up` gives those of documents that are not known, which ascend."""
        with self.lock:
            if self.used > MOST:
                self.begin()
            missing = documents[self.starts[documents] == 0]
            if len(missing):
                self.learn(distinct(missing), look_up)
            starts, ends, items = self.starts[documents], self.ends[documents], self.items
        return NumberLists(*expand(starts, ends - starts, items), len(documents))

    def learn(self, documents: Ints, look_up: Callable[[Ints], Lists]) -> None:
        """Take in the lists of documents."""
        lists = [*look_up(documents)]
        ends = self.used + np.cumsum([*map(len, lists)])
        if ends[-1] > len(self.items):
            # A thread may still read the old items: they are not changed.
            self.items = np.concatenate((self.items, np.empty(max(int(ends[-1]), len(self.items)), np.int64)))
        self.items[self.used : ends[-1]] = join(lists, int(ends[-1]) - self.used)
        self.starts[documents], self.ends[documents] = [self.used, *ends[:-1]], ends
        self.used = int(ends[-1])


class TextCache(ListCache):
    """Lists of texts of documents as numbers."""

    def __init__(self, documents: int) -> None:
        super().__init__(documents)
        self.number: dict[str, int] = {}
        self.names: list[str] = []
        """The texts in the order in which they were first met, which is their number."""
        self.numbers: dict[str, tuple[int, ...]] = {}
        """What is written for texts → their numbers: a class for its levels, a part of a title for its terms."""
        self.values = np.empty(0)
        """A value of each text, where one is needed."""

    def number_of(self, value: str) -> int:
        """The number of a text, a new one if it was not met before."""
        found = self.number.get(value)
        if found is None:
            found = len(self.names)
            self.names.append(value)  # first: whoever knows a number may look up its text
            self.number[value] = found
        return found

    def numbers_of(self, written: str, texts: Callable[[str], Iterable[str]]) -> tuple[int, ...]:
        """The numbers of the texts that a written form stands for, found once."""
        found = self.numbers.get(written)
        if found is None:
            found = self.numbers[written] = tuple(dict.fromkeys(map(self.number_of, texts(written))))
        return found

    def mark(self, texts: Iterable[str]) -> NDArray[np.bool_]:
        """Of every text that was met, whether it is one of these."""
        numbers = [self.number[text] for text in texts if text in self.number]
        marked = np.zeros(len(self.names), np.bool_)
        marked[numbers] = True
        return marked

    def values_of(self, compute: Callable[[list[str]], Floats]) -> Floats:
        """A value of every text that was met, computed once."""
        with self.lock:
            if len(self.values) < len(self.names):
                self.values = np.concatenate((self.values, compute(self.names[len(self.values) :])))
            return self.values


class Attributes:
    """Lists of values of documents, kept in memory once they are looked up; may be used from several threads."""

    def __init__(self, index: Index) -> None:
        self.index = index
        sizes = [segment.documents for segment in index.segments]
        self.offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        """The position of the first document of each segment, and the number of documents."""
        self.position = {segment.name: at for at, segment in enumerate(index.segments)}
        self.present: dict[tuple[str, ...], bool] = {}
        self.by_key: dict[str, list[int]] = {}
        self.texts: dict[str, TextCache] = {}
        self.numbers: dict[str, ListCache] = {}
        self.mine = threading.local()
        """The columns that a thread has read last."""
        self.lock = threading.Lock()

    def has(self, *fields: str) -> bool:
        """Whether a document of the index has a value in one of these lists, looked up once."""
        if fields not in self.present:
            self.present[fields] = any(each.store.has_values(fields) for each in self.index.segments)
        return self.present[fields]

    # Positions of documents

    def positions(self, candidates: Candidates) -> Ints:
        """The position of each candidate in the index."""
        if len(candidates.matrices) == 1 and len(self.index.segments) == 1:
            return candidates.documents
        offsets = [self.offsets[self.position[segment.name]] for segment, _ in candidates.matrices]
        return candidates.documents + np.array(offsets or [0], np.int64)[candidates.places[:, 0]]

    def by_segment(self, documents: Ints) -> Iterator[tuple[int, Segment, Ints]]:
        """Documents, which ascend, as the position of the first of a segment, the segment, and their numbers there."""
        cuts = np.searchsorted(documents, self.offsets)
        for at, segment in enumerate(self.index.segments):
            if cuts[at] < cuts[at + 1]:
                offset = int(self.offsets[at])
                yield offset, segment, documents[cuts[at] : cuts[at + 1]] - offset

    @property
    def segments(self) -> Iterator[tuple[int, Segment]]:
        """The position of the first document of each segment, and the segment."""
        return zip(self.offsets.tolist(), self.index.segments, strict=False)

    def are_before(self, documents: Ints, day: date) -> NDArray[np.bool_]:
        """Whether documents were published before a day for certain: a year in their number may tell."""
        return np.asarray(self.last_days[documents] < (day - EPOCH).days)

    @cached_property
    def last_days(self) -> NDArray[np.int32]:
        """The last day on which each document may have been published; the largest number where it is not known."""
        days = [segment.last_days for segment in self.index.segments]
        return days[0] if len(days) == 1 else np.concatenate([np.zeros(0, np.int32), *days])

    # Lists of texts

    def titles(self, candidates: Candidates, language: str) -> tuple[NumberLists, TextCache]:
        """The terms of the title of each candidate, analysed as a language, each once."""
        analyzer = self.index.analyzer(language)
        longest = analyzer.profile.longest

        def number(rows: Rows, cache: TextCache) -> Iterator[Collection[int]]:
            titles, known = [row[0].split() for row in rows], cache.numbers
            new = [*{each for title in titles for each in title if each not in known}]  # most are met again
            words = [[each[start:end][:longest] for start, end in find_words(each)] for each in new]
            every = [*{word for each in words for word in each}]
            terms = dict(zip(every, analyzer.resolve(every), strict=True))
            for each, within in zip(new, words, strict=True):
                known[each] = tuple(cache.number_of(term) for word in within if (term := terms[word]) is not None)
            for title in titles:
                yield dict.fromkeys(chain.from_iterable([known[each] for each in title]))

        return self.text_lists(f"title {language}", candidates, number)

    def classes(self, candidates: Candidates) -> tuple[NumberLists, TextCache]:
        """The IPC and CPC codes of each candidate at every level, as `levels_of` writes them, each once."""

        def number(rows: Rows, cache: TextCache) -> Iterator[Collection[int]]:
            known = cache.numbers
            for _, ipc, cpc in rows:
                found: list[int] = []
                for code in (*split_values(ipc), *split_values(cpc)):
                    found += known.get(code) or cache.numbers_of(code, levels_of_code)
                yield dict.fromkeys(found)

        return self.text_lists("classes", candidates, number)

    def with_applicant(self, candidates: Candidates, names: Iterable[str]) -> NDArray[np.bool_]:
        """Whether each candidate has one of these applicants, as names are compared."""
        found, keys = np.zeros(len(candidates), np.bool_), [*names]
        for here, segment, _ in candidates.by_segment():
            numbers = candidates.documents[here].tolist()
            own = segment.store.with_values("applicants", keys, numbers)
            found[here] = [number in own for number in numbers]
        return found

    def text_lists(
        self, field: str, candidates: Candidates, number: Callable[[Rows, TextCache], Iterator[Collection[int]]]
    ) -> tuple[NumberLists, TextCache]:
        """The texts of each candidate as numbers, each once; `number` gives those of documents from their columns."""
        cache = self.texts.get(field)
        if cache is None:
            with self.lock:
                cache = self.texts.setdefault(field, TextCache(int(self.offsets[-1])))

        def learn(documents: Ints) -> Iterator[Collection[int]]:
            for _, segment, numbers in self.by_segment(documents):
                yield from number(self.read(segment, numbers.tolist()), cache)

        return cache.lists(self.positions(candidates), learn), cache

    def read(self, segment: Segment, numbers: list[int]) -> Rows:
        """The columns of documents; the next feature mostly needs those of the same documents."""
        last: dict[str, dict[int, tuple[Any, ...]]] = self.mine.__dict__.setdefault("rows", {})
        known = last.get(segment.name, {})
        missing = [number for number in numbers if number not in known]
        if missing:
            known = {number: known[number] for number in numbers if number in known}
            known |= segment.store.texts(COLUMNS, missing)
            last[segment.name] = known
        return [known[number] for number in numbers]

    # The graph of citations

    def cited(self, documents: Ints) -> NumberLists:
        """The documents of the index that each of some documents cites, without itself."""

        def learn(missing: Ints) -> Iterator[list[int]]:
            for offset, segment, numbers in self.by_segment(missing):
                lists = segment.store.lists("citations", numbers.tolist())
                known = self.numbered([key for keys in lists for key in keys])
                for own, keys in zip((numbers + offset).tolist(), lists, strict=True):
                    yield [*dict.fromkeys(each for key in keys for each in known[key] if each != own)]

        return self.number_lists("cited", documents, learn)

    def citing(self, documents: Ints) -> NumberLists:
        """The documents that cite each of some documents, without itself."""

        def learn(missing: Ints) -> Iterator[list[int]]:
            for offset, segment, numbers in self.by_segment(missing):
                rows = segment.store.by_number("patent_number", numbers.tolist())
                known = self.everywhere("citing", [key for (key,) in rows.values() if key is not None])
                for number in numbers.tolist():
                    yield [each for each in known.get(rows[number][0], ()) if each != number + offset]

        return self.number_lists("citing", documents, learn)

    def number_lists(self, field: str, documents: Ints, look_up: Callable[[Ints], Lists]) -> NumberLists:
        """Lists of documents of each of some documents."""
        cache = self.numbers.get(field)
        if cache is None:
            with self.lock:
                cache = self.numbers.setdefault(field, ListCache(int(self.offsets[-1])))
        return cache.lists(documents, look_up)

    def numbered(self, keys: Sequence[str]) -> dict[str, list[int]]:
        """Key of a patent number → the documents of that number; what many cite is looked up once."""
        missing = [key for key in keys if key not in self.by_key]
        if len(self.by_key) + len(missing) > MOST:
            self.by_key, missing = {}, [*keys]
        if missing:
            self.by_key |= self.everywhere("numbers_by_key", missing)
        return self.by_key

    def everywhere(self, question: str, keys: Sequence[str]) -> dict[str, list[int]]:
        """Key of a patent number → the documents of all segments that answer a question, without replaced ones."""
        found: dict[str, list[int]] = {key: [] for key in keys}
        for offset, segment in self.segments:
            for key, numbers in getattr(segment.store, question)([*found]).items():
                found[key] += [offset + number for number in numbers if segment.live[number]]
        return found


def attributes_of(index: Index) -> Attributes:
    """The attributes of an index, kept with it."""
    if CACHE_KEY not in index.cache:
        index.cache[CACHE_KEY] = Attributes(index)
    found: Attributes = index.cache[CACHE_KEY]
    return found


def levels_of_code(code: str) -> list[str]:
    """A code at every level, with the number of the level before it: `0H04L`, `1H04L 12`, `2H04L 12/56`."""
    group, slash, _ = code.partition("/")
    return [f"0{code[:4]}", *((f"1{group}", f"2{code}") if slash else ())]


def levels_of(codes: Sequence[str]) -> list[str]:
    """Codes at every level, each once."""
    return [*dict.fromkeys(chain.from_iterable(map(levels_of_code, codes)))]
