"""Lists written as few bytes: see `codec.py`. Apart from the reading, since who only searches need not compile it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types as t

from antecede.index.codec import FACTOR, I64, MORE, SEVEN_BITS, U32, ReadOnlyI64, ReadOnlyU32
from antecede.text.compiling import compiled, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.codec import Lists

    Encoded = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint32]]
    """The bytes of lists, where each begins (and the last ends), and the checksum of each."""

Bytes = t.uint8[::1]


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


def bytes_for(largest: int) -> int:
    """Bytes that a number up to this one takes at most."""
    return max(1, -(-largest.bit_length() // 7))


def encode(lists: Lists) -> Encoded:
    """Lists as bytes. Items are below 2³¹."""
    number = len(lists.ptr) - 1
    ptr, sums = np.zeros(number + 1, np.int64), np.zeros(number, np.uint32)
    if not len(lists.items):
        return np.zeros(0, np.uint8), ptr, sums
    widest = bytes_for(2 * int(lists.items.max()) + 1) + bytes_for(int(lists.counts.max()))
    out = np.empty(len(lists.items) * widest, np.uint8)
    used = encode_into(lists.ptr, lists.items, lists.counts, out, ptr, sums)
    return out[:used], ptr, sums
