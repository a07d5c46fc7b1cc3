"""Decimal numbers by the million: digits → 64-bit floats, eight digits at a time, bit for bit as `float` reads them.

A number of at most 16 digits is a whole number M below 2^53 divided by 10^k, k ≤ 16. Floats represent both exactly,
and the division of two floats is rounded once, as `float` rounds (Clinger, PLDI 1990). Numbers that are longer or
have an exponent are left to the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.trec.texts import WINDOW, load_windows, load_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.trec.texts import Bytes, Lengths, Places, Words

LONGEST = 16
DOT, MINUS = ord("."), ord("-")
LARGEST_NUMBER = 2**53
"""The largest number that is parsed, its decimal point disregarded."""
POWERS = np.array([10**k for k in range(LONGEST + 1)], np.uint64)
FLOAT_POWERS = POWERS.astype(np.float64)


def repeat_byte(value: int) -> np.uint64:
    """A word of eight equal bytes."""
    return np.uint64(value * 0x0101010101010101)


ZEROS = repeat_byte(ord("0"))
ABOVE_NINE, HIGH_BIT = repeat_byte(0x80 - 10), repeat_byte(0x80)


def parse_eight_digits(word: Words, counts: Lengths | np.integer[Any]) -> tuple[Words, Words]:
    """The numbers in the last `counts` of eight characters, and a word that is not zero where one is not a digit.

    Adjacent digits are combined into pairs, then fours, then eights, in all lanes of the word at once.
    """
    word = word ^ ZEROS
    unused = np.uint64(64) - (counts.astype(np.uint64) << np.uint64(3))
    word >>= unused  # a shift by 64 gives 0
    word <<= unused
    wrong = word + ABOVE_NINE
    wrong |= word  # a byte above 127 may overflow into the next lane
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


def parse_digits(buffer: Bytes, ends: Places, counts: Lengths) -> tuple[Words, Words]:
    """The same for at most 16 digits before `ends`."""
    found, wrong = parse_eight_digits(load_words(buffer, ends - 8), np.minimum(counts, 8))
    if counts.max() > 8:
        more, wrong_too = parse_eight_digits(load_words(buffer, ends - 16), np.clip(counts, 8, LONGEST) - 8)
        found += more * POWERS[8]
        wrong |= wrong_too
    return found, wrong


class NumberParts(NamedTuple):
    """Numbers split at their decimal points."""

    whole: Words
    whole_digits: Lengths
    below_one: Words
    below_one_digits: Lengths | np.int64
    wrong: Words
    """Not zero where a character is not a digit; a second point is not a digit."""


def split_uniform(buffer: Bytes, ends: Places, lengths: Lengths, decimals: int) -> NumberParts | None:
    """Numbers with equally many decimals, as most programs write them, each within one window; None for others."""
    if not decimals < lengths.min() <= lengths.max() <= decimals + 9:
        return None
    before, last = load_windows(buffer, ends - WINDOW)
    if not have_dots(last, decimals):
        return None
    digits = lengths - (decimals + 1)
    whole, wrong = parse_eight_digits(
        before >> np.uint64(56 - 8 * decimals) | last << np.uint64(8 * decimals + 8), digits
    )
    below_one, wrong_too = parse_eight_digits(last, np.int64(decimals))
    wrong |= wrong_too
    return NumberParts(whole, digits, below_one, np.int64(decimals), wrong)


def have_dots(last: Words, decimals: int) -> bool:
    """Whether each of these words has a point before its last `decimals` characters."""
    return bool(((last & np.uint64(0xFF << 56 - 8 * decimals)) == np.uint64(DOT << 56 - 8 * decimals)).all())


def parse_short(buffer: Bytes, ends: Places, lengths: Lengths, decimals: int) -> Words | None:
    """Numbers of one to eight digits, equally many of them decimals, without their points; None unless all are.

    The characters before the point are moved one further, so that all digits are in one word.
    """
    if not max(decimals, 1) < lengths.min() <= lengths.max() <= 9:
        return None
    last = load_words(buffer, ends - 8)
    if not have_dots(last, decimals):
        return None
    fraction = np.uint64((1 << 64) - (1 << 64 - 8 * decimals))
    word = load_words(buffer, ends - 9)
    word &= ~fraction
    last &= fraction
    word |= last
    numbers, wrong = parse_eight_digits(word, lengths - 1)
    return None if wrong.any() else numbers


def split_any(buffer: Bytes, ends: Places, lengths: Lengths, *, dots: bool) -> NumberParts:
    """Any numbers; without `dots`, decimal points are not looked for."""
    decimals = np.full(len(ends), -1, np.int64)
    for place in range(min(int(lengths.max()), LONGEST + 1) if dots else 0):
        here = (buffer.take(ends - (place + 1)) == DOT) & (lengths > place)
        np.copyto(decimals, place, where=here)
    digits, fraction = lengths - (decimals + 1), np.maximum(decimals, 0)
    whole, wrong = parse_digits(buffer, ends - (decimals + 1), digits)
    below_one, wrong_too = parse_digits(buffer, ends, fraction)
    wrong |= wrong_too
    return NumberParts(whole, digits, below_one, fraction, wrong)


def parse_decimals(
    buffer: Bytes, begins: Places, lengths: Lengths, *, dots: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The numbers at these places; and the rows of those that were not parsed, whose values are meaningless.

    Without `dots`, numbers with a decimal point are not parsed. The buffer must begin at least 33 bytes before the
    first number.
    """
    ends = begins + lengths
    first = buffer[begins[0] : ends[0]].tobytes()
    uniform = count_decimals(first) if dots else None
    if uniform is not None and not first.startswith(b"-"):
        short = parse_short(buffer, ends, lengths, uniform)
        if short is not None:
            return short / FLOAT_POWERS[uniform], np.empty(0, np.int64)
    negative = buffer.take(begins) == MINUS
    lengths = lengths - negative
    split = None if uniform is None else split_uniform(buffer, ends, lengths, uniform)
    parts = split or split_any(buffer, ends, lengths, dots=dots)
    number = parts.whole * POWERS.take(parts.below_one_digits)
    number += parts.below_one
    count = parts.whole_digits + parts.below_one_digits
    unread = (parts.wrong != 0) | (count == 0) | (count > LONGEST) | (number > LARGEST_NUMBER)
    values = number / FLOAT_POWERS.take(parts.below_one_digits)
    np.negative(values, out=values, where=negative)
    return values, np.flatnonzero(unread)


def count_decimals(number: bytes) -> int | None:
    """The decimals of a number, which are to be those of all; None if it has no point, or more than seven."""
    decimals = len(number) - 1 - number.rfind(b".")
    return decimals if b"." in number and decimals <= 7 else None
