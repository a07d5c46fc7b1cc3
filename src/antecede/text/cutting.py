"""Words found in UTF-8 bytes, compiled: where each begins, how long it is, and the two numbers it is known by.

A word is known by two numbers of 64 bits. Up to 16 bytes they are the word itself, its first byte the lowest; a longer
one is hashed into them (that any two of ten million such words are taken for one has a chance of 10⁻²⁴).

`cut` looks at 64 bytes at a time, of which it makes one number with a bit for each byte that may be part of a word. A
word of up to 16 letters of ASCII, as nearly all are, is then found and taken in some twenty instructions without a loop
over its letters; any other one is read sign by sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from antecede.text.compiling import compiled, part
from antecede.text.instructions import eight_at, zeros_below
from antecede.text.words import LETTER, MARK

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    U64: TypeAlias = NDArray[np.uint64]

DOCUMENT, POSITION, FOUND = range(3)
"""The state of `cut`: the document and the byte it has come to, and how many words it found."""
FIELDS = 4
"""The numbers that `cut` finds for a word: the two it is known by, where it begins, and its bytes."""
BEHIND = 80
"""Bytes that must stand behind the texts: they are read, and nothing is made of them."""

# A number that is not of this type would make a float of the sum.
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(n) for n in range(5))
SIX, SEVEN, EIGHT, SIXTEEN, BLOCK = (np.uint64(n) for n in (6, 7, 8, 16, 64))
ODD, OTHER_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
THREE_BYTES, FOUR_BYTES = np.uint64(0xE0), np.uint64(0xF0)
IS_LETTER, IS_MARK = np.uint8(LETTER), np.uint8(MARK)

HIGHEST, OTHERS, SMALL = (np.uint64(byte * 0x0101010101010101) for byte in (0x80, 0x7F, 0x20))
"""In each of eight bytes: the bit that no sign of ASCII has, the bits it may have, and the one of small letters."""
TO_A, BEYOND_Z = (np.uint64((0x80 - sign) * 0x0101010101010101) for sign in (ord("a"), ord("z") + 1))
"""Added to eight bytes, these reach the highest bit of each that is `a` or more, and that is more than `z`."""
GATHER = np.uint64(0x0102040810204080)
"""Multiplied with the lowest bit of each of eight bytes, it puts them side by side into the highest byte."""
KEPT = np.array([0] * 8 + [(1 << 8 * min(n, 8)) - 1 for n in range(65)], np.uint64)
"""What is kept of sixteen bytes for a word of n: of the first eight KEPT[n + 8], of the others KEPT[n]."""

BYTES, NUMBER = types.Array(types.uint8, 1, "C", readonly=True), types.uint64
NUMBERS, PLACES = types.uint64[::1], types.int64[::1]


@part
def absorb(low: np.uint64, high: np.uint64, size: np.uint64, byte: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The two numbers of a word with one byte more."""
    if size < EIGHT:
        return low | (byte << (size * EIGHT)), high
    if size < SIXTEEN:
        return low, high | (byte << ((size - EIGHT) * EIGHT))
    high = (high ^ byte) * OTHER_ODD
    low = (low + high) * ODD
    return low ^ (low >> np.uint64(32)), high


@part
def bits_of_words(text: Bytes, at: np.uint64) -> np.uint64:
    """A bit for each of 64 bytes: whether it is a letter of ASCII, or part of a longer sign."""
    bits = ZERO
    for place in range(ZERO, BLOCK, EIGHT):
        eight = eight_at(text, at + place)
        small = (eight | SMALL) & OTHERS
        marked = (((small + TO_A) & ~(small + BEYOND_Z)) | eight) & HIGHEST
        bits |= (((marked >> SEVEN) * GATHER) >> np.uint64(56)) << place
    return bits


