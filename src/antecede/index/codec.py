"""Lists of ascending numbers with counts, read from few bytes: postings of a term, or the vector of a document.

Each item is LEB128 of (gap << 1 | count is 1), then LEB128 of count − 2 where the count is more. Most gaps and counts
are small, so an item takes two bytes where an array of numbers takes eight.

A list is checked as it is decoded: its length, what its counts add up to and a checksum are kept beside it. The
checksum takes in number after number, times an odd factor, modulo 2³²: no change of one number leaves it as it was, and
a change of where numbers end does with a chance of one in four billion. Lists are written in `encoding.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import types as t

from antecede.index.arrays import from_sizes
from antecede.text.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

U32, I64, U64 = t.uint32[::1], t.int64[::1], t.uint64[::1]
ReadOnlyBytes = t.Array(t.uint8, 1, "C", readonly=True)
ReadOnlyU32 = t.Array(t.uint32, 1, "C", readonly=True)
ReadOnlyI64 = t.Array(t.int64, 1, "C", readonly=True)

FACTOR = np.uint32(0x9E3779B1)
MORE = np.uint8(128)
SEVEN_BITS = np.uint64(127)
LAST_SHIFT = np.uint64(28)
"""A number has at most five bytes."""
TOO_LARGE = np.uint64(1 << 32)


@dataclass(frozen=True)
class Lists:
    """Several lists, one behind the other: the n-th is `items[ptr[n]:ptr[n + 1]]` with its `counts`."""

    ptr: NDArray[np.int64]
    items: NDArray[np.uint32]
    counts: NDArray[np.uint32]


@compiled(t.int64(ReadOnlyBytes, I64, I64, I64, t.uint32, U32, U32, U32, U64))
def decode_into(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    ptr: NDArray[np.int64],
    limit: np.uint32,
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
) -> int:
    """Decode the lists at `starts` … `ends`, whose lengths `ptr` gives; −1, or the first that is not what it was.

    Items are below `limit`; `sums` are the checksums and `totals` what the counts of each list must add up to.
    """
    for n in range(len(starts)):
        j = ptr[n]
        stop = ptr[n + 1]
        last = np.uint32(0)
        total = np.uint32(0)
        counted = np.uint64(0)
        value = np.uint64(0)
        shift = np.uint64(0)
        counting = False
        for at in range(starts[n], ends[n]):
            value |= (np.uint64(data[at]) & SEVEN_BITS) << shift
            if data[at] >= MORE:
                shift += np.uint64(7)
                if shift > LAST_SHIFT:
                    return n
                continue
            total = np.uint32((total + np.uint32(value)) * FACTOR)
            count = np.uint32(1)
            if counting:
                count = np.uint32(np.uint32(value) + np.uint32(2))
                counting = False
            else:
                last = np.uint32(last + np.uint32(value >> np.uint64(1)))
                if j >= stop or last >= limit or value >= TOO_LARGE:
                    return n
                items[j] = last
                counting = value & np.uint64(1) == np.uint64(0)
            if not counting:
                counts[j] = count
                counted += np.uint64(count)
                j += 1
            value = np.uint64(0)
            shift = np.uint64(0)
        if j != stop or counting or shift != np.uint64(0) or total != sums[n] or counted != totals[n]:
            return n
    return -1


def decode(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    limit: int,
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
) -> Lists | None:
    """The lists whose bytes stand at `starts` … `ends`; None where one is not what it was.

    Nothing outside `data` is read, whatever the other numbers say.
    """
    places_fit = (starts >= 0).all() and (starts <= ends).all() and (ends <= len(data)).all()
    if not places_fit or (lengths < 0).any() or (lengths > ends - starts).any():
        return None
    ptr = from_sizes(lengths)
    items, counts = np.empty(ptr[-1], np.uint32), np.empty(ptr[-1], np.uint32)
    wrong = decode_into(data, starts, ends, ptr, np.uint32(limit), items, counts, sums, totals)
    return Lists(ptr, items, counts) if wrong < 0 else None
