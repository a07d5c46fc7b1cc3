"""The loops that run over every byte of a collection, compiled; `tables.py` calls them and owns the arrays.

`cut` finds the words in UTF-8 bytes, `look_up` gives each its number, `count` adds up those that are one term, document
by document. They work on some thousand words at a time, which stay in the cache. Each is one flat loop: an array handed
on to another compiled function costs more than a word does.

A word is known by two numbers of 64 bits. Up to 16 bytes they are the word itself; a longer one is hashed into them
(that any two of ten million such words are taken for one has a chance of 10⁻²⁴).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from antecede.text.compiling import compiled, part
from antecede.text.words import LETTER, MARK

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    U32: TypeAlias = NDArray[np.uint32]
    U64: TypeAlias = NDArray[np.uint64]

DOCUMENT, POSITION, FOUND = range(3)
"""The state of `cut`: the document and the byte it has come to, and how many words it found."""
FIELDS = 4
"""The numbers that `cut` finds for a word: the two it is known by, where it begins, and its bytes."""
KNOWN, FRESH = range(2)
"""The state of `look_up`: how many words are known, and how many of them were new this time."""
ROW, ENTRIES, FIRST, BEGIN, LENGTH = range(5)
"""The state of `count`: the document; the entries written; the number of the first entry of this batch and of this
document, counted over all batches from 1; the length of this document so far."""
DOCUMENT_ENDS = 2**32 - 1
"""Stands behind the last word of a document, in the place of a word."""

# A number that is not of this type would make a float of the sum.
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(n) for n in range(5))
SIX, EIGHT, SIXTEEN = np.uint64(6), np.uint64(8), np.uint64(16)
ODD, OTHER_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
THREE_BYTES, FOUR_BYTES = np.uint64(0xE0), np.uint64(0xF0)
IS_LETTER, IS_MARK = np.uint8(LETTER), np.uint8(MARK)
ENDS, ANOTHER = np.uint32(DOCUMENT_ENDS), np.uint32(1)

BYTES, NUMBER = types.Array(types.uint8, 1, "C", readonly=True), types.uint64
NUMBERS, IDS, SIGNED = types.uint64[::1], types.uint32[::1], types.int32[::1]
WRITTEN, PLACES = types.uint8[::1], types.int64[::1]
NEW_LINE = np.uint8(10)


@part
def absorb(low: np.uint64, high: np.uint64, size: np.uint64, byte: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The two numbers of a word with one byte more."""
    if size < SIXTEEN:
        return (low << EIGHT) | byte, (high << EIGHT) | (low >> np.uint64(56))
    high = (high ^ byte) * OTHER_ODD
    low = (low + high) * ODD
    return low ^ (low >> np.uint64(32)), high


@compiled(types.void(BYTES, NUMBERS, BYTES, BYTES, NUMBER, NUMBERS, NUMBERS))
def cut(text: Bytes, starts: U64, fold: Bytes, kinds: Bytes, longest: np.uint64, found: U64, state: U64) -> None:
    """Find words until all documents are done or `found` is full; called again, it goes on.

    Document d stands at starts[d] … starts[d + 1] − 1, and behind it a byte that is no letter; the last of `starts` is
    there only to be read. Four zeros end a document. Of a word, `longest` signs count.
    """
    document, at, here, room = state[DOCUMENT], state[POSITION], ZERO, np.uint64(found.size) - EIGHT
    begin, end = at, starts[document + ONE] - ONE
    low, high, signs, size = ZERO, ZERO, ZERO, ZERO
    while here <= room and document < np.uint64(starts.size) - TWO:
        letter = np.uint64(fold[text[at]])
        while letter > ONE:
            if signs < longest:
                low, high = absorb(low, high, size, letter)
                size += ONE
            signs += ONE
            at += ONE
            letter = np.uint64(fold[text[at]])
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
                continue
        if size > ZERO:
            found[here], found[here + ONE], found[here + TWO], found[here + THREE] = low, high, begin, size
            here += FOUR
            low, high, signs, size = ZERO, ZERO, ZERO, ZERO
        if at == end:
            found[here] = found[here + ONE] = found[here + TWO] = found[here + THREE] = ZERO
            here += FOUR
            document += ONE
            end = starts[document + ONE] - ONE
        at += step
        begin = at
    state[DOCUMENT], state[POSITION], state[FOUND] = document, at, here // FOUR


