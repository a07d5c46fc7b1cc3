"""The tables behind the bulk path: words as they are met, and the terms they stand for. They grow as needed."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError
from antecede.text import cutting
from antecede.text import kernels as k
from antecede.text.vocabulary import KeyTable, Vocabulary, grown
from antecede.text.words import LETTER, MARK, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

WORDS = 1 << 14
"""How many words are worked on at a time."""
SLOTS = 1 << 16
"""The size of the hash table to begin with, a power of two; it is never more than half full."""
GROUP = 1 << 22
"""Texts are joined for a scan up to this many bytes, a line's end behind each; one that is longer is scanned alone."""


@cache
def kinds() -> NDArray[np.uint8]:
    """The kind of every code point, and of those numbers of 21 bits that are none."""
    codes = np.arange(1 << 21, dtype=np.uint32)
    codes[sys.maxunicode + 1 :] = 0
    table = np.strings.isalpha(codes.view("U1")).astype(np.uint8) * np.uint8(LETTER)
    # There is no such test for marks, so each other sign is asked, in the planes that have any.
    others = np.flatnonzero(table == 0)
    others = others[(others < 0x20000) | ((others >= 0xE0000) & (others < 0xE1000))]
    marks = [code for code in others.tolist() if kind_of(code) == MARK]
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
        self._table = KeyTable(SLOTS)
        self._found = np.zeros(cutting.FIELDS * WORDS, np.uint64)
        self._fresh = np.zeros(WORDS, np.uint32)
        self.ids = np.zeros(WORDS, np.uint32)
        """The words just met, by number, with DOCUMENT_ENDS behind the last of a document."""

    def __len__(self) -> int:
        return len(self._table)

    @property
    def nbytes(self) -> int:
        return self._table.nbytes + sum(array.nbytes for array in (self._found, self._fresh, self.ids))

    def scan(self, texts: Sequence[bytes]) -> Iterator[tuple[int, str]]:
        """Go through documents; gives again and again how many `ids` there are, and the words among them that are new.

        New words are given as lines, each with its end.
        """
        for data, starts in groups(texts):
            text, padded = np.frombuffer(data, np.uint8), np.append(starts, starts[-1:])
            state = np.zeros(3, np.uint64)
            while state[cutting.DOCUMENT] < len(starts) - 1:
                cutting.cut(text, padded, fold(), kinds(), self._longest, self._found, state)
                words = int(state[cutting.FOUND])
                self._table.make_room(words)
                self._table.look_up(self._found, words, self.ids, self._fresh)
                yield words, self._new_words(text)

    def _new_words(self, text: NDArray[np.uint8]) -> str:
        new = int(self._table.state[k.FRESH])
        if not new:
            return ""
        size = new + int(self._found[cutting.FIELDS - 1 :: cutting.FIELDS][self._fresh[:new]].sum())
        written = np.empty(size, np.uint8)
        k.copy_words(text, self._found, self._fresh, np.uint64(new), True, written, cutting.ZERO)
        try:
            return written.tobytes().decode()
        except UnicodeDecodeError:
            raise InputError("a text is not UTF-8", remedy="decode it as what it is, and encode it again") from None


class TermTable:
    """The terms that words stand for, numbered in the order of first appearance, and the counts of a batch."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self._words = 0
        self._term_of = np.zeros(0, np.int32)
        self._last = np.zeros(0, np.uint64)
        self._state = np.zeros(5, np.uint64)
        self._state[k.FIRST] = 1
        self.open(0, 0)

    @property
    def nbytes(self) -> int:
        arrays = (self._term_of, self._last, self._terms, self._counts, self._ends, self._lengths)
        return sum(array.nbytes for array in arrays) + self.vocabulary.nbytes

    def open(self, documents: int, size: int) -> None:
        """Begin a batch of so many documents and bytes."""
        most = size // 2 + documents  # words: memory that is not written to is not taken
        self._terms, self._counts = np.empty(most, np.uint32), np.empty(most, np.uint32)
        self._ends, self._lengths = np.zeros(documents, np.uint64), np.zeros(documents, np.uint32)
        self._state[k.FIRST] += self._state[k.ENTRIES]
        self._state[k.BEGIN] = self._state[k.FIRST]
        self._state[[k.ROW, k.ENTRIES, k.LENGTH]] = 0

    def learn(self, terms: str) -> None:
        """The terms of the words that are new, as lines, each with its end; an empty one for a word left out."""
        data = np.frombuffer(terms.encode(), np.uint8)
        ends = np.flatnonzero(data == k.NEW_LINE)
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1] + 1
        end = self._words + len(ends)
        self._term_of = grown(self._term_of, end)
        self._term_of[self._words : end] = self.vocabulary.number(data, starts, ends)
        self._words = end
        self._last = grown(self._last, len(self.vocabulary))

    def add(self, ids: NDArray[np.uint32], words: int) -> None:
        """Count words into the batch."""
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
        self.open(0, 0)
        return batch


def groups(texts: Sequence[bytes]) -> Iterator[tuple[bytes, NDArray[np.uint64]]]:
    """The texts joined in groups, each with the places where its documents begin, and where another one would."""
    begin, size = 0, 0
    for at, text in enumerate(texts):
        if at > begin and size + len(text) > GROUP:
            yield group(texts[begin:at])
            begin, size = at, 0
        size += len(text)
    if begin < len(texts):
        yield group(texts[begin:])


def group(texts: Sequence[bytes]) -> tuple[bytes, NDArray[np.uint64]]:
    starts = np.zeros(len(texts) + 1, np.uint64)
    np.cumsum([len(text) + 1 for text in texts], out=starts[1:])
    return b"\n".join([*texts, bytes(cutting.BEHIND)]), starts
