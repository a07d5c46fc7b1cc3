"""Encoded lists of places, ascending numbers, in blocks of which each can be read on its own.

What is written of a place is its distance to the place before, less one. A list of up to `BLOCK` places is one block
of LEB128 numbers. A longer list begins with a table, which has for each block the distance of its last place to that of
the block before, its size in bytes (both LEB128), and its checksum in four bytes. So a reader decodes the blocks that
can have a place it looks for, and no others.

The blocks of a long list have numbers of a fixed width in bits, which is said in their first byte; the higher bits of
the few numbers that are longer follow (their count is in the second byte), each with its place in the block.

Whatever is read is checked: a table or a list without one by the checksum beside the list, a block by the one in its
table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import InputError
from antecede.index.codec import LAST_NUMBER_SHIFT, ONE, SEVEN, VERIFY, bytes_for
from antecede.kernels import SEVEN_BITS, kernel, load_eight, read_only, update_checksum, write_leb128

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 128
"""Places in a block."""
TABLE_ENTRY, BLOCK_HEAD = 22, 2
"""Most bytes of a block in the table of its list, and of its own head."""
DENSEST = 16
"""Most places for each byte: those of a block take two bytes at least, and six in the table."""
WIDEST = 48
"""Most bits of a number in a block; there are fewer places than that."""
EIGHT = np.uint64(8)


class EncodedPlaces(NamedTuple):
    """Encoded lists of places: their bytes, how many of them each list has, and its checksum."""

    data: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    sums: NDArray[np.uint32]


@kernel
def _add_up(data: NDArray[np.uint8], at: int | np.int64, end: int | np.int64) -> np.uint32:
    """The checksum of bytes, taken as numbers of eight bytes. Bounds: the caller has checked that they are there."""
    total = np.uint32(0)
    while at + 8 <= end:
        total = update_checksum(total, load_eight(data, np.uint64(at)))
        at += 8
    rest, shift = np.uint64(end - at), np.uint64(3)  # which tells bytes that are 0 from bytes that are not there
    while at < end:
        rest |= np.uint64(data[at]) << shift
        shift += EIGHT
        at += 1
    return update_checksum(total, rest)


@kernel
def _choose_width(sizes: NDArray[np.int64], count: int) -> int:
    """The width in bits of the numbers of a block that takes the fewest bytes; `sizes` counts them by their bits.

    Bounds: `sizes` has an entry for each width up to `WIDEST`.
    """
    widest = WIDEST
    while widest > 0 and sizes[widest] == 0:
        widest -= 1
    width, fewest, longer = widest, (count * widest + 7) // 8, 0
    for narrower in range(widest - 1, -1, -1):
        longer += sizes[narrower + 1]
        needed = (count * narrower + 7) // 8 + longer * (1 + (widest - narrower + 6) // 7)
        if needed < fewest:
            width, fewest = narrower, needed
    return width


@kernel
def _write_block(numbers: NDArray[np.uint64], count: int, out: NDArray[np.uint8], at: int) -> int:
    """Write the first numbers of an array as a block, and return the place after it.

    Bounds: as those of `_encode_into`: a block is not longer than with the width of its largest number.
    """
    sizes = np.zeros(WIDEST + 1, np.int64)
    for n in range(count):
        bits = 0
        while bits < WIDEST and numbers[n] >> np.uint64(bits) != np.uint64(0):
            bits += 1
        sizes[bits] += 1
    width = np.uint64(_choose_width(sizes, count))
    mask = (ONE << width) - ONE
    out[at] = np.uint8(width)
    longer_at, at, longer = at + 1, at + BLOCK_HEAD, 0
    pending, filled = np.uint64(0), np.uint64(0)
    for n in range(count):
        pending |= (numbers[n] & mask) << filled
        filled += width
        while filled >= EIGHT:
            out[at] = np.uint8(pending & np.uint64(255))
            pending >>= EIGHT
            filled -= EIGHT
            at += 1
    if filled > np.uint64(0):
        out[at] = np.uint8(pending)
        at += 1
    for n in range(count):
        if numbers[n] > mask:
            out[at] = np.uint8(n)
            at = write_leb128(numbers[n] >> width, out, at + 1)
            longer += 1
    out[longer_at] = np.uint8(longer)
    return at


@kernel
def _encode_list(
    places: NDArray[np.int64], out: NDArray[np.uint8], at: int, numbers: NDArray[np.uint64]
) -> tuple[int, int]:
    """Write a long list; return the place after its table, and the one after its blocks. `numbers` is used meanwhile.

    The blocks are written where they are out of the way of the longest table, and then moved to the end of this one.
    Bounds: as those of `_encode_into`, which has checked that the places ascend.
    """
    last, blocks = np.int64(-1), at + TABLE_ENTRY * ((len(places) + BLOCK - 1) // BLOCK)
    end = blocks
    for first in range(0, len(places), BLOCK):
        before, begin, count = last, end, min(BLOCK, len(places) - first)
        for n in range(count):
            numbers[n] = np.uint64(places[first + n] - last - 1)
            last = places[first + n]
        end = _write_block(numbers, count, out, begin)
        at = write_leb128(np.uint64(last - before), out, at)
        at = write_leb128(np.uint64(end - begin), out, at)
        checksum = _add_up(out, begin, end)
        for shift in range(0, 32, 8):
            out[at] = np.uint8(checksum >> np.uint32(shift))
            at += 1
    for n in range(end - blocks):
        out[at + n] = out[blocks + n]
    return at, at + end - blocks


@kernel
def _encode_into(
    ptr: NDArray[np.int64],
    places: NDArray[np.int64],
    out: NDArray[np.uint8],
    sizes: NDArray[np.int64],
    sums: NDArray[np.uint32],
) -> int:
    """Encode lists into `out`; return the number of bytes written, or −1 where places do not ascend.

    Bounds: `encode_places` makes `out` long enough for the largest place, which no distance exceeds, and for tables.
    """
    at, numbers = 0, np.empty(BLOCK, np.uint64)
    for n in range(len(sizes)):
        begin, last = at, np.int64(-1)
        for j in range(ptr[n], ptr[n + 1]):
            if places[j] <= last:
                return -1
            last = places[j]
        if ptr[n + 1] - ptr[n] > BLOCK:
            checked, at = _encode_list(places[ptr[n] : ptr[n + 1]], out, at, numbers)
        else:
            last = np.int64(-1)
            for j in range(ptr[n], ptr[n + 1]):
                at = write_leb128(np.uint64(places[j] - last - 1), out, at)
                last = places[j]
            checked = at
        sizes[n], sums[n] = at - begin, _add_up(out, begin, checked)
    return at


def encode_places(ptr: NDArray[np.int64], places: NDArray[np.int64]) -> EncodedPlaces:
    """Encode ascending lists: list n is `places[ptr[n]:ptr[n + 1]]`."""
    sizes, sums = np.zeros(len(ptr) - 1, np.int64), np.zeros(len(ptr) - 1, np.uint32)
    blocks = int((-(-np.diff(ptr) // BLOCK)).sum())
    room = len(places) * bytes_for(int(places.max(initial=0))) + blocks * (TABLE_ENTRY + BLOCK_HEAD + 1)
    out = np.empty(room, np.uint8)
    used = _encode_into(ptr, places, out, sizes, sums)
    if used < 0:
        raise InputError("the data to write is not a list of places: they do not ascend", remedy=VERIFY)
    return EncodedPlaces(out[:used], sizes, sums)


class Blocks(NamedTuple):
    """Where blocks are, and what they must have: an entry of each array belongs to one block."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    before: NDArray[np.int64]
    """The last place of the block before, −1 in the first of a list."""
    last: NDArray[np.int64]
    """The largest place that it can have: its last place, where its list has a table."""
    sums: NDArray[np.int64]
    packed: NDArray[np.int64]
    """Whether its list is a long one."""


