"""What is known of candidates besides their text, looked up once per index: classes, titles, applicants, citations."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.arrays import distinct
from antecede.engine import SEPARATOR, read_lists, split_values
from antecede.text.analyzer import find_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.arrays import Floats, Ints, Mask
    from antecede.engine import Engine
    from antecede.ranking.evidence import Candidates

    Parts = Iterable[Iterable[str]]
    Rows = list[tuple[Any, ...]]
    """Columns of documents: those of `_CODES`, and perhaps the title."""

_CACHE_KEY = "attributes for rankings"
_MAX_VALUES = 1 << 24
"""Values that are cached per field; beyond that, the cache is cleared."""
LEVELS = 3
"""Subclass, main group, group."""
_CODES = ("ipc", "cpc")
"""The columns with classes. Titles are read with them: finding a row takes longer than reading its columns."""


@dataclass(frozen=True, eq=False)
class NumberLists:
    """Lists of numbers of several documents: which of the documents each number belongs to."""

    owners: Ints
    items: Ints
    size: int
    """How many documents there are."""

    @classmethod
    def of(cls, lists: Iterable[Sequence[int] | Ints]) -> NumberLists:
        """The lists of documents, one after the other."""
        every = [*lists]
        items = np.concatenate([np.zeros(0, np.int64), *(np.asarray(numbers, np.int64) for numbers in every)])
        return cls(np.repeat(np.arange(len(every)), [*map(len, every)]), items, len(every))

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.owners, minlength=self.size)

    def add_up(self, values: Floats) -> Floats:
        return np.bincount(self.owners, weights=values, minlength=self.size).astype(np.float64, copy=False)

    def take(self, which: Mask | Ints) -> NumberLists:
        return NumberLists(self.owners[which], self.items[which], self.size)

    def expand(self, which: Ints) -> tuple[Ints, Ints]:
        """The lists of some of the documents one after the other: which of these each item is from, and the item."""
        sizes = self.sizes
        return _expand((np.cumsum(sizes) - sizes)[which], sizes[which], self.items)


def _expand(starts: Ints, sizes: Ints, values: Ints) -> tuple[Ints, Ints]:
    """Slices of an array one after the other: which slice each value is from, and the value."""
    owners = np.repeat(np.arange(len(sizes)), sizes)
    places = np.arange(len(owners)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return owners, values[places]


class ListCache:
    """Lists of numbers of documents, looked up once; may be used from several threads."""

    def __init__(self, documents: int) -> None:
        self.documents = documents
        self.lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        # Zeros take no memory until they are written to, however many documents there are.
        self.starts, self.ends = np.zeros(self.documents, np.int64), np.zeros(self.documents, np.int64)
        """Where the list of each document begins and ends; 0 for one that is not known."""
        self.items, self.used = np.empty(1024, np.int64), 1

    def lists(self, documents: Ints, look_up: Callable[[Ints], NumberLists]) -> NumberLists:
        """The lists of documents; `look_up` gives those of documents that are not known, which ascend."""
        with self.lock:
            if self.used > _MAX_VALUES:
                self._begin()
            missing = documents[self.starts[documents] == 0]
            if len(missing):
                self._learn(distinct(missing), look_up)
            starts, ends, items = self.starts[documents], self.ends[documents], self.items
        return NumberLists(*_expand(starts, ends - starts, items), len(documents))

    def _learn(self, documents: Ints, look_up: Callable[[Ints], NumberLists]) -> None:
        lists = look_up(documents)
        ends = self.used + np.cumsum(lists.sizes)
        if ends[-1] > len(self.items):
            # A thread may still read the old items: they are not changed.
            self.items = np.concatenate((self.items, np.empty(max(int(ends[-1]), len(self.items)), np.int64)))
        self.items[self.used : ends[-1]] = lists.items
        self.starts[documents], self.ends[documents] = [self.used, *ends[:-1]], ends
        self.used = int(ends[-1])


class TextCache(ListCache):
    """Lists of texts of documents as numbers."""

    def __init__(self, documents: int) -> None:
        super().__init__(documents)
        self.number: dict[str, int] = {}
        self.names: list[str] = []
        """The texts in the order in which they were first met, which is their number."""
        self.part: dict[str, int] = {}
        """What is written for texts, such as a class for its levels, a word of a title for its terms → its number."""
        self.part_starts, self.part_items = np.zeros(1, np.int64), np.empty(0, np.int64)
        """The numbers of the texts that each written part stands for, one after the other, and where they begin."""
        self.values = np.empty(0)
        """A value of each text, where one is needed."""

    def _number_of(self, text: str) -> int:
        number = self.number.get(text)
        if number is None:
            number = len(self.names)
            self.names.append(text)  # first: a thread that knows a number may look up its text
            self.number[text] = number
        return number

    def number_parts(self, written: Sequence[Sequence[str]], texts: Callable[[list[str]], Parts]) -> NumberLists:
        """The numbers of the texts of documents, each once, from the parts that are written in each document.

        `texts` gives the texts that each of some parts stands for; each part is looked up once.
        """
        parts = [*chain.from_iterable(written)]
        numbers = [*map(self.part.get, parts)]
        if None in numbers:
            self._learn_parts([*{part for part, number in zip(parts, numbers, strict=True) if number is None}], texts)
            numbers = [*map(self.part.get, parts)]
        places = np.array(numbers, np.int64)
        starts = self.part_starts[places]
        written_at, items = _expand(starts, self.part_starts[places + 1] - starts, self.part_items)
        owners = np.repeat(np.arange(len(written)), [*map(len, written)])[written_at]
        _, first = np.unique(owners * len(self.names) + items, return_index=True)
        return NumberLists(owners, items, len(written)).take(np.sort(first))

    def _learn_parts(self, new: list[str], texts: Callable[[list[str]], Parts]) -> None:
        lists = [[*dict.fromkeys(map(self._number_of, part))] for part in texts(new)]
        ends = self.part_starts[-1] + np.cumsum([*map(len, lists)])
        self.part |= zip(new, range(len(self.part), len(self.part) + len(new)), strict=True)
        self.part_starts = np.concatenate((self.part_starts, ends))
        self.part_items = np.concatenate((self.part_items, np.array([*chain.from_iterable(lists)], np.int64)))

    def mark(self, texts: Iterable[str]) -> Mask:
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

    def __init__(self, index: Engine) -> None:
        self.index = index
        self.present: dict[tuple[str, ...], bool] = {}
        self.by_key: dict[str, list[int]] = {}
        self.texts: dict[str, TextCache] = {}
        self.numbers = {field: ListCache(index.size) for field in ("cited", "citing")}
        self.mine = threading.local()
        """The columns that a thread has read last."""
        self.lock = threading.Lock()

    def has(self, *fields: str) -> bool:
        """Whether a document of the index has a value in one of these lists, looked up once."""
        if fields not in self.present:
            self.present[fields] = self.index.has_values(*fields)
        return self.present[fields]

    # Lists of texts

    def titles(self, candidates: Candidates, language: str) -> tuple[NumberLists, TextCache]:
        """The terms of the title of each candidate, analysed as a language, each once."""
        analyzer = self.index.analyzer(language)
        longest = analyzer.profile.longest

        def terms_of(parts: list[str]) -> Iterator[Iterable[str]]:
            words = [[part[start:end][:longest] for start, end in find_words(part)] for part in parts]
            every = [*{word for own in words for word in own}]
            terms = dict(zip(every, analyzer.resolve(every), strict=True))
            return ([term for word in own if (term := terms[word]) is not None] for own in words)

        def number(rows: Rows, cache: TextCache) -> NumberLists:
            return cache.number_parts([title.split() for *_, title in rows], terms_of)

        return self._text_lists(f"title {language}", candidates, (*_CODES, "title"), number)

    def classes(self, candidates: Candidates) -> tuple[NumberLists, TextCache]:
        """The IPC and CPC codes of each candidate at every level, as `levels_of` writes them, each once."""

        def number(rows: Rows, cache: TextCache) -> NumberLists:
            codes = [split_values(f"{ipc}{SEPARATOR}{cpc}" if ipc and cpc else ipc or cpc) for ipc, cpc, *_ in rows]
            return cache.number_parts(codes, lambda parts: map(levels_of_code, parts))

        return self._text_lists("classes", candidates, _CODES, number)

    def _text_lists(
        self,
        field: str,
        candidates: Candidates,
        columns: tuple[str, ...],
        number: Callable[[Rows, TextCache], NumberLists],
    ) -> tuple[NumberLists, TextCache]:
        """The texts of each candidate as numbers, each once; `number` gives those of documents from their columns."""
        cache = self.texts.get(field)
        if cache is None:
            with self.lock:
                cache = self.texts.setdefault(field, TextCache(self.index.size))

        def learn(documents: Ints) -> NumberLists:
            return number(self._read(documents, columns), cache)

        return cache.lists(candidates.numbers, learn), cache

    def _read(self, documents: Ints, columns: tuple[str, ...]) -> Rows:
        """The columns of documents, and perhaps further ones: the next feature mostly needs those of the same."""
        last: dict[int, tuple[Any, ...]] = getattr(self.mine, "rows", {})
        numbers = documents.tolist()
        known = {number: row for number in numbers if len(row := last.get(number, ())) >= len(columns)}
        missing = [number for number in numbers if number not in known]
        if missing:
            rows = self.index.columns(np.array(missing, np.int64), *columns)
            known |= dict(zip(missing, rows, strict=True))
            self.mine.rows = known
        return [known[number] for number in numbers]

    # The graph of citations

    def cited(self, documents: Ints) -> NumberLists:
        """The documents of the index that each of some documents cites, without itself."""

        def learn(missing: Ints) -> Iterator[list[int]]:
            lists = read_lists(self.index, missing, "citations")
            known = self._numbered([key for keys in lists for key in keys])
            for own, keys in zip(missing.tolist(), lists, strict=True):
                yield [*dict.fromkeys(cited for key in keys for cited in known[key] if cited != own)]

        return self._number_lists("cited", documents, learn)

    def citing(self, documents: Ints) -> NumberLists:
        """The documents that cite each of some documents, without itself."""

        def learn(missing: Ints) -> Iterator[list[int]]:
            keys = [key for (key,) in self.index.columns(missing, "patent_number")]
            known = self.index.having("citations", [key for key in keys if key is not None])
            for own, key in zip(missing.tolist(), keys, strict=True):
                yield [citing for citing in known.get(key, ()) if citing != own]

        return self._number_lists("citing", documents, learn)

    def _number_lists(self, field: str, documents: Ints, learn: Callable[[Ints], Iterator[list[int]]]) -> NumberLists:
        cache = self.numbers[field]
        return cache.lists(documents, lambda missing: NumberLists.of(learn(missing)))

    def _numbered(self, keys: Sequence[str]) -> dict[str, list[int]]:
        """Key of a patent number → the documents of that number; what many cite is looked up once."""
        missing = [key for key in keys if key not in self.by_key]
        if len(self.by_key) + len(missing) > _MAX_VALUES:
            self.by_key, missing = {}, [*keys]
        if missing:
            self.by_key |= {key: [] for key in missing} | self.index.having("patent_number", missing)
        return self.by_key


def attributes_of(index: Engine) -> Attributes:
    """The attributes of an index, kept with it."""
    if _CACHE_KEY not in index.cache:
        index.cache[_CACHE_KEY] = Attributes(index)
    attributes: Attributes = index.cache[_CACHE_KEY]
    return attributes


def levels_of_code(code: str) -> list[str]:
    """A code at every level, with the number of the level before it: `0H04L`, `1H04L 12`, `2H04L 12/56`."""
    group, slash, _ = code.partition("/")
    return [f"0{code[:4]}", *((f"1{group}", f"2{code}") if slash else ())]


def levels_of(codes: Sequence[str]) -> list[str]:
    """Codes at every level, each once."""
    return [*dict.fromkeys(chain.from_iterable(map(levels_of_code, codes)))]
