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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import InputError
from antecede.index.arrays import pointers_from_sizes
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
MOST_BITS = np.uint64(4)


@dataclass(frozen=True)
class Lists:
    """Concatenated lists: list n is `items[ptr[n]:ptr[n + 1]]` with its `counts`."""

    ptr: NDArray[np.int64]
    items: NDArray[np.uint32]
    counts: NDArray[np.uint32]


@kernel
def _count_bits(items: np.uint64, total: np.uint64) -> np.uint64:
    """The number of bits for the count of each item, in a list of `items` items whose counts sum to `total`."""
    bits = ZERO
    if total > items > ZERO:
        while bits < MOST_BITS and total // items >> bits > ZERO:
            bits += ONE
    return bits


@kernel
def count_bits_into(lengths: NDArray[np.uint32], totals: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    """The number of bits for the counts of each list. Bounds: each array has one entry per list."""
    for n in range(len(out)):
        out[n] = _count_bits(np.uint64(lengths[n]), totals[n])


@kernel
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
        bits = _count_bits(np.uint64(stop - j), totals[n])
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
    wrong = decode_into(read_only(data), starts, ends, ptr, np.uint64(limit), items, counts, sums, totals)
    return Lists(ptr, items, counts) if wrong < 0 else None


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
    """Read rows of numbers from a file."""
    decoded = decode_numbers(files.array(name), columns)
    if decoded is None:
        raise damaged(files.folder / name, "its numbers cannot be read")
    return decoded


# Writing


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
    widest = bytes_for((int(lists.items.max()) + 1 << int(MOST_BITS)) - 1) + bytes_for(int(lists.counts.max()))
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


# Reading some items only


class Matches:
    """The wanted items that each list has, concatenated: those of list n are at `ptr[n]` … `ptr[n + 1]`."""

    def __init__(self, lists: int, room: int) -> None:
        self.ptr = np.zeros(lists + 1, np.int64)
        self.places = np.empty(room, np.int64)
        """Their places among the wanted items."""
        self.counts = np.empty(room, np.uint32)

    def cut(self) -> Matches:
        """Without the room that was not needed."""
        self.places, self.counts = self.places[: self.ptr[-1]], self.counts[: self.ptr[-1]]
        return self


@kernel
def match_encoded_into(  # noqa: C901 - one loop
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    limit: np.uint64,
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
    wanted: NDArray[np.int64],
    table: NDArray[np.uint32],
    ptr: NDArray[np.int64],
    places: NDArray[np.int64],
    counts: NDArray[np.uint32],
) -> int:
    """Decode lists as `decode_into` does, with the same checks, but keep the wanted items only.

    Returns −1, or the first list that is damaged. `table` has a 0 for each possible item, before and after; meanwhile a
    wanted one has its place + 1. Whether an item is wanted, or its number has one byte or two, takes no branch.

    Bounds: each list must lie in `data` and be no longer than its bytes. `match_encoded` checks that `table` has a
    place for each item below `limit`; other wanted items are left out. `places` and `counts` have room for each list's
    length or for all wanted items, whichever is less, and for one more, and a wanted item is found once, since items
    ascend.
    """
    for w in range(len(wanted)):
        if 0 <= wanted[w] < len(table):
            table[wanted[w]] = np.uint32(w + 1)
    at, damaged = 0, -1
    for n in range(len(starts)):
        ptr[n] = at
        if not (0 <= starts[n] <= ends[n] <= len(data) and 0 <= lengths[n] <= ends[n] - starts[n]):
            damaged = n
            break
        here, stop, items, counting, whole = starts[n], ends[n], 0, False, True
        last, least, counted, total = np.uint64(0), np.uint64(0), np.uint64(0), np.uint32(0)
        bits = _count_bits(np.uint64(lengths[n]), totals[n])
        mask = (ONE << bits) - ONE
        more = np.uint64(0)
        while whole and here < stop:
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
                whole = here < stop and data[here] < MORE
                if not whole:
                    break
                value |= np.uint64(data[here]) << shift
                here += 1
            total = update_checksum(total, value)
            if counting:
                more = value + mask
                counting = False
                whole = bool(more < LARGEST_COUNT)
            else:
                last += value >> bits
                whole = bool(items < lengths[n] and least <= last < limit)
                least = last + ONE
                more = value & mask
                counting = more == mask and bits != ZERO
            if whole and not counting:
                items += 1
                counted += more + ONE
                place = table[last]
                places[at] = np.int64(place) - 1
                counts[at] = np.uint32(more + ONE)
                at += int(place != np.uint32(0))
        if not whole or counting or items != lengths[n] or here != stop or total != sums[n] or counted != totals[n]:
            damaged = n
            break
    ptr[len(starts)] = at
    for w in range(len(wanted)):
        if 0 <= wanted[w] < len(table):
            table[wanted[w]] = np.uint32(0)
    return damaged


def match_encoded(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    lengths: NDArray[np.int64],
    limit: int,
    sums: NDArray[np.uint32],
    totals: NDArray[np.uint64],
    wanted: NDArray[np.int64],
    table: NDArray[np.uint32],
) -> Matches | None:
    """The wanted items of encoded lists, whose bytes are at `starts` … `ends`; None where a list is damaged.

    `wanted` ascends. `table` has a 0 for each item below `limit`; it is used meanwhile, and left as it was.
    """
    if len(table) < limit or (len(wanted) and not 0 <= wanted[0] <= wanted[-1] < limit):
        raise ValueError("items are wanted that no list can have")
    matches = Matches(len(starts), int(np.clip(lengths, 0, len(wanted)).sum()) + 1)
    wrong = match_encoded_into(
        data, starts, ends, lengths, np.uint64(limit), sums, totals, wanted, table, matches.ptr, matches.places,
        matches.counts,
    )  # fmt: skip
    return matches.cut() if wrong < 0 else None


def match_lists(lists: Lists, wanted: NDArray[np.int64]) -> Matches:
    """The wanted items of lists in memory; `wanted` ascends."""
    matches = Matches(len(lists.ptr) - 1, 0)
    if not len(wanted):
        return matches
    places = np.minimum(np.searchsorted(wanted, lists.items), len(wanted) - 1)
    kept = wanted[places] == lists.items
    matches.ptr = np.concatenate([[0], np.cumsum(kept)])[lists.ptr]
    matches.places, matches.counts = places[kept], lists.counts[kept]
    return matches
