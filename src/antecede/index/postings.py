"""Terms in byte order and postings by term or by row: the compiled loops of a build.

Terms are concatenated in one array and compared as numbers, without Python objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError
from antecede.index.arrays import pointers_from_sizes
from antecede.index.codec import VERIFY, encode_numbers
from antecede.kernels import kernel, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arena = tuple[NDArray[np.uint8], NDArray[np.int64]]
    """Concatenated terms, and the offset of each (and the end of the last)."""


@kernel
def _eight_bytes(
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
        _eight_bytes(read_only(arena), ptr, terms, depth, keys)
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
def _gather_terms(
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
    _gather_terms(read_only(arena), ptr, order, out)
    return out, pointers_from_sizes(sizes)


@kernel
def _front_code_into(
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
    used = _front_code_into(read_only(arena), ptr, shared, out)
    return out[:used], encode_numbers(shared, np.diff(ptr) - shared)


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


@kernel
def _tally_into(items: NDArray[np.uint32], sizes: NDArray[np.int64]) -> bool:
    """Count how often each item occurs. (`bincount` would convert all items to 64 bits first.)

    Bounds: guarded in the loop; returns False where an item is out of range.
    """
    columns = np.uint64(len(sizes))
    for j in range(len(items)):
        if np.uint64(items[j]) >= columns:
            return False
        sizes[items[j]] += 1
    return True


def tally(items: NDArray[np.uint32], columns: int) -> NDArray[np.int64]:
    """How often each number below `columns` occurs."""
    sizes = np.zeros(columns, np.int64)
    check(_tally_into(items, sizes))
    return sizes


def check(fits: bool) -> None:
    """Refuse parts whose numbers contradict one another, as those of a damaged index can."""
    if not fits:
        raise InputError("the parts to combine contradict one another", remedy=VERIFY)


def transpose(
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    order: NDArray[np.int64],
    sizes: NDArray[np.int64],
    names: NDArray[np.uint32],
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]:
    """Transpose rows of columns into columns of rows, in one pass.

    `order` lists the columns that have items, in the order of the result, and `sizes` is the number of items of each
    column; rows are renumbered by `names`.
    """
    out_ptr = pointers_from_sizes(sizes[order])
    cursor = np.zeros(len(sizes), np.int64)
    cursor[order] = out_ptr[:-1]
    out_items, out_counts = np.empty(len(items), np.uint32), np.empty(len(items), np.uint32)
    check(_transpose_into(ptr, items, counts, names, cursor, out_items, out_counts))
    return out_ptr, out_items, out_counts


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


@kernel
def count_into(
    ptr: NDArray[np.int64], rows: NDArray[np.uint32], new_rows: NDArray[np.int32], df: NDArray[np.int64]
) -> bool:
    """Count the live rows of each list.

    Bounds: `ptr` has one place more than `df`, and was checked; rows are guarded in the loop. Returns False where one
    is out of range.
    """
    every = np.uint64(len(new_rows))
    for n in range(len(ptr) - 1):
        for j in range(ptr[n], ptr[n + 1]):
            if np.uint64(rows[j]) >= every:
                return False
            if new_rows[rows[j]] >= 0:
                df[n] += 1
    return True
