"""Postings by term or by row: the compiled loops of a build."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError
from antecede.index.arrays import pointers_from_sizes
from antecede.index.codec import VERIFY, Lists
from antecede.kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
