"""The term counts of documents as they are sent to a cluster: `term|3 other|1`, and the terms one per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.index.arrays import pointers_from_sizes
from antecede.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.index.codec import Lists

DIGITS = 10
"""The most digits of a count."""
SPACE, LINE, BAR, ZERO = np.uint8(32), np.uint8(10), np.uint8(124), np.uint8(48)


@kernel
def write_terms(
    ptr: NDArray[np.int64],
    items: NDArray[np.uint32],
    counts: NDArray[np.uint32],
    arena: NDArray[np.uint8],
    places: NDArray[np.int64],
    texts: NDArray[np.uint8],
    lines: NDArray[np.uint8],
    ends: NDArray[np.int64],
) -> None:
    """Write the terms of each list with their counts to `texts`, and without them to `lines`.

    Bounds: `items` are numbers of terms, decoded with the number of terms as the limit; `places` are those of the
    vocabulary, which were checked when it was read. `write_lists` allocates the bytes of all terms and `DIGITS` + 2
    more per term in `texts`, one more per term in `lines`, and a row of `ends` per list.
    """
    a = b = 0
    for each in range(len(ptr) - 1):
        for at in range(ptr[each], ptr[each + 1]):
            if at > ptr[each]:
                texts[a] = SPACE
                lines[b] = LINE
                a += 1
                b += 1
            for place in range(places[items[at]], places[items[at] + 1]):
                texts[a] = lines[b] = arena[place]
                a += 1
                b += 1
            texts[a] = BAR
            a += 1
            size, rest = 1, np.int64(counts[at])
            while rest >= 10:
                rest //= 10
                size += 1
            rest = np.int64(counts[at])
            for digit in range(size):
                texts[a + size - 1 - digit] = ZERO + np.uint8(rest % 10)
                rest //= 10
            a += size
        ends[each, 0], ends[each, 1] = a, b


def write_lists(
    lists: Lists, arena: NDArray[np.uint8], places: NDArray[np.int64]
) -> Iterator[tuple[bytes, bytes, NDArray[np.uint32]]]:
    """For each list of terms: the terms with their counts, the terms one per line, and the counts.

    Args:
        lists: The numbers of terms, with counts.
        arena: The bytes of all terms.
        places: Where each term begins in `arena`.
    """
    number = len(lists.ptr) - 1
    size = int((places[1:] - places[:-1])[lists.items].sum())
    texts = np.empty(size + (DIGITS + 2) * len(lists.items), np.uint8)
    lines = np.empty(size + len(lists.items), np.uint8)
    ends = np.zeros((number, 2), np.int64)
    write_terms(lists.ptr, lists.items, lists.counts, arena, places, texts, lines, ends)
    ptrs = [pointers_from_sizes(np.diff(ends[:, at], prepend=0)).tolist() for at in (0, 1)]
    ptr = lists.ptr.tolist()
    for each in range(number):
        yield (
            texts[ptrs[0][each] : ptrs[0][each + 1]].tobytes(),
            lines[ptrs[1][each] : ptrs[1][each + 1]].tobytes(),
            lists.counts[ptr[each] : ptr[each + 1]],
        )
