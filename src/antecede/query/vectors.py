"""Document vectors from several segments as one sparse matrix, for models of groups of documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index.matrix import Matrix

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Vocabulary:
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
        found = np.full(len(numbers[0]), -1)
        for at, each in enumerate(numbers):
            there = np.flatnonzero(each >= 0)
            found[there] = self.places(at, each[there])
        return found


@dataclass(frozen=True, eq=False)
class Vectors:
    """Documents × terms; each document has at least one term, and those of document d are at ptr[d] … ptr[d + 1]."""

    ptr: Ints
    terms: Ints
    """Places in the vocabulary."""
    counts: Floats
    lengths: Floats
    """|d|, the number of tokens of each document."""
    vocabulary: Vocabulary

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
    lists = [matrix.vectors_of(each) for matrix, each in zip(matrices, rows, strict=True)]
    used = [find_used(matrix.terms, each.items, more) for matrix, each, more in zip(matrices, lists, also, strict=True)]
    ordered = len(matrices) == 1 and matrices[0].complete
    vocabulary = Vocabulary(matrices, used if ordered else unite_terms(matrices, used))
    return Vectors(
        ptr=np.concatenate(([0], np.cumsum(np.concatenate([np.diff(each.ptr) for each in lists])))),
        terms=np.concatenate([vocabulary.places(at, each.items) for at, each in enumerate(lists)]),
        counts=np.concatenate([each.counts for each in lists]).astype(np.float64),
        lengths=np.concatenate([m.lengths[each] for m, each in zip(matrices, rows, strict=True)]).astype(np.float64),
        vocabulary=vocabulary,
    )


def find_used(size: int, items: NDArray[np.uint32], also: Ints) -> Ints:
    """The numbers below `size` that are among the items or in `also`."""
    found = np.zeros(size, np.bool_)
    found[items] = True
    found[also[also >= 0]] = True
    return np.flatnonzero(found)


def unite_terms(matrices: Sequence[Matrix], used: Sequence[Ints]) -> list[Ints]:
    """The union of the terms of several matrices: for each matrix, the numbers of all of them."""
    names = sorted({m.term(number) for m, numbers in zip(matrices, used, strict=True) for number in numbers.tolist()})
    return [matrix.find(names) for matrix in matrices]
