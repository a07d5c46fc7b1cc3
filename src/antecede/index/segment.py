"""A segment: documents that were added together. Once written it never changes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.index.documents import DocumentStore
from antecede.index.files import SegmentFiles
from antecede.index.matrix import Matrix, folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.index.holding import Hold
    from antecede.index.manifest import SegmentEntry

REJECTS = "rejects.jsonl"


class Segment:
    """The matrices and documents of one segment, without those that a later one replaced."""

    def __init__(
        self, folder: Path, entry: SegmentEntry, deleted: NDArray[np.uint32], hold: Hold | None = None
    ) -> None:
        """`deleted` are the numbers of the replaced documents, ascending; `hold` keeps the files from being removed."""
        self.folder, self.entry, self.deleted, self.hold = folder, entry, deleted, hold
        self.name, self.documents, self.languages = entry.name, entry.documents, tuple(entry.languages)
        self.files = SegmentFiles(folder, entry.files)
        self.store = DocumentStore(self.files, self.documents)

    @cached_property
    def matrices(self) -> dict[str, Matrix]:
        """The matrix of each language."""
        return {language: self.matrix(language) for language in self.languages}

    def matrix(self, language: str) -> Matrix:
        name = folder_of(language)
        files = {each.removeprefix(f"{name}/"): file for each, file in self.entry.files.items() if f"{name}/" in each}
        return Matrix(SegmentFiles(self.folder / name, files), language, self.deleted)

    @cached_property
    def days(self) -> NDArray[np.int32]:
        """The day from which on each document is prior art, since 1970; the smallest number where it is not known."""
        return self.files.array("days.i32", self.documents)

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        """The place of each document's name among the sorted names: what parts ties."""
        return self.files.array("order.u32", self.documents)

    @cached_property
    def names(self) -> tuple[bytes, NDArray[np.int64]]:
        """The names one behind the other, and where each begins."""
        ptr = self.files.array("doc_ids_ptr.i64", self.documents + 1)
        return self.files.array("doc_ids.u8", int(ptr[-1])).tobytes(), ptr

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

    def rejects(self) -> Iterator[bytes]:
        """The documents that were rejected when it was made, as lines of JSON."""
        with self.files.checked(REJECTS).open("rb") as lines:
            yield from lines
