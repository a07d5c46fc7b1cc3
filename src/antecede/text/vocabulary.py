"""Words found in UTF-8 bytes, and words and terms numbered in the order of their first occurrence, in compiled loops.

The key of a word is two 64-bit numbers. Up to 16 bytes they are the word itself, first byte lowest; a longer word is
hashed into them (for ten million such words, the probability that any two collide is 10⁻²⁴).

`scan_words` examines 64 bytes at a time and reduces them to a number with one bit per byte that may be part of a word.
A word of up to 16 ASCII letters, as nearly all are, is then extracted in about twenty instructions without a loop over
its letters; any other word is read character by character.

There is no Python object per word, which would take ten times the memory and most of the time. The loops work on a few
thousand words at a time, which stay in the processor cache. Each is a single flat loop: passing an array to another
compiled function costs more than a word does.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

import numpy as np

from antecede.kernels import count_trailing_zeros, kernel, load_eight, read_only
from antecede.text.analyzer import LETTER, MARK

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Bytes: TypeAlias = NDArray[np.uint8]
    U32: TypeAlias = NDArray[np.uint32]
    U64: TypeAlias = NDArray[np.uint64]

DOCUMENT, POSITION, FOUND = range(3)
"""The state of `scan_words`: the current document and byte, and the number of words found."""
FIELDS = 4
"""The numbers found for a word: the two of its key, its start, and its length in bytes."""
PADDING = 80
"""Bytes that must follow the texts: they are read, but their values do not matter."""

# Operands of any other type would turn the result into a float.
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(n) for n in range(5))
SIX, SEVEN, EIGHT, SIXTEEN, BLOCK = (np.uint64(n) for n in (6, 7, 8, 16, 64))
ODD, OTHER_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
THREE_BYTES, FOUR_BYTES = np.uint64(0xE0), np.uint64(0xF0)
IS_LETTER, IS_MARK = np.uint8(LETTER), np.uint8(MARK)

HIGHEST, OTHERS, LOWER_CASE = (np.uint64(byte * 0x0101010101010101) for byte in (0x80, 0x7F, 0x20))
"""In each of eight bytes: the bit that no ASCII character has, the bits it may have, and the lower-case bit."""
TO_A, BEYOND_Z = (np.uint64((0x80 - code) * 0x0101010101010101) for code in (ord("a"), ord("z") + 1))
"""Added to eight bytes, these set the highest bit of each byte that is at least `a`, or greater than `z`."""
GATHER = np.uint64(0x0102040810204080)
"""Multiplied with the lowest bits of eight bytes, this collects them in the highest byte."""
KEPT = np.array([0] * 8 + [(1 << 8 * min(n, 8)) - 1 for n in range(65)], np.uint64)
"""Masks for a word of n bytes out of sixteen: KEPT[n + 8] for the first eight bytes, KEPT[n] for the others."""


@kernel
def absorb(low: np.uint64, high: np.uint64, size: np.uint64, byte: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The key of a word of `size` bytes, extended by one byte."""
    if size < EIGHT:
        return low | (byte << (size * EIGHT)), high
    if size < SIXTEEN:
        return low, high | (byte << ((size - EIGHT) * EIGHT))
    high = (high ^ byte) * OTHER_ODD
    low = (low + high) * ODD
    return low ^ (low >> np.uint64(32)), high


@kernel
def mark_word_bytes(text: Bytes, at: np.uint64) -> np.uint64:
    """One bit for each of 64 bytes: whether it is an ASCII letter or part of a multi-byte character.

    Bounds: `at` is less than the end of a document, which `PADDING` bytes follow.
    """
    bits = ZERO
    for place in range(ZERO, BLOCK, EIGHT):
        eight = load_eight(text, at + place)
        lower = (eight | LOWER_CASE) & OTHERS
        marked = (((lower + TO_A) & ~(lower + BEYOND_Z)) | eight) & HIGHEST
        bits |= (((marked >> SEVEN) * GATHER) >> np.uint64(56)) << place
    return bits


