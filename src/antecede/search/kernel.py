"""The inner loops of the search, which accumulate impacts, and the choice of the k best scores. Compiled, and run
without the interpreter lock.

They run at memory speed. What makes them fast: rows are unsigned and slices are taken before the loop, so that no index
can wrap around (1.7×); four postings per iteration, since a term has each row once (1.15×); a dense row of impacts
instead of a list for terms that occur in half of the rows (1.1×); and blocks of scores that stay in the cache where
there are many rows (1.4× for a million). None of this changes a score: the terms are added to each row in the order of
the query, and each product and sum is rounded separately.

The top k are exact. A score threshold is estimated from a sample, and only the scores that reach it are sorted: sorting
all takes ten times as long, partitioning them four times. Where too few scores reach the threshold it is lowered, so
the result never depends on the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.search.layers import Layer, PostingRanges

Score = TypeVar("Score", np.float32, np.uint16)
BLOCK = 1 << 17
"""Rows per block: half a megabyte of scores."""
SAMPLE = 2048
"""The number of scores from which a threshold is estimated, at least."""
LOWEST = np.float32(-np.inf)
EVERY_ROW = np.empty(0, np.bool_)
"""In place of a mask, where every row is eligible."""


@kernel
def _add_postings(
    rows: NDArray[np.uint32],
    impacts: NDArray[np.float32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    dense: NDArray[np.float32],
    slots: NDArray[np.int64],
    weights: NDArray[np.float32],
    scores: NDArray[np.float32],
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
def find_row(
    rows: NDArray[np.uint32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    wanted: int,
    found: NDArray[np.int64],
) -> None:
    """For each list, the place of the first row that is not below the wanted one, or the end of the list.

    Bounds: `starts` and `ends` are the places of lists that `Layer.weigh` put into `rows`.
    """
    for i in range(len(starts)):
        low = starts[i]
        high = ends[i]
        while low < high:
            middle = (low + high) // 2
            if np.int64(rows[middle]) < wanted:
                low = middle + 1
            else:
                high = middle
        found[i] = low


def accumulate(
    layer: Layer, at: PostingRanges, weights: NDArray[np.float32], scores: NDArray[np.float32], block: int
) -> None:
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
def mark_rows(
    rows: NDArray[np.uint32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    dense: NDArray[np.float32],
    slots: NDArray[np.int64],
    marked: NDArray[np.bool_],
) -> None:
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
def _collect_keys(
    scores: NDArray[np.float32],
    ranks: NDArray[np.uint32],
    eligible: NDArray[np.bool_],
    threshold: np.float32,
    keys: NDArray[np.uint64],
) -> int:
    """Score and rank as one integer, lower is better, for each eligible row that reaches a threshold; their number.

    The bit patterns of non-negative floats increase with their value, those of negative ones decrease; adding 0 makes
    −0 equal to 0. Every row is eligible if `eligible` is empty.

    Bounds: `ranks` and `keys` are as long as `scores`, and so is `eligible` unless it is empty.
    """
    found, every = 0, len(eligible) == 0
    bits = scores.view(np.uint32)
    for row in range(len(scores)):
        if scores[row] >= threshold and (every or eligible[row]):
            pattern = bits[row]
            if pattern >> np.uint32(31) == 0:
                pattern = ~pattern & np.uint32(0x7FFFFFFF)
            elif pattern == np.uint32(0x80000000):
                pattern = np.uint32(0x7FFFFFFF)
            keys[found] = np.uint64(pattern) << np.uint64(32) | np.uint64(ranks[row])
            found += 1
    return found


@dataclass(frozen=True)
class NameOrder:
    """The order of the names of the documents of a matrix."""

    ranks: NDArray[np.uint32]
    """The rank of the name of each row."""
    rows: NDArray[np.uint32]
    """The row of each rank."""

    @classmethod
    def of_ranks(cls, ranks: NDArray[np.uint32]) -> NameOrder:
        """The order in which each row has a rank of its own; ranks may be missing."""
        rows = np.zeros(int(ranks.max(initial=0)) + 1, np.uint32)
        rows[ranks] = np.arange(len(ranks), dtype=np.uint32)
        return cls(np.ascontiguousarray(ranks), rows)


def select_top(
    scores: NDArray[np.float32],
    names: NameOrder,
    k: int,
    eligible: NDArray[np.bool_] | None = None,
    lowest: np.float32 = LOWEST,
) -> NDArray[np.int64]:
    """The rows of the k highest scores, highest first; ties are broken by name.

    Only rows that are `eligible` and scores that are not below `lowest` count.
    """
    keys, number = np.empty(len(scores), np.uint64), 0
    wanted = EVERY_ROW if eligible is None else eligible
    for threshold in estimate_thresholds(scores, k, eligible, lowest):
        number = _collect_keys(scores, names.ranks, wanted, threshold, keys)
        if number >= k:
            break
    ranks = np.sort(keys[:number])[:k].astype(np.uint32)  # the lower half of each key
    return names.rows[ranks].astype(np.int64)


def sort_keys(scores: NDArray[np.float32], order: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Score and order as one integer, lower is better: sorting by one key is three times as fast as by two."""
    keys = np.empty(len(scores), np.uint64)
    _collect_keys(scores, order, EVERY_ROW, LOWEST, keys)
    return keys


def estimate_thresholds(
    scores: NDArray[Score], k: int, eligible: NDArray[np.bool_] | None, lowest: Score
) -> Iterator[Score]:
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
