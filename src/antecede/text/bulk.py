"""From many texts to the counts of their terms, as fast as one core goes: what an index is built with.

The texts are scanned as UTF-8 bytes by compiled loops (`cutting.py`, `kernels.py`). Each distinct word is made a term
once, by the same `Analyzer` that serves queries, so the two ways cannot differ but in where a word begins and ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.text.analyzer import Analyzer

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from antecede.text.profiles import Profile


@dataclass(frozen=True, eq=False)
class Batch:
    """The distinct terms of documents with their counts: those of document d stand at ptr[d] … ptr[d + 1]."""

    ptr: NDArray[np.int64]
    terms: NDArray[np.uint32]
    """Numbers of terms, in the order in which the document first has them."""
    counts: NDArray[np.uint32]
    lengths: NDArray[np.uint32]
    """How many words each document has, those left out not counted: the sum of its counts."""


@dataclass(frozen=True, eq=False)
class Arena:
    """Strings in one array of UTF-8 bytes: string i stands at offsets[i] … offsets[i + 1]."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]


class BulkAnalyzer:
    """Counts the terms of document after document; a term's number is its place in the order of first appearance.

    The numbers do not depend on how the documents are put into batches. Use one for each thread or process: they share
    nothing, and the loops hold no lock. What it keeps grows with the vocabulary alone; see `nbytes`.
    """

    def __init__(self, language: str, profile: Profile | str = "default") -> None:
        from antecede.text.tables import TermTable, WordTable  # loads numba, and compiles at the first use on a machine

        self.analyzer = Analyzer(language, profile)
        self._words = WordTable(self.analyzer.profile.longest)
        self._terms = TermTable()
        self._stopped = False

    def add(self, texts: Sequence[bytes]) -> Batch:
        """Count the terms of documents, each given as its text in UTF-8, its fields joined with a newline, say.

        The bytes must come from `str.encode`: a word that is not UTF-8 is refused, what stands between words is not
        looked at.
        """
        if self._stopped:
            raise UsageError("an earlier batch was not counted to its end; begin again with a new BulkAnalyzer")
        self._stopped = True
        self._terms.open(len(texts), sum(map(len, texts)))
        for words, new in self._words.scan(texts):
            if new:
                self._terms.learn(self.analyzer.resolve_lines(new))
            self._terms.add(self._words.ids, words)
        self._stopped = False
        return Batch(*self._terms.close())

    def vocabulary(self) -> list[str]:
        """The terms by their numbers."""
        return self._terms.vocabulary.texts()

    def exported(self) -> Arena:
        """The terms by their numbers, as bytes that are not to be written to."""
        return Arena(*self._terms.vocabulary.terms())

    @property
    def words(self) -> int:
        """How many distinct words were met, before any was left out or stemmed."""
        return len(self._words)

    @property
    def nbytes(self) -> int:
        """The memory it holds."""
        return self._words.nbytes + self._terms.nbytes
