"""The inner loops of the search, which accumulate impacts. Compiled, and run without the interpreter lock.

They run at memory speed. What makes them fast: rows are unsigned and slices are taken before the loop, so that no index
can wrap around (1.7×); four postings per iteration, since a term has each row once (1.15×); a dense row of impacts
instead of a list for terms that occur in half of the rows (1.1×); and blocks of scores that stay in the cache where
there are many rows (1.4× for a million). None of this changes a score: the terms are added to each row in the order of
the query, and each product and sum is rounded separately.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.search.layers import Layer, PostingRanges

BLOCK = 1 << 17
"""Rows per block: half a megabyte of scores."""


@kernel
def add_postings(
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
        add_postings(rows, impacts, at.starts, at.ends, dense, at.slots, weights, scores, 0, number)
        return
    begin, end = at.starts.copy(), np.empty_like(at.ends)
    for first in range(0, number, block):
        last = min(first + block, number)
        find_row(rows, begin, at.ends, last, end)
        add_postings(rows, impacts, begin, end, dense, at.slots, weights, scores, first, last)
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

    Bounds: as in `add_postings`; `marked` has as many rows as `scores` there.
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
def collect_keys(
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
