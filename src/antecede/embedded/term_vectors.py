"""The term counts of documents side by side: documents × terms, over the terms that some of them have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.engine import TermVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.arrays import Ints
    from antecede.index.matrix import Matrix


@dataclass(frozen=True, eq=False)
class MatrixVocabulary:
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

    def find(self, terms: Sequence[str]) -> Ints:
        """The places of terms; −1 for one that is not there."""
        places = np.full(len(terms), -1)
        for at, matrix in enumerate(self.matrices):
            numbers = matrix.find(terms)
            there = np.flatnonzero(numbers >= 0)
            places[there] = self.places(at, numbers[there])
        return places


def gather_vectors(matrices: Sequence[Matrix], rows: Sequence[Ints], also: Sequence[Ints]) -> TermVectors:
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
    vocabulary = MatrixVocabulary(matrices, used)
    return TermVectors(
        ptr=np.concatenate(([0], np.cumsum(np.concatenate([np.diff(vectors.ptr) for vectors in lists])))),
        terms=np.concatenate([vocabulary.places(at, vectors.items) for at, vectors in enumerate(lists)]),
        counts=np.concatenate([vectors.counts for vectors in lists]).astype(np.float64),
        lengths=np.concatenate([m.lengths[some] for m, some in zip(matrices, rows, strict=True)]).astype(np.float64),
        vocabulary=vocabulary,
    )