@part
def read(
    text: Bytes, at: np.uint64, end: np.uint64, fold: Bytes, kinds: Bytes, longest: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The word that begins here, sign by sign: its two numbers, its bytes, and the place behind it.

    Where a sign is no letter, there is a word without bytes.
    """
    low, high, signs, size, step = ZERO, ZERO, ZERO, ZERO, ZERO
    while step == ZERO:
        letter = np.uint64(fold[text[at]])
        if letter > ONE:
            if signs < longest:
                low, high = absorb(low, high, size, letter)
                size += ONE
            signs += ONE
            at += ONE
            continue
        step = ONE
        if letter == ONE:
            code = np.uint64(text[at])
            step = min(end - at, TWO + np.uint64(code >= THREE_BYTES) + np.uint64(code >= FOUR_BYTES))
            code &= np.uint64(0x7F) >> step
            for each in range(at + ONE, at + step):
                code = (code << SIX) | (np.uint64(text[each]) & np.uint64(0x3F))
            if kinds[code] == IS_LETTER or (kinds[code] == IS_MARK and signs > ZERO):
                for each in range(at, at + step if signs < longest else at):
                    low, high = absorb(low, high, size, np.uint64(text[each]))
                    size += ONE
                signs += ONE
                at += step
                step = ZERO
    return low, high, size, min(end, at + step)


@compiled(types.void(BYTES, NUMBERS, BYTES, BYTES, NUMBER, NUMBERS, NUMBERS))
def cut(text: Bytes, starts: U64, fold: Bytes, kinds: Bytes, longest: np.uint64, found: U64, state: U64) -> None:
    """Find words until all documents are done or `found` is full; called again, it goes on.

    Document d stands at starts[d] … starts[d + 1] − 1, and behind it a byte that is no letter; the last of `starts` is
    there only to be read. Behind the last document there must be as many bytes as `BEHIND` says: what would be outside
    of the array is read unchecked. Four zeros end a document. Of a word, `longest` signs count.
    """
    document, at, here, room = state[DOCUMENT], state[POSITION], ZERO, np.uint64(found.size) - FOUR
    end, short, odd = starts[document + ONE] - ONE, min(longest, SIXTEEN), False
    while here <= room and document < np.uint64(starts.size) - TWO:
        if at == end:
            found[here] = found[here + ONE] = found[here + TWO] = found[here + THREE] = ZERO
            here += FOUR
            document += ONE
            at, end = starts[document], starts[document + ONE] - ONE
            continue

        if odd:
            odd, begin = False, at
            low, high, size, at = read(text, at, end, fold, kinds, longest)
            if size > ZERO:
                found[here], found[here + ONE], found[here + TWO], found[here + THREE] = low, high, begin, size
                here += FOUR
            continue

        block, bits = at, bits_of_words(text, at)
        if end - block < BLOCK:
            bits &= (ONE << (end - block)) - ONE
        at = min(end, block + BLOCK)
        while bits != ZERO:
            rest = bits + (bits & (~bits + ONE))  # a carry runs through the lowest bits that are set side by side
            first, last = zeros_below(bits), zeros_below(rest)
            begin, size = block + first, last - first
            if here > room or (last == BLOCK and first > ZERO):  # no room, or it may go on in the next block
                at = begin
                break
            low, high = eight_at(text, begin) & KEPT[size + EIGHT], eight_at(text, begin + EIGHT) & KEPT[size]
            odd = bool(size > short or (low | high) & HIGHEST)
            if odd:
                at = begin
                break
            found[here], found[here + ONE] = low | (SMALL & KEPT[size + EIGHT]), high | (SMALL & KEPT[size])
            found[here + TWO], found[here + THREE] = begin, size
            here += FOUR
            bits &= rest
    state[DOCUMENT], state[POSITION], state[FOUND] = document, at, here // FOUR


@compiled(types.void(BYTES, PLACES, PLACES, NUMBERS))
def term_keys(data: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], found: U64) -> None:
    """What `cut` finds for words, for the terms at data[starts] … data[ends]; zeros for one that has no bytes."""
    here = ZERO
    for each in range(starts.size):
        low, high, size = ZERO, ZERO, ZERO
        for at in range(starts[each], ends[each]):
            low, high = absorb(low, high, size, np.uint64(data[at]))
            size += ONE
        begin = np.uint64(starts[each])
        found[here], found[here + ONE], found[here + TWO], found[here + THREE] = low, high, begin, size
        here += FOUR