@compiled(types.void(NUMBERS, NUMBER, NUMBERS, IDS, NUMBER, IDS, IDS, NUMBERS))
def look_up(
    found: U64, words: np.uint64, keys: U64, numbers: U32, shift: np.uint64, ids: U32, fresh: U32, state: U64
) -> None:
    """The number of each word that was found, from an open hash table; a new word has the next number.

    Slot s of the table is keys[2s], keys[2s + 1] and numbers[s]; it is free where both keys are 0. There must be room.
    """
    known, new, mask = state[KNOWN], ZERO, np.uint64(numbers.size) - ONE
    for word in range(words):
        low, high = found[word * FOUR], found[word * FOUR + ONE]
        if found[word * FOUR + THREE] == ZERO:
            ids[word] = ENDS
            continue
        slot = ((low ^ (high * OTHER_ODD)) * ODD) >> shift
        while keys[slot * TWO] != low or keys[slot * TWO + ONE] != high:
            if keys[slot * TWO] == ZERO and keys[slot * TWO + ONE] == ZERO:
                keys[slot * TWO], keys[slot * TWO + ONE], numbers[slot] = low, high, np.uint32(known)
                known += ONE
                fresh[new] = np.uint32(word)
                new += ONE
                break
            slot = (slot + ONE) & mask
        ids[word] = numbers[slot]
    state[KNOWN], state[FRESH] = known, new


@compiled(types.void(NUMBERS, IDS, NUMBERS, IDS, NUMBER))
def move(keys: U64, numbers: U32, new_keys: U64, new_numbers: U32, shift: np.uint64) -> None:
    """Put all words of a table into a larger one that is empty."""
    mask = np.uint64(new_numbers.size) - ONE
    for old in range(numbers.size):
        low, high = keys[old * 2], keys[old * 2 + 1]
        if low == ZERO and high == ZERO:
            continue
        slot = ((low ^ (high * OTHER_ODD)) * ODD) >> shift
        while new_keys[slot * TWO] != ZERO or new_keys[slot * TWO + ONE] != ZERO:
            slot = (slot + ONE) & mask
        new_keys[slot * TWO], new_keys[slot * TWO + ONE], new_numbers[slot] = low, high, numbers[old]


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


@compiled(types.uint64(BYTES, NUMBERS, IDS, NUMBER, types.boolean, WRITTEN, NUMBER))
def copy_words(
    text: Bytes, found: U64, fresh: U32, words: np.uint64, lines: bool, out: Bytes, to: np.uint64
) -> np.uint64:
    """Write the words that are new from `to` on, each with a line's end behind it if wanted; where they end."""
    for each in range(words):
        word = np.uint64(fresh[each]) * FOUR
        for at in range(found[word + TWO], found[word + TWO] + found[word + THREE]):
            out[to] = text[at]
            to += ONE
        if lines:
            out[to] = NEW_LINE
            to += ONE
    return to


@compiled(types.void(IDS, NUMBER, SIGNED, NUMBERS, IDS, IDS, NUMBERS, IDS, NUMBERS))
def count(
    ids: U32,
    words: np.uint64,
    term_of: NDArray[np.int32],
    last: U64,
    terms: U32,
    counts: U32,
    ends: U64,
    lengths: U32,
    state: U64,
) -> None:
    """Add up the words that are one term, and leave out those that are none (−1), document by document.

    `last` has for each term the number of the entry in which it was last counted: nothing has to be cleared between
    documents, since the entries of earlier ones have smaller numbers.
    """
    row, entries, first, begin, length = state[ROW], state[ENTRIES], state[FIRST], state[BEGIN], state[LENGTH]
    for at in range(words):
        if ids[at] == ENDS:
            ends[row], lengths[row] = entries, np.uint32(length)
            row += ONE
            begin, length = first + entries, ZERO
            continue
        if term_of[ids[at]] < 0:
            continue
        term = np.uint32(term_of[ids[at]])
        length += ONE
        if last[term] >= begin:
            counts[last[term] - first] += ANOTHER
        else:
            last[term] = first + entries
            terms[entries], counts[entries] = term, ANOTHER
            entries += ONE
    state[ROW], state[ENTRIES], state[BEGIN], state[LENGTH] = row, entries, begin, length
