"""Impact layers: the impact of every posting of a matrix under a ranking model, computed on first use; the inner loops
of the search, which accumulate impacts; and the choice of the k best scores.

Arrays as long as the postings are allocated but not touched. The postings of the terms that queries use are decoded and
weighted once and appended to them. Opening is therefore instant, memory grows only with the terms in use, and repeated
queries run at memory speed. A term that occurs in about half of the rows has a dense slot instead: one impact per row,
0 where the row lacks the term, which takes no more memory and is added without row numbers.

Terms are looked up once, too (`TermCache`): finding a term among half a million takes a microsecond, mostly waiting for
memory, as long as adding a thousand postings, and terms recur from query to query.

The loops are compiled and run without the interpreter lock, at memory speed. What makes them fast: rows are unsigned
and slices are taken before the loop, so that no index can wrap around (1.7×); four postings per iteration, since a term
has each row once (1.15×); a dense row of impacts instead of a list for terms that occur in half of the rows (1.1×); and
blocks of scores that stay in the cache where there are many rows (1.4× for a million). None of this changes a score:
the terms are added to each row in the order of the query, and each product and sum is rounded separately.

The top k are exact. A score threshold is estimated from a sample, and only the scores that reach it are sorted: sorting
all takes ten times as long, partitioning them four times. Where too few scores reach the threshold it is lowered, so
the result never depends on the estimate.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.errors import UsageError
from antecede.kernels import kernel
from antecede.models import CollectionFacts, Postings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.arrays import F32, U32, U64, Ints, Mask
    from antecede.index.codec import Lists
    from antecede.index.matrix import Matrix
    from antecede.index.statistics import MatrixStatistics
    from antecede.models import Model
    from antecede.term_matches import ResolvedQuery


Score = TypeVar("Score", np.float32, np.uint16)
BLOCK = 1 << 17
"""Rows per block: half a megabyte of scores."""
SAMPLE = 2048
"""The number of scores from which a threshold is estimated, at least."""
LOWEST = np.float32(-np.inf)
EVERY_ROW = np.empty(0, np.bool_)
"""In place of a mask, where every row is eligible."""
MAX_TERMS = 1 << 20
"""The capacity of the cache, which is cleared when it is full."""
DECODING_BATCH = 1 << 20
"""Postings decoded at a time."""
WEIGHING_BATCH = 1 << 14
"""Postings weighted at a time: as many as fit the cache."""
NOT_YET = -1
DENSE = 0.45
"""The share of the rows in which a term must occur to have a dense slot."""


class TermCache:
    """The cached terms of one language."""

    def __init__(self, statistics: MatrixStatistics) -> None:
        self.statistics = statistics
        self.lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        # Rows: document frequency, collection frequency, then the term's number in each matrix.
        columns = np.empty((2 + len(self.statistics.matrices), 1024), np.int64)
        self.known: tuple[dict[str, int], Ints] = {}, columns

    def look_up(self, terms: Sequence[str]) -> Ints:
        """One column per term: document frequency, collection frequency, its number in each matrix (−1 for none)."""
        places, columns = self.known
        try:
            at = [places[term] for term in terms]
        except KeyError:
            with self.lock:
                places, columns = self.add_terms(terms)
            at = [places[term] for term in terms]
        return columns[:, at]

    def add_terms(self, terms: Sequence[str]) -> tuple[dict[str, int], Ints]:
        if len(self.known[0]) + len(terms) > MAX_TERMS:
            self.clear()
        places, columns = self.known
        new = [term for term in dict.fromkeys(terms) if term not in places]
        size = len(places) + len(new)
        if size > columns.shape[1]:
            grown = np.empty((len(columns), 2 * size), np.int64)
            grown[:, : len(places)] = columns[:, : len(places)]
            # A thread that still reads the old columns must not see new terms.
            places, columns = dict(places), grown
        numbers = [matrix.find(new) for matrix in self.statistics.matrices]
        often = self.statistics.frequencies_of(numbers)
        columns[:, len(places) : size] = [often.documents, often.occurrences, *numbers]
        self.known = places, columns
        places.update(zip(new, range(len(places), size), strict=True))
        return self.known


@dataclass(frozen=True)
class PostingRanges:
    """The places of the postings of terms: from `starts` to `ends`, or the dense slot of a term that has one."""

    starts: Ints
    ends: Ints
    slots: Ints
    """−1 for a term without a slot."""


@dataclass(frozen=True)
class SegmentTerms:
    """The terms of a query that a segment has, in the order of the query."""

    numbers: Ints
    """Their numbers in the matrix."""
    weights: F32
    df: Ints
    """Their frequencies in the whole collection; likewise `cf`."""
    cf: Ints
    weight_sum: np.float32
    """The sum of the weights of all terms of the query, including those that occur in no document."""

    @classmethod
    def of(cls, query: ResolvedQuery, at: int) -> SegmentTerms:
        """Those of a query that the matrix at a position has."""
        numbers = query.numbers[at]
        if not len(numbers) or numbers.min() >= 0:
            return cls(numbers, query.weights, query.df, query.cf, query.weight_sum)
        here = np.flatnonzero(numbers >= 0)
        return cls(numbers[here], query.weights[here], query.df[here], query.cf[here], query.weight_sum)

    @cached_property
    def distinct(self) -> tuple[Ints, Ints, Ints]:
        """The different numbers, ascending; a place of each in the query; the place among them of each term."""
        numbers, first, order = np.unique(self.numbers, return_index=True, return_inverse=True)
        return numbers, first, order.astype(np.int64).reshape(-1)


class Layer:
    """The impacts of one matrix under one model, with the statistics of the whole collection."""

    def __init__(self, matrix: Matrix, model: Model, statistics: MatrixStatistics) -> None:
        self.matrix, self.model = matrix, model
        self.collection = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        self.lengths = matrix.lengths.astype(np.float64)
        self.document = model.document(self.lengths)
        frequent = int((matrix.df >= DENSE * matrix.rows).sum())
        try:
            self.rows = np.empty(matrix.postings, np.uint32)
            self.impacts = np.empty(matrix.postings, np.float32)
            self.dense = np.empty((frequent, matrix.rows), np.float32)
        except MemoryError:
            raise no_room(matrix) from None
        self.starts = np.full(matrix.terms, NOT_YET, np.int64)
        self.slots = np.full(matrix.terms, NOT_YET, np.int64)
        self.used, self.used_slots = 0, 0
        self.smallest_impact = np.inf
        """The smallest impact so far: if it is positive, so is the score of each document that contains a term."""
        self.lock = threading.Lock()

    def locate(self, terms: Ints, df: Ints, cf: Ints) -> PostingRanges:
        """The places of the postings of terms; `df` and `cf` are their frequencies in the whole collection."""
        if not self.has(terms):
            with self.lock:
                missing = np.flatnonzero(self.starts[terms] < 0)
                _, first = np.unique(terms[missing], return_index=True)
                self.weigh(terms[missing[first]], df[missing[first]], cf[missing[first]])
        return self.ranges_of(terms)

    def has(self, terms: Ints) -> bool:
        """Whether the impacts of terms are there."""
        return not len(terms) or int(self.starts[terms].min()) >= 0

    def ranges_of(self, terms: Ints) -> PostingRanges:
        """The places of the postings of terms that were located before."""
        starts, slots = self.starts[terms], self.slots[terms]
        return PostingRanges(starts, np.where(slots >= 0, starts, starts + self.matrix.df[terms]), slots)

    def weigh(self, terms: Ints, df: Ints, cf: Ints) -> None:
        sizes = self.matrix.df[terms].astype(np.int64)
        frequent = sizes >= DENSE * self.matrix.rows
        rare = np.flatnonzero(~frequent)
        parts = [rare[each] for each in split_sizes(sizes[rare], DECODING_BATCH)]
        for part in [*np.flatnonzero(frequent)[:, None], *parts]:
            lists = self.matrix.postings_of(terms[part])
            end = self.used + len(lists.items)
            impacts = self.impacts[self.used : end]
            for place, postings in iterate_postings(lists, self.lengths, df[part], cf[part]):
                impacts[place] = self.model.impacts(postings, self.collection)
            self.smallest_impact = min(self.smallest_impact, float(impacts.min(initial=np.inf)))
            # In a dense slot, 0 means that a row lacks the term, so no impact may be 0.
            if frequent[part[0]] and impacts.all():
                self.dense[self.used_slots] = 0
                self.dense[self.used_slots, lists.items] = impacts
                self.slots[terms[part]], self.starts[terms[part]] = self.used_slots, 0
                self.used_slots += 1
            else:
                self.rows[self.used : end] = lists.items
                self.starts[terms[part]] = self.used + lists.ptr[:-1]
                self.used = end

    def impacts_of_row(self, terms: Ints, row: int) -> tuple[Mask, F32]:
        """Which of these terms, located before, a row contains, and the impact of each."""
        at = self.ranges_of(terms)
        places = np.empty(len(terms), np.int64)
        find_row(self.rows, at.starts, at.ends, row, places)
        present, impacts = places < at.ends, np.zeros(len(terms), np.float32)
        present[present] = self.rows[places[present]] == row
        impacts[present] = self.impacts[places[present]]
        slotted = at.slots >= 0
        impacts[slotted] = self.dense[at.slots[slotted], row]
        return present | (slotted & (impacts != 0)), impacts

    @property
    def bytes_used(self) -> int:
        return self.used * 8 + self.used_slots * self.matrix.rows * 4


def no_room(matrix: Matrix) -> UsageError:
    what = f"{matrix.postings} postings do not fit into the memory of this process"
    return UsageError(f"{matrix.folder}: {what}; allow it more, or split the index")


def iterate_postings(
    lists: Lists, lengths: NDArray[np.uint32 | np.float64], df: Ints, cf: Ints
) -> Iterator[tuple[slice, Postings]]:
    """The postings of lists in batches, with the statistics that a model needs; `lengths` are those of the rows."""
    sizes = np.diff(lists.ptr)
    for part in split_sizes(sizes, WEIGHING_BATCH):
        # A single long list has one frequency, which need not be repeated.
        alone = part.stop - part.start == 1
        often = [each[part] if alone else np.repeat(each[part], sizes[part]) for each in (df, cf)]
        for begin in range(int(lists.ptr[part.start]), int(lists.ptr[part.stop]), WEIGHING_BATCH):
            place = slice(begin, min(begin + WEIGHING_BATCH, int(lists.ptr[part.stop])))
            here = slice(place.start - int(lists.ptr[part.start]), place.stop - int(lists.ptr[part.start]))
            of_df, of_cf = (each.astype(np.float64) if alone else each[here].astype(np.float64) for each in often)
            counts, of_rows = lists.counts[place].astype(np.float64), lengths[lists.items[place]].astype(np.float64)
            yield place, Postings(counts, of_rows, of_df, of_cf)


def split_sizes(sizes: Ints, most: int) -> Sequence[slice]:
    """Slices of adjacent items whose sizes sum to at most `most`; a larger item is a slice of its own."""
    bounds, total = [0], 0
    for at, size in enumerate(sizes.tolist()):
        total += size
        if total > most and at > bounds[-1]:
            bounds.append(at)
            total = size
    return [slice(start, end) for start, end in pairwise([*bounds, len(sizes)]) if start < end]


# Loops and the choice of the best


@kernel
def _add_postings(
    rows: U32,
    impacts: F32,
    starts: Ints,
    ends: Ints,
    dense: F32,
    slots: Ints,
    weights: F32,
    scores: F32,
    first: int,
    last: int,
) -> None:
    """Add the postings of terms, each times its weight, to the scores of their rows, which are `first` … `last`.

    The postings of a term are at `starts` … `ends`, or, if it has a slot, in that row of `dense`.

    Bounds: slices are clipped to their arrays. Rows were decoded with the length of `scores` as their limit
    (`decode_into`), and `Layer.weigh` assigns one slot per row of `dense`.
    """
    some = scores[first:last]
    for i in range(len(starts)):
        weight = weights[i]
        if slots[i] >= 0:
            every = dense[slots[i], first:last]
            for j in range(len(some)):
                some[j] += weight * every[j]
            continue
        row = rows[starts[i] : ends[i]]
        impact = impacts[starts[i] : ends[i]]
        fours = len(row) & ~3
        for j in range(0, fours, 4):
            a, b, c, d = row[j], row[j + 1], row[j + 2], row[j + 3]
            one = scores[a] + weight * impact[j]
            two = scores[b] + weight * impact[j + 1]
            three = scores[c] + weight * impact[j + 2]
            four = scores[d] + weight * impact[j + 3]
            scores[a] = one
            scores[b] = two
            scores[c] = three
            scores[d] = four
        for j in range(fours, len(row)):
            scores[row[j]] += weight * impact[j]


@kernel
def find_row(rows: U32, starts: Ints, ends: Ints, sought: int, places: Ints) -> None:
    """For each list, the place of the first row that is not below the wanted one, or the end of the list.

    Bounds: `starts` and `ends` are the places of lists that `Layer.weigh` put into `rows`.
    """
    for i in range(len(starts)):
        low = starts[i]
        high = ends[i]
        while low < high:
            middle = (low + high) // 2
            if np.int64(rows[middle]) < sought:
                low = middle + 1
            else:
                high = middle
        places[i] = low


def accumulate(layer: Layer, at: PostingRanges, weights: F32, scores: F32, block: int) -> None:
    """Add all postings to the scores, one block of rows at a time where there are more than two blocks."""
    rows, impacts, dense, number = layer.rows, layer.impacts, layer.dense, len(scores)
    if number <= 2 * block:
        _add_postings(rows, impacts, at.starts, at.ends, dense, at.slots, weights, scores, 0, number)
        return
    begin, end = at.starts.copy(), np.empty_like(at.ends)
    for first in range(0, number, block):
        last = min(first + block, number)
        find_row(rows, begin, at.ends, last, end)
        _add_postings(rows, impacts, begin, end, dense, at.slots, weights, scores, first, last)
        begin, end = end, begin


@kernel
def mark_rows(rows: U32, starts: Ints, ends: Ints, dense: F32, slots: Ints, marked: Mask) -> None:
    """Mark the rows that have a term, for models whose scores may be 0 or negative.

    Bounds: as in `_add_postings`; `marked` has as many rows as `scores` there.
    """
    for i in range(len(starts)):
        if slots[i] >= 0:
            every = dense[slots[i]]
            for j in range(len(marked)):
                marked[j] |= every[j] != 0
            continue
        row = rows[starts[i] : ends[i]]
        for j in range(len(row)):
            marked[row[j]] = True


@kernel
def _collect_keys(scores: F32, bits: U32, ranks: U32, eligible: Mask, threshold: np.float32, keys: U64) -> int:
    """Score and rank as one integer, lower is better, for each eligible row that reaches a threshold; their number.

    The bit patterns of non-negative floats increase with their value, those of negative ones decrease; adding 0 makes
    −0 equal to 0. Every row is eligible if `eligible` is empty.

    Bounds: `bits` is a view of `scores`, `ranks` and `keys` are as long, and so is `eligible` unless it is empty.
    """
    number, every = 0, len(eligible) == 0
    for row in range(len(scores)):
        if scores[row] >= threshold and (every or eligible[row]):
            pattern = bits[row]
            if pattern >> np.uint32(31) == 0:
                pattern = ~pattern & np.uint32(0x7FFFFFFF)
            elif pattern == np.uint32(0x80000000):
                pattern = np.uint32(0x7FFFFFFF)
            keys[number] = np.uint64(pattern) << np.uint64(32) | np.uint64(ranks[row])
            number += 1
    return number


@dataclass(frozen=True)
class NameOrder:
    """The order of the names of the documents of a matrix."""

    ranks: U32
    """The rank of the name of each row."""
    rows: U32
    """The row of each rank."""

    @classmethod
    def of_ranks(cls, ranks: U32) -> NameOrder:
        """The order in which each row has a rank of its own; ranks may be missing."""
        rows = np.zeros(int(ranks.max(initial=0)) + 1, np.uint32)
        rows[ranks] = np.arange(len(ranks), dtype=np.uint32)
        return cls(np.ascontiguousarray(ranks), rows)


def select_top(
    scores: F32, names: NameOrder, k: int, eligible: Mask | None = None, lowest: np.float32 = LOWEST
) -> Ints:
    """The rows of the k highest scores, highest first; ties are broken by name.

    Only rows that are `eligible` and scores that are not below `lowest` count.
    """
    keys, number = np.empty(len(scores), np.uint64), 0
    mask = EVERY_ROW if eligible is None else eligible
    for threshold in estimate_thresholds(scores, k, eligible, lowest):
        number = _collect_keys(scores, scores.view(np.uint32), names.ranks, mask, threshold, keys)
        if number >= k:
            break
    ranks = np.sort(keys[:number])[:k].astype(np.uint32)  # the lower half of each key
    return names.rows[ranks].astype(np.int64)


def sort_keys(scores: F32, order: U32) -> U64:
    """Score and order as one integer, lower is better: sorting by one key is three times as fast as by two."""
    keys = np.empty(len(scores), np.uint64)
    _collect_keys(scores, scores.view(np.uint32), order, EVERY_ROW, LOWEST, keys)
    return keys


def estimate_thresholds(scores: NDArray[Score], k: int, eligible: Mask | None, lowest: Score) -> Iterator[Score]:
    """Thresholds that the k highest scores reach, as a sample suggests, falling; the last is `lowest`."""
    step = max(1, len(scores) // SAMPLE)
    sample = scores[::step] if eligible is None else scores[::step][eligible[::step]]
    share = k / step
    take = int(share + 4 * sqrt(share)) + 2 if step > 1 else k
    while take < len(sample):
        threshold = np.partition(sample, len(sample) - take)[len(sample) - take]
        if threshold <= lowest:
            break
        yield threshold
        take *= 4
    yield lowest
