"""Truncated words: which words match a pattern with `*` and `?`, in time that grows with their length alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.kernels import kernel, read_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.text.vocabulary import Arena

FIRST_BITS, LATER_BYTE = np.uint8(0xC0), np.uint8(0x80)
"""By which the later bytes of a character in UTF-8 are known."""
ANY, ONE, NONE = np.uint8(ord("*")), np.uint8(ord("?")), np.uint8(0)
"""What stands in a pattern for any number of characters, and for one; and after its end. No term has one of them."""


def match_pattern(arena: Arena, pattern: str) -> NDArray[np.bool_]:
    """Which terms match a pattern from their beginning to their end."""
    matched = np.zeros(len(arena.ptr) - 1, np.bool_)
    _match_into(read_only(arena.data), read_only(arena.ptr), np.frombuffer(pattern.encode(), np.uint8), matched)
    return matched


@kernel
def _after_character(arena: NDArray[np.uint8], at: np.int64, end: np.int64) -> np.int64:
    """The place after a character in UTF-8. Bounds: `at` is before the end of the term."""
    at += 1
    while at < end and arena[at] & FIRST_BITS == LATER_BYTE:
        at += 1
    return at


@kernel
def _match_into(
    arena: NDArray[np.uint8], ptr: NDArray[np.int64], pattern: NDArray[np.uint8], matched: NDArray[np.bool_]
) -> None:
    """Mark the terms that match a pattern.

    Where a term does not go on as the pattern does, the last `*` takes one character more: what an earlier one takes
    need not be tried again, so that the steps for a term are at most its length times that of the pattern.
    Bounds: `ptr` are checked places in `arena`, one more than `matched` has; places in the pattern and in a term are
    compared with their ends.
    """
    for n in range(len(matched)):
        at, end = ptr[n], ptr[n + 1]
        place, last_any, taken = 0, -1, at
        while at < end:
            letter = pattern[place] if place < len(pattern) else NONE
            if letter == ANY:
                last_any, taken, place = place, at, place + 1
            elif letter == ONE:
                at, place = _after_character(arena, at, end), place + 1
            elif letter == arena[at]:
                at, place = at + 1, place + 1
            elif last_any >= 0:
                taken = _after_character(arena, taken, end)
                at, place = taken, last_any + 1
            else:
                break
        while place < len(pattern) and pattern[place] == ANY:
            place += 1
        matched[n] = at == end and place == len(pattern)
