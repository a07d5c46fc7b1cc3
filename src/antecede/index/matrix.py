"""The matrix of one language in one segment: rows are documents, columns terms, both directions on disk. Documents of
unknown language have one in memory, as if they were written in the language that is searched.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.arrays import are_ascending, pointers_from_sizes, release_pages, split_spans
from antecede.index.codec import Lists, decode, encode, read_numbers
from antecede.index.files import damaged
from antecede.index.places import NO_TERM, AssumedPlaces, Places
from antecede.index.terms import concatenate_texts, find_terms, read_terms
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from antecede.arrays import U8, U32, U64, Ints
    from antecede.index.files import LanguageCounts, SegmentFiles
    from antecede.text.analyzer import Analyzer

    Room = tuple[U32, U32]
    """Arrays of one length for items and counts."""


NOTHING = np.zeros(0, np.uint32)
MAX_TOTAL = float(1 << 62)
BATCH_POSTINGS = 1 << 22
"""Postings of deleted rows, or of texts to be analysed again, that are decoded at a time."""


class Direction:
    """One direction of a matrix: encoded lists, with the length, sum and checksum that each must have."""

    def __init__(self, files: SegmentFiles, name: str, lists: int, limit: int, postings: int) -> None:
        """`lists` lists with `postings` items in total; items are below `limit`, the size of the other direction."""
        self.files, self.name, self.limit = files, name, limit
        self.tables = threading.local()
        """Of each thread, the table that `decode` finds wanted items by."""
        self.path = files.folder / f"{name}.u8"
        heads = read_numbers(files, f"{name}_heads.u8", 3)
        if (problem := _explain_bad_headers(heads, lists, limit, postings)) is not None:
            raise damaged(files.folder / f"{name}_heads.u8", problem)
        self.lengths: U32 = heads[:, 0].astype(np.uint32)
        """The number of items of each list."""
        self.totals: U64 = heads[:, 0] + heads[:, 1]
        """The sum of the counts of each list."""
        self.ptr = pointers_from_sizes(heads[:, 2].astype(np.int64))

    @cached_property
    def sums(self) -> U32:
        """The checksum of each list."""
        return self.files.array(f"{self.name}_sums.u32", len(self.lengths))

    @cached_property
    def data(self) -> U8:
        """The encoded lists; each is checked when it is decoded."""
        return self.files.array(f"{self.name}.u8", int(self.ptr[-1]), checked=False)

    def lists(self, numbers: Ints, room: Room | None = None, wanted: Ints | None = None) -> Lists:
        """The lists of these numbers, in `room` if it is given; a damaged one is an error that names the file.

        Of `wanted` items, which ascend, only these are kept, each as its place among them.
        """
        if wanted is not None and not hasattr(self.tables, "places"):
            self.tables.places = np.zeros(self.limit, np.uint32)
        lists = decode(
            self.data,
            self.ptr[numbers],
            self.ptr[numbers + 1],
            self.lengths[numbers].astype(np.int64),
            self.limit,
            self.sums[numbers],
            self.totals[numbers],
            room,
            None if wanted is None else (wanted, self.tables.places),
        )
        if lists is None:
            raise damaged(self.path, "a list is not what was written")
        return lists

    def walk(self, most: int, numbers: Ints | None = None) -> Iterator[tuple[int, Lists]]:
        """All lists, or those of some numbers, in batches of at most `most` items, each with the place of its first.

        The memory of a batch is released before the next one is read.
        """
        chosen = np.arange(len(self.lengths)) if numbers is None else numbers
        for first, end in split_spans(self.lengths[chosen].astype(np.int64), most):
            lists = self.lists(chosen[first:end])
            self.release_pages()
            yield first, lists

    def release_pages(self) -> None:
        """Release the memory of lists that were read."""
        release_pages(self.data)


def _explain_bad_headers(heads: U64, lists: int, limit: int, postings: int) -> str | None:
    """Why list headers (length, sum of counts − 1, size in bytes) are impossible; None where they are possible."""
    lengths, more, sizes = heads[:, 0], heads[:, 1], heads[:, 2]
    if len(heads) != lists:
        return f"it has {len(heads)} lists, the manifest says {lists}"
    if not lists:
        return None if not postings else "it has no postings"
    if int(lengths.max()) > limit or (lengths > sizes).any() or (more > lengths << np.uint64(32)).any():
        return "a list has an impossible length"
    # The sum of numbers below 2⁶³ may overflow 64 bits; a sum of floats does not.
    if float(sizes.sum(dtype=np.float64)) > MAX_TOTAL or float(more.sum(dtype=np.float64)) > MAX_TOTAL:
        return "its lists are longer than any file"
    total = int(lengths.sum())
    return None if total == postings else f"it has {total} postings, the manifest says {postings}"


class Matrix:
    """Documents × terms. Files are read and checked on first use, lists on each use."""

    complete = True
    """Whether all terms are at hand, numbered in byte order. An engine elsewhere numbers those that were met so far."""

    def __init__(
        self,
        files: SegmentFiles,
        language: str,
        segment_documents: int,
        counts: LanguageCounts,
        replaced: U32 = NOTHING,
    ) -> None:
        """The files must agree with the counts, which are those of the manifest.

        `segment_documents` is the number of documents of the segment, with or without text in this language, and
        `replaced` are the numbers of those that a later segment replaced.
        """
        self.files, self.language, self.replaced = files, language, replaced
        self.segment_documents, self.counts, self.folder = segment_documents, counts, files.folder

    @cached_property
    def deleted(self) -> U32:
        """Rows whose documents were replaced, ascending."""
        if not len(self.replaced):
            return NOTHING
        return np.flatnonzero(np.isin(self.documents, self.replaced, assume_unique=True)).astype(np.uint32)

    @cached_property
    def deleted_counts(self) -> tuple[Ints, Ints]:
        """Document and collection frequency of each term in the deleted rows alone."""
        df, cf = np.zeros(self.terms, np.int64), np.zeros(self.terms, np.int64)
        for _, vectors in self.by_row.walk(BATCH_POSTINGS, self.deleted.astype(np.int64)):
            df += np.bincount(vectors.items, minlength=self.terms)
            np.add.at(cf, vectors.items, vectors.counts)
        return df, cf

    @cached_property
    def documents(self) -> U32:
        """The document (its number in the segment) of each row, ascending."""
        documents = self.files.array("documents.u32", self.counts["rows"])
        if not are_ascending(documents, self.segment_documents):
            raise damaged(self.folder / "documents.u32", "its numbers do not ascend, or are not those of documents")
        return documents

    @cached_property
    def lengths(self) -> U32:
        """The number of tokens of each row."""
        if len(self.by_row.totals) and int(self.by_row.totals.max()) >> 32:
            raise damaged(self.folder / "by_row_heads.u8", "a row has more tokens than 32 bits can count")
        return self.by_row.totals.astype(np.uint32)

    @property
    def df(self) -> U32:
        """The document frequency of each term, deleted rows included."""
        return self.by_term.lengths

    @property
    def cf(self) -> U64:
        """The collection frequency of each term, deleted rows included."""
        return self.by_term.totals

    @property
    def rows(self) -> int:
        """Number of documents with text in this language."""
        return self.counts["rows"]

    @property
    def terms(self) -> int:
        """Number of distinct terms."""
        return self.counts["terms"]

    @property
    def postings(self) -> int:
        """Number of postings: pairs of a document and a term in it."""
        return self.counts["postings"]

    @cached_property
    def vocabulary(self) -> Arena:
        """The terms in byte order."""
        return read_terms(self.files, "terms", self.terms)

    @cached_property
    def by_term(self) -> Direction:
        """Terms → rows."""
        direction = Direction(self.files, "by_term", self.terms, self.rows, self.postings)
        if not direction.lengths.all():
            raise damaged(self.folder / "by_term_heads.u8", "a term is in no row")
        return direction

    @cached_property
    def by_row(self) -> Direction:
        """Rows → terms."""
        return Direction(self.files, "by_row", self.rows, self.terms, self.postings)

    @cached_property
    def places(self) -> Places | None:
        """The places of the words of the texts; None in an index without positions."""
        if "places.u8" not in self.files.files:
            return None
        counts = self.counts
        return Places(self.files, counts["rows"], counts["terms"], counts["words"], counts["places"])

    def postings_of(self, terms: Ints) -> Lists:
        """The rows that contain each of these terms, with counts."""
        return self.by_term.lists(terms)

    def vectors_of(self, rows: Ints, room: Room | None = None) -> Lists:
        """The terms of each of these rows, with counts; put into `room` if it is given and long enough."""
        if room is not None and int(self.by_row.lengths[rows].sum(dtype=np.int64)) > len(room[0]):
            room = None
        return self.by_row.lists(rows, room)

    def matches_of(self, rows: Ints, terms: Ints) -> Lists:
        """Which of these terms, which ascend, each of these rows has, by their places, with counts."""
        return self.by_row.lists(rows, wanted=terms)

    def rows_of(self, documents: Ints) -> Ints:
        """The rows of documents, given by their numbers in the segment; −1 for one without text in the language."""
        if not self.rows:
            return np.full(len(documents), -1)
        place = np.minimum(np.searchsorted(self.documents, documents), self.rows - 1)
        return np.where(self.documents[place] == documents, place, -1)

    def find(self, terms: Sequence[str]) -> Ints:
        """The numbers of terms, −1 where one does not occur."""
        return find_terms(self.vocabulary, concatenate_texts(terms))

    def term(self, number: int) -> str:
        return self.vocabulary.text(number)

    def all_terms(self) -> list[str]:
        return self.vocabulary.texts()


MAX_COUNT = np.iinfo(np.uint32).max
"""The largest count that fits a posting."""


class EncodedDirection(Direction):
    """One direction of a matrix that is encoded in memory, not read from files."""

    def __init__(self, lists: Lists, limit: int, path: Path) -> None:
        """Items are below `limit`; an error names `path`."""
        encoded = encode(lists)
        self.limit, self.path, self.tables = limit, path, threading.local()
        self.lengths = np.diff(lists.ptr).astype(np.uint32)
        self.data, self.ptr, self.sums, self.totals = encoded


class AssumedLanguageMatrix(Matrix):
    """The rows of a matrix of unknown language that have no text in a given language, analysed as that language.

    A text too short to detect its language (a bare title, for example) is filed under the language "" and analysed
    plainly: words in lower case, no stop words, no stemming. A search in English must not miss it. Since the terms of
    the plain analysis are the words themselves, analysing these terms as English gives exactly the matrix that the
    documents would have had if they had been filed as English. Nothing is approximate: rankings and scores are those of
    an index in which the documents of unknown language are filed under the language that is searched.
    """

    def __init__(self, source: Matrix, analyzer: Analyzer, elsewhere: U32) -> None:
        """`elsewhere` are the documents of the segment that have text in the language and are found by that text."""
        super().__init__(source.files, analyzer.language, source.segment_documents, source.counts, source.replaced)
        self.source, self.analyzer, self.elsewhere = source, analyzer, elsewhere

    @property
    def rows(self) -> int:
        return len(self.documents)

    @property
    def terms(self) -> int:
        return len(self.analyzed[0])

    @property
    def postings(self) -> int:
        return int(self.by_row.lengths.sum(dtype=np.int64))

    @cached_property
    def source_rows(self) -> Ints:
        """The rows of the source that this matrix keeps."""
        return np.flatnonzero(~np.isin(self.source.documents, self.elsewhere, assume_unique=True))

    @cached_property
    def documents(self) -> U32:
        return self.source.documents[self.source_rows]

    @cached_property
    def analyzed(self) -> tuple[list[bytes], Ints]:
        """The terms in byte order, and for each term of the source the number of the term it becomes, or −1."""
        became = self.analyzer.resolve(self.source.all_terms())
        names = sorted({term.encode() for term in became if term is not None})
        number = {name: at for at, name in enumerate(names)}
        return names, np.array([number[term.encode()] if term is not None else -1 for term in became], np.int64)

    @cached_property
    def vocabulary(self) -> Arena:
        return Arena.join(self.analyzed[0])

    @cached_property
    def places(self) -> Places | None:
        """The places of the words, each with its term in the language."""
        source = self.source.places
        if source is None:
            return None
        names, _ = self.analyzed
        number = {name: at for at, name in enumerate(names)}
        forms = [*map(self.analyzer.form, source.all_words())]
        terms = self.analyzer.resolve(forms)
        term_of = [NO_TERM if term is None else number.get(term.encode(), NO_TERM) for term in terms]
        row_of = np.full(self.source.rows, -1)
        row_of[self.source_rows] = np.arange(len(self.source_rows))
        arena = Arena.join([form.encode() for form in forms])
        return AssumedPlaces(source, arena, len(names), np.array(term_of, np.uint32), row_of)

    @cached_property
    def by_row(self) -> EncodedDirection:
        """Rows → terms. Where several words become one term, their counts are added."""
        names, became = self.analyzed
        sizes: list[Ints] = []
        items: list[U32] = []
        counts: list[U32] = []
        step = max(1, BATCH_POSTINGS * self.source.rows // max(self.source.postings, 1))
        for first in range(0, len(self.source_rows), step):
            rows = self.source_rows[first : first + step]
            vectors = self.source.vectors_of(rows)
            row = np.repeat(np.arange(len(rows)), np.diff(vectors.ptr))
            term = became[vectors.items]
            kept = term >= 0
            pair, place = np.unique(row[kept] * len(names) + term[kept], return_inverse=True)
            added = np.bincount(place, weights=vectors.counts[kept], minlength=len(pair))
            if added.max(initial=0) > MAX_COUNT:
                raise damaged(self.source.folder / "by_row.u8", "a row has more tokens than 32 bits can count")
            sizes.append(np.bincount(pair // max(len(names), 1), minlength=len(rows)))
            items.append((pair % max(len(names), 1)).astype(np.uint32))
            counts.append(added.astype(np.uint32))
        ptr = pointers_from_sizes(np.concatenate([np.zeros(0, np.int64), *sizes]))
        none = np.zeros(0, np.uint32)
        lists = Lists(ptr, np.concatenate([none, *items]), np.concatenate([none, *counts]))
        return EncodedDirection(lists, self.terms, self.source.folder / "by_row.u8")

    @cached_property
    def by_term(self) -> EncodedDirection:
        vectors = self.by_row.lists(np.arange(self.rows))
        order = np.argsort(vectors.items, kind="stable")
        row = np.repeat(np.arange(self.rows, dtype=np.uint32), np.diff(vectors.ptr))
        ptr = pointers_from_sizes(np.bincount(vectors.items, minlength=self.terms))
        lists = Lists(ptr, row[order], vectors.counts[order])
        return EncodedDirection(lists, self.rows, self.source.folder / "by_term.u8")