@kernel
def _read_number(data: NDArray[np.uint8], at: np.int64, end: np.int64) -> tuple[np.int64, np.uint64]:
    """The place after a number, and the number; −1 where the bytes end before it does, or it is 2⁶³ or more.

    Bounds: `end` is not beyond the data.
    """
    value, shift = np.uint64(0), np.uint64(0)
    while 0 <= at < end and shift <= LAST_NUMBER_SHIFT:
        byte = np.uint64(data[at])
        at += 1
        value |= (byte & SEVEN_BITS) << shift
        if byte <= SEVEN_BITS:
            return at, value
        shift += SEVEN
    return np.int64(-1), value


@kernel
def _read_table(
    data: NDArray[np.uint8],
    start: np.int64,
    end: np.int64,
    limit: np.int64,
    total: np.uint32,
    first: int,
    last: int,
    out: Blocks,
) -> bool:
    """Find the blocks of a list with a table, from `first` up to `last` of `out`; return whether all is in order.

    Bounds: as those of `_find_blocks_into`.
    """
    at, place = start, np.int64(-1)
    for block in range(first, last):
        at, distance = _read_number(data, at, end)
        at, size = _read_number(data, at, end)
        if at < 0 or end - at < 4 or size > np.uint64(end - at) or distance > np.uint64(limit - 1 - place):
            return False
        checksum = np.int64(0)
        for n in range(4):
            checksum |= np.int64(data[at + n]) << np.int64(8 * n)
        at += 4
        out.before[block] = place
        place += np.int64(distance)
        out.last[block], out.ends[block], out.sums[block] = place, np.int64(size), checksum
    if _add_up(data, start, at) != total:
        return False
    for block in range(first, last):
        out.starts[block] = at
        at += out.ends[block]
        out.ends[block] = at
        if at > end:
            return False
    return bool(at == end)


