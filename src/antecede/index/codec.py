"""Compressed lists of ascending numbers with counts: the postings of a term, or the vector of a document.

Each item is the LEB128 of the gap to the previous one, with the count − 1 in the lowest bits: none where all counts of
the list are 1, otherwise as many as their mean has, at most four. Where all these bits are set, the LEB128 of the
remainder of the count follows. An item takes one or two bytes where plain arrays take eight.

A list is checked as it is decoded: its length, the sum of its counts and a checksum are stored beside it. The checksum
adds each number and multiplies by an odd factor, modulo 2³²: changing one number always changes it, and moving the
boundary between numbers leaves it unchanged with a probability of one in four billion. `encoding.py` writes lists.

The values stored beside lists are small numbers too, and also LEB128: most terms occur once or twice in a collection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.arrays import pointers_from_sizes
from antecede.text.compiler import compile_helper, compile_kernel
from antecede.text.compiler import types as t

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
"""A number in a list has at most five bytes."""
LARGEST_COUNT = np.uint64((1 << 32) - 1)
LAST_NUMBER_SHIFT = np.uint64(56)
"""A number beside lists has at most nine bytes, and is therefore below 2⁶³."""
ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(32)
MOST_BITS = np.uint64(4)


@dataclass(frozen=True)
class Lists:
    """Concatenated lists: list n is `items[ptr[n]:ptr[n + 1]]` with its `counts`."""

    ptr: NDArray[np.int64]
    items: NDArray[np.uint32]
    counts: NDArray[np.uint32]


@compile_helper
def count_bits(items: np.uint64, total: np.uint64) -> np.uint64:
    """The number of bits for the count of each item, in a list of `items` items whose counts sum to `total`."""
    bits = ZERO
    if total > items > ZERO:
        while bits < MOST_BITS and total // items >> bits > ZERO:
            bits += ONE
    return bits


@compile_helper
def update_checksum(total: np.uint32, value: np.uint64) -> np.uint32:
    """The checksum extended by one number; the few numbers longer than 32 bits are added as two."""
    total = np.uint32((total + np.uint32(value)) * FACTOR)
    return total if value >> WORD == ZERO else np.uint32((total + np.uint32(value >> WORD)) * FACTOR)


@compile_kernel(t.int64(ReadOnlyBytes, I64, I64, I64, t.uint64, U32, U32, U32, U64))
def decode_into(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    ptr: NDArray[np.int64],
    limit: np.uint64,
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
) -> int:
    """Decode the lists at `starts` … `ends`, whose lengths `ptr` gives; return −1, or the first list that is damaged.

    Items are strictly ascending and below `limit`; counts fit into 32 bits; `sums` are the checksums and `totals` the
    sums of the counts that each list must have.

    Bounds: `decode` checks that starts and ends lie in `data` and that `ptr` fits `items`; the loop ends before `stop`.
    """
    for n in range(len(starts)):
        j = ptr[n]
        stop = ptr[n + 1]
        last = np.uint64(0)
        least = np.uint64(0)
        total = np.uint32(0)
        counted = np.uint64(0)
        bits = count_bits(np.uint64(stop - j), totals[n])
        mask = (ONE << bits) - ONE
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
            total = update_checksum(total, value)
            if counting:
                value += mask
                counting = False
                if value >= LARGEST_COUNT:
                    return n
            else:
                last += value >> bits
                if j >= stop or last >= limit or last < least:
                    return n
                items[j] = np.uint32(last)
                least = last + ONE
                value &= mask
                counting = value == mask and bits != ZERO
            if not counting:
                counts[j] = np.uint32(value + ONE)
                counted += value + ONE
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
    room: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None,
) -> Lists | None:
    """The lists whose bytes are at `starts` … `ends`; None where one is damaged.

    Nothing outside `data` is read, whatever the other arguments are. `room` are arrays that items and counts are put
    into, from their beginning on, instead of new ones; they must be long enough.
    """
    places_fit = (starts >= 0).all() and (starts <= ends).all() and (ends <= len(data)).all()
    if not places_fit or (lengths < 0).any() or (lengths > ends - starts).any():
        return None
    ptr = pointers_from_sizes(lengths)
    size = int(ptr[-1])
    if room is None:
        items, counts = np.empty(size, np.uint32), np.empty(size, np.uint32)
    elif min(map(len, room)) >= size:
        items, counts = (each[:size] for each in room)
    else:
        raise ValueError(f"{size} items do not fit into {min(map(len, room))}")
    wrong = decode_into(data, starts, ends, ptr, np.uint64(limit), items, counts, sums, totals)
    return Lists(ptr, items, counts) if wrong < 0 else None


@compile_kernel(t.boolean(ReadOnlyBytes, U64))
def numbers_into(data: NDArray[np.uint8], out: NDArray[np.uint64]) -> bool:
    """Decode LEB128 numbers, one for each byte below 128; return False where one is 2⁶³ or more.

    Bounds: `decode_numbers` counts those bytes and makes `out` as long.
    """
    value, shift, n = np.uint64(0), np.uint64(0), 0
    for at in range(len(data)):
        if shift > LAST_NUMBER_SHIFT:
            return False
        value |= (np.uint64(data[at]) & SEVEN_BITS) << shift
        shift += np.uint64(7)
        if data[at] < MORE:
            out[n] = value
            n += 1
            value, shift = np.uint64(0), np.uint64(0)
    return True


def decode_numbers(data: NDArray[np.uint8], columns: int) -> NDArray[np.uint64] | None:
    """The rows of numbers that `encode_numbers` wrote, all below 2⁶³; None where the bytes are not valid."""
    count = np.count_nonzero(data < MORE)
    if count % columns or (len(data) and data[-1] >= MORE):
        return None
    out = np.empty(count, np.uint64)
    return out.reshape(-1, columns) if numbers_into(data, out) else None
