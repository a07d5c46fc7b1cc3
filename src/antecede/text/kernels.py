"""The loops that run over every word of a collection, compiled; `tables.py` calls them and owns the arrays.

`look_up` gives each word that `cutting.py` found its number, `count` adds up those that are one term, document
by document. They work on some thousand words at a time, which stay in the cache. Each is one flat loop: an array handed
on to another compiled function costs more than a word does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from antecede.text.compiling import compiled
from antecede.text.cutting import BYTES, FOUR, NUMBER, NUMBERS, ODD, ONE, OTHER_ODD, THREE, TWO, ZERO

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from antecede.text.cutting import U64, Bytes

    U32: TypeAlias = NDArray[np.uint32]

KNOWN, FRESH = range(2)
"""The state of `look_up`: how many words are known, and how many of them were new this time."""
ROW, ENTRIES, FIRST, BEGIN, LENGTH = range(5)
"""The state of `count`: the document; the entries written; the number of the first entry of this batch and of this
document, counted over all batches from 1; the length of this document so far."""
DOCUMENT_ENDS = 2**32 - 1
"""Stands behind the last word of a document, in the place of a word."""
ENDS, ANOTHER = np.uint32(DOCUMENT_ENDS), np.uint32(1)
IDS, SIGNED, WRITTEN = types.uint32[::1], types.int32[::1], types.uint8[::1]
NEW_LINE = np.uint8(10)


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