@kernel
def _count_blocks_of(
    size: int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    counts: NDArray[np.int64],
    limits: NDArray[np.int64],
) -> int:
    """The number of blocks of lists, or −1 where one is not in the data or has more places than it can have.

    Bounds: each array has an entry per list.
    """
    blocks = 0
    for n in range(len(counts)):
        if not 0 <= starts[n] <= ends[n] <= size or not 0 <= counts[n] <= min(
            limits[n], DENSEST * (ends[n] - starts[n])
        ):
            return -1
        blocks += (counts[n] + BLOCK - 1) // BLOCK
    return blocks


@kernel
def _find_blocks_into(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    counts: NDArray[np.int64],
    limits: NDArray[np.int64],
    sums: NDArray[np.uint32],
    out: Blocks,
) -> bool:
    """Find the blocks of lists; return whether the tables are what was written.

    Bounds: `_count_blocks_of` has checked that the lists lie in `data`, and counted the blocks that `out` has room for.
    """
    block = 0
    for n in range(len(counts)):
        first, left = block, counts[n]
        while left > 0:
            out.counts[block], out.packed[block] = min(left, BLOCK), counts[n] > BLOCK
            left -= BLOCK
            block += 1
        if counts[n] > BLOCK:
            if not _read_table(data, starts[n], ends[n], limits[n], sums[n], first, block, out):
                return False
        elif counts[n] > 0:
            out.starts[first], out.ends[first] = starts[n], ends[n]
            out.before[first], out.last[first], out.sums[first] = -1, limits[n] - 1, np.int64(sums[n])
        elif starts[n] != ends[n] or sums[n] != _add_up(data, starts[n], ends[n]):
            return False
    return True


def find_blocks(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    counts: NDArray[np.int64],
    limits: NDArray[np.int64],
    sums: NDArray[np.uint32],
) -> Blocks | None:
    """The blocks of the lists at `starts` … `ends`, one after the other; None where a table is damaged.

    The places of each list are below its limit. Nothing outside `data` is read, whatever the other arguments are.
    """
    number = _count_blocks_of(len(data), starts, ends, counts, limits)
    if number < 0:
        return None
    blocks = Blocks(*(np.empty(number, np.int64) for _ in Blocks._fields))
    return blocks if _find_blocks_into(read_only(data), starts, ends, counts, limits, sums, blocks) else None


@kernel
def _load_some(data: NDArray[np.uint8], at: np.int64, end: np.int64) -> np.uint64:
    """Up to eight bytes from a place on, as a little-endian number. Bounds: `end` is not beyond the data."""
    value = np.uint64(0)
    for n in range(min(8, int(end - at))):
        value |= np.uint64(data[at + n]) << np.uint64(8 * n)
    return value


@kernel
def _unpack(data: NDArray[np.uint8], at: np.int64, end: np.int64, numbers: NDArray[np.int64]) -> bool:
    """Read the numbers of a block of a long list; return whether it has as many, and nothing else.

    Bounds: the bytes up to `end` are there; widths and places are checked before they are used.
    """
    count = len(numbers)
    if end - at < BLOCK_HEAD or data[at] > WIDEST:
        return False
    width, longer = np.uint64(data[at]), data[at + 1]
    at += BLOCK_HEAD
    packed = (count * np.int64(width) + 7) >> 3
    if packed > end - at:
        return False
    mask, bit = (ONE << width) - ONE, np.uint64(at) << np.uint64(3)
    if at + packed + 8 <= len(data):
        for n in range(count):
            numbers[n] = np.int64((load_eight(data, bit >> np.uint64(3)) >> (bit & SEVEN)) & mask)
            bit += width
    else:  # the last block of a file
        for n in range(count):
            numbers[n] = np.int64((_load_some(data, np.int64(bit >> np.uint64(3)), end) >> (bit & SEVEN)) & mask)
            bit += width
    at += packed
    for _ in range(longer):
        if at >= end or data[at] >= count:
            return False
        place = data[at]
        at, high = _read_number(data, at + 1, end)
        if at < 0 or high >= ONE << (np.uint64(WIDEST) - width):
            return False
        numbers[place] |= np.int64(high << width)
    return bool(at == end)


