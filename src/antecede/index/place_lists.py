"""Encoded lists of places, ascending numbers, in blocks of which each can be read on its own.

What is written of a place is its distance to the place before, less one. A list of up to `BLOCK` places is one block
of LEB128 numbers. A longer list begins with a table, which has for each block the distance of its last place to that of
the block before, its size in bytes (both LEB128), and its checksum in four bytes. So a reader decodes the blocks that
can have a place it looks for, and no others.

The blocks of a long list have numbers of a fixed width in bits. Of the few numbers that are longer follow their places
in the block, a byte each, and their higher bits, of a fixed width too. The first three bytes of a block say the width,
the count of longer numbers, and the width of their higher bits.

Whatever is read is checked: a table or a list without one by the checksum beside the list, a block by the one in its
table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from antecede.conditions.spans import EVERYWHERE
from antecede.errors import InputError
from antecede.index.codec import LAST_NUMBER_SHIFT, ONE, SEVEN, VERIFY, bytes_for
from antecede.kernels import SEVEN_BITS, interval_of, kernel, load_eight, write_leb128

if TYPE_CHECKING:
    from antecede.arrays import I32, U8, U32, U64, Ints, Mask
    from antecede.conditions.spans import Vicinity

BLOCK = 128
"""Places in a block."""
TABLE_ENTRY, BLOCK_HEAD = 22, 3
"""Most bytes of a block in the table of its list, and of its own head."""
MAX_PLACES_PER_BYTE = 15
"""Most places for each byte: those of a block take three bytes at least, and six in the table."""
NOWHERE = np.int64(2**62)
"""Beyond every place."""
MAX_WIDTH = 48
"""Most bits of a number in a block; there are fewer places than that."""
FEW = 1000
"""Up to so many places, remembering which texts are known would take longer than finding some repeatedly."""
PADDING = 8
"""Bytes after the last list, so that eight bytes can be loaded wherever a number is."""
THREE, EIGHT, THIRTY_TWO = np.uint64(3), np.uint64(8), np.uint64(32)
FACTOR = np.uint64(0x9E3779B97F4A7C15)


class EncodedPlaces(NamedTuple):
    """Encoded lists of places: their bytes, how many of them each list has, and its checksum."""

    data: U8
    sizes: Ints
    sums: U32


@kernel
def _add_up(data: U8, at: int | np.int64, end: int | np.int64) -> np.uint32:
    """The checksum of bytes, taken as numbers of eight bytes. Bounds: `PADDING` bytes follow them."""
    here, left = np.uint64(at), np.uint64(end - at)
    total = left  # which tells bytes that are 0 from bytes that are not there
    while left >= EIGHT:
        total = (total + load_eight(data, here)) * FACTOR
        total ^= total >> THIRTY_TWO
        here += EIGHT
        left -= EIGHT
    total = (total + (load_eight(data, here) & ((ONE << (EIGHT * left)) - ONE))) * FACTOR
    return np.uint32(total >> THIRTY_TWO)


@kernel
def _bits_at(data: U8, bit: np.uint64, mask: np.uint64) -> np.int64:
    """The number that begins with a bit of the data. Bounds: `PADDING` bytes follow that of the bit."""
    return np.int64((load_eight(data, bit >> THREE) >> (bit & SEVEN)) & mask)


@kernel
def _choose_widths(sizes: Ints, count: int) -> tuple[int, int]:
    """The widths in bits of the numbers of a block, and of the rest of longer ones, that take the fewest bytes.

    `sizes` counts the numbers by their bits. Bounds: it has an entry for each width up to `MAX_WIDTH`.
    """
    widest = MAX_WIDTH
    while widest > 0 and sizes[widest] == 0:
        widest -= 1
    width, fewest, longer = widest, (count * widest + 7) // 8, 0
    for narrower in range(widest - 1, -1, -1):
        longer += sizes[narrower + 1]
        needed = (count * narrower + 7) // 8 + longer + (longer * (widest - narrower) + 7) // 8
        if needed < fewest:
            width, fewest = narrower, needed
    return width, widest - width


@kernel
def _pack(numbers: U64, width: int, out: U8, at: int) -> int:
    """Write the lowest bits of numbers, and return the place after them. Bounds: as those of `_encode_into`."""
    mask = (ONE << np.uint64(width)) - ONE
    pending, filled = np.uint64(0), np.uint64(0)
    for n in range(len(numbers)):
        pending |= (numbers[n] & mask) << filled
        filled += np.uint64(width)
        while filled >= EIGHT:
            out[at] = np.uint8(pending & np.uint64(255))
            pending >>= EIGHT
            filled -= EIGHT
            at += 1
    if filled > np.uint64(0):
        out[at] = np.uint8(pending)
        at += 1
    return at


@kernel
def _write_block(numbers: U64, out: U8, at: int) -> int:
    """Write numbers as a block, and return the place after it.

    Bounds: as those of `_encode_into`: a block is not longer than with the width of its largest number.
    """
    sizes, rests, longer = np.zeros(MAX_WIDTH + 1, np.int64), np.empty(BLOCK, np.uint64), 0
    for n in range(len(numbers)):
        bits = 0
        while bits < MAX_WIDTH and numbers[n] >> np.uint64(bits) != np.uint64(0):
            bits += 1
        sizes[bits] += 1
    width, rest_width = _choose_widths(sizes, len(numbers))
    head, at = at, _pack(numbers, width, out, at + BLOCK_HEAD)
    for n in range(len(numbers)):
        rest = numbers[n] >> np.uint64(width)
        if rest > np.uint64(0):
            out[at], rests[longer] = np.uint8(n), rest
            at += 1
            longer += 1
    out[head], out[head + 1], out[head + 2] = np.uint8(width), np.uint8(longer), np.uint8(rest_width)
    return _pack(rests[:longer], rest_width, out, at)


@kernel
def _encode_list(places: Ints, out: U8, at: int, numbers: U64) -> tuple[int, int]:
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
        end = _write_block(numbers[:count], out, begin)
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
    ptr: Ints,
    places: Ints,
    out: U8,
    sizes: Ints,
    sums: U32,
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


def encode_places(ptr: Ints, places: Ints) -> EncodedPlaces:
    """Encode ascending lists: list n is `places[ptr[n]:ptr[n + 1]]`."""
    sizes, sums = np.zeros(len(ptr) - 1, np.int64), np.zeros(len(ptr) - 1, np.uint32)
    blocks = int((-(-np.diff(ptr) // BLOCK)).sum())
    room = len(places) * bytes_for(int(places.max(initial=0))) + blocks * (TABLE_ENTRY + BLOCK_HEAD + 1)
    out = np.empty(room + PADDING, np.uint8)
    used = _encode_into(ptr, places, out, sizes, sums)
    if used < 0:
        raise InputError("the data to write is not a list of places: they do not ascend", remedy=VERIFY)
    return EncodedPlaces(out[:used], sizes, sums)


StoredLists: TypeAlias = "tuple[U8, Ints, Ints, U32, Ints]"
"""The bytes of all lists, where each begins, how many places it has, its checksum, and the limits, in turn."""
Blocks: TypeAlias = "Ints"
"""Where blocks are, and what they must have: a column per block. It is one array because a kernel is called with that
in a fraction of the time that a tuple takes."""
STARTS, ENDS, COUNTS, BEFORE, LAST, SUMS, PACKED = range(7)
"""Its rows: where a block begins and ends, its places, the last place of the block before (−1 in the first of a list),
the largest place that it can have (its last one, where its list has a table), its checksum, whether its list is a long
one."""


@kernel
def _read_number(data: U8, at: np.int64, end: np.int64) -> tuple[np.int64, np.uint64]:
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
    data: U8,
    start: np.int64,
    end: np.int64,
    limit: np.int64,
    total: np.uint32,
    first: np.int64,
    last: np.int64,
    out: Blocks,
) -> bool:
    """Find the blocks of a list with a table, from `first` up to `last` of `out`; return whether all is in order.

    Bounds: as those of `find_blocks`, which has counted the blocks.
    """
    at, place = start, np.int64(-1)
    for block in range(first, last):
        at, distance = _read_number(data, at, end)
        at, size = _read_number(data, at, end)
        if at < 0 or end - at < 4 or size > np.uint64(end - at) or distance > np.uint64(limit - 1 - place):
            return False
        if distance < np.uint64(out[COUNTS, block]):  # its places ascend from the last one before
            return False
        checksum = np.int64(0)
        for n in range(4):
            checksum |= np.int64(data[at + n]) << np.int64(8 * n)
        at += 4
        out[BEFORE, block] = place
        place += np.int64(distance)
        out[LAST, block], out[ENDS, block], out[SUMS, block] = place, np.int64(size), checksum
    if _add_up(data, start, at) != total:
        return False
    for block in range(first, last):
        out[STARTS, block] = at
        at += out[ENDS, block]
        out[ENDS, block] = at
        if at > end:
            return False
    return bool(at == end)


@kernel
def find_blocks(
    data: U8,
    ptr: Ints,
    counts: Ints,
    sums: U32,
    limits: Ints,
    lists: Ints,
) -> tuple[bool, Blocks]:
    """Whether some of the stored lists are in order, and their blocks, list by list.

    List n has `counts[n]` places, which are below its limit: lists take turns in their limits.
    Bounds: `counts` and `sums` have an entry per list, `ptr` one more, and `PADDING` bytes of the data follow the last
    list; all else is checked here, so that nothing outside `data` is read, whatever the arguments say.
    """
    number, size = 0, len(data) - PADDING
    for n in lists:
        if not 0 <= n < len(counts) or not 0 <= ptr[n] <= ptr[n + 1] <= size:
            return False, np.empty((PACKED + 1, 0), np.int64)
        if not 0 <= counts[n] <= min(limits[n % len(limits)], MAX_PLACES_PER_BYTE * (ptr[n + 1] - ptr[n])):
            return False, np.empty((PACKED + 1, 0), np.int64)
        number += (counts[n] + BLOCK - 1) // BLOCK
    blocks, block = np.empty((PACKED + 1, number), np.int64), np.int64(0)  # as a literal, it compiles callees twice
    for n in lists:
        first, start, end, limit = block, ptr[n], ptr[n + 1], limits[n % len(limits)]
        for left in range(counts[n], 0, -BLOCK):
            blocks[COUNTS, block], blocks[PACKED, block] = min(left, BLOCK), counts[n] > BLOCK
            block += 1
        if counts[n] > BLOCK:
            if not _read_table(data, start, end, limit, sums[n], first, block, blocks):
                return False, blocks
        elif counts[n] > 0:
            blocks[STARTS, first], blocks[ENDS, first] = start, end
            blocks[BEFORE, first], blocks[LAST, first], blocks[SUMS, first] = -1, limit - 1, np.int64(sums[n])
        elif start != end or sums[n] != _add_up(data, start, end):
            return False, blocks
    return True, blocks


@kernel
def _unpack(data: U8, at: np.int64, end: np.int64, numbers: Ints) -> bool:
    """Read the numbers of a block of a long list; return whether it has as many, and nothing else.

    Bounds: the bytes up to `end` are there with the padding, the parts of the block are as long; places are checked.
    """
    if end - at < BLOCK_HEAD:
        return False
    width, longer, rest_width = np.int64(data[at]), np.int64(data[at + 1]), np.int64(data[at + 2])
    count, at = len(numbers), at + BLOCK_HEAD
    rests_at = at + ((count * width + 7) >> 3) + longer
    if width + rest_width > MAX_WIDTH or end != rests_at + ((longer * rest_width + 7) >> 3):
        return False
    mask, bit = (ONE << np.uint64(width)) - ONE, np.uint64(at) << THREE
    for n in range(count):
        numbers[n] = _bits_at(data, bit, mask)
        bit += np.uint64(width)
    mask, bit = (ONE << np.uint64(rest_width)) - ONE, np.uint64(rests_at) << THREE
    for place_at in range(rests_at - longer, rests_at):
        place = np.uint64(data[place_at])
        if place >= np.uint64(count):
            return False
        numbers[place] |= _bits_at(data, bit, mask) << width
        bit += np.uint64(rest_width)
    return True


@kernel
def _read_numbers(data: U8, at: np.int64, end: np.int64, numbers: Ints) -> bool:
    """Read a short list; return whether it has as many numbers, and nothing else. Bounds: as those of `_unpack`."""
    for n in range(len(numbers)):
        at, number = _read_number(data, at, end)
        if at < 0 or number >> np.uint64(MAX_WIDTH) != np.uint64(0):
            return False
        numbers[n] = np.int64(number)
    return bool(at == end)


@kernel
def _decode_block(data: U8, blocks: Blocks, n: int, places: Ints) -> bool:
    """Decode block n into an array as long as it; return whether it is what was written.

    Bounds: `find_blocks` has made the block, in the same data. So many numbers of `MAX_WIDTH` bits do not overflow.
    """
    start, end, packed = blocks[STARTS, n], blocks[ENDS, n], blocks[PACKED, n] != 0
    if np.int64(_add_up(data, start, end)) != blocks[SUMS, n]:
        return False
    if not (_unpack(data, start, end, places) if packed else _read_numbers(data, start, end, places)):
        return False
    place, last = blocks[BEFORE, n], blocks[LAST, n]
    for at in range(len(places)):
        place += places[at] + 1
        places[at] = place
    return bool(place == last or (place < last and not packed))


@kernel
def _decode_into(data: U8, blocks: Blocks, which: Ints, places: Ints) -> bool:
    """Decode some blocks; return whether all are what was written.

    Bounds: `decode_blocks` makes `places` as long as their counts.
    """
    end = 0
    for n in which:
        begin, end = end, end + blocks[COUNTS, n]
        if not _decode_block(data, blocks, n, places[begin:end]):
            return False
    return True


def decode_blocks(data: U8, blocks: Blocks, which: Ints | None = None) -> Ints | None:
    """The places of blocks that `find_blocks` found in the same data, or of some of them; None where one is damaged."""
    if which is None:
        which = np.arange(blocks.shape[1])
    places = np.empty(int(blocks[COUNTS, which].sum()), np.int64)
    return places if _decode_into(data, blocks, which, places) else None


@kernel
def _add_text(text: np.int64, is_known: Mask, texts: Ints, number: int) -> int:
    """Add a text unless it is known, or the last one; return the number. Bounds: as those of `collect_texts`."""
    if len(is_known):
        if is_known[text]:
            return number
        is_known[text] = True
    elif number and texts[number - 1] == text:
        return number
    texts[number] = text
    return number + 1


@kernel
def collect_texts(
    data: U8,
    ptr: Ints,
    counts: Ints,
    sums: U32,
    limits: Ints,
    lists: Ints,
    bounds: Ints,
    hints: I32,
    shift: int,
) -> tuple[bool, Ints]:
    """Whether some of the stored lists are in order, and the texts that have a place of them; of few, some repeatedly.

    The table of a list has the last place of each block, so that a block is decoded only if there are texts between
    that of its last place and that of the last place before.
    Bounds: the limit of the lists is the last of the `bounds`, so that no last place is beyond it, nor a place that
    `_decode_block` accepts; `find_blocks` makes blocks of at most `BLOCK` places; there is room for each place,
    or for each text where known ones are left out.
    """
    texts, number = np.empty(0, np.int64), 0
    fits, blocks = find_blocks(data, ptr, counts, sums, limits, lists)
    for n in lists:
        fits &= limits[n % len(limits)] == bounds[-1]
    if not fits:
        return False, texts
    most, room, text = blocks[COUNTS].sum(), np.empty(BLOCK, np.int64), np.int64(-1)
    is_known = np.zeros(len(bounds) - 1 if most > FEW else 0, np.bool_)
    texts = np.empty(min(most, len(is_known)) if most > FEW else most, np.int64)
    for n in range(blocks.shape[1]):
        first = text + 1 if blocks[BEFORE, n] >= 0 else np.int64(0)
        if blocks[PACKED, n]:
            text = interval_of(blocks[LAST, n], bounds, hints, shift)
            number = _add_text(text, is_known, texts, number)
            if text <= first:
                continue
        places = room[: blocks[COUNTS, n]]
        if not _decode_block(data, blocks, n, places):
            return False, texts
        for place in places:
            number = _add_text(interval_of(place, bounds, hints, shift), is_known, texts, number)
    return True, texts[:number]


@kernel
def _find_from(places: Ints, value: np.int64, at: int) -> int:
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
def mark_followed(
    data: U8,
    blocks: Blocks,
    ptr: Ints,
    starts: Ints,
    distance: np.int64,
    marked: Mask,
) -> bool:
    """Mark the starts, ascending, that a place of some lists follows at a distance; return False where one is damaged.

    The blocks of a list are those from its `ptr` up to the next. A place is looked for in a block without branches:
    they could not be predicted.
    Bounds: `marked` is as long as `starts`; `find_blocks` has made the blocks, none of more than `BLOCK` places; the
    steps of a search sum to less than that.
    """
    last, room = blocks[LAST], np.empty(BLOCK, np.int64)
    for list_number in range(len(ptr) - 1):
        start, n, end = 0, ptr[list_number], ptr[list_number + 1]
        while start < len(starts):
            n = _find_from(last[:end], starts[start] + distance, n)
            if n == end:
                break
            room[blocks[COUNTS, n] :] = NOWHERE
            if not _decode_block(data, blocks, n, room[: blocks[COUNTS, n]]):
                return False
            while start < len(starts) and starts[start] + distance <= last[n]:
                at, step = np.uint64(0), np.uint64(BLOCK // 2)
                while step > np.uint64(0):
                    at += step * np.uint64(room[at + step - ONE] < starts[start] + distance)
                    step >>= ONE
                marked[start] |= room[at] == starts[start] + distance
                start += 1
    return True


WORTH = 8
"""Where there are more places than this for each block, nearly every block is near one of them."""


def select_blocks(blocks: Blocks, begin: int, end: int, near: Vicinity = EVERYWHERE, *, ascending: bool) -> Ints:
    """The blocks that can have places from `begin` up to `end` near others; `ascending`, if they are of one list."""
    first, last = 0, blocks.shape[1]
    if ascending:
        first, last = int(np.searchsorted(blocks[LAST], begin)), int(np.searchsorted(blocks[BEFORE], end - 1))
    before, latest = blocks[BEFORE, first:last], blocks[LAST, first:last]
    chosen = (latest >= begin) & (before < end - 1)
    if near.reach >= 0 and len(near.places) < WORTH * len(chosen):
        padded = np.append(near.places, NOWHERE)
        chosen &= padded[np.searchsorted(near.places, before + 1 - near.reach)] <= latest + near.reach
    return first + np.flatnonzero(chosen)
