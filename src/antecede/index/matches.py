"""The counts of some items in some lists, such as those of the terms of a query in some rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.index.codec import (
    I64,
    LARGEST_COUNT,
    LAST_SHIFT,
    MORE,
    ONE,
    SEVEN_BITS,
    U32,
    U64,
    ZERO,
    ReadOnlyBytes,
    count_bits,
    update_checksum,
)
from antecede.text.compiler import compile_kernel
from antecede.text.compiler import types as t

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.codec import Lists

SEVEN = np.uint64(7)


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


@compile_kernel(t.int64(ReadOnlyBytes, I64, I64, I64, t.uint64, U32, U64, I64, U32, I64, I64, U32))
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
        bits = count_bits(np.uint64(lengths[n]), totals[n])
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
    found = Matches(len(starts), int(np.clip(lengths, 0, len(wanted)).sum()) + 1)
    wrong = match_encoded_into(
        data, starts, ends, lengths, np.uint64(limit), sums, totals, wanted, table, found.ptr, found.places,
        found.counts,
    )  # fmt: skip
    return found.cut() if wrong < 0 else None


def match_lists(lists: Lists, wanted: NDArray[np.int64]) -> Matches:
    """The wanted items of lists in memory; `wanted` ascends."""
    found = Matches(len(lists.ptr) - 1, 0)
    if not len(wanted):
        return found
    places = np.minimum(np.searchsorted(wanted, lists.items), len(wanted) - 1)
    kept = wanted[places] == lists.items
    found.ptr = np.concatenate([[0], np.cumsum(kept)])[lists.ptr]
    found.places, found.counts = places[kept], lists.counts[kept]
    return found
