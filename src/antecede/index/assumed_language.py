"""Documents of unknown language, analysed as if they were written in the language that is searched.

A text too short to detect its language (a bare title, for example) is filed under the language "" and analysed plainly:
words in lower case, no stop words, no stemming. A search in English must not miss it. Since the terms of the plain
analysis are the words themselves, analysing these terms as English gives exactly the matrix that the documents would
have had if they had been filed as English. Nothing is approximate: rankings and scores are those of an index in which
the documents of unknown language are filed under the language that is searched.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.arrays import pointers_from_sizes
from antecede.index.codec import Lists, match_lists
from antecede.index.files import damaged
from antecede.index.matrix import Direction, Matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.codec import Matches
    from antecede.index.matrix import Room
    from antecede.text.analyzer import Analyzer

UNKNOWN = ""
"""The language of documents whose language is not known."""
AT_ONCE = 1 << 22
"""Postings that are analysed again at a time."""
MOST = np.iinfo(np.uint32).max
"""The largest count that fits a posting."""


class ListsInMemory(Direction):
    """One direction of a matrix, held in memory."""

    def __init__(self, lists: Lists) -> None:
        self.whole = lists
        self.lengths = np.diff(lists.ptr).astype(np.uint32)
        sums = np.concatenate(([0], np.cumsum(lists.counts, dtype=np.uint64)))
        self.totals = (sums[lists.ptr[1:]] - sums[lists.ptr[:-1]]).astype(np.uint64)

    def lists(self, numbers: NDArray[np.int64], room: Room | None = None) -> Lists:  # noqa: ARG002 - made by indexing
        """The lists of these numbers."""
        ptr = pointers_from_sizes(self.lengths[numbers].astype(np.int64))
        places = np.arange(ptr[-1]) + np.repeat(self.whole.ptr[numbers] - ptr[:-1], np.diff(ptr))
        return Lists(ptr, self.whole.items[places], self.whole.counts[places])

    def matches(self, numbers: NDArray[np.int64], wanted: NDArray[np.int64]) -> Matches:
        """The items of these lists that are wanted; `wanted` ascends."""
        return match_lists(self.lists(numbers), wanted)

    def release_pages(self) -> None:
        """No-op: the lists are in memory, not in a mapped file."""


class AssumedLanguageMatrix(Matrix):
    """The rows of a matrix of unknown language that have no text in a given language, analysed as that language."""

    def __init__(self, source: Matrix, analyzer: Analyzer, elsewhere: NDArray[np.uint32]) -> None:
        """`elsewhere` are the documents of the segment that have text in the language and are found by that text."""
        super().__init__(source.files, analyzer.language, source.shape, source.replaced)
        self.source, self.analyzer, self.elsewhere = source, analyzer, elsewhere

    @property
    def rows(self) -> int:
        """Number of documents with text."""
        return len(self.documents)

    @property
    def terms(self) -> int:
        """Number of distinct terms."""
        return len(self.analyzed[0])

    @property
    def postings(self) -> int:
        """Number of postings: pairs of a document and a term in it."""
        return len(self.by_row.whole.items)

    @cached_property
    def source_rows(self) -> NDArray[np.int64]:
        """The rows of the source that this matrix keeps."""
        return np.flatnonzero(~np.isin(self.source.documents, self.elsewhere, assume_unique=True))

    @cached_property
    def documents(self) -> NDArray[np.uint32]:
        """The document (its number in the segment) of each row, ascending."""
        return self.source.documents[self.source_rows]

    @cached_property
    def analyzed(self) -> tuple[list[bytes], NDArray[np.int64]]:
        """The terms in byte order, and for each term of the source the number of the term it becomes, or −1."""
        became = self.analyzer.resolve(self.source.all_terms())
        names = sorted({term.encode() for term in became if term is not None})
        number = {name: at for at, name in enumerate(names)}
        return names, np.array([number[term.encode()] if term is not None else -1 for term in became], np.int64)

    @cached_property
    def vocabulary(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The concatenated terms, and the offset of each."""
        names, _ = self.analyzed
        return np.frombuffer(b"".join(names), np.uint8), pointers_from_sizes(np.array([*map(len, names)], np.int64))

    @cached_property
    def by_row(self) -> ListsInMemory:
        """Rows → terms. Where several words become one term, their counts are added."""
        names, became = self.analyzed
        sizes: list[NDArray[np.int64]] = []
        items: list[NDArray[np.uint32]] = []
        counts: list[NDArray[np.uint32]] = []
        for first in range(0, len(self.source_rows), step := rows_at_once(self.source)):
            rows = self.source_rows[first : first + step]
            found = self.source.vectors_of(rows)
            row = np.repeat(np.arange(len(rows)), np.diff(found.ptr))
            term = became[found.items]
            kept = term >= 0
            pair, place = np.unique(row[kept] * len(names) + term[kept], return_inverse=True)
            added = np.bincount(place, weights=found.counts[kept], minlength=len(pair))
            if added.max(initial=0) > MOST:
                raise damaged(self.source.folder / "by_row.u8", "a row has more tokens than 32 bits can count")
            sizes.append(np.bincount(pair // max(len(names), 1), minlength=len(rows)))
            items.append((pair % max(len(names), 1)).astype(np.uint32))
            counts.append(added.astype(np.uint32))
        ptr = pointers_from_sizes(np.concatenate([np.zeros(0, np.int64), *sizes]))
        none = np.zeros(0, np.uint32)
        return ListsInMemory(Lists(ptr, np.concatenate([none, *items]), np.concatenate([none, *counts])))

    @cached_property
    def by_term(self) -> ListsInMemory:
        """Terms → rows."""
        rows = self.by_row.whole
        order = np.argsort(rows.items, kind="stable")
        row = np.repeat(np.arange(len(rows.ptr) - 1, dtype=np.uint32), np.diff(rows.ptr))
        sizes = np.bincount(rows.items, minlength=len(self.analyzed[0]))
        return ListsInMemory(Lists(pointers_from_sizes(sizes.astype(np.int64)), row[order], rows.counts[order]))


def rows_at_once(matrix: Matrix) -> int:
    """How many rows of a matrix have about `AT_ONCE` postings."""
    return max(1, AT_ONCE * matrix.rows // max(matrix.postings, 1))
