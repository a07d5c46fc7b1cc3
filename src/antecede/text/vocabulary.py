"""Words and terms numbered in the order of their first occurrence, in compiled hash tables.

There is no Python object per word, which would take ten times the memory and most of the time. The loops work on a few
thousand words at a time, which stay in the processor cache. Each is a single flat loop: passing an array to another
compiled function costs more than a word does.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.kernels import kernel, read_only
from antecede.text.scanner import FIELDS, FOUR, ODD, ONE, OTHER_ODD, THREE, TWO, ZERO, key_terms

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from antecede.text.scanner import U64, Bytes

    U32: TypeAlias = NDArray[np.uint32]

SLOTS = 1 << 12
"""Initial size of a hash table, a power of two; it is never more than half full."""
KNOWN, FRESH = range(2)
"""The state of `look_up`: how many words are known, and how many of them were new in this call."""
DOCUMENT_ENDS = 2**32 - 1
"""Takes the place of a word after the last word of a document."""
ENDS = np.uint32(DOCUMENT_ENDS)
NEW_LINE = np.uint8(10)


@kernel
def look_up(
    found: U64, words: np.uint64, keys: U64, numbers: U32, shift: np.uint64, ids: U32, fresh: U32, state: U64
) -> None:
    """Look up the number of each word in an open hash table; a new word gets the next number.

    Slot s of the table is keys[2s], keys[2s + 1] and numbers[s]; it is free if both keys are 0.

    Bounds: `KeyTable.make_room` keeps half of the slots free, so that every search ends, and the number of slots is a
    power of two, to which `shift` and `mask` reduce a slot. The caller passes `FIELDS` numbers per word in `found`, and
    `ids` and `fresh` with at least `words` entries.
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


@kernel
def move_words(keys: U64, numbers: U32, new_keys: U64, new_numbers: U32, shift: np.uint64) -> None:
    """Copy all words of a table into a larger, empty one.

    Bounds: `KeyTable.make_room` allocates both tables with two keys per number, and the new one with more slots than
    there are words; `shift` and `mask` reduce a slot to its size.
    """
    mask = np.uint64(new_numbers.size) - ONE
    for old in range(numbers.size):
        low, high = keys[old * 2], keys[old * 2 + 1]
        if low == ZERO and high == ZERO:
            continue
        slot = ((low ^ (high * OTHER_ODD)) * ODD) >> shift
        while new_keys[slot * TWO] != ZERO or new_keys[slot * TWO + ONE] != ZERO:
            slot = (slot + ONE) & mask
        new_keys[slot * TWO], new_keys[slot * TWO + ONE], new_numbers[slot] = low, high, numbers[old]


@kernel
def copy_words(
    text: Bytes, found: U64, fresh: U32, words: np.uint64, lines: bool, out: Bytes, to: np.uint64
) -> np.uint64:
    """Copy the new words to out[to], each followed by a newline if `lines`; returns the place after the last.

    Bounds: `fresh` holds positions in `found`, whose places are within `text`; the caller sizes `out` by the sum of the
    lengths in `found`, plus one byte per word for newlines.
    """
    for each in range(words):
        word = np.uint64(fresh[each]) * FOUR
        for at in range(found[word + TWO], found[word + TWO] + found[word + THREE]):
            out[to] = text[at]
            to += ONE
        if lines:
            out[to] = NEW_LINE
            to += ONE
    return to


class KeyTable:
    """An open hash table from the keys of words (see `scanner.py`) to their numbers."""

    def __init__(self, slots: int) -> None:
        self.keys, self.numbers = make_empty_table(slots)
        self.state = np.zeros(2, np.uint64)

    def __len__(self) -> int:
        return int(self.state[KNOWN])

    @property
    def shift(self) -> np.uint64:
        """The number of bits by which a hash is shifted to become a slot."""
        return np.uint64(64 - (len(self.numbers) - 1).bit_length())

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.numbers.nbytes

    def make_room(self, more: int) -> None:
        """Enlarge the table for the given number of additional words; known words keep their numbers."""
        slots = 2 * (len(self) + more)
        if slots > len(self.numbers):
            keys, numbers = self.keys, self.numbers
            self.keys, self.numbers = make_empty_table(max(2 * len(numbers), 1 << (slots - 1).bit_length()))
            move_words(keys, numbers, self.keys, self.numbers, self.shift)

    def look_up(
        self, found: NDArray[np.uint64], words: int, ids: NDArray[np.uint32], fresh: NDArray[np.uint32]
    ) -> None:
        """Write the number of each word to `ids`, and the positions of new words to `fresh`; there must be room."""
        look_up(found, np.uint64(words), self.keys, self.numbers, self.shift, ids, fresh, self.state)


class Vocabulary:
    """Distinct terms, numbered in the order of their first occurrence, and their bytes. About 60 bytes per term."""

    def __init__(self) -> None:
        self._table = KeyTable(SLOTS)
        self._arena, self._ptr = np.zeros(0, np.uint8), np.zeros(1, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def nbytes(self) -> int:
        return self._table.nbytes + self._arena.nbytes + self._ptr.nbytes

    def number(self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """The numbers of the terms data[starts[i] : ends[i]], −1 for an empty one; new terms get the next numbers."""
        known, number, data = len(self), len(starts), read_only(data)
        found = np.empty(FIELDS * number, np.uint64)
        key_terms(data, starts, ends, found)
        ids, fresh = np.empty(number, np.uint32), np.empty(number, np.uint32)
        self._table.make_room(number)
        self._table.look_up(found, number, ids, fresh)
        fresh = fresh[: len(self) - known]
        self._ptr = grow(self._ptr, len(self) + 1)
        self._ptr[known + 1 : len(self) + 1] = self._ptr[known] + np.cumsum(ends[fresh] - starts[fresh])
        self._arena = grow(self._arena, int(self._ptr[len(self)]))
        copy_words(data, found, fresh, np.uint64(len(fresh)), False, self._arena, np.uint64(self._ptr[known]))
        return ids.view(np.int32)  # DOCUMENT_ENDS, which `look_up` writes for an empty term, is −1

    def terms(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The bytes of the terms in the order of their numbers, and their offsets; neither must be modified."""
        ptr = self._ptr[: len(self) + 1]
        return self._arena[: ptr[-1]], ptr

    def texts(self) -> list[str]:
        """The terms in the order of their numbers."""
        arena, ptr = self.terms()
        whole = arena.tobytes()
        return [whole[start:end].decode() for start, end in pairwise(ptr.tolist())]


Kind = TypeVar("Kind", bound=np.generic)


def grow(array: NDArray[Kind], size: int) -> NDArray[Kind]:
    """The array, or a copy extended with zeros that has room for at least `size` elements."""
    if size <= len(array):
        return array
    longer = np.zeros(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


def make_empty_table(slots: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    return np.zeros(2 * slots, np.uint64), np.zeros(slots, np.uint32)
