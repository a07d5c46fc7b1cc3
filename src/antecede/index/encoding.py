"""Writes the lists that `codec.py` reads. A separate module, so that a search does not compile it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import InputError
from antecede.index.codec import (
    I64,
    MORE,
    MOST_BITS,
    ONE,
    SEVEN_BITS,
    U32,
    U64,
    ZERO,
    ReadOnlyI64,
    ReadOnlyU32,
    count_bits,
    update_checksum,
)
from antecede.text.compiler import compile_helper, compile_kernel
from antecede.text.compiler import types as t

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.codec import Lists

Bytes = t.uint8[::1]
VERIFY = "`antecede verify` names what is damaged in an index that is added to or merged"
SEVEN, TWO_BYTES = np.uint64(7), np.uint64(1 << 14)


class EncodedLists(NamedTuple):
    """Encoded lists: their bytes, the offset of each (and the end of the last), its checksum, the sum of its counts."""

    data: NDArray[np.uint8]
    ptr: NDArray[np.int64]
    sums: NDArray[np.uint32]
    totals: NDArray[np.uint64]


@compile_helper
def write_number(value: np.uint64, out: NDArray[np.uint8], at: int) -> int:
    """Write one number, and return the place after it. Bounds: the caller has room for its bytes (`bytes_for`)."""
    while value > SEVEN_BITS:
        out[at] = np.uint8(value & SEVEN_BITS) | MORE
        value >>= np.uint64(7)
        at += 1
    out[at] = np.uint8(value)
    return at + 1


@compile_kernel(t.int64(ReadOnlyI64, ReadOnlyU32, ReadOnlyU32, Bytes, I64, U32, U64))
def encode_into(
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    out: NDArray[np.uint8],
    out_ptr: NDArray[np.int64],
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
) -> int:
    """Encode lists into `out`, and fill in the offset, the checksum and the sum of the counts of each.

    Returns the number of bytes written, or −1 where items do not ascend or a count is 0.
    Bounds: `encode` makes `out` long enough for the largest item and count; no gap is larger than the largest item.
    """
    at = 0
    for n in range(len(ptr) - 1):
        out_ptr[n] = at
        last = np.uint32(0)
        least = np.uint64(0)
        total = np.uint32(0)
        for j in range(ptr[n], ptr[n + 1]):
            totals[n] += np.uint64(counts[j])
        bits = count_bits(np.uint64(ptr[n + 1] - ptr[n]), totals[n])
        mask = (ONE << bits) - ONE
        for j in range(ptr[n], ptr[n + 1]):
            if np.uint64(items[j]) < least or counts[j] == 0:
                return -1
            more = np.uint64(counts[j]) - ONE
            least = np.uint64(items[j]) + ONE
            value = (np.uint64(np.uint32(items[j] - last)) << bits) | min(more, mask)
            last = items[j]
            total = update_checksum(total, value)
            if value < TWO_BYTES:  # nearly all; writing both bytes is faster than branching on the second
                out[at] = np.uint8(value & SEVEN_BITS) | (np.uint8(value > SEVEN_BITS) << np.uint8(7))
                out[at + 1] = np.uint8(value >> SEVEN)
                at += 1 + int(value > SEVEN_BITS)
            else:
                at = write_number(value, out, at)
            if more >= mask and bits != ZERO:
                total = update_checksum(total, more - mask)
                at = write_number(more - mask, out, at)
        sums[n] = total
    out_ptr[len(ptr) - 1] = at
    return at


def bytes_for(largest: int) -> int:
    """The most bytes that a number up to `largest` takes."""
    return max(1, -(-largest.bit_length() // 7))


def encode(lists: Lists) -> EncodedLists:
    """Encode lists. Items are ascending and below 2³¹."""
    number = len(lists.ptr) - 1
    ptr, sums, totals = np.zeros(number + 1, np.int64), np.zeros(number, np.uint32), np.zeros(number, np.uint64)
    if not len(lists.items):
        return EncodedLists(np.zeros(0, np.uint8), ptr, sums, totals)
    widest = bytes_for((int(lists.items.max()) + 1 << int(MOST_BITS)) - 1) + bytes_for(int(lists.counts.max()))
    out = np.empty(len(lists.items) * widest, np.uint8)
    used = encode_into(lists.ptr, lists.items, lists.counts, out, ptr, sums, totals)
    if used < 0:
        raise InputError("the data to write is not a matrix: terms or rows do not ascend", remedy=VERIFY)
    return EncodedLists(out[:used], ptr, sums, totals)


@compile_kernel(t.int64(U64, Bytes))
def write_numbers(numbers: NDArray[np.uint64], out: NDArray[np.uint8]) -> int:
    """Write consecutive numbers, and return the number of bytes.

    Bounds: `encode_numbers` makes `out` long enough for as many of the largest number.
    """
    at = 0
    for n in range(len(numbers)):
        at = write_number(numbers[n], out, at)
    return at


def encode_numbers(*columns: NDArray[Any]) -> NDArray[np.uint8]:
    """Columns of numbers as LEB128, row by row."""
    numbers = np.stack(columns, axis=1).astype(np.uint64).reshape(-1)
    out = np.empty(len(numbers) * bytes_for(int(numbers.max(initial=0))), np.uint8)
    return out[: write_numbers(numbers, out)]
