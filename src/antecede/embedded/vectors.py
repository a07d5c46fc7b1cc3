"""The term counts of documents, decoded once and matched with the terms of queries; the lengths of their vectors."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.arrays import distinct
from antecede.term_matches import DAMPED, TermMatches, add_squares, find_matches

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.arrays import F32, I32, U32, Floats, Ints
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.index.matrix import Matrix


_CACHE_KEY, _SLOTS_KEY = "rows for rankings", "slots of queries"
_MAX_POSTINGS = 1 << 25
"""Postings of a matrix that are cached, eight bytes each; beyond that, the cache is cleared."""


def term_slots(matrix: Matrix, numbers: Ints) -> I32:
    """For each term of a matrix its position in a query, −1 for one that the query lacks.

    `numbers` are those of the terms of the query in the matrix, −1 where one does not occur.
    """
    known = np.flatnonzero(numbers >= 0)
    slots = np.full(matrix.terms, -1, np.int32)
    slots[numbers[known]] = known
    return slots


class RowCache:
    """The vectors of the rows of a matrix, decoded when they are first needed; may be used from several threads."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self.lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        # Zeros take no memory until they are written to, however many rows there are.
        self.bounds = np.zeros((2, self.matrix.rows), np.int64)
        """Where the vector of each row begins and ends; 0 for one that is not known."""
        # Nor does room for all postings that may be kept: it need not grow, which would copy what is there.
        most = min(self.matrix.postings, _MAX_POSTINGS) + 1 if self.matrix.complete else 1
        self.items, self.counts, self.used = np.empty(most, np.uint32), np.empty(most, np.uint32), 1
        self.norms = np.zeros(self.matrix.rows)
        """The length of each vector under the weights of terms; 0 where it is not known."""
        self.rarity: F32 | None = None
        """log((N + 1) / df) of every term, where it is the same for all topics."""

    def vectors(self, rows: Ints) -> RowVectors:
        with self.lock:
            missing = distinct(rows[self.bounds[0, rows] == 0])
            if len(missing):
                self._learn(missing)
                if self.bounds[0, rows].min() == 0:  # what was known before is forgotten
                    self._learn(distinct(rows[self.bounds[0, rows] == 0]))
            return RowVectors(self.items, self.counts, self.bounds[0][rows], self.bounds[1][rows])

    def _learn(self, rows: Ints) -> None:
        if self.used > _MAX_POSTINGS:
            self._begin()
        # Decoded in place where there is room: arrays of their own would be allocated, copied and released per topic.
        lists = self.matrix.vectors_of(rows, (self.items[self.used :], self.counts[self.used :]))
        end = self.used + len(lists.items)
        if end > len(self.items):
            # Another thread may still read the old arrays: they are not changed.
            more = np.empty(max(end, 2 * len(self.items)) - len(self.items), np.uint32)
            self.items, self.counts = np.concatenate((self.items, more)), np.concatenate((self.counts, more))
        if not np.may_share_memory(lists.items, self.items):  # there was no room
            self.items[self.used : end], self.counts[self.used : end] = lists.items, lists.counts
        self.bounds[0, rows], self.bounds[1, rows] = self.used + lists.ptr[:-1], self.used + lists.ptr[1:]
        self.used = end


@dataclass(frozen=True, eq=False)
class RowVectors:
    """Vectors of rows: the n-th is `items[starts[n]:ends[n]]` with its `counts`."""

    items: U32
    counts: U32
    starts: Ints
    ends: Ints


def _row_cache(index: EmbeddedEngine, at: int, language: str) -> RowCache:
    caches: dict[tuple[str, int], RowCache] = index.cache.setdefault(_CACHE_KEY, {})
    cache = caches.get((language, at))
    return cache if cache is not None else caches.setdefault((language, at), RowCache(index.matrices(language)[at][1]))