@kernel
def _read_numbers(data: NDArray[np.uint8], at: np.int64, end: np.int64, numbers: NDArray[np.int64]) -> bool:
    """Read a short list; return whether it has as many numbers, and nothing else. Bounds: as those of `_unpack`."""
    for n in range(len(numbers)):
        at, number = _read_number(data, at, end)
        if at < 0 or number >> np.uint64(WIDEST) != np.uint64(0):
            return False
        numbers[n] = np.int64(number)
    return bool(at == end)


@kernel
def _decode_into(data: NDArray[np.uint8], blocks: Blocks, which: NDArray[np.int64], places: NDArray[np.int64]) -> bool:
    """Decode some blocks; return whether all are what was written.

    Bounds: `find_blocks` has made the blocks, each in `data`; `decode_blocks` makes `places` as long as their counts.
    So many numbers of `WIDEST` bits do not overflow.
    """
    end = 0
    for n in which:
        begin, end = end, end + blocks.counts[n]
        numbers = places[begin:end]
        if np.int64(_add_up(data, blocks.starts[n], blocks.ends[n])) != blocks.sums[n]:
            return False
        if blocks.packed[n]:
            read = _unpack(data, blocks.starts[n], blocks.ends[n], numbers)
        else:
            read = _read_numbers(data, blocks.starts[n], blocks.ends[n], numbers)
        place = blocks.before[n]
        for j in range(len(numbers)):
            place += numbers[j] + 1
            numbers[j] = place
        if not read or place > blocks.last[n] or (blocks.packed[n] and place != blocks.last[n]):
            return False
    return True


def decode_blocks(
    data: NDArray[np.uint8], blocks: Blocks, which: NDArray[np.int64] | None = None
) -> NDArray[np.int64] | None:
    """The places of blocks that `find_blocks` found in the same data, or of some of them; None where one is damaged."""
    if which is None:
        which = np.arange(len(blocks.counts))
    places = np.empty(int(blocks.counts[which].sum()), np.int64)
    return places if _decode_into(read_only(data), blocks, which, places) else None


@kernel
def _find_from(places: NDArray[np.int64], value: np.int64, at: int) -> int:
    """The first place that is not below a value, from `at` on. Bounds: steps stay between `low` and `high`."""
    low, high, step = at - 1, at, 1
    while high < len(places) and places[high] < value:
        low = high
        high = min(high + step, len(places))
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if places[middle] < value:
            low = middle
        else:
            high = middle
    return high


@kernel
def _select_into(
    blocks: Blocks,
    first: int,
    begin: np.int64,
    end: np.int64,
    near: NDArray[np.int64],
    reach: np.int64,
    which: NDArray[np.int64],
) -> int:
    """Put into `which` the blocks that can have a place from `begin` up to `end` at most `reach` from one of `near`.

    Blocks are looked at from `first` on, as many as `which` has room for; where `reach` is negative, `near` is ignored.
    Returns their number. Bounds: `select_blocks` makes `which` no longer than the blocks from `first` on.
    """
    number, at = 0, 0
    for n in range(first, first + len(which)):
        before, last = blocks.before[n], blocks.last[n]
        if last < begin or before >= end - 1:
            continue
        if reach >= 0:
            if at == len(near) or near[at] > before - reach:  # another list may have begun
                at = 0
            at = _find_from(near, before + 1 - reach, at)
            if at == len(near) or near[at] > last + reach:
                continue
        which[number] = n
        number += 1
    return number


class Vicinity(NamedTuple):
    """Whatever is at most `reach` words from one of some places, which ascend."""

    places: NDArray[np.int64]
    reach: int


EVERYWHERE = Vicinity(np.zeros(0, np.int64), -1)
WORTH = 8
"""Where there are more places than this for each block, nearly every block is near one of them."""


def select_blocks(
    blocks: Blocks, begin: int, end: int, near: Vicinity = EVERYWHERE, *, ascending: bool
) -> NDArray[np.int64]:
    """The blocks that can have places from `begin` up to `end` near others; `ascending`, if they are of one list."""
    first, last = 0, len(blocks.last)
    if ascending:
        first, last = int(np.searchsorted(blocks.last, begin)), int(np.searchsorted(blocks.before, end - 1))
    which = np.empty(max(last - first, 0), np.int64)
    reach = near.reach if len(near.places) < WORTH * len(which) else EVERYWHERE.reach
    number = _select_into(blocks, first, np.int64(begin), np.int64(end), read_only(near.places), np.int64(reach), which)
    return which[:number]
