"""What a query method works with: the terms of a topic that other documents contain, and these documents.

The collection is seen as if the topic were not in it, so that a query does not depend on whether its topic is indexed:
the documents of the topic and of its family are subtracted from the statistics, and a term that occurs only in them is
known to match nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from antecede.corpus.merge import names_of
from antecede.index.statistics import Frequencies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.filters import Filters
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.patent import Patent
    from antecede.query.query import Query
    from antecede.query.topic import Topic

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class RankedRows(Protocol):
    """The documents that a first search ranked."""

    @property
    def places(self) -> NDArray[np.int64]:
        """One row per document, best first: the position of its matrix, and its row there."""
        ...


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a topic as parallel arrays, with their collection statistics: all that most methods need."""

    counts: Floats
    """n(t), the frequency of each in the topic."""
    df: Floats
    """The document frequency of each, at least 1."""
    cf: Floats
    """The collection frequency of each."""
    length: int
    """Σ n(t), the number of tokens of the topic, including terms that occur in no document."""
    documents: int
    """N, the number of documents."""
    tokens: int
    """|C|, the number of tokens in the collection."""

    @property
    def average_length(self) -> float:
        return self.tokens / self.documents if self.documents else 0.0


@dataclass(frozen=True, eq=False)
class Material(Terms):
    """The terms with their context, for methods that look into other documents."""

    names: tuple[str, ...]
    """The terms themselves."""
    known: NDArray[np.int64]
    """Their positions among all terms of the topic; the others occur in no document."""
    numbers: tuple[NDArray[np.int64], ...]
    """Their numbers in the matrix of each segment, −1 where it lacks one."""
    topic: Topic
    others: CollectionView
    """The collection without the topic and its family."""
    index: Index
    filters: Filters
    """Which documents may be looked at: never the topic, its family, or what was published after it."""
    search: Callable[[Query, int], RankedRows]
    """The best of these documents for a query."""
    notes: list[str] = field(default_factory=list)
    """What a method reports about this topic."""

    @property
    def unmatched(self) -> int:
        """The number of terms of the topic that occur in no other document."""
        return len(self.topic.terms) - len(self.names)


# The collection without the topic


class CollectionView:
    """The documents of one language without a patent and its family: their number, lengths and term frequencies."""

    def __init__(self, index: Index, language: str, patent: Patent) -> None:
        self.index, self.language = index, language
        self.whole = index.statistics(language)
        self.matrices = [matrix for _, matrix in index.matrices(language)]
        self.own = [_own_rows(segment, matrix, patent) for segment, matrix in index.matrices(language)]

    @cached_property
    def documents(self) -> int:
        return self.whole.documents - sum(len(rows) for rows in self.own)

    @cached_property
    def tokens(self) -> int:
        own = (int(matrix.lengths[rows].sum()) for matrix, rows in zip(self.matrices, self.own, strict=True))
        return self.whole.tokens - sum(own)

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        return self.frequencies_of([matrix.find(terms) for matrix in self.matrices])

    def frequencies_of(self, numbers: Sequence[NDArray[np.int64]]) -> Frequencies:
        """The frequencies of terms given by their numbers in each matrix, −1 where a matrix lacks a term."""
        whole = self.whole.frequencies_of(numbers)
        df, cf = whole.documents.copy(), whole.occurrences.copy()
        for (terms, documents, occurrences), here in zip(self._own_counts, numbers, strict=True):
            there = np.flatnonzero(here >= 0)
            if not len(terms):
                continue
            place = np.minimum(np.searchsorted(terms, here[there]), len(terms) - 1)
            is_own = terms[place] == here[there]
            df[there] -= np.where(is_own, documents[place], 0)
            cf[there] -= np.where(is_own, occurrences[place], 0)
        return Frequencies(df, cf)

    @cached_property
    def _own_counts(self) -> list[tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]]:
        """For each matrix, the terms of the excluded documents, how many of these have each, and how often."""
        counts = []
        for matrix, rows in zip(self.matrices, self.own, strict=True):
            vectors = matrix.vectors_of(rows)
            terms, place = np.unique(vectors.items, return_inverse=True)
            occurrences = np.bincount(place, weights=vectors.counts, minlength=len(terms)).astype(np.int64)
            counts.append((terms, np.bincount(place, minlength=len(terms)).astype(np.int64), occurrences))
        return counts


