"""What a language's collection is like: how many documents, how long, how common each term.

Documents that were replaced are taken out, so that a collection added bit by bit has the statistics, and therefore the
rankings, of one built in one go.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index.matrix import Matrix


@dataclass(frozen=True)
class Frequencies:
    """How common terms are: documents that have each, and occurrences of each."""

    documents: NDArray[np.int64]
    occurrences: NDArray[np.int64]


class Statistics:
    """The statistics of one language over all segments."""

    def __init__(self, language: str, matrices: Sequence[Matrix]) -> None:
        self.language, self.matrices = language, matrices

    @cached_property
    def documents(self) -> int:
        """Documents with text in this language."""
        return sum(matrix.rows - len(matrix.deleted) for matrix in self.matrices)

    @cached_property
    def tokens(self) -> int:
        """Tokens of all those documents."""
        whole = sum(int(matrix.lengths.sum(dtype=np.int64)) for matrix in self.matrices)
        return whole - sum(int(matrix.lengths[matrix.deleted].sum(dtype=np.int64)) for matrix in self.matrices)

    @property
    def average_length(self) -> float:
        """Tokens a document."""
        return self.tokens / self.documents if self.documents else 0.0

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """How common these terms are; 0 for one that does not occur."""
        return self.frequencies_of([matrix.find(terms) for matrix in self.matrices])

    def frequencies_of(self, numbers: Sequence[NDArray[np.int64]]) -> Frequencies:
        """The same for terms whose numbers in each matrix are known, −1 where one lacks a term."""
        size = len(numbers[0]) if numbers else 0
        df, cf = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for matrix, found in zip(self.matrices, numbers, strict=True):
            there = np.flatnonzero(found >= 0)
            gone_df, gone_cf = self.gone(matrix)
            df[there] += matrix.df[found[there]].astype(np.int64) - look_up(gone_df, found[there])
            cf[there] += matrix.cf[found[there]].astype(np.int64) - look_up(gone_cf, found[there])
        return Frequencies(df, cf)

    def gone(self, matrix: Matrix) -> tuple[Counts, Counts]:
        """What the replaced documents of a matrix had: to be taken off."""
        if matrix not in self._gone:
            vectors = matrix.vectors_of(matrix.deleted.astype(np.int64))
            terms, place = np.unique(vectors.items, return_inverse=True)
            counted = np.bincount(place, weights=vectors.counts, minlength=len(terms)).astype(np.int64)
            self._gone[matrix] = (terms, np.bincount(place, minlength=len(terms))), (terms, counted)
        return self._gone[matrix]

    @cached_property
    def _gone(self) -> dict[Matrix, tuple[Counts, Counts]]:
        return {}


Counts = tuple["NDArray[np.uint32]", "NDArray[np.int64]"]
"""Term numbers, ascending, with a count for each; 0 for all others."""


def look_up(counts: Counts, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The count of each term."""
    known, values = counts
    if not len(known):
        return np.zeros(len(terms), np.int64)
    place = np.minimum(np.searchsorted(known, terms), len(known) - 1)
    return np.where(known[place] == terms, values[place], 0)
