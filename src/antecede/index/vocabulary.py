"""Terms put in the order of their bytes, and those of many parts made one vocabulary.

Terms stand in one array of bytes; compiled loops and sorted numbers take the place of as many little objects, which
would need ten times the memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numba import types as t

from antecede.index.arrays import from_sizes
from antecede.index.codec import I64, U64, ReadOnlyBytes, ReadOnlyI64
from antecede.index.encoding import Bytes
from antecede.text.compiling import compiled, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arena = tuple[NDArray[np.uint8], NDArray[np.int64]]
    """Terms one behind the other, and where each begins (and the last ends)."""

I32 = t.int32[::1]
SLOTS = 1 << 12
FACTOR = np.uint64(0x9E3779B97F4A7C15)


@compiled(t.void(ReadOnlyBytes, ReadOnlyI64, I64, t.int64, U64))
def eight_bytes(
    arena: NDArray[np.uint8], ptr: NDArray[np.int64], terms: NDArray[np.int64], depth: int, out: NDArray[np.uint64]
) -> None:
    """The bytes of terms from `depth` on, eight as one number that sorts as they do; zeros behind the end."""
    for n in range(len(terms)):
        begin = ptr[terms[n]] + depth
        end = ptr[terms[n] + 1]
        value = np.uint64(0)
        for at in range(begin, begin + 8):
            value = (value << np.uint64(8)) | (np.uint64(arena[at]) if at < end else np.uint64(0))
        out[n] = value


def sorted_terms(arena: NDArray[np.uint8], ptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """The order of different terms by their bytes: eight bytes first, then eight more where these are the same.

    No term has a byte 0, so that zeros behind the end put it before those it begins.
    """
    order = np.arange(len(ptr) - 1)
    group = np.zeros(len(order), np.int64)
    open_places = order.copy()
    depth = 0
    while len(open_places) > 1:
        terms = order[open_places]
        keys = np.empty(len(terms), np.uint64)
        eight_bytes(arena, ptr, terms, depth, keys)
        place = np.lexsort((keys, group[open_places])) if depth else np.argsort(keys, kind="stable")
        order[open_places] = terms[place]
        keys, groups = keys[place], group[open_places]
        changes = np.ones(len(terms) + 1, np.bool_)
        changes[1:-1] = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
        group[open_places] = np.cumsum(changes[:-1])
        open_places = open_places[~(changes[:-1] & changes[1:])]
        depth += 8
    return order


@compiled(t.void(ReadOnlyBytes, ReadOnlyI64, I64, Bytes))
def gather_terms(
    arena: NDArray[np.uint8], ptr: NDArray[np.int64], order: NDArray[np.int64], out: NDArray[np.uint8]
) -> None:
    """Terms written one behind the other in an order."""
    to = 0
    for n in range(len(order)):
        for at in range(ptr[order[n]], ptr[order[n] + 1]):
            out[to] = arena[at]
            to += 1


def arranged(arena: NDArray[np.uint8], ptr: NDArray[np.int64], order: NDArray[np.int64]) -> Arena:
    """Terms in an order."""
    sizes = np.diff(ptr)[order]
    out = np.empty(int(sizes.sum()), np.uint8)
    gather_terms(arena, ptr, order, out)
    return out, from_sizes(sizes)


@part
def hashed(key: np.uint64, byte: np.uint64) -> np.uint64:
    """The hash of a term with one byte more."""
    key = (key ^ byte) * FACTOR
    return key ^ (key >> np.uint64(29))


@compiled(t.int64(ReadOnlyBytes, ReadOnlyI64, t.boolean[::1], Bytes, I64, I32, t.int64, I32))
def look_up(
    arena: NDArray[np.uint8],
    ptr: NDArray[np.int64],
    used: NDArray[np.bool_],
    known_arena: NDArray[np.uint8],
    known_ptr: NDArray[np.int64],
    slots: NDArray[np.int32],
    known: int,
    numbers: NDArray[np.int32],
) -> int:
    """The number of each used term, from an open hash table; a new one gets the next and is copied. How many there are.

    `slots` holds numbers plus 1, 0 where it is free, a power of two of them; there must be room everywhere.
    """
    mask = np.uint64(len(slots) - 1)
    for n in range(len(ptr) - 1):
        numbers[n] = -1
        if not used[n]:
            continue
        begin, size = ptr[n], ptr[n + 1] - ptr[n]
        key = np.uint64(size)
        for at in range(begin, begin + size):
            key = hashed(key, np.uint64(arena[at]))
        slot = key & mask
        while slots[slot] != 0:
            there = known_ptr[slots[slot] - 1]
            same = size if known_ptr[slots[slot]] - there == size else -1
            equal = 0
            while equal < same and known_arena[there + equal] == arena[begin + equal]:
                equal += 1
            if equal == same:
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] == 0:
            to = known_ptr[known]
            known += 1
            slots[slot] = np.int32(known)
            known_ptr[known] = to + size
            for at in range(size):
                known_arena[to + at] = arena[begin + at]
        numbers[n] = slots[slot] - 1
    return known


class Vocabulary:
    """The different terms of many parts, numbered as they come. It grows with them: about 40 bytes a term."""

    def __init__(self) -> None:
        self.known = 0
        self.arena, self.ptr = np.zeros(0, np.uint8), np.zeros(1, np.int64)
        self.slots = np.zeros(SLOTS, np.int32)

    def add(self, arena: NDArray[np.uint8], ptr: NDArray[np.int64], used: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The numbers of terms, −1 for those that are not used."""
        more = len(ptr) - 1
        self.arena = grown(self.arena, int(self.ptr[self.known]) + len(arena))
        self.ptr = grown(self.ptr, self.known + more + 1)
        if 2 * (self.known + more) > len(self.slots):
            self.slots = np.zeros(1 << (4 * (self.known + more)).bit_length(), np.int32)
            old = np.empty(self.known, np.int32)
            every = np.ones(self.known, np.bool_)
            look_up(self.arena, self.ptr[: self.known + 1], every, self.arena, self.ptr, self.slots, 0, old)
        numbers = np.empty(more, np.int32)
        self.known = look_up(arena, ptr, used, self.arena, self.ptr, self.slots, self.known, numbers)
        return numbers

    def terms(self) -> Arena:
        """The terms by their numbers."""
        ptr = self.ptr[: self.known + 1]
        return self.arena[: ptr[-1]], ptr


Kind = TypeVar("Kind", bound=np.generic)


def grown(array: NDArray[Kind], size: int) -> NDArray[Kind]:
    """The array, or a longer one with room for `size` that begins with it."""
    if size <= len(array):
        return array
    longer = np.zeros(max(size, len(array) * 3 // 2), array.dtype)
    longer[: len(array)] = array
    return longer
