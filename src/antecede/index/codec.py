"""Lists of ascending numbers with counts, as few bytes: postings of a term, or the vector of a document.

Each item is LEB128 of (gap << 1 | count is 1), then LEB128 of count − 2 where the count is more. Most gaps and counts
are small, so an item takes two bytes where an array of numbers takes eight.

A list is checked as it is decoded: its length, what its counts add up to and a checksum are kept beside it. The
checksum takes in number after number, times an odd factor, modulo 2³²: no change of one number leaves it as it was, and
a change of where numbers end does with a chance of one in four billion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import types as t

from antecede.index.arrays import from_sizes
from antecede.text.compiling import compiled, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

Bytes, U32, I64, U64 = t.uint8[::1], t.uint32[::1], t.int64[::1], t.uint64[::1]
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


@part
def put(value: np.uint64, out: NDArray[np.uint8], at: int) -> int:
    """Write one number; the place behind it."""
    while value > SEVEN_BITS:
        out[at] = np.uint8(value & SEVEN_BITS) | MORE
        value >>= np.uint64(7)
        at += 1
    out[at] = np.uint8(value)
    return at + 1


@compiled(t.int64(ReadOnlyI64, ReadOnlyU32, ReadOnlyU32, Bytes, I64, U32))
def encode_into(
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    out: NDArray[np.uint8],
    out_ptr: NDArray[np.int64],
    sums: NDArray[np.uint32],
) -> int:
    """Encode lists into `out`; `out_ptr` gets where each begins, `sums` its checksum."""
    at = 0
    for n in range(len(ptr) - 1):
        out_ptr[n] = at
        last = np.uint32(0)
        total = np.uint32(0)
        for j in range(ptr[n], ptr[n + 1]):
            count = counts[j]
            once = np.uint64(1) if count == np.uint32(1) else np.uint64(0)
            value = (np.uint64(np.uint32(items[j] - last)) << np.uint64(1)) | once
            last = items[j]
            total = np.uint32((total + np.uint32(value)) * FACTOR)
            at = put(value, out, at)
            if once == np.uint64(0):
                value = np.uint64(np.uint32(count - np.uint32(2)))
                total = np.uint32((total + np.uint32(value)) * FACTOR)
                at = put(value, out, at)
        sums[n] = total
    out_ptr[len(ptr) - 1] = at
    return at


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


def bytes_for(largest: int) -> int:
    """Bytes that a number up to this one takes at most."""
    return max(1, -(-largest.bit_length() // 7))


def encode(lists: Lists) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint32]]:
    """The bytes of lists, where each begins (and the last ends), and its checksum. Items are below 2³¹."""
    number = len(lists.ptr) - 1
    ptr, sums = np.zeros(number + 1, np.int64), np.zeros(number, np.uint32)
    if not len(lists.items):
        return np.zeros(0, np.uint8), ptr, sums
    widest = bytes_for(2 * int(lists.items.max()) + 1) + bytes_for(int(lists.counts.max()))
    out = np.empty(len(lists.items) * widest, np.uint8)
    used = encode_into(lists.ptr, lists.items, lists.counts, out, ptr, sums)
    return out[:used], ptr, sums


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
