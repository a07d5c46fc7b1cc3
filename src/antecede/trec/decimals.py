"""Decimal numbers by the million: digits → 64-bit floats, eight digits at a time, bit for bit as `float` reads them.

A number of at most 16 digits is a whole number M below 2^53 divided by 10^k, k ≤ 16. Both are floats without an
error, and the division of two floats is rounded once, as `float` rounds (Clinger, PLDI 1990). What is longer, or has
an exponent, is left to others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.trec.texts import WINDOW, windows_at, words_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.trec.texts import Bytes, Lengths, Places, Words

LONGEST = 16
DOT, MINUS = ord("."), ord("-")
MOST = 2**53
"""No number that is read is larger."""
POWERS = np.array([10**k for k in range(LONGEST + 1)], np.uint64)
FLOAT_POWERS = POWERS.astype(np.float64)


def each_byte(value: int) -> np.uint64:
    return np.uint64(value * 0x0101010101010101)


ZEROS = each_byte(ord("0"))
ABOVE_NINE, HIGH_BIT = each_byte(0x80 - 10), each_byte(0x80)


def eight_digits(word: Words, counts: Lengths | np.integer[Any]) -> tuple[Words, Words]:
    """The numbers that the last `counts` of eight ASCII signs write, and not zero where one of these is no digit.

    Neighbouring digits are put together in pairs, then fours, then eights, in all lanes of the word at once.
    """
    word = word ^ ZEROS
    unused = np.uint64(64) - (counts.astype(np.uint64) << np.uint64(3))
    word >>= unused  # a shift by 64 gives 0
    word <<= unused
    wrong = word + ABOVE_NINE
    wrong &= HIGH_BIT
    word *= np.uint64(10 * 2**8 + 1)
    word >>= np.uint64(8)
    word &= np.uint64(0x00FF00FF00FF00FF)
    word *= np.uint64(100 * 2**16 + 1)
    word >>= np.uint64(16)
    word &= np.uint64(0x0000FFFF0000FFFF)
    word *= np.uint64(10_000 * 2**32 + 1)
    word >>= np.uint64(32)
    return word, wrong


def whole_numbers(buffer: Bytes, ends: Places, counts: Lengths) -> tuple[Words, Words]:
    """The same for at most 16 digits that stand before `ends`."""
    found, wrong = eight_digits(words_at(buffer, ends - 8), np.minimum(counts, 8))
    if counts.max() > 8:
        more, wrong_too = eight_digits(words_at(buffer, ends - 16), np.clip(counts, 8, LONGEST) - 8)
        found += more * POWERS[8]
        wrong |= wrong_too
    return found, wrong


class Parts(NamedTuple):
    """Numbers taken apart at their dots."""

    whole: Words
    whole_digits: Lengths
    below_one: Words
    below_one_digits: Lengths | np.int64
    wrong: Words
    """Not zero where a sign is no digit. A second dot is such a sign."""


def alike(buffer: Bytes, ends: Places, lengths: Lengths) -> Parts | None:
    """Numbers with the same digits behind the dot, as most programs write them. Both parts stand in one window."""
    first = bytes(buffer[ends[0] - int(lengths[0]) : ends[0]])
    behind = len(first) - 1 - first.rfind(b".")
    if behind > 7 or not behind < lengths.min() <= lengths.max() <= behind + 9:
        return None
    before, last = windows_at(buffer, ends - WINDOW)
    if ((last >> np.uint64(56 - 8 * behind) & np.uint64(0xFF)) != DOT).any():
        return None
    digits = lengths - (behind + 1)
    whole, wrong = eight_digits(before >> np.uint64(56 - 8 * behind) | last << np.uint64(8 * behind + 8), digits)
    below_one, wrong_too = eight_digits(last, np.int64(behind))
    wrong |= wrong_too
    return Parts(whole, digits, below_one, np.int64(behind), wrong)


def apart(buffer: Bytes, ends: Places, lengths: Lengths, *, dots: bool) -> Parts:
    """Any numbers; without `dots`, a dot is not looked for."""
    behind = np.full(len(ends), -1, np.int64)
    for place in range(min(int(lengths.max()), LONGEST + 1) if dots else 0):
        here = (buffer.take(ends - (place + 1)) == DOT) & (lengths > place)
        np.copyto(behind, place, where=here)
    digits, fraction = lengths - (behind + 1), np.maximum(behind, 0)
    whole, wrong = whole_numbers(buffer, ends - (behind + 1), digits)
    below_one, wrong_too = whole_numbers(buffer, ends, fraction)
    wrong |= wrong_too
    return Parts(whole, digits, below_one, fraction, wrong)


def decimals(
    buffer: Bytes, begins: Places, lengths: Lengths, *, dots: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers that stand at these places; and which of them are left to others, as their values mean nothing.

    Without `dots`, those with a dot are among the latter. All bytes must be ASCII, and the buffer begin 33 bytes
    before the first number.
    """
    ends = begins + lengths
    negative = buffer.take(begins) == MINUS
    lengths = lengths - negative
    parts = (alike(buffer, ends, lengths) if dots else None) or apart(buffer, ends, lengths, dots=dots)
    number = parts.whole * POWERS.take(parts.below_one_digits)
    number += parts.below_one
    count = parts.whole_digits + parts.below_one_digits
    unread = (parts.wrong != 0) | (count == 0) | (count > LONGEST) | (number > MOST)
    values = number / FLOAT_POWERS.take(parts.below_one_digits)
    np.negative(values, out=values, where=negative)
    return values, np.flatnonzero(unread)
