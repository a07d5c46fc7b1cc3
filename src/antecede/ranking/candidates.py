"""Documents that may be ranked: where each is in the index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.index.arrays import distinct
from antecede.query.collection_view import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix

    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Documents with text in one language, each once."""

    places: Ints
    """One row per document: the position of its matrix among those of the language, and its row there."""
    matrices: Sequence[tuple[Segment, Matrix]]
    """What a search in the language looks at."""

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def documents(self) -> Ints:
        """The number of each document in its segment."""
        found = np.zeros(len(self), np.int64)
        for here, _, matrix in self.by_segment():
            found[here] = matrix.documents[self.places[here, 1]]
        return found

    def by_segment(self) -> Iterator[tuple[Ints, Segment, Matrix]]:
        """For each matrix that has candidates: which they are, and where they are from."""
        for at, (segment, matrix) in enumerate(self.matrices):
            here = np.flatnonzero(self.places[:, 0] == at)
            if len(here):
                yield here, segment, matrix

    @cached_property
    def keys(self) -> Ints:
        """One number per candidate, the same for the same document, ascending with its place."""
        return np.asarray(self.places[:, 0] << 40 | self.places[:, 1])

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """The names of the documents."""
        names = np.empty(len(self), np.object_)
        for here, segment, _ in self.by_segment():
            names[here] = segment.doc_ids(self.documents[here])
        return tuple(names.tolist())

    @cached_property
    def name_order(self) -> Ints:
        """The position of each candidate among all of them sorted by the bytes of their names."""
        if len(self.matrices) == 1:
            return self.matrices[0][0].order[self.documents].astype(np.int64)
        names = np.array([name.encode() for name in self.doc_ids], np.object_)
        return np.argsort(np.argsort(names, kind="stable"), kind="stable")

    @cached_property
    def days(self) -> Ints:
        """The day from which on each is prior art, since 1970; the smallest 32-bit number where it is not known."""
        found = np.zeros(len(self), np.int64)
        for here, segment, _ in self.by_segment():
            found[here] = segment.days[self.documents[here]]
        return found

    def take(self, which: NDArray[Any]) -> Candidates:
        """Some of the candidates."""
        return Candidates(self.places[which], self.matrices)

    def find(self, others: Candidates) -> Ints:
        """The position of each of `others` among these, −1 where it is not one of them."""
        if not len(self) or not len(others):
            return np.full(len(others), -1, np.int64)
        order = np.argsort(self.keys, kind="stable")
        place = np.minimum(np.searchsorted(self.keys[order], others.keys), len(self) - 1)
        return np.where(self.keys[order[place]] == others.keys, order[place], -1)


def unite(parts: Sequence[Candidates]) -> Candidates:
    """All candidates of several sources, each once, by their place in the index."""
    keys, first = np.unique(np.concatenate([each.keys for each in parts]), return_index=True)
    places = np.concatenate([each.places for each in parts])[first]
    return Candidates(places[: len(keys)], parts[0].matrices)


def locate(
    index: Index,
    language: str,
    found: Sequence[tuple[Segment, Ints]],
    allowed_in: Callable[[Segment], NDArray[np.bool_] | None],
) -> Candidates:
    """Documents, given by their numbers in segments, as candidates: those with text in a language that may be found."""
    matrices = index.matrices(language)
    parts = [np.zeros((0, 2), np.int64)]
    for segment, numbers in found:
        allowed = allowed_in(segment)
        kept = distinct(numbers if allowed is None else numbers[allowed[numbers]]).astype(np.int64)
        for at, (other, matrix) in enumerate(matrices):
            if other is segment and len(kept):
                rows = rows_of(matrix, kept)
                rows = rows[rows >= 0]
                parts.append(np.stack([np.full(len(rows), at, np.int64), rows], axis=1))
    return Candidates(np.concatenate(parts), matrices)
