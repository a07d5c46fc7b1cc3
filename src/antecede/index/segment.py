"""A segment: documents that were added together. Once written it never changes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.index.arrays import read_array
from antecede.index.documents import NAME, DocumentStore
from antecede.index.matrix import Matrix

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.index.manifest import SegmentEntry


class Segment:
    """The matrices and documents of one segment, without those that a later one replaced."""

    def __init__(self, folder: Path, entry: SegmentEntry, deleted: NDArray[np.uint32]) -> None:
        """`deleted` are the numbers of the replaced documents, ascending."""
        self.folder, self.name, self.documents, self.deleted = folder, entry.name, entry.documents, deleted
        self.store = DocumentStore(folder / NAME)
        self.languages = tuple(entry.languages)

    @cached_property
    def matrices(self) -> dict[str, Matrix]:
        """The matrix of each language."""
        return {language: self.matrix(language) for language in self.languages}

    def matrix(self, language: str) -> Matrix:
        matrix = Matrix(self.folder / (language or "unknown"), language)
        if len(self.deleted):
            rows = np.flatnonzero(np.isin(matrix.documents, self.deleted, assume_unique=True))
            matrix.deleted = rows.astype(np.uint32)
        return matrix

    @cached_property
    def days(self) -> NDArray[np.int32]:
        """The day from which on each document is prior art, since 1970; the smallest number where it is not known."""
        return read_array(self.folder / "days.i32", self.documents)

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        """The place of each document's name among the sorted names: what parts ties."""
        return read_array(self.folder / "order.u32", self.documents)

    @cached_property
    def names(self) -> tuple[bytes, NDArray[np.int64]]:
        """The names one behind the other, and where each begins."""
        ptr = read_array(self.folder / "doc_ids_ptr.i64", self.documents + 1)
        return read_array(self.folder / "doc_ids.u8").tobytes(), ptr

    def doc_ids(self, numbers: NDArray[np.integer[Any]]) -> list[str]:
        """The names of documents."""
        whole, ptr = self.names
        starts, ends = ptr[numbers].tolist(), ptr[numbers + 1].tolist()
        return [whole[start:end].decode() for start, end in zip(starts, ends, strict=True)]

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Which documents still count."""
        mask = np.ones(self.documents, np.bool_)
        mask[self.deleted] = False
        return mask
