"""The parts that a segment is assembled from: chunks of a build or segments of a merge, with one interface."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from antecede.index.arrays import are_ascending, are_pointers, pointers_from_sizes, release_pages, split_spans
from antecede.index.matrix import are_texts
from antecede.index.metadata import is_row
from antecede.index.sections import restore_reject
from antecede.index.transposition import tally, transpose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.corpus.document import Rejected
    from antecede.index.sections import Sections
    from antecede.index.segment import Segment
    from antecede.index.vocabulary import Arena

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


def check_chunk(sections: Sections) -> None:
    """Raise `ValueError` for a chunk whose numbers contradict one another: a resumed build reads chunks from files."""
    patents, array = sections.facts["patents"], sections.array
    rows = json.loads(array("columns").tobytes())
    fits = (
        isinstance(rows, list) and len(rows) == patents and all(isinstance(row, list) and is_row(row) for row in rows)
    )
    sources, sources_of = array("sources_ptr"), array("sources_of")
    fits &= are_pointers(array("records_ptr"), len(array("records"))) and len(array("records_ptr")) == patents + 1
    fits &= are_pointers(sources, len(array("sources"))) and are_pointers(sources_of, len(sources) - 1)
    fits &= len(sources_of) == patents + 1 and len(array("identities")) == len(array("names")) == patents
    if not fits or not all(
        is_matrix(ChunkMatrix(sections, language), patents) for language in sections.facts["languages"]
    ):
        raise ValueError("the chunk is damaged")


def is_matrix(matrix: ChunkMatrix, patents: int) -> bool:
    """Whether the matrix of a chunk that was read from a file can be used."""
    terms, terms_ptr = matrix.terms()
    ptr, rows, counts = (matrix.array(name) for name in ("ptr", "rows", "counts"))
    return (
        are_ascending(matrix.documents, patents)
        and are_pointers(terms_ptr, len(terms))
        and are_texts(terms, terms_ptr)
        and are_pointers(ptr, len(rows))
        and len(ptr) == len(terms_ptr)
        and len(counts) == len(rows)
        and int(rows.max(initial=0)) < max(len(matrix.documents), 1)
        and bool(counts.all())
    )


class ChunkMatrix:
    """The matrix of a language in a chunk."""

    def __init__(self, sections: Sections, language: str) -> None:
        self.sections, self.language = sections, language
        self.documents = self.array("documents")

    def array(self, name: str, first: int = 0, end: int | None = None) -> NDArray[Any]:
        return self.sections.array(f"{self.language}.{name}", first, end)

    def terms(self) -> Arena:
        return self.array("terms"), self.array("terms_ptr")

    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.array("ptr"))

    def postings(self, first: int, last: int) -> Triple:
        ptr = self.array("ptr", first, last + 1)
        begin, end = int(ptr[0]), int(ptr[-1])
        rows, counts = (self.array(name, begin, end).astype(np.uint32) for name in ("rows", "counts"))
        return ptr - begin, rows, counts

    def portions(self) -> Iterator[tuple[int, int]]:
        yield 0, len(self.documents)

    def vectors(self, first: int, last: int, names: NDArray[np.uint32]) -> Triple:
        ptr, rows, counts = self.postings(0, len(names))
        every = np.arange(first, last)
        return transpose(ptr, rows, counts, every, tally(rows, last - first), names)


class ChunkPart:
    """A chunk of a build."""

    def __init__(self, sections: Sections) -> None:
        self.sections, self.facts = sections, sections.facts
        self.documents: int = self.facts["patents"]
        self.languages: list[str] = self.facts["languages"]
        self.live = np.ones(self.documents, np.bool_)
        self.names_taken: list[Rejected] = []
        """Documents that were rejected since another patent has their name."""

    def matrix(self, language: str) -> ChunkMatrix:
        return ChunkMatrix(self.sections, language)

    def rows(self) -> Iterator[Sequence[Any]]:
        yield from json.loads(self.sections.array("columns").tobytes())

    def records(self) -> Iterator[tuple[int, Records]]:
        yield 0, (self.sections.array("records"), self.sections.array("records_ptr"))

    def rejected(self) -> list[Rejected]:
        """The rejected documents of this chunk."""
        return [*map(restore_reject, self.facts["rejected"]), *self.names_taken]

    def rejects(self) -> Iterator[bytes]:
        return (json.dumps(each.to_dict(), ensure_ascii=False).encode() + b"\n" for each in self.rejected())

    def documents_of(self, patent: int) -> Iterator[bytes]:
        """The documents that a patent was merged from, packed."""
        first, end = self.sections.array("sources_of", patent, patent + 2).tolist()
        if first == end:  # it was one document, and is its own record
            yield self.blob("records", patent)
        for at in range(first, end):
            yield self.blob("sources", at)

    def blob(self, name: str, number: int) -> bytes:
        start, end = self.sections.array(f"{name}_ptr", number, number + 2).tolist()
        return self.sections.array(name, start, end).tobytes()


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


def keep_live_records(records: Records, live: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The packed records of live documents, and the length of each."""
    data, ptr = records
    sizes = np.diff(ptr)
    if live.all():
        return data, sizes
    return data[np.repeat(live, sizes)], sizes[live]


def keep_live_rows(triple: Triple, live: NDArray[np.bool_]) -> Triple:
    """The lists of live rows."""
    ptr, items, counts = triple
    if live.all():
        return triple
    sizes = np.diff(ptr)
    keep = np.repeat(live, sizes)
    return pointers_from_sizes(sizes[live]), items[keep], counts[keep]
