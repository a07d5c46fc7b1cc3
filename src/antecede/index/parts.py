"""The parts a segment is assembled from, behind one interface: chunks of a build (`chunk.py`), segments of a merge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from antecede.index.arrays import release_pages, split_spans
from antecede.index.files import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.index import Segment
    from antecede.index.places import Places
    from antecede.index.terms import Arena


Triple = tuple["NDArray[np.int64]", "NDArray[np.uint32]", "NDArray[np.uint32]"]
"""Concatenated lists: offsets, items, counts."""
Records = tuple["NDArray[np.uint8]", "NDArray[np.int64]"]
"""Concatenated packed records, and the offset of each."""
AT_ONCE = 1 << 21
"""Postings that are read at a time."""
RECORDS_AT_ONCE = 1024


class PartMatrix(Protocol):
    """The matrix of one language in a part."""

    @property
    def documents(self) -> NDArray[np.uint32]: ...
    def terms(self) -> Arena:
        """The terms, in byte order."""

    def sizes(self) -> NDArray[np.int64]:
        """The number of postings of each term."""

    def postings(self, first: int, last: int) -> Triple:
        """The rows of the terms from `first` up to `last`."""

    def words(self) -> Arena:
        """The words as written, in byte order."""

    def word_terms(self) -> NDArray[np.uint32]:
        """The term of each word, or `NO_TERM`."""

    def place_counts(self) -> NDArray[np.int64]:
        """The number of places of each word in each field."""

    def places(self, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of the words from `first` up to `last`, a list per field: the offset of each, and the lists."""

    def field_sizes(self) -> NDArray[np.int64]:
        """The number of words of each field of each row."""

    def portions(self) -> Iterator[tuple[int, int]]:
        """Ranges of rows that are read efficiently in one call."""

    def vectors(self, first: int, last: int, names: NDArray[np.uint32]) -> Triple:
        """The terms of the rows of such a range, renumbered by `names`; thread-safe."""


class Part(Protocol):
    """Documents with their matrices. `live` says which of them are kept."""

    @property
    def documents(self) -> int: ...
    @property
    def live(self) -> NDArray[np.bool_]: ...
    @property
    def languages(self) -> Sequence[str]: ...
    def matrix(self, language: str) -> PartMatrix: ...
    def rows(self) -> Iterator[Sequence[Any]]:
        """The metadata columns of every document, including those that are not kept."""

    def records(self) -> Iterator[tuple[int, Records]]:
        """The packed records in batches, each with the number of its first record."""

    def rejects(self) -> Iterator[bytes]:
        """JSON lines that describe the rejected documents."""


class SegmentMatrix:
    """A language of a segment."""

    def __init__(self, segment: Segment, language: str) -> None:
        self.matrix = segment.matrix(language)
        self.documents = self.matrix.documents

    def terms(self) -> Arena:
        return self.matrix.vocabulary

    def sizes(self) -> NDArray[np.int64]:
        return self.matrix.df.astype(np.int64)

    def postings(self, first: int, last: int) -> Triple:
        lists = self.matrix.postings_of(np.arange(first, last))
        self.matrix.by_term.release_pages()
        return lists.ptr, lists.items, lists.counts

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

    def vectors(self, first: int, last: int, names: NDArray[np.uint32]) -> Triple:
        lists = self.matrix.vectors_of(np.arange(first, last))
        self.matrix.by_row.release_pages()
        return lists.ptr, names[lists.items], lists.counts


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
