"""Collection statistics of a language: number and length of documents, document and collection frequencies.

Replaced documents are subtracted, so that a collection that was added in parts has the same statistics, and therefore
the same rankings, as one that was indexed as a whole.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.arrays import split_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index.matrix import Matrix

AT_ONCE = 1 << 22
"""Postings of replaced documents that are decoded at a time."""


@dataclass(frozen=True)
class Frequencies:
    """Document frequencies and collection frequencies of terms."""

    documents: NDArray[np.int64]
    occurrences: NDArray[np.int64]


class Statistics:
    """The statistics of one language over all segments."""

    def __init__(self, language: str, matrices: Sequence[Matrix]) -> None:
        self.language, self.matrices = language, matrices
        self._replaced: dict[Matrix, Frequencies] = {}
        self._lock = threading.Lock()

    @cached_property
    def documents(self) -> int:
        """Number of documents with text in this language."""
        return sum(matrix.rows - len(matrix.deleted) for matrix in self.matrices)

    @cached_property
    def tokens(self) -> int:
        """Number of tokens of all these documents."""
        whole = sum(int(matrix.lengths.sum(dtype=np.int64)) for matrix in self.matrices)
        return whole - sum(int(matrix.lengths[matrix.deleted].sum(dtype=np.int64)) for matrix in self.matrices)

    @property
    def average_length(self) -> float:
        """Mean number of tokens per document."""
        return self.tokens / self.documents if self.documents else 0.0

    def document_frequency(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The document frequency of each term; 0 for one that does not occur."""
        return self.frequencies(terms).documents

    def collection_frequency(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The collection frequency of each term."""
        return self.frequencies(terms).occurrences

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """The frequencies of these terms."""
        if not self.matrices:
            return Frequencies(np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64))
        return self.frequencies_of([matrix.find(terms) for matrix in self.matrices])

    def frequencies_of(self, numbers: Sequence[NDArray[np.int64]]) -> Frequencies:
        """The frequencies of terms given by their numbers in each matrix, −1 where a matrix lacks a term."""
        size = len(numbers[0]) if numbers else 0
        df, cf = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for matrix, found in zip(self.matrices, numbers, strict=True):
            there = np.flatnonzero(found >= 0)
            terms = found[there]
            df[there] += matrix.df[terms].astype(np.int64)
            cf[there] += matrix.cf[terms].astype(np.int64)
            if len(matrix.deleted):
                replaced = self.replaced(matrix)
                df[there] -= replaced.documents[terms]
                cf[there] -= replaced.occurrences[terms]
        return Frequencies(df, cf)

    def replaced(self, matrix: Matrix) -> Frequencies:
        """The frequencies of each term of a matrix in its replaced documents, to be subtracted."""
        with self._lock:
            if matrix not in self._replaced:
                self._replaced[matrix] = count_frequencies(matrix, matrix.deleted.astype(np.int64))
            return self._replaced[matrix]


def count_frequencies(matrix: Matrix, rows: NDArray[np.int64]) -> Frequencies:
    """The frequencies of all terms in some rows."""
    df, cf = np.zeros(matrix.terms, np.int64), np.zeros(matrix.terms, np.int64)
    for first, last in split_spans(matrix.by_row.lengths[rows].astype(np.int64), AT_ONCE):
        found = matrix.vectors_of(rows[first:last])
        df += np.bincount(found.items, minlength=matrix.terms)
        np.add.at(cf, found.items, found.counts)
    return Frequencies(df, cf)


Counts = tuple["NDArray[np.uint32]", "NDArray[np.int64]"]
"""Term numbers, ascending, with a count for each; 0 for all others."""


def look_up(counts: Counts, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The count of each term."""
    known, values = counts
    if not len(known):
        return np.zeros(len(terms), np.int64)
    place = np.minimum(np.searchsorted(known, terms), len(known) - 1)
    return np.where(known[place] == terms, values[place], 0)
