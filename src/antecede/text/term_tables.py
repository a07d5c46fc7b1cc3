"""The tables behind `BulkAnalyzer`: the distinct words seen so far, the terms they resolve to, and the term counts."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy import strings  # numpy would load it on first use, which fails where two threads do so at once

from antecede.errors import InputError
from antecede.kernels import kernel
from antecede.text.analyzer import APOSTROPHES, ELIDED, LETTER, MARK, ZERO_WIDTH
from antecede.text.vocabulary import (
    DOCUMENT,
    ENDS,
    FIELDS,
    FOUND,
    FRESH,
    NEW_LINE,
    ONE,
    PADDING,
    ZERO,
    GrowingVocabulary,
    KeyTable,
    copy_words,
    grow,
    scan_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.text.vocabulary import U32, U64

WORDS = 1 << 14
"""Words processed at a time."""
SLOTS = 1 << 16
"""Initial size of the hash table of words, a power of two; it is never more than half full."""
GROUP = 1 << 22
"""Texts are joined for a scan up to this many bytes; a longer text is scanned alone."""
STATE = 5
ROW, ENTRIES, FIRST, BEGIN, PART = range(STATE)
"""The state of `count_terms`: the document; the entries written; the number of the first entry of this batch and of
this document, counted over all batches from 1; and the text."""
ANOTHER = np.uint32(1)
_ELIDED_KEYS = np.array([int.from_bytes(word.encode(), "little") for word in sorted(ELIDED)], np.uint64)
"""The first numbers of their keys; the second is 0."""


@kernel
def count_terms(
    ids: U32,
    words: np.uint64,
    term_of: NDArray[np.int32],
    last: U64,
    terms: U32,
    counts: U32,
    closing: NDArray[np.bool_],
    ends: U64,
    state: U64,
) -> None:
    """Count the terms of words document by document; a word whose term is −1 is dropped.

    `closing` says of each text whether it is the last of its document.

    `last` has for each term the number of the entry in which it was last counted. Nothing has to be cleared between
    documents, since the entries of earlier documents have smaller numbers.

    Bounds: `BulkAnalyzer` has given every word of `ids` an entry in `term_of` and every term one in `last`; there is an
    entry in `terms` and `counts` for every word that texts of their size can have, one in `closing` per text, and one
    in `ends` per document.
    """
    row, entries, first, begin, part = state[ROW], state[ENTRIES], state[FIRST], state[BEGIN], state[PART]
    for at in range(words):
        if ids[at] == ENDS:
            if closing[part]:
                ends[row] = entries
                row += ONE
                begin = first + entries
            part += ONE
            continue
        if term_of[ids[at]] < 0:
            continue
        term = np.uint32(term_of[ids[at]])
        if last[term] >= begin:
            counts[last[term] - first] += ANOTHER
        else:
            last[term] = first + entries
            terms[entries], counts[entries] = term, ANOTHER
            entries += ONE
    state[ROW], state[ENTRIES], state[BEGIN], state[PART] = row, entries, begin, part


@cache
def build_kind_table() -> NDArray[np.uint8]:
    """The kind of every number of 21 bits as a code point; those that are not code points are separators."""
    table = np.zeros(1 << 21, np.uint8)
    codes = np.arange(0x40000, dtype=np.uint32)  # the planes above have no letters
    table[: len(codes)] = strings.isalpha(codes.view("U1")).astype(np.uint8) * np.uint8(LETTER)
    # numpy has no such test for marks, so the other characters are tested one by one, in the planes that have marks.
    others = [*np.flatnonzero(table[:0x20000] == 0).tolist(), *range(0xE0000, 0xE1000)]
    categories = map(unicodedata.category, map(chr, others))
    marks = [code for code, category in zip(others, categories, strict=True) if category[0] == "M"]
    table[marks] = table[[code for code in ZERO_WIDTH if not table[code]]] = MARK
    return table


@cache
def build_fold_table() -> NDArray[np.uint8]:
    """For each byte: the lower-case ASCII letter, 1 for the first byte of a multi-byte character, or 0."""
    table = np.zeros(256, np.uint8)
    for letter in "abcdefghijklmnopqrstuvwxyz":
        table[[ord(letter), ord(letter.upper())]] = ord(letter)
    table[0xC0:] = 1
    return table


class WordTable:
    """The distinct words seen so far, numbered in the order of their first occurrence."""

    def __init__(self, longest: int) -> None:
        self._longest = np.uint64(longest)
        self._table = KeyTable(SLOTS)
        self.found = np.zeros(FIELDS * WORDS, np.uint64)
        """The numbers of `scan_words` for the words just scanned."""
        self._fresh = np.zeros(WORDS, np.uint32)
        self.ids = np.zeros(WORDS, np.uint32)
        """The numbers of the words just scanned, with ENDS after the last word of a document."""

    def __len__(self) -> int:
        return len(self._table)

    @property
    def nbytes(self) -> int:
        return self._table.nbytes + sum(array.nbytes for array in (self.found, self._fresh, self.ids))

    def scan(self, texts: Sequence[bytes]) -> Iterator[tuple[int, str]]:
        """Scan documents; yields repeatedly the number of `ids`, and the new words among them.

        Each new word ends with a newline.
        """
        fold, kinds = build_fold_table(), build_kind_table()
        for data, starts in join_groups(texts):
            text, padded = np.frombuffer(data, np.uint8), np.append(starts, starts[-1:])
            self._text = text
            state = np.zeros(3, np.uint64)
            while state[DOCUMENT] < len(starts) - 1:
                scan_words(text, padded, fold, kinds, self._longest, self.found, state)
                words = int(state[FOUND])
                self._table.make_room(words)
                self._table.look_up(self.found, words, self.ids, self._fresh)
                yield words, self._decode_new_words(text)

    def are_elided(self, words: int) -> NDArray[np.bool_]:
        """Which of the words of the last step are elided: as `is_elided` says of one."""
        found = self.found[: FIELDS * words].reshape(-1, FIELDS)
        ends, sizes = (found[:, 2] + found[:, 3]).astype(np.int64), found[:, 3]
        after = self._text[ends[:, None] + np.arange(3)]  # the padding follows the last text
        joined = np.zeros(words, np.bool_)
        for apostrophe in map(str.encode, APOSTROPHES):
            joined |= (after[:, : len(apostrophe)] == np.frombuffer(apostrophe, np.uint8)).all(axis=1)
        elided: NDArray[np.bool_] = np.isin(found[:, 0], _ELIDED_KEYS) & (found[:, 1] == 0)
        return elided & joined & (sizes > 0)

    def _decode_new_words(self, text: NDArray[np.uint8]) -> str:
        new = int(self._table.state[FRESH])
        if not new:
            return ""
        size = new + int(self.found[FIELDS - 1 :: FIELDS][self._fresh[:new]].sum())
        written = np.empty(size, np.uint8)
        copy_words(text, self.found, self._fresh, np.uint64(new), True, written, ZERO)
        try:
            return written.tobytes().decode()
        except UnicodeDecodeError:
            remedy = "decode it with its actual encoding, and encode it as UTF-8"
            raise InputError("a text is not UTF-8", remedy=remedy) from None


class Forms:
    """What words become (terms, for example), numbered in the order of their first occurrence."""

    def __init__(self) -> None:
        self.vocabulary = GrowingVocabulary()
        self._words = 0
        self._form_of = np.zeros(0, np.int32)

    @property
    def nbytes(self) -> int:
        return self._form_of.nbytes + self.vocabulary.nbytes

    @property
    def of_words(self) -> NDArray[np.int32]:
        """The number of what each word becomes, −1 where it is dropped; not to be modified."""
        return self._form_of[: self._words]

    def learn(self, forms: str) -> None:
        """Add what new words become, each ended by a newline; an empty one for a word that is dropped."""
        data = np.frombuffer(forms.encode(), np.uint8)
        ends = np.flatnonzero(data == NEW_LINE)
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1] + 1
        end = self._words + len(ends)
        self._form_of = grow(self._form_of, end)
        self._form_of[self._words : end] = self.vocabulary.number(data, starts, ends)
        self._words = end


def join_groups(texts: Sequence[bytes]) -> Iterator[tuple[bytes, NDArray[np.uint64]]]:
    """The texts joined in groups of limited size, each with the places where its documents begin, and one more."""
    begin, size = 0, 0
    for at, text in enumerate(texts):
        if at > begin and size + len(text) > GROUP:
            yield join_group(texts[begin:at])
            begin, size = at, 0
        size += len(text)
    if begin < len(texts):
        yield join_group(texts[begin:])


def join_group(texts: Sequence[bytes]) -> tuple[bytes, NDArray[np.uint64]]:
    """The texts with a newline after each, and the places where they begin."""
    starts = np.zeros(len(texts) + 1, np.uint64)
    np.cumsum([len(text) + 1 for text in texts], out=starts[1:])
    return b"\n".join([*texts, bytes(PADDING)]), starts
