"""The parts a segment is assembled from: chunks of a build, and segments of a merge, which have the same interface.

`ChunkPart` and `ChunkMatrix` in `chunk.py` say what the methods return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from antecede.index.arrays import release_pages, split_spans
from antecede.index.codec import Lists
from antecede.index.files import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.chunk import ChunkMatrix, ChunkPart
    from antecede.index.index import Segment
    from antecede.index.places import Places
    from antecede.index.terms import Arena


Part: TypeAlias = "ChunkPart | SegmentPart"
PartMatrix: TypeAlias = "ChunkMatrix | SegmentMatrix"
Records = tuple["NDArray[np.uint8]", "NDArray[np.int64]"]
"""Concatenated packed records, and the offset of each."""
AT_ONCE = 1 << 21
"""Postings that are read at a time."""
RECORDS_AT_ONCE = 1024


class SegmentMatrix:
    """A language of a segment."""

    def __init__(self, segment: Segment, language: str) -> None:
        self.matrix = segment.matrix(language)
        self.documents = self.matrix.documents

    def terms(self) -> Arena:
        return self.matrix.vocabulary

    def sizes(self) -> NDArray[np.int64]:
        return self.matrix.df.astype(np.int64)

    def postings(self, first: int, last: int) -> Lists:
        lists = self.matrix.postings_of(np.arange(first, last))
        self.matrix.by_term.release_pages()
        return lists

    @property
    def held(self) -> Places:
        """The places; a segment without them is not merged into one with them."""
        held = self.matrix.places
        if held is None:
            raise TypeError("the segment has no places")
        return held

    def words(self) -> Arena:
        return self.held.vocabulary

    def word_terms(self) -> NDArray[np.uint32]:
        return self.held.term_of

    def place_counts(self) -> NDArray[np.int64]:
        return self.held.counts

    def places(self, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        lists = self.held.lists(np.arange(first * len(FIELDS), last * len(FIELDS)))
        self.held.release_pages()
        return lists

    def field_sizes(self) -> NDArray[np.int64]:
        return np.diff(self.held.bounds, axis=1).T

    def portions(self) -> Iterator[tuple[int, int]]:
        return split_spans(self.matrix.by_row.lengths.astype(np.int64), AT_ONCE)

    def vectors(self, first: int, last: int, names: NDArray[np.uint32]) -> Lists:
        lists = self.matrix.vectors_of(np.arange(first, last))
        self.matrix.by_row.release_pages()
        return Lists(lists.ptr, names[lists.items], lists.counts)


class SegmentPart:
    """A segment that is merged into a new one."""

    def __init__(self, segment: Segment) -> None:
        self.segment, self.documents, self.languages = segment, segment.documents, segment.languages
        self.live = segment.live

    def matrix(self, language: str) -> SegmentMatrix:
        return SegmentMatrix(self.segment, language)

    def rows(self) -> Iterator[Sequence[Any]]:
        return self.segment.store.all_rows()

    def records(self) -> Iterator[tuple[int, Records]]:
        for first in range(0, self.documents, RECORDS_AT_ONCE):
            end = min(first + RECORDS_AT_ONCE, self.documents)
            yield first, self.segment.store.packed(first, end)
            release_pages(self.segment.store.records[0])

    def rejects(self) -> Iterator[bytes]:
        return self.segment.rejects()
