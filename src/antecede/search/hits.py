"""The documents found, best first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.index.documents import Head
    from antecede.index.segment import Segment
    from antecede.patent import Patent

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class SegmentHits:
    """The best of one segment, best first."""

    rows: NDArray[np.int64]
    documents: NDArray[np.uint32]
    """Their numbers in the segment."""
    scores: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Hits:
    """The documents found, best first: their scores, and where each stands. Names are looked up when asked for."""

    scores: NDArray[np.float32]
    places: NDArray[np.int64]
    """A row a document: the place of its segment among those that have the language, its row in the matrix there."""
    documents: NDArray[np.int64]
    """The number of each document in its segment."""
    segments: Sequence[Segment]
    unmatched: tuple[str, ...] = ()
    """Terms of the query that no document has."""
    filed: int | None = None
    """How many of the segments, the first ones, have documents filed under the language; in the others they are of
    unknown language. None: all."""

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def assumed(self) -> NDArray[np.bool_]:
        """Which documents are of unknown language: that of the search is assumed for them."""
        return np.asarray(self.places[:, 0] >= (len(self.segments) if self.filed is None else self.filed))

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """The names of the documents."""
        if len(self.segments) == 1:
            return tuple(self.segments[0].doc_ids(self.documents))
        return tuple(self.from_segments(lambda segment, numbers: segment.doc_ids(numbers)))

    def heads(self) -> list[Head]:
        """What a list shows of each document."""
        return self.from_segments(lambda segment, numbers: segment.store.heads(numbers.tolist()))

    def from_segments(self, look_up: Callable[[Segment, NDArray[np.int64]], list[Thing]]) -> list[Thing]:
        """What each segment tells of its documents, put into the order of the ranks."""
        found: dict[int, Thing] = {}
        for at, segment in enumerate(self.segments):
            here = np.flatnonzero(self.places[:, 0] == at)
            found.update(zip(here.tolist(), look_up(segment, self.documents[here]), strict=True))
        return [found[at] for at in range(len(self))]

    def patent(self, rank: int) -> Patent:
        """The document at a rank (from 1), whole."""
        return self.segments[int(self.places[rank - 1, 0])].store.record(int(self.documents[rank - 1]))


def ranked(found: Sequence[SegmentHits], segments: Sequence[Segment], k: int, unmatched: tuple[str, ...]) -> Hits:
    """The best of all segments: by score, equal ones by the bytes of their names."""
    if len(found) == 1:
        only = found[0]
        places = np.zeros((len(only.rows), 2), np.int64)
        places[:, 1] = only.rows
        return Hits(only.scores, places, only.documents.astype(np.int64), segments, unmatched)
    where = np.repeat(np.arange(len(found)), [len(each.rows) for each in found])
    documents = np.concatenate([each.documents for each in found]).astype(np.int64)
    rows, scores = (np.concatenate([getattr(each, name) for each in found]) for name in ("rows", "scores"))
    order = np.argsort(-scores, kind="stable")
    part_ties(order, scores, where, documents, segments, k)
    order = order[:k]
    places = np.stack([where[order], rows[order]], axis=1)
    return Hits(scores[order], places, documents[order], segments, unmatched)


def part_ties(
    order: NDArray[np.int64],
    scores: NDArray[np.float32],
    where: NDArray[np.int64],
    documents: NDArray[np.int64],
    segments: Sequence[Segment],
    k: int,
) -> None:
    """Put equal scores into the order of their names; only those are looked up, and only as far as they are shown."""
    sorted_scores = scores[order]
    bounds = np.flatnonzero(np.diff(sorted_scores)) + 1
    for start, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(order)], strict=True):
        if start >= k:
            return
        if end - start > 1 and len({*where[order[start:end]].tolist()}) > 1:
            run = order[start:end]
            names = [segments[where[at]].doc_ids(documents[at : at + 1])[0].encode() for at in run.tolist()]
            order[start:end] = run[sorted(range(len(run)), key=names.__getitem__)]
