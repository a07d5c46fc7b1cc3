"""A segment: documents that were added together. It never changes once written."""

from __future__ import annotations

from datetime import date
from functools import cached_property
from io import BufferedReader
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.index.arrays import are_permutation, are_pointers, open_regular
from antecede.index.documents import EPOCH, UNKNOWN_DAY, DocumentStore
from antecede.index.files import SegmentFiles, check_folder, damaged
from antecede.index.filters import allowed_documents
from antecede.index.layout import CLASS_ORDER, DAYS, NAMES, NAMES_PTR, ORDER, REJECTS, folder_of
from antecede.index.matrix import Matrix, Shape, are_texts, is_sorted
from antecede.patent.offices import publication_year

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.index.filters import Filters, TextQuestion
    from antecede.index.manifest import SegmentEntry
    from antecede.index.read_lock import SegmentHold


NO_YEAR = np.iinfo(np.int32).max
"""The last day of a year that is not known."""


class Undated(NamedTuple):
    """Documents without a known day: their numbers, and the first and last day of the year in their patent number.

    Where there is no year, these are the smallest and the largest number.
    """

    numbers: NDArray[np.int64]
    first: NDArray[np.int32]
    last: NDArray[np.int32]


class Segment:
    """The matrices and documents of one segment, without those that a later segment replaced."""

    def __init__(
        self, folder: Path, entry: SegmentEntry, deleted: NDArray[np.uint32], hold: SegmentHold | None = None
    ) -> None:
        """`deleted` are the ascending numbers of the replaced documents; `hold` keeps the files from being removed."""
        self.folder, self.entry, self.deleted, self.hold = folder, entry, deleted, hold
        self.name, self.documents, self.languages = entry.name, entry.documents, tuple(entry.languages)
        self.files = SegmentFiles(folder, entry.files)
        self.store = DocumentStore(self.files, self.documents)
        self.allowed_last: tuple[Filters | None, NDArray[np.bool_] | None] = (None, None)
        """The last filters that were applied, and the documents that pass them: several steps of a search ask."""

    @cached_property
    def matrices(self) -> dict[str, Matrix]:
        """The matrix of each language."""
        return {language: self.matrix(language) for language in self.languages}

    def matrix(self, language: str) -> Matrix:
        """The matrix of a language."""
        name = folder_of(language)
        check_folder(self.folder / name)
        start = f"{name}/"
        files = {each.removeprefix(start): file for each, file in self.entry.files.items() if each.startswith(start)}
        shape = Shape(self.documents, **self.entry.languages[language])
        return Matrix(SegmentFiles(self.folder / name, files), language, shape, self.deleted)

    @cached_property
    def days(self) -> NDArray[np.int32]:
        """The day from which each document is prior art, since 1970; the smallest number where it is not known."""
        return self.files.array(DAYS, self.documents)

    @cached_property
    def undated(self) -> Undated:
        """The documents without a known day, with the year that their number begins with."""
        numbers = np.flatnonzero(self.days == UNKNOWN_DAY)
        first = np.full(len(numbers), np.iinfo(np.int32).min, np.int32)
        last = np.full(len(numbers), NO_YEAR, np.int32)
        found = self.store.by_number("patent_number", numbers.tolist()) if len(numbers) else {}
        for at, number in enumerate(numbers.tolist()):
            year = publication_year(str(found[number][0]))
            if year is not None:
                first[at], last[at] = ((day - EPOCH).days for day in (date(year, 1, 1), date(year, 12, 31)))
        return Undated(numbers, first, last)

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        """The rank of each document's name among the sorted names, which breaks ties."""
        order = self.files.array(ORDER, self.documents)
        whole, ptr = self.names
        if not is_sorted(np.frombuffer(whole, np.uint8), ptr, order):
            raise damaged(self.folder / ORDER, "it is not the order of the names")
        return order

    @cached_property
    def class_order(self) -> NDArray[np.uint32] | None:
        """The documents in the order of class and day; None in a segment that was written without."""
        if CLASS_ORDER not in self.entry.files:
            return None
        found = self.files.array(CLASS_ORDER, self.documents)
        if not are_permutation(found):
            raise damaged(self.folder / CLASS_ORDER, "it does not have each document once")
        return found

    @cached_property
    def names(self) -> tuple[bytes, NDArray[np.int64]]:
        """The concatenated names, and the offset of each; none is empty."""
        arena, ptr = self.files.array(NAMES), self.files.array(NAMES_PTR, self.documents + 1)
        if not are_pointers(ptr, len(arena)) or (ptr[1:] == ptr[:-1]).any() or not are_texts(arena, ptr):
            raise damaged(self.folder / NAMES_PTR, "its names are not texts")
        return arena.tobytes(), ptr

    def doc_ids(self, numbers: NDArray[np.integer[Any]]) -> list[str]:
        """The names of documents."""
        whole, ptr = self.names
        starts, ends = ptr[numbers].tolist(), ptr[numbers + 1].tolist()
        return [whole[start:end].decode() for start, end in zip(starts, ends, strict=True)]

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Which documents were not replaced."""
        mask = np.ones(self.documents, np.bool_)
        mask[self.deleted] = False
        return mask

    def allowed(self, filters: Filters) -> NDArray[np.bool_] | None:
        """Which documents pass filters; None if all do."""
        filters_before, found = self.allowed_last
        if filters_before is not filters:
            found = allowed_documents(self, filters)
            self.allowed_last = filters, found
        return found

    @cached_property
    def last_days(self) -> NDArray[np.int32]:
        """The last day on which each document may have been published; the largest number where it is not known."""
        found = np.array(self.days)
        found[self.undated.numbers] = self.undated.last
        return found

    def find_text(self, asked: TextQuestion) -> NDArray[np.bool_]:
        """Which documents have words or a phrase."""
        return asked.look(self)

    def rejects(self) -> Iterator[bytes]:
        """The documents that were rejected when the segment was built, as JSON lines."""
        with BufferedReader(open_regular(self.files.checked(REJECTS))) as lines:
            yield from lines
