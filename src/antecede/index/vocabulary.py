"""Sorts terms in byte order: they are concatenated in one array and compared as numbers, without Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.index.arrays import pointers_from_sizes
from antecede.index.codec import encode_numbers
from antecede.kernels import kernel, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arena = tuple[NDArray[np.uint8], NDArray[np.int64]]
    """Concatenated terms, and the offset of each (and the end of the last)."""


@kernel
def eight_bytes(
    arena: NDArray[np.uint8], ptr: NDArray[np.int64], terms: NDArray[np.int64], depth: int, out: NDArray[np.uint64]
) -> None:
    """Eight bytes of each term from `depth` on, as one number with the same order; zeros after the end.

    Bounds: `ptr` are checked places in `arena`, `terms` numbers of its terms; nothing at or after the end of a term is
    read.
    """
    for n in range(len(terms)):
        begin = ptr[terms[n]] + depth
        end = ptr[terms[n] + 1]
        value = np.uint64(0)
        for at in range(begin, begin + 8):
            value = (value << np.uint64(8)) | (np.uint64(arena[at]) if at < end else np.uint64(0))
        out[n] = value


def sort_terms(
    arena: NDArray[np.uint8], ptr: NDArray[np.int64], some: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """The byte order of distinct terms, or of some of them: by the first eight bytes, then by eight more on ties.

    No term has a null byte, so the zeros after its end put it before the terms that it is a prefix of. Ties are sorted
    in any order, which is four times as fast as a stable sort: the following bytes decide.
    """
    order = np.arange(len(ptr) - 1) if some is None else some.copy()
    group = np.zeros(len(order), np.int64)
    open_places = np.arange(len(order))
    depth = 0
    while len(open_places) > 1:
        terms = order[open_places]
        keys = np.empty(len(terms), np.uint64)
        eight_bytes(read_only(arena), ptr, terms, depth, keys)
        place = np.lexsort((keys, group[open_places])) if depth else np.argsort(keys)
        order[open_places] = terms[place]
        keys, groups = keys[place], group[open_places]
        changes = np.ones(len(terms) + 1, np.bool_)
        changes[1:-1] = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
        group[open_places] = np.cumsum(changes[:-1])
        open_places = open_places[~(changes[:-1] & changes[1:])]
        depth += 8
    return order


@kernel
def gather_terms(
    arena: NDArray[np.uint8], ptr: NDArray[np.int64], order: NDArray[np.int64], out: NDArray[np.uint8]
) -> None:
    """Concatenate terms in an order.

    Bounds: `ptr` are checked places in `arena`, and `arrange_terms` makes `out` as long as the terms of `order`.
    """
    to = 0
    for n in range(len(order)):
        for at in range(ptr[order[n]], ptr[order[n] + 1]):
            out[to] = arena[at]
            to += 1


def arrange_terms(arena: NDArray[np.uint8], ptr: NDArray[np.int64], order: NDArray[np.int64]) -> Arena:
    """The terms in an order."""
    sizes = np.diff(ptr)[order]
    out = np.empty(int(sizes.sum()), np.uint8)
    gather_terms(read_only(arena), ptr, order, out)
    return out, pointers_from_sizes(sizes)


@kernel
def front_code_into(
    arena: NDArray[np.uint8], ptr: NDArray[np.int64], shared: NDArray[np.int64], out: NDArray[np.uint8]
) -> int:
    """Write the bytes of each term after the prefix that it shares with the previous one; `shared` is its length.

    Bounds: `ptr` comes from `arrange_terms`, and no more bytes are written than `arena` has, which is as long as `out`.
    """
    to = 0
    for n in range(len(shared)):
        same = 0
        before = ptr[n - 1] if n else ptr[0]
        while before + same < ptr[n] and ptr[n] + same < ptr[n + 1] and arena[before + same] == arena[ptr[n] + same]:
            same += 1
        shared[n] = same
        for at in range(ptr[n] + same, ptr[n + 1]):
            out[to] = arena[at]
            to += 1
    return to


def front_code(arena: NDArray[np.uint8], ptr: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Front-code sorted terms, which halves their size; return the remaining bytes, and the sizes of both parts.

    `Matrix.vocabulary` reads them.
    """
    shared, out = np.zeros(len(ptr) - 1, np.int64), np.empty(len(arena), np.uint8)
    used = front_code_into(read_only(arena), ptr, shared, out)
    return out[:used], encode_numbers(shared, np.diff(ptr) - shared)
