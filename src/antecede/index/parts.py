"""What a segment is put together from: chunks of a build, or the segments of a merge, seen alike."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from antecede.index.documents import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.sections import Sections
    from antecede.index.segment import Segment
    from antecede.patent import Patent

Triple = tuple["NDArray[np.int64]", "NDArray[np.uint32]", "NDArray[np.uint32]"]
"""Lists one behind the other: where each begins, items, counts."""
ROWS_AT_ONCE = 4096


class PartMatrix(Protocol):
    """The matrix of one language in a part."""

    @property
    def documents(self) -> NDArray[np.uint32]: ...
    @property
    def lengths(self) -> NDArray[np.uint32]: ...
    def vocabulary(self) -> list[bytes]:
        """The terms, in the order of their bytes."""

    def sizes(self) -> NDArray[np.int64]:
        """Postings of each term."""

    def postings(self, first: int, last: int) -> Triple:
        """Rows of the terms from `first` up to `last`."""

    def vectors(self) -> Iterator[tuple[int, Triple]]:
        """Terms of the rows, some rows at a time, each with the first row's number."""


class Part(Protocol):
    """Documents with their matrices. `live` says which of them stay."""

    @property
    def documents(self) -> int: ...
    @property
    def live(self) -> NDArray[np.bool_]: ...
    @property
    def languages(self) -> Sequence[str]: ...
    def matrix(self, language: str) -> PartMatrix: ...
    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The columns of every document, dead ones included."""


class ChunkMatrix:
    """A language of a chunk."""

    def __init__(self, sections: Sections, language: str) -> None:
        self.sections, self.language = sections, language
        self.documents, self.lengths = self.array("documents"), self.array("lengths")

    def array(self, name: str) -> NDArray[Any]:
        return self.sections[f"{self.language}.{name}"]

    def vocabulary(self) -> list[bytes]:
        whole, ptr = self.array("terms").tobytes(), self.array("terms_ptr").tolist()
        return [whole[start:end] for start, end in pairwise(ptr)]

    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.array("by_term_ptr"))

    def postings(self, first: int, last: int) -> Triple:
        ptr = self.array("by_term_ptr")[first : last + 1]
        place = slice(ptr[0], ptr[-1])
        return ptr - ptr[0], self.array("by_term_rows")[place], self.array("by_term_counts")[place]

    def vectors(self) -> Iterator[tuple[int, Triple]]:
        yield 0, (self.array("by_row_ptr"), self.array("by_row_terms"), self.array("by_row_counts"))


class ChunkPart:
    """A chunk of a build."""

    def __init__(self, sections: Sections) -> None:
        self.sections, self.facts = sections, sections.facts
        self.documents: int = self.facts["patents"]
        self.languages: list[str] = self.facts["languages"]
        self.live = np.ones(self.documents, np.bool_)

    def matrix(self, language: str) -> ChunkMatrix:
        return ChunkMatrix(self.sections, language)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        for at, row in enumerate(self.columns()):
            yield (*row, self.blob(int(self.sections["patents_ptr"][at])))

    def columns(self) -> list[list[Any]]:
        """The columns of every patent but its record."""
        found: list[list[Any]] = json.loads(self.sections["columns"].tobytes())
        return found

    def blob(self, number: int) -> bytes:
        start, end = self.sections["blobs_ptr"][number : number + 2]
        return self.sections["blobs"][start:end].tobytes()

    def documents_of(self, patent: int) -> list[Patent]:
        """The documents that a patent was merged from."""
        first, end = (int(at) for at in self.sections["patents_ptr"][patent : patent + 2])
        return [unpack(self.blob(at)) for at in (range(first + 1, end) if end - first > 1 else [first])]


class SegmentMatrix:
    """A language of a segment."""

    def __init__(self, segment: Segment, language: str) -> None:
        self.matrix = segment.matrices[language]
        self.documents, self.lengths = self.matrix.documents, self.matrix.lengths

    def vocabulary(self) -> list[bytes]:
        arena, ptr = self.matrix.vocabulary
        whole = arena.tobytes()
        return [whole[start:end] for start, end in pairwise(ptr.tolist())]

    def sizes(self) -> NDArray[np.int64]:
        return self.matrix.df.astype(np.int64)

    def postings(self, first: int, last: int) -> Triple:
        lists = self.matrix.postings_of(np.arange(first, last))
        return lists.ptr, lists.items, lists.counts

    def vectors(self) -> Iterator[tuple[int, Triple]]:
        for first in range(0, self.matrix.rows, ROWS_AT_ONCE):
            lists = self.matrix.vectors_of(np.arange(first, min(first + ROWS_AT_ONCE, self.matrix.rows)))
            yield first, (lists.ptr, lists.items, lists.counts)


class SegmentPart:
    """A segment that is folded into a new one."""

    def __init__(self, segment: Segment) -> None:
        self.segment, self.documents, self.languages = segment, segment.documents, segment.languages
        self.live = segment.live

    def matrix(self, language: str) -> SegmentMatrix:
        return SegmentMatrix(self.segment, language)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        return self.segment.store.all_rows()