class TermCounts:
    """The term counts of documents with text in a language."""

    def __init__(self, index: EmbeddedEngine, numbers: Ints, language: str) -> None:
        self.index, self.language, self.size = index, language, len(numbers)
        self.statistics = index.statistics(language)
        self.matrices = [matrix for _, matrix in index.matrices(language)]
        self.at, self.rows = index.locate_rows(numbers, language)

    @cached_property
    def _parts(self) -> list[tuple[int, Ints, RowVectors]]:
        """For each matrix with some of the documents: its position, which of them, and their terms with counts."""
        parts = []
        for at in range(len(self.matrices)):
            here = np.flatnonzero(self.at == at)
            if len(here):
                parts.append((at, here, _row_cache(self.index, at, self.language).vectors(self.rows[here])))
        return parts

    def match(self, terms: tuple[str, ...]) -> TermMatches:
        """Where the terms of a query occur in the documents."""
        slots = _slots_of(self.index, self.language)(terms)
        parts = []
        for at, here, rows in self._parts:
            most = min(len(here) * len(terms), int((rows.ends - rows.starts).sum()))
            matches = find_matches(rows.starts, rows.ends, rows.items, rows.counts, slots[at], most)
            parts.append(TermMatches(here, *matches))
        if len(parts) == 1:
            return parts[0]
        offsets = np.cumsum([0, *(len(part.terms) for part in parts)])
        return TermMatches(
            np.concatenate([np.zeros(0, np.int64), *(part.documents for part in parts)]),
            np.concatenate([[0], *(part.ptr[1:] + at for part, at in zip(parts, offsets, strict=False))]),
            np.concatenate([np.zeros(0, np.int32), *(part.terms for part in parts)]),
            np.concatenate([np.zeros(0, np.uint32), *(part.counts for part in parts)]),
        )

    @cached_property
    def norms(self) -> Floats:
        """√Σ_t ((1 + log n) · log((N + 1) / df))² of each document, over all of its terms."""
        norms = np.zeros(self.size)
        for at, here, rows in self._parts:
            known = _row_cache(self.index, at, self.language).norms
            own = self.rows[here]
            missing = np.flatnonzero(known[own] == 0)
            if len(missing):
                starts, ends = rows.starts[missing], rows.ends[missing]
                rarity = self._rarity(at, rows, missing)
                squares = np.empty(len(missing))
                add_squares(starts, ends, rows.items, rows.counts, rarity, DAMPED, squares)
                known[own[missing]] = np.sqrt(squares)
            norms[here] = known[own]
        return norms

    def _rarity(self, at: int, rows: RowVectors, some: Ints) -> F32:
        """log((N + 1) / df) of the terms of a matrix; only those of some rows are computed where that is cheaper."""
        matrix, documents = self.matrices[at], self.statistics.documents
        if len(self.matrices) == 1 and matrix.complete and not len(matrix.deleted):
            cache = _row_cache(self.index, at, self.language)
            if cache.rarity is None:
                df = matrix.df.astype(np.int64)
                cache.rarity = np.log((documents + 1) / np.maximum(df, 1)).astype(np.float32)
            return cache.rarity
        bounds = zip(rows.starts[some].tolist(), rows.ends[some].tolist(), strict=True)
        used = distinct(np.concatenate([rows.items[start:end] for start, end in bounds])).astype(np.int64)
        names = [matrix.term(number) for number in used.tolist()] if len(self.matrices) > 1 else []
        numbers = [used if other is matrix else other.find(names) for other in self.matrices]
        df = self.statistics.frequencies_of(numbers).documents
        rarity = np.zeros(matrix.terms, np.float32)
        rarity[used] = np.log((documents + 1) / np.maximum(df, 1))
        return rarity


def _slots_of(index: EmbeddedEngine, language: str) -> Callable[[tuple[str, ...]], list[I32]]:
    """What gives the slots of the terms of a query in each matrix, kept for a while: several steps of a search ask."""
    known: dict[str, Callable[[tuple[str, ...]], list[I32]]] = index.cache.setdefault(_SLOTS_KEY, {})
    if language not in known:

        def find(terms: tuple[str, ...]) -> list[I32]:
            return [term_slots(matrix, matrix.find(terms)) for _, matrix in index.matrices(language)]

        known[language] = lru_cache(maxsize=8)(find)
    return known[language]
