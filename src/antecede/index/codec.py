"""Lists of ascending numbers with counts, as few bytes: postings of a term, or the vector of a document.

Each item is LEB128 of (gap << 1 | count is 1), then LEB128 of count − 2 where the count is more. Most gaps and counts
are small, so an item takes two bytes where an array of numbers takes eight.

A list is checked as it is decoded: its length, the sum of its items and the sum of its counts are kept beside it, and a
flipped byte changes at least one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import types as t

from antecede.text.compiling import compiled, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_ITEM = 10
"""Bytes that one item can take: five for the gap, five for the count."""

Bytes, U32, I64, U64 = t.uint8[::1], t.uint32[::1], t.int64[::1], t.uint64[::1]
ReadOnlyBytes = t.Array(t.uint8, 1, "C", readonly=True)
ReadOnlyU32 = t.Array(t.uint32, 1, "C", readonly=True)
ReadOnlyI64 = t.Array(t.int64, 1, "C", readonly=True)


@dataclass(frozen=True)
class Lists:
    """Several lists, one behind the other: the n-th is `items[ptr[n]:ptr[n + 1]]` with its `counts`."""

    ptr: NDArray[np.int64]
    items: NDArray[np.uint32]
    counts: NDArray[np.uint32]


@part
def put(value: np.uint64, out: NDArray[np.uint8], at: int) -> int:
    """Write one number; the place behind it."""
    while value >= np.uint64(128):
        out[at] = np.uint8(value & np.uint64(127)) | np.uint8(128)
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
    """Encode lists into `out`; `out_ptr` gets where each begins, `sums` the sum of its items mod 2³²."""
    at = 0
    for n in range(len(ptr) - 1):
        out_ptr[n] = at
        last = np.uint32(0)
        total = np.uint32(0)
        for j in range(ptr[n], ptr[n + 1]):
            item = items[j]
            count = counts[j]
            total = np.uint32(total + item)
            once = np.uint64(1) if count == np.uint32(1) else np.uint64(0)
            at = put((np.uint64(np.uint32(item - last)) << np.uint64(1)) | once, out, at)
            if count != np.uint32(1):
                at = put(np.uint64(np.uint32(count - np.uint32(2))), out, at)
            last = item
        sums[n] = total
    out_ptr[len(ptr) - 1] = at
    return at


@compiled(t.int64(ReadOnlyBytes, I64, I64, I64, U32, U32, U32, U64))
def decode_into(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
) -> int:
    """Decode the lists at `starts` … `ends`, whose lengths `ptr` gives; −1, or the first that is not what it was.

    `sums` and `totals` are what the items and the counts of each must add up to.
    """
    for n in range(len(starts)):
        at = starts[n]
        end = ends[n]
        last = np.uint32(0)
        total = np.uint32(0)
        counted = np.uint64(0)
        for j in range(ptr[n], ptr[n + 1]):
            value = np.uint64(0)
            shift = np.uint64(0)
            byte = np.uint8(128)
            while byte >= np.uint8(128):
                if at >= end:
                    return n
                byte = data[at]
                at += 1
                value |= np.uint64(byte & np.uint8(127)) << shift
                shift += np.uint64(7)
            last = np.uint32(last + np.uint32(value >> np.uint64(1)))
            count = np.uint32(1)
            if value & np.uint64(1) == np.uint64(0):
                value = np.uint64(0)
                shift = np.uint64(0)
                byte = np.uint8(128)
                while byte >= np.uint8(128):
                    if at >= end:
                        return n
                    byte = data[at]
                    at += 1
                    value |= np.uint64(byte & np.uint8(127)) << shift
                    shift += np.uint64(7)
                count = np.uint32(np.uint32(value) + np.uint32(2))
            items[j] = last
            counts[j] = count
            total = np.uint32(total + last)
            counted += np.uint64(count)
        if at != end or total != sums[n] or counted != totals[n]:
            return n
    return -1


def encode(lists: Lists) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint32]]:
    """The bytes of lists, where each begins (and the last ends), and the sum of its items."""
    number = len(lists.ptr) - 1
    out = np.empty(len(lists.items) * LARGEST_ITEM, np.uint8)
    ptr, sums = np.zeros(number + 1, np.int64), np.zeros(number, np.uint32)
    used = encode_into(lists.ptr, lists.items, lists.counts, out, ptr, sums)
    return out[:used], ptr, sums


def decode(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
) -> tuple[Lists, int]:
    """The lists whose bytes stand at `starts` … `ends`, and −1, or the place of the first that is damaged."""
    ptr = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    items, counts = np.empty(ptr[-1], np.uint32), np.empty(ptr[-1], np.uint32)
    wrong = decode_into(data, starts, ends, ptr, items, counts, sums, totals)
    return Lists(ptr, items, counts), int(wrong)
