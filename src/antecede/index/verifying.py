"""Whether an index is what was written: checksums of every file, and counts that must agree with one another."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import AntecedeError
from antecede.index.assembly import spans
from antecede.index.index import SEGMENTS, open_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.index.index import Index
    from antecede.index.manifest import File
    from antecede.index.matrix import Matrix
    from antecede.index.segment import Segment

AT_ONCE = 1 << 22
"""Postings that are decoded at a time."""


@dataclass(frozen=True)
class Verified:
    """What was found wrong, if anything."""

    files: int
    problems: tuple[str, ...] = field(default_factory=tuple)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """The finding, as JSON knows it."""
        return {"ok": self.ok, "files": self.files, "problems": list(self.problems)}


def verify_index(index: str | Path, progress: Callable[[int, int], None] = lambda _, __: None) -> Verified:
    """Check every file of an index against the manifest, then the counts inside; a damaged file is named."""
    folder = Path(index)
    opened = open_index(folder)
    wanted = files_of(opened)
    problems: list[str] = []
    for at, (name, file) in enumerate(wanted.items(), 1):
        problems += damage(folder / SEGMENTS / name, name, file)
        progress(at, len(wanted))
    if not problems:
        problems += [problem for segment in opened.segments for problem in disagreements(segment)]
    return Verified(len(wanted), tuple(problems))


def files_of(index: Index) -> dict[str, File]:
    """Every file that the manifest names."""
    files = {f"{each.name}/{name}": file for each in index.manifest.segments for name, file in each.files.items()}
    return {**files, **index.manifest.deletions}


def damage(path: Path, name: str, file: File) -> Iterator[str]:
    """What is wrong with a file."""
    try:
        size = path.stat().st_size
        if size != file.size:
            yield f"{name}: has {size} bytes, {file.size} were written"
            return
        with path.open("rb") as data:
            if hashlib.file_digest(data, "sha256").hexdigest() != file.sha256:
                yield f"{name}: is damaged, its checksum does not fit"
    except OSError as error:
        yield f"{name}: cannot be read ({error.strerror})"


def disagreements(segment: Segment) -> Iterator[str]:
    """Counts of a segment that do not agree with one another."""
    try:
        stored = segment.store.rows("SELECT count(*), min(number), max(number) FROM documents")[0]
        whole = segment.store.rows("PRAGMA integrity_check(1)")[0][0]
    except (AntecedeError, sqlite3.Error) as error:
        yield f"{segment.name}: {error}"
        return
    if stored != (segment.documents, 0, segment.documents - 1):
        yield f"{segment.name}: {stored[0]} documents are stored, {segment.documents} were written"
    if whole != "ok":
        yield f"{segment.name}/documents.sqlite: {whole}"
    if len(segment.days) != segment.documents:
        yield f"{segment.name}/days.i32: {len(segment.days)} days for {segment.documents} documents"
    for language, matrix in segment.matrices.items():
        yield from (f"{segment.name}/{language}: {problem}" for problem in unequal(matrix))


def unequal(matrix: Matrix) -> Iterator[str]:
    """Where the two directions of a matrix differ: decoding checks each list, the totals one against the other."""
    try:
        by_term = totals(matrix.df, matrix.postings_of)
        by_row = totals(matrix.by_row.lengths, matrix.vectors_of)
    except AntecedeError as error:
        yield str(error)
        return
    if by_term != by_row:
        yield f"its two directions differ: {by_term} and {by_row} postings and tokens"


def totals(sizes: Any, lists: Callable[[Any], Any]) -> tuple[int, int]:
    """Postings and tokens of a direction, decoded some lists at a time."""
    postings = tokens = 0
    for first, last in spans(np.asarray(sizes, np.int64), AT_ONCE):
        found = lists(np.arange(first, last))
        postings += len(found.items)
        tokens += int(found.counts.sum(dtype=np.int64))
    return postings, tokens
