"""The loops of the search: add up what postings are worth. Compiled, without the lock of Python.

They are as fast as memory hands over the postings. What that takes: rows are unsigned and slices are taken before the
loop, so that no index can wrap around (1.7×); four postings at a time, since a term has each row once (1.15×); and
scores in blocks that stay in the cache where there are many rows (1.4× for a million). None of it changes a score: the
terms are added to each row in the order of the query, product and sum rounded one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types as t

from antecede.text.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

U32, I64, F32 = t.uint32[::1], t.int64[::1], t.float32[::1]
BLOCK = 1 << 17
"""Rows whose scores are added up together: half a megabyte of them."""


@compiled(t.void(U32, F32, I64, I64, F32, F32))
def add(
    rows: NDArray[np.uint32],
    impacts: NDArray[np.float32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    weights: NDArray[np.float32],
    scores: NDArray[np.float32],
) -> None:
    """Add the postings at `starts` … `ends`, each term's times its weight, to the scores of their rows."""
    for i in range(len(starts)):
        row = rows[starts[i] : ends[i]]
        impact = impacts[starts[i] : ends[i]]
        weight = weights[i]
        fours = len(row) & ~3
        for j in range(0, fours, 4):
            a, b, c, d = row[j], row[j + 1], row[j + 2], row[j + 3]
            first = scores[a] + weight * impact[j]
            second = scores[b] + weight * impact[j + 1]
            third = scores[c] + weight * impact[j + 2]
            fourth = scores[d] + weight * impact[j + 3]
            scores[a] = first
            scores[b] = second
            scores[c] = third
            scores[d] = fourth
        for j in range(fours, len(row)):
            scores[row[j]] += weight * impact[j]


@compiled(t.void(U32, I64, I64, t.int64, I64))
def find_row(
    rows: NDArray[np.uint32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    wanted: int,
    found: NDArray[np.int64],
) -> None:
    """For each list the place of the first row that is not below the wanted one, or its end."""
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
    rows: NDArray[np.uint32],
    impacts: NDArray[np.float32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    weights: NDArray[np.float32],
    scores: NDArray[np.float32],
    block: int = BLOCK,
) -> None:
    """`add`, a block of rows at a time where there are more than two."""
    if len(scores) <= 2 * block:
        add(rows, impacts, starts, ends, weights, scores)
        return
    begin, end = starts.copy(), np.empty_like(ends)
    for first in range(0, len(scores), block):
        find_row(rows, begin, ends, min(first + block, len(scores)), end)
        add(rows, impacts, begin, end, weights, scores)
        begin, end = end, begin


@compiled(t.void(U32, I64, I64, t.boolean[::1]))
def touch(rows: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64], met: NDArray[np.bool_]) -> None:
    """Mark the rows that have a term; for scores that can be 0 or less."""
    for i in range(len(starts)):
        row = rows[starts[i] : ends[i]]
        for j in range(len(row)):
            met[row[j]] = True