@kernel
def scan_word(
    text: Bytes, at: np.uint64, end: np.uint64, fold: Bytes, kinds: Bytes, longest: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The word that begins here, read character by character: its key, its length, and the place after it.

    The length is 0 if the character is not a letter. Bounds: text[end] is a newline, at which the loop stops, and a
    character cut off by `end` is shortened; `fold` has an entry per byte, and `kinds` one per number of 21 bits, which
    is the most that four bytes encode.
    """
    low, high, characters, size, step = ZERO, ZERO, ZERO, ZERO, ZERO
    while step == ZERO:
        letter = np.uint64(fold[text[at]])
        if letter > ONE:
            if characters < longest:
                low, high = absorb(low, high, size, letter)
                size += ONE
            characters += ONE
            at += ONE
            continue
        step = ONE
        if letter == ONE:
            code = np.uint64(text[at])
            step = min(end - at, TWO + np.uint64(code >= THREE_BYTES) + np.uint64(code >= FOUR_BYTES))
            code &= np.uint64(0x7F) >> step
            for each in range(at + ONE, at + step):
                code = (code << SIX) | (np.uint64(text[each]) & np.uint64(0x3F))
            if kinds[code] == IS_LETTER or (kinds[code] == IS_MARK and characters > ZERO):
                for each in range(at, at + step if characters < longest else at):
                    low, high = absorb(low, high, size, np.uint64(text[each]))
                    size += ONE
                characters += ONE
                at += step
                step = ZERO
    return low, high, size, min(end, at + step)


@kernel
def scan_words(text: Bytes, starts: U64, fold: Bytes, kinds: Bytes, longest: np.uint64, found: U64, state: U64) -> None:
    """Find words until all documents are done or `found` is full; the next call continues.

    Document d is text[starts[d] : starts[d + 1] − 1], followed by a newline. Four zeros end a document. Words are
    truncated to `longest` characters.

    Bounds: `WordTable.scan` repeats the last of `starts`, so that starts[document + 1] exists after the last document,
    and `join_group` appends `PADDING` bytes to the text: no load reaches 80 bytes past the end of a document. `found`
    is written only while four numbers fit. `KEPT` has 73 entries, and a run within a block has at most 64 bytes.
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
            low, high, size, at = scan_word(text, at, end, fold, kinds, longest)
            if size > ZERO:
                found[here], found[here + ONE], found[here + TWO], found[here + THREE] = low, high, begin, size
                here += FOUR
            continue

        block, bits = at, mark_word_bytes(text, at)
        if end - block < BLOCK:
            bits &= (ONE << (end - block)) - ONE
        at = min(end, block + BLOCK)
        while bits != ZERO:
            rest = bits + (bits & (~bits + ONE))  # the carry runs through the lowest run of set bits
            first, last = count_trailing_zeros(bits), count_trailing_zeros(rest)
            begin, size = block + first, last - first
            if here > room or (last == BLOCK and first > ZERO):  # no room, or the word may continue in the next block
                at = begin
                break
            low, high = load_eight(text, begin) & KEPT[size + EIGHT], load_eight(text, begin + EIGHT) & KEPT[size]
            odd = bool(size > short or (low | high) & HIGHEST)
            if odd:
                at = begin
                break
            found[here], found[here + ONE] = low | (LOWER_CASE & KEPT[size + EIGHT]), high | (LOWER_CASE & KEPT[size])
            found[here + TWO], found[here + THREE] = begin, size
            here += FOUR
            bits &= rest
    state[DOCUMENT], state[POSITION], state[FOUND] = document, at, here // FOUR


@kernel
def key_terms(data: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], found: U64) -> None:
    """The numbers of `scan_words` for the terms data[starts[i] : ends[i]]; the length of an empty term is 0.

    Bounds: the caller passes places within `data`, and `FIELDS` numbers per term in `found`. Places from the files of
    an index are checked when its vocabulary is read (`decode_terms`); a chunk of a resumed build has a checksum.
    """
    here = ZERO
    for each in range(starts.size):
        low, high, size = ZERO, ZERO, ZERO
        for at in range(starts[each], ends[each]):
            low, high = absorb(low, high, size, np.uint64(data[at]))
            size += ONE
        begin = np.uint64(starts[each])
        found[here], found[here + ONE], found[here + TWO], found[here + THREE] = low, high, begin, size
        here += FOUR


SLOTS = 1 << 12
"""Initial size of a hash table, a power of two; it is never more than half full."""
KNOWN, FRESH = range(2)
"""The state of `look_up`: how many words are known, and how many of them were new in this call."""
ENDS = np.uint32(2**32 - 1)
"""Takes the place of a word after the last word of a document."""
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
    """An open hash table from the keys of words to their numbers."""

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

    def look_up(self, found: U64, words: int, ids: U32, fresh: U32) -> None:
        """Write the number of each word to `ids`, and the positions of new words to `fresh`; there must be room."""
        look_up(found, np.uint64(words), self.keys, self.numbers, self.shift, ids, fresh, self.state)


class Arena(NamedTuple):
    """Texts in UTF-8, or other records, one after the other: number i is data[ptr[i] : ptr[i + 1]]."""

    data: NDArray[np.uint8]
    ptr: NDArray[np.int64]

    @classmethod
    def join(cls, texts: Sequence[bytes]) -> Self:
        """Texts one after the other."""
        offsets = accumulate(map(len, texts), initial=0)
        return cls(np.frombuffer(b"".join(texts), np.uint8), np.fromiter(offsets, np.int64, len(texts) + 1))

    def text(self, number: int) -> str:
        """One of the texts."""
        return self.data[self.ptr[number] : self.ptr[number + 1]].tobytes().decode()

    def texts(self) -> list[str]:
        """All texts."""
        whole = self.data.tobytes()
        return [whole[start:end].decode() for start, end in pairwise(self.ptr.tolist())]


class GrowingVocabulary:
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
        return ids.view(np.int32)  # ENDS, which `look_up` writes for an empty term, is −1

    def terms(self) -> Arena:
        """The terms in the order of their numbers; not to be modified."""
        ptr = self._ptr[: len(self) + 1]
        return Arena(self._arena[: ptr[-1]], ptr)


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
