"""The collection as if a topic were not in it, so that a query does not depend on whether its topic is indexed.

The documents of the topic and of its family are subtracted from the statistics, so that a term that occurs only in them
is known to match nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.corpus.merge import names_of
from antecede.index.statistics import Frequencies, look_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.patent import Patent


class CollectionView:
    """The documents of one language without a patent and its family: their number, lengths and term frequencies."""

    def __init__(self, index: Index, language: str, patent: Patent) -> None:
        self.index, self.language = index, language
        self.whole = index.statistics(language)
        self.matrices = [matrix for _, matrix in index.matrices(language)]
        self.own = [own_rows(segment, matrix, patent) for segment, matrix in index.matrices(language)]

    @cached_property
    def documents(self) -> int:
        """N, the number of documents."""
        return self.whole.documents - sum(len(rows) for rows in self.own)

    @cached_property
    def tokens(self) -> int:
        """|C|, the number of tokens."""
        own = (int(matrix.lengths[rows].sum()) for matrix, rows in zip(self.matrices, self.own, strict=True))
        return self.whole.tokens - sum(own)

    @property
    def average_length(self) -> float:
        """avg|d|, the mean number of tokens per document."""
        return self.tokens / self.documents if self.documents else 0.0

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """The frequencies of these terms; 0 for one that does not occur."""
        return self.frequencies_of([matrix.find(terms) for matrix in self.matrices])

    def frequencies_of(self, numbers: Sequence[NDArray[np.int64]]) -> Frequencies:
        """The frequencies of terms given by their numbers in each matrix, −1 where a matrix lacks a term."""
        whole = self.whole.frequencies_of(numbers)
        df, cf = whole.documents.copy(), whole.occurrences.copy()
        for (terms, documents, occurrences), found in zip(self.own_counts, numbers, strict=True):
            there = np.flatnonzero(found >= 0)
            df[there] -= look_up((terms, documents), found[there])
            cf[there] -= look_up((terms, occurrences), found[there])
        return Frequencies(df, cf)

    @cached_property
    def own_counts(self) -> list[tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]]:
        """For each matrix, the terms of the excluded documents, with the number of these documents and occurrences."""
        found = []
        for matrix, rows in zip(self.matrices, self.own, strict=True):
            vectors = matrix.vectors_of(rows)
            terms, place = np.unique(vectors.items, return_inverse=True)
            occurrences = np.bincount(place, weights=vectors.counts, minlength=len(terms)).astype(np.int64)
            found.append((terms, np.bincount(place, minlength=len(terms)).astype(np.int64), occurrences))
        return found


def own_rows(segment: Segment, matrix: Matrix, patent: Patent) -> NDArray[np.int64]:
    """The rows of a patent and its family in a matrix, without replaced ones."""
    own = {number for name in names_of(patent) for number in segment.store.numbers_named(name)}
    if patent.family_id is not None:
        own.update(segment.store.numbers_of_family(patent.family_id).tolist())
    rows = rows_of(matrix, np.array(sorted(number for number in own if segment.live[number]), np.int64))
    return rows[rows >= 0]


def rows_of(matrix: Matrix, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of documents in a matrix; −1 for a document without text in its language."""
    return matrix.rows_of(documents)