def _own_rows(segment: Segment, matrix: Matrix, patent: Patent) -> NDArray[np.int64]:
    """The rows of a patent and its family in a matrix, without replaced ones."""
    own = {number for name in names_of(patent) for number in segment.store.numbers_named(name)}
    if patent.family_id is not None:
        own.update(segment.store.numbers_with("family_id", patent.family_id).tolist())
    rows = matrix.rows_of(np.array(sorted(number for number in own if segment.live[number]), np.int64))
    return rows[rows >= 0]


# Vectors of other documents


@dataclass(frozen=True, eq=False)
class JointVocabulary:
    """Terms in alphabetical order, by their numbers in several matrices. Names are looked up on access."""

    matrices: Sequence[Matrix]
    numbers: Sequence[Ints]
    """For each matrix, the number of each term, −1 where the matrix lacks it; at least one matrix has it."""

    def __len__(self) -> int:
        return len(self.numbers[0])

    def __getitem__(self, place: int) -> str:
        at = next(at for at, numbers in enumerate(self.numbers) if numbers[place] >= 0)
        return self.matrices[at].term(int(self.numbers[at][place]))

    def places(self, at: int, numbers: NDArray[np.integer[Any]]) -> Ints:
        """The places of the terms with these numbers in one of the matrices."""
        place = np.full(self.matrices[at].terms, -1)
        there = np.flatnonzero(self.numbers[at] >= 0)
        place[self.numbers[at][there]] = there
        return np.asarray(place[numbers])

    def find(self, numbers: Sequence[Ints]) -> Ints:
        """The places of terms given by their numbers in each matrix, −1 where a matrix lacks a term."""
        places = np.full(len(numbers[0]), -1)
        for at, here in enumerate(numbers):
            there = np.flatnonzero(here >= 0)
            places[there] = self.places(at, here[there])
        return places


@dataclass(frozen=True, eq=False)
class Vectors:
    """Documents × terms; each document has at least one term, and those of document d are at ptr[d] … ptr[d + 1]."""

    ptr: Ints
    terms: Ints
    """Places in the vocabulary."""
    counts: Floats
    lengths: Floats
    """|d|, the number of tokens of each document."""
    vocabulary: JointVocabulary

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def shares(self) -> Floats:
        """P(t|d) of each entry: n(t, d) / |d|."""
        return self.counts / np.repeat(self.lengths, np.diff(self.ptr))

    def by_term(self, weights: Floats) -> Floats:
        """Σ_d P(t|d) · w(d) for each term: a product with a vector from the left."""
        spread = self.shares * np.repeat(weights, np.diff(self.ptr))
        return np.bincount(self.terms, weights=spread, minlength=len(self.vocabulary)).astype(np.float64, copy=False)

    def by_document(self, weights: Floats) -> Floats:
        """Σ_t P(t|d) · w(t) for each document: a product with a vector from the right."""
        return np.add.reduceat(self.shares * weights[self.terms], self.ptr[:-1])


def gather_vectors(matrices: Sequence[Matrix], rows: Sequence[Ints], also: Sequence[Ints]) -> Vectors:
    """The vectors of non-empty rows of each matrix, over their terms and the terms whose numbers are in `also`."""
    lists = [matrix.vectors_of(some) for matrix, some in zip(matrices, rows, strict=True)]
    used = []
    for matrix, vectors, more in zip(matrices, lists, also, strict=True):
        is_used = np.zeros(matrix.terms, np.bool_)
        is_used[vectors.items] = True
        is_used[more[more >= 0]] = True
        used.append(np.flatnonzero(is_used))
    if len(matrices) > 1 or not matrices[0].complete:  # the numbers of one whole matrix are in alphabetical order
        names = {m.term(number) for m, numbers in zip(matrices, used, strict=True) for number in numbers.tolist()}
        used = [matrix.find(sorted(names)) for matrix in matrices]
    vocabulary = JointVocabulary(matrices, used)
    return Vectors(
        ptr=np.concatenate(([0], np.cumsum(np.concatenate([np.diff(vectors.ptr) for vectors in lists])))),
        terms=np.concatenate([vocabulary.places(at, vectors.items) for at, vectors in enumerate(lists)]),
        counts=np.concatenate([vectors.counts for vectors in lists]).astype(np.float64),
        lengths=np.concatenate([m.lengths[some] for m, some in zip(matrices, rows, strict=True)]).astype(np.float64),
        vocabulary=vocabulary,
    )
