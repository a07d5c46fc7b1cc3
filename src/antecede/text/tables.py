"""The tables behind the bulk path: words as they are met, and the terms they stand for. They grow as needed."""

from __future__ import annotations

import sys
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.errors import InputError
from antecede.text import kernels as k
from antecede.text.words import LETTER, MARK, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

WORDS = 1 << 14
"""How many words are worked on at a time."""
SLOTS = 1 << 16
"""The size of the hash table to begin with, a power of two; it is never more than half full."""
NUMBER_BYTES = sys.getsizeof(1 << 20)


@cache
def kinds() -> NDArray[np.uint8]:
    """The kind of every code point, and of those numbers of 21 bits that are none."""
    codes = np.arange(1 << 21, dtype=np.uint32)
    codes[sys.maxunicode + 1 :] = 0
    table = np.strings.isalpha(codes.view("U1")).astype(np.uint8) * np.uint8(LETTER)
    # There is no such test for marks, so each sign is asked, in the planes that have any.
    marks = [code for code in (*range(0x20000), *range(0xE0000, 0xE1000)) if not table[code] and kind_of(code) == MARK]
    table[marks] = MARK
    return table


@cache
def fold() -> NDArray[np.uint8]:
    """For a byte: the lower-case letter of ASCII that it is, 1 where a longer sign begins, or 0."""
    table = np.zeros(256, np.uint8)
    for letter in "abcdefghijklmnopqrstuvwxyz":
        table[[ord(letter), ord(letter.upper())]] = ord(letter)
    table[0xC0:] = 1
    return table


class WordTable:
    """The distinct words met so far, numbered in the order of first appearance."""

    def __init__(self, longest: int) -> None:
        self._longest = np.uint64(longest)
        self._keys, self._numbers = empty_table(SLOTS)
        self._found = np.zeros(k.FIELDS * WORDS, np.uint64)
        self._fresh = np.zeros(WORDS, np.uint32)
        self._state = np.zeros(2, np.uint64)
        self.ids = np.zeros(WORDS, np.uint32)
        """The words just met, by number, with DOCUMENT_ENDS behind the last of a document."""

    def __len__(self) -> int:
        return int(self._state[k.KNOWN])

    @property
    def nbytes(self) -> int:
        arrays = (self._keys, self._numbers, self._found, self._fresh, self.ids)
        return sum(array.nbytes for array in arrays)

    def scan(self, data: bytes, starts: NDArray[np.uint64]) -> Iterator[tuple[int, list[str]]]:
        """Go through documents; gives again and again how many `ids` there are, and the words among them that are new.

        Document d stands at starts[d] … starts[d + 1].
        """
        text, padded = np.frombuffer(data, np.uint8), np.append(starts, starts[-1:])
        state = np.zeros(3, np.uint64)
        state[k.POSITION] = starts[0]
        while state[k.DOCUMENT] < len(starts) - 1:
            k.cut(text, padded, fold(), kinds(), self._longest, self._found, state)
            words = int(state[k.FOUND])
            if 2 * (len(self) + words) > len(self._numbers):
                self._grow(2 * (len(self) + words))
            self._look_up(self._found, words)
            yield words, self._new_words(data)

    def _look_up(self, found: NDArray[np.uint64], words: int) -> None:
        shift = np.uint64(64 - (len(self._numbers) - 1).bit_length())
        k.look_up(found, np.uint64(words), self._keys, self._numbers, shift, self.ids, self._fresh, self._state)

    def _new_words(self, data: bytes) -> list[str]:
        if not self._state[k.FRESH]:
            return []
        fresh = self._fresh[: int(self._state[k.FRESH])]
        begins, sizes = (self._found[field :: k.FIELDS][fresh].tolist() for field in (2, 3))
        written = b"\n".join([data[begin : begin + size] for begin, size in zip(begins, sizes, strict=True)])
        try:
            return written.decode().split("\n")
        except UnicodeDecodeError:
            raise InputError("a text is not UTF-8", remedy="decode it as what it is, and encode it again") from None

    def _grow(self, slots: int) -> None:
        """Make the table twice as large, or more, and put the words into it in the order of their numbers."""
        taken = np.flatnonzero(self._keys.reshape(-1, 2).any(axis=1))
        words = np.ones((len(self), k.FIELDS), np.uint64)
        words[self._numbers[taken], :2] = self._keys.reshape(-1, 2)[taken]
        self._keys, self._numbers = empty_table(max(2 * len(self._numbers), 1 << (slots - 1).bit_length()))
        self._state[k.KNOWN] = 0
        for begin in range(0, len(words), WORDS):
            piece = words[begin : begin + WORDS]
            self._look_up(piece.reshape(-1), len(piece))


class TermTable:
    """The terms that words stand for, numbered in the order of first appearance, and the counts of a batch."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._text_bytes = 0
        self._words = 0
        self._term_of = np.zeros(0, np.int32)
        self._last = np.zeros(0, np.uint64)
        self._state = np.zeros(5, np.uint64)
        self._state[k.FIRST] = 1
        self.open(0)

    @property
    def nbytes(self) -> int:
        arrays = (self._term_of, self._last, self._terms, self._counts, self._ends, self._lengths)
        return sum(array.nbytes for array in arrays) + sys.getsizeof(self.numbers) + self._text_bytes

    def open(self, documents: int) -> None:
        """Begin a batch."""
        self._terms, self._counts = np.zeros(0, np.uint32), np.zeros(0, np.uint32)
        self._ends, self._lengths = np.zeros(documents, np.uint64), np.zeros(documents, np.uint32)
        self._state[k.FIRST] += self._state[k.ENTRIES]
        self._state[k.BEGIN] = self._state[k.FIRST]
        self._state[[k.ROW, k.ENTRIES, k.LENGTH]] = 0

    def learn(self, terms: Sequence[str | None]) -> None:
        """The terms of the words that are new; None for a word that is left out."""
        numbers, known, end = self.numbers, len(self.numbers), self._words + len(terms)
        self._term_of = grown(self._term_of, end)
        self._term_of[self._words : end] = [
            -1 if term is None else numbers.setdefault(term, len(numbers)) for term in terms
        ]
        self._words = end
        self._last = grown(self._last, len(numbers))
        added = len(numbers) - known
        self._text_bytes += sum(map(sys.getsizeof, islice(reversed(numbers), added))) + added * NUMBER_BYTES

    def add(self, ids: NDArray[np.uint32], words: int) -> None:
        """Count words into the batch."""
        entries = int(self._state[k.ENTRIES])
        self._terms, self._counts = grown(self._terms, entries + words), grown(self._counts, entries + words)
        k.count(
            ids,
            np.uint64(words),
            self._term_of,
            self._last,
            self._terms,
            self._counts,
            self._ends,
            self._lengths,
            self._state,
        )

    def close(self) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
        """The batch: where the entries of each document begin, their terms and counts, and the documents' lengths."""
        entries = int(self._state[k.ENTRIES])
        ptr = np.zeros(len(self._ends) + 1, np.int64)
        ptr[1:] = self._ends
        batch = ptr, self._terms[:entries].copy(), self._counts[:entries].copy(), self._lengths
        self.open(0)
        return batch


Kind = TypeVar("Kind", bound=np.generic)


def grown(array: NDArray[Kind], size: int) -> NDArray[Kind]:
    """The array, or a longer one with room for `size`, which begins with it and goes on with zeros."""
    if size <= len(array):
        return array
    longer = np.zeros(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


def empty_table(slots: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    return np.zeros(2 * slots, np.uint64), np.zeros(slots, np.uint32)
