"""Compressed lists of ascending numbers with counts: the postings of a term, or the vector of a document.

Each item is the LEB128 of the gap to the previous one, with the count − 1 in the lowest bits: none where all counts of
the list are 1, otherwise as many as their mean has, at most four. Where all these bits are set, the LEB128 of the
remainder of the count follows. An item takes one or two bytes where plain arrays take eight.

A list is checked as it is decoded: its length, the sum of its counts and a checksum are stored beside it. The checksum
adds each number and multiplies by an odd factor, modulo 2³²: changing one number always changes it, and moving the
boundary between numbers leaves it unchanged with a probability of one in four billion.

The values stored beside lists are small numbers too, and also LEB128: most terms occur once or twice in a collection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.arrays import pointers_from_sizes
from antecede.errors import InputError
from antecede.index.files import damaged
from antecede.kernels import MORE, SEVEN_BITS, kernel, read_only, update_checksum, write_leb128

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.files import SegmentFiles

VERIFY = "`antecede verify` names what is damaged in an index that is added to or merged"
LAST_SHIFT = np.uint64(28)
"""A number in a list has at most five bytes."""
LARGEST_COUNT = np.uint64((1 << 32) - 1)
LAST_NUMBER_SHIFT = np.uint64(56)
"""A number beside lists has at most nine bytes, and is therefore below 2⁶³."""
ZERO, ONE = np.uint64(0), np.uint64(1)
SEVEN, TWO_BYTES = np.uint64(7), np.uint64(1 << 14)
MAX_BITS = np.uint64(4)
NO_ITEMS, NO_PLACES = np.zeros(0, np.int64), np.zeros(0, np.uint32)


class Lists(NamedTuple):
    """Concatenated lists: list n is `items[ptr[n]:ptr[n + 1]]` with its `counts`."""

    ptr: NDArray[np.int64]
    items: NDArray[np.uint32]
    counts: NDArray[np.uint32]


@kernel
def _count_bits(items: np.uint64, total: np.uint64) -> np.uint64:
    """The number of bits for the count of each item, in a list of `items` items whose counts sum to `total`."""
    bits = ZERO
    if total > items > ZERO:
        while bits < MAX_BITS and total // items >> bits > ZERO:
            bits += ONE
    return bits


@kernel
def decode_into(  # noqa: C901 - one loop
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    limit: np.uint64,
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
    places: NDArray[np.uint32],
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
) -> int:
    """Decode the lists at `starts` … `ends`; return −1, or the first list that is damaged.

    Items are strictly ascending and below `limit`; counts fit into 32 bits; `lengths`, `sums` and `totals` are the
    number of items, the checksum and the sum of the counts that each list must have. With `places`, which has a number
    for each possible item, only the items whose number is not 0 are kept, as that number − 1. Whether an item is kept,
    or its number has one byte or two, takes no branch.

    Bounds: each list must lie in `data` and be no longer than its bytes, and `decode` checks that `places` has a number
    for each item below `limit`, if it has any. `items` and `counts` have room for every item that may be kept, and with
    `places` for one more; an item is kept once, since items ascend.
    """
    at = 0
    for n in range(len(starts)):
        ptr[n] = at
        if not (0 <= starts[n] <= ends[n] <= len(data) and 0 <= lengths[n] <= ends[n] - starts[n]):
            return n
        here, stop, read, counting = starts[n], ends[n], 0, False
        last, least, counted, total = np.uint64(0), np.uint64(0), np.uint64(0), np.uint32(0)
        bits = _count_bits(np.uint64(lengths[n]), totals[n])
        mask = (ONE << bits) - ONE
        more = np.uint64(0)
        while here < stop:
            first = np.uint64(data[here])
            second = np.uint64(data[here + 1]) if here + 1 < stop else np.uint64(255)
            long = first >> SEVEN
            value = (first & SEVEN_BITS) | (((second & SEVEN_BITS) * long) << SEVEN)
            here += 1 + np.int64(long)
            if long & (second >> SEVEN):
                shift = np.uint64(14)
                while here < stop and data[here] >= MORE and shift < LAST_SHIFT:
                    value |= (np.uint64(data[here]) & SEVEN_BITS) << shift
                    shift += SEVEN
                    here += 1
                if here >= stop or data[here] >= MORE:
                    return n
                value |= np.uint64(data[here]) << shift
                here += 1
            total = update_checksum(total, value)
            if counting:
                more = value + mask
                counting = False
                if more >= LARGEST_COUNT:
                    return n
            else:
                last += value >> bits
                if read >= lengths[n] or not least <= last < limit:
                    return n
                least = last + ONE
                more = value & mask
                counting = more == mask and bits != ZERO
            if not counting:
                read += 1
                counted += more + ONE
                counts[at] = np.uint32(more + ONE)
                if len(places) == 0:
                    items[at] = np.uint32(last)
                    at += 1
                else:
                    place = places[last]
                    items[at] = place - np.uint32(1)
                    at += int(place != np.uint32(0))
        if counting or read != lengths[n] or here != stop or total != sums[n] or counted != totals[n]:
            return n
    ptr[len(starts)] = at
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
    wanted: tuple[NDArray[np.int64], NDArray[np.uint32]] | None = None,
) -> Lists | None:
    """The lists whose bytes are at `starts` … `ends`; None where one is damaged.

    Nothing outside `data` is read, whatever the other arguments are. `room` are arrays that items and counts are put
    into, from their beginning on, instead of new ones; they must be long enough. `wanted` are ascending items, and a
    table with a 0 for each item below `limit`, which is used meanwhile and left as it was: only these items are kept,
    each as its place among them.
    """
    chosen, places = (NO_ITEMS, NO_PLACES) if wanted is None else wanted
    if wanted is not None and (len(places) < limit or (len(chosen) and not 0 <= chosen[0] <= chosen[-1] < limit)):
        raise ValueError("items are wanted that no list can have")
    most, spare = (len(data), 0) if wanted is None else (len(chosen), 1)
    size = int(np.clip(lengths, 0, most).sum()) + spare
    items, counts = (np.empty(size, np.uint32), np.empty(size, np.uint32)) if room is None else room
    if min(len(items), len(counts)) < size:
        raise ValueError(f"{size} items do not fit into {min(len(items), len(counts))}")
    ptr = np.empty(len(starts) + 1, np.int64)
    places[chosen] = np.arange(1, len(chosen) + 1)
    wrong = decode_into(
        read_only(data), starts, ends, lengths, np.uint64(limit), sums, totals, places, ptr, items, counts
    )
    places[chosen] = 0
    return Lists(ptr, items[: ptr[-1]], counts[: ptr[-1]]) if wrong < 0 else None


@kernel
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
    return out.reshape(-1, columns) if numbers_into(read_only(data), out) else None


def read_numbers(files: SegmentFiles, name: str, columns: int) -> NDArray[np.uint64]:
    decoded = decode_numbers(files.array(name), columns)
    if decoded is None:
        raise damaged(files.folder / name, "its numbers cannot be read")
    return decoded


class EncodedLists(NamedTuple):
    """Encoded lists: their bytes, the offset of each (and the end of the last), its checksum, the sum of its counts."""

    data: NDArray[np.uint8]
    ptr: NDArray[np.int64]
    sums: NDArray[np.uint32]
    totals: NDArray[np.uint64]


@kernel
def _encode_into(
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
        bits = _count_bits(np.uint64(ptr[n + 1] - ptr[n]), totals[n])
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
                at = write_leb128(value, out, at)
            if more >= mask and bits != ZERO:
                total = update_checksum(total, more - mask)
                at = write_leb128(more - mask, out, at)
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
    widest = bytes_for((int(lists.items.max()) + 1 << int(MAX_BITS)) - 1) + bytes_for(int(lists.counts.max()))
    out = np.empty(len(lists.items) * widest, np.uint8)
    used = _encode_into(lists.ptr, lists.items, lists.counts, out, ptr, sums, totals)
    if used < 0:
        raise InputError("the data to write is not a matrix: terms or rows do not ascend", remedy=VERIFY)
    return EncodedLists(out[:used], ptr, sums, totals)


@kernel
def _write_numbers(numbers: NDArray[np.uint64], out: NDArray[np.uint8]) -> int:
    """Write consecutive numbers, and return the number of bytes.

    Bounds: `encode_numbers` makes `out` long enough for as many of the largest number.
    """
    at = 0
    for n in range(len(numbers)):
        at = write_leb128(numbers[n], out, at)
    return at


def encode_numbers(*columns: NDArray[Any]) -> NDArray[np.uint8]:
    """Columns of numbers as LEB128, row by row."""
    numbers = np.stack(columns, axis=1).astype(np.uint64).reshape(-1)
    out = np.empty(len(numbers) * bytes_for(int(numbers.max(initial=0))), np.uint8)
    return out[: _write_numbers(numbers, out)]


# Postings by term or by row: the loops of a build


@kernel
def _transpose_into(
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    names: NDArray[np.uint32],
    cursor: NDArray[np.int64],
    out_items: NDArray[np.uint32],
    out_counts: NDArray[np.uint32],
) -> bool:
    """Put each item (row, column) under its column; `cursor` is the start of each column and advances to its end.

    Bounds: `ptr` comes from `pointers_from_sizes` or was checked (`are_pointers`); columns and places are guarded in
    the loop. Returns False where one is out of range.
    """
    columns = np.uint64(len(cursor))
    room = np.uint64(len(out_items))
    for row in range(len(ptr) - 1):
        name = names[row]
        for j in range(ptr[row], ptr[row + 1]):
            if np.uint64(items[j]) >= columns:
                return False
            at = cursor[items[j]]
            if np.uint64(at) >= room:
                return False
            cursor[items[j]] = at + 1
            out_items[at] = name
            out_counts[at] = counts[j]
    return True


def tally(items: NDArray[Any], columns: int) -> NDArray[np.int64]:
    """How often each number below `columns` occurs."""
    check(int(items.max(initial=0)) < max(columns, 1))
    return np.bincount(items, minlength=columns)[:columns]


def check(fits: bool) -> None:
    """Refuse parts whose numbers contradict one another, as those of a damaged index can."""
    if not fits:
        raise InputError("the parts to combine contradict one another", remedy=VERIFY)


def transpose(lists: Lists, order: NDArray[np.int64], sizes: NDArray[np.int64], names: NDArray[np.uint32]) -> Lists:
    """Transpose rows of columns into columns of rows, in one pass.

    `order` lists the columns that have items, in the order of the result, and `sizes` is the number of items of each
    column; rows are renumbered by `names`.
    """
    ptr = pointers_from_sizes(sizes[order])
    cursor = np.zeros(len(sizes), np.int64)
    cursor[order] = ptr[:-1]
    items, counts = np.empty(len(lists.items), np.uint32), np.empty(len(lists.items), np.uint32)
    check(_transpose_into(*lists, names, cursor, items, counts))
    return Lists(ptr, items, counts)


@kernel
def place_into(
    ptr: NDArray[np.int64],
    rows: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    terms: NDArray[np.int32],
    first: int,
    new_rows: NDArray[np.int32],
    cursor: NDArray[np.int64],
    out_rows: NDArray[np.uint32],
    out_counts: NDArray[np.uint32],
) -> bool:
    """Put the postings of one part into the segment: list n belongs to term `terms[n]`, whose place is in `cursor`.

    `cursor` starts with term `first`; `new_rows` maps each row to its row in the segment, −1 where it was dropped.
    Bounds: `ptr` comes from `pointers_from_sizes` or was checked; terms, rows and places are guarded in the loop.
    Returns False where one is out of range.
    """
    every = np.uint64(len(new_rows))
    room = np.uint64(len(out_rows))
    for n in range(len(ptr) - 1):
        if not 0 <= terms[n] - first < len(cursor):
            return False
        at = cursor[terms[n] - first]
        for j in range(ptr[n], ptr[n + 1]):
            if np.uint64(rows[j]) >= every:
                return False
            row = new_rows[rows[j]]
            if row >= 0:
                if np.uint64(at) >= room:
                    return False
                out_rows[at] = np.uint32(row)
                out_counts[at] = counts[j]
                at += 1
        cursor[terms[n] - first] = at
    return True
