"""The terms of a text as numbers, each with its place, found by the compiled loops that indexes are built with.

`Analyzer.locate_terms` gives the same terms and places as Python objects and takes forty times as long: a list of hits
with passages has some hundred thousand words.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from antecede.text.term_tables import Forms, WordTable
from antecede.text.vocabulary import ENDS, FIELDS, Arena

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from antecede.text.analyzer import Analyzer

NO_TERM = -1
"""The number of a word that is not a term."""
BEGIN = 2
"""Which of the numbers found for a word is its start."""
CONTINUATION, LEADING_BITS = np.uint8(0x80), np.uint8(0xC0)
"""How a byte of UTF-8 begins that is not the first of its character."""


class TermLocator:
    """Finds and numbers the terms of texts of one language; may be used from several threads.

    Memory grows with the vocabulary: see `words`.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._words, self._terms = WordTable(analyzer.profile.longest), Forms()
        self._lock = threading.Lock()

    @property
    def words(self) -> int:
        """The number of distinct words met."""
        return len(self._words)

    def number_terms(self, terms: Iterable[str]) -> list[int]:
        """The numbers of terms; those that were not met yet are numbered."""
        data, ptr = Arena.join([term.encode("utf-8", "surrogatepass") for term in terms])
        with self._lock:
            numbers: list[int] = self._terms.vocabulary.number(data, ptr[:-1], ptr[1:]).tolist()
        return numbers

    def locate(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The terms of a text, in order, and the character with which each begins."""
        data = text.encode("utf-8", "surrogatepass")  # a lone surrogate separates words, as any other character
        ids, begins = self._scan(data)
        terms = self._terms.of_words[ids]
        kept = np.flatnonzero(terms != NO_TERM)
        starts = begins[kept].astype(np.int64)
        return terms[kept], starts if len(text) == len(data) else count_characters(data, starts)

    def _scan(self, data: bytes) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        ids, begins = [np.zeros(0, np.uint32)], [np.zeros(0, np.uint64)]
        with self._lock:
            for words, new in self._words.scan([data]):
                if new:
                    self._terms.learn(self.analyzer.resolve_lines(new))
                ids.append(self._words.ids[:words].copy())
                begins.append(self._words.found[BEGIN : FIELDS * words : FIELDS].copy())
        found = np.concatenate(ids)
        is_word = found != ENDS
        return found[is_word], np.concatenate(begins)[is_word]


def count_characters(data: bytes, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many characters of UTF-8 text are before each of these bytes, with which characters begin."""
    begins = np.cumsum((np.frombuffer(data, np.uint8) & LEADING_BITS) != CONTINUATION)
    return np.asarray(begins[places] - 1, np.int64)
