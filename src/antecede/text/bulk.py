"""From many texts to their term counts, as fast as one core allows; indexes are built with this.

The texts are scanned as UTF-8 bytes by compiled loops (`vocabulary.py`, `term_tables.py`). Each distinct word is
resolved to a term once, by the same `Analyzer` that serves queries, so both ways yield the same terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.text.analyzer import Analyzer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.text.profiles import Profile
    from antecede.text.vocabulary import Arena


@dataclass(frozen=True, eq=False)
class TermBatch:
    """The distinct terms of documents with their counts; document d has the entries from ptr[d] to ptr[d + 1]."""

    ptr: NDArray[np.int64]
    terms: NDArray[np.uint32]
    """Term numbers, in the order of their first occurrence in the document."""
    counts: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class WordBatch:
    """The words of texts in order, stop words and short words included."""

    sizes: NDArray[np.int64]
    """The number of words of each text."""
    words: NDArray[np.int32]
    """The number of each word as written; −1 for a run of letters of which nothing remains."""
    term_of: NDArray[np.int32]
    """For each number of a word, that of its term, −1 where it has none."""


class BulkAnalyzer:
    """Counts the terms of documents and numbers the terms in the order of their first occurrence.

    The numbers do not depend on how the documents are divided into batches. Use one analyser per thread or process:
    they share nothing, and the loops release the interpreter lock. Memory grows only with the vocabulary; see `nbytes`.
    """

    def __init__(self, language: str, profile: Profile | str = "default") -> None:
        from antecede.text.term_tables import Forms, WordTable  # queries do not need them

        self.analyzer = Analyzer(language, profile)
        self._words = WordTable(self.analyzer.profile.longest)
        self._terms, self._written = Forms(), Forms()
        self._last, self._first = np.zeros(0, np.uint64), 1
        """For each term the number of the entry in which it was last counted, and that of the next entry."""
        self._stopped = False

    def add(self, texts: Sequence[bytes]) -> TermBatch:
        """Count the terms of documents, each given as UTF-8 text (for example its fields joined with newlines).

        The bytes must come from `str.encode`: a word that is not valid UTF-8 is rejected; separators are not checked.
        """
        return self._count(texts, np.ones(len(texts), np.bool_), None)

    def add_in_order(self, texts: Sequence[bytes], closing: NDArray[np.bool_]) -> tuple[TermBatch, WordBatch]:
        """Count the terms of documents of several texts each, and keep the forms of their words, in order.

        `closing` says of each text whether it is the last of its document. All batches of an analyser are added in
        this way, or none.
        """
        from antecede.text.vocabulary import ENDS

        ids: list[NDArray[np.uint32]] = [np.zeros(0, np.uint32)]
        counted = self._count(texts, closing, ids)
        whole = np.concatenate(ids)
        is_word = whole != ENDS
        words = np.cumsum(is_word)[~is_word]
        forms = self._written.of_words
        kept = forms >= 0
        term_of = np.full(len(self._written.vocabulary), -1, np.int32)
        term_of[forms[kept]] = self._terms.of_words[kept]
        return counted, WordBatch(np.diff(words, prepend=0), forms[whole[is_word]], term_of)

    def _count(
        self, texts: Sequence[bytes], closing: NDArray[np.bool_], in_order: list[NDArray[np.uint32]] | None
    ) -> TermBatch:
        from antecede.text.term_tables import BEGIN, ENTRIES, FIRST, STATE, count_terms
        from antecede.text.vocabulary import grow

        if self._stopped:
            raise UsageError("an earlier batch failed before it was counted; start again with a new BulkAnalyzer")
        self._stopped = True
        most = sum(map(len, texts)) // 2 + len(closing)  # words; pages that are never written take no memory
        terms, counts, ptr = (
            np.empty(most, np.uint32),
            np.empty(most, np.uint32),
            np.zeros(closing.sum() + 1, np.uint64),
        )
        state = np.zeros(STATE, np.uint64)
        state[[FIRST, BEGIN]] = self._first
        for words, new in self._words.scan(texts):
            if new:
                self._terms.learn(self.analyzer.resolve_lines(new))
                self._last = grow(self._last, len(self._terms.vocabulary))
            ids, term_of = self._words.ids, self._terms.of_words
            count_terms(ids, np.uint64(words), term_of, self._last, terms, counts, closing, ptr[1:], state)
            if in_order is not None:
                is_word = ~self._words.are_elided(words) if self.analyzer.treatment.elisions else slice(None)
                in_order.append(ids[:words][is_word].copy())
                if new:
                    self._written.learn(self.analyzer.form_lines(new))
        self._stopped = False
        entries = int(state[ENTRIES])
        self._first += entries
        return TermBatch(ptr.astype(np.int64), terms[:entries].copy(), counts[:entries].copy())

    def vocabulary(self) -> list[str]:
        """The terms by number."""
        return self._terms.vocabulary.terms().texts()

    def export_terms(self) -> Arena:
        """The terms by number, as bytes that must not be modified."""
        return self._terms.vocabulary.terms()

    def export_words(self) -> Arena:
        """The words as written, by number, as bytes that must not be modified."""
        return self._written.vocabulary.terms()

    @property
    def words(self) -> int:
        """The number of distinct words seen, before stop words are dropped and words are stemmed."""
        return len(self._words)

    @property
    def nbytes(self) -> int:
        """The memory held, in bytes."""
        return self._words.nbytes + self._terms.nbytes + self._written.nbytes + self._last.nbytes
