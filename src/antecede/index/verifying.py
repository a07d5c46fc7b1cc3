"""Whether an index is what was written: checksums of every file, and counts that must agree with one another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import AntecedeError
from antecede.index.documents import day_number
from antecede.index.files import file_of
from antecede.index.index import open_index
from antecede.index.layout import SEGMENTS
from antecede.index.manifest import NAME, read_manifest
from antecede.index.metadata import DAY, DOC_ID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.index.files import File
    from antecede.index.manifest import Manifest
    from antecede.index.matrix import Direction, Matrix
    from antecede.index.segment import Segment

AT_ONCE = 1 << 21
"""Postings that are decoded at a time."""
FACTOR = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class Verified:
    """What was found wrong, if anything."""

    files: int
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """The finding, as JSON knows it."""
        return {"ok": self.ok, "files": self.files, "problems": list(self.problems)}


def verify_index(index: str | Path, progress: Callable[[int, int], None] | None = None) -> Verified:
    """Check every file of an index against the manifest, then the counts inside; what is damaged is named.

    `progress` is told the bytes done and in all. Where there is no index, that is an error.
    """
    folder = Path(index)
    try:
        manifest = read_manifest(folder)
    except AntecedeError as error:
        if not (folder / NAME).is_file():
            raise
        return Verified(1, (str(error),))
    wanted = files_of(manifest)
    total, done = sum(file.size for file in wanted.values()), 0
    problems: list[str] = []
    for name, file in wanted.items():
        problems += damage(folder / SEGMENTS / name, name, file)
        done += file.size
        if progress is not None:
            progress(done, total)
    if not problems:
        try:
            opened = open_index(folder)
            problems += [problem for segment in opened.segments for problem in disagreements(segment)]
        except AntecedeError as error:
            problems.append(str(error))
    return Verified(len(wanted) + 1, tuple(problems))


def files_of(manifest: Manifest) -> dict[str, File]:
    """Every file that a manifest names."""
    files = {f"{each.name}/{name}": file for each in manifest.segments for name, file in each.files.items()}
    return {**files, **manifest.deletions}


def damage(path: Path, name: str, file: File) -> Iterator[str]:
    """What is wrong with a file."""
    try:
        found = file_of(path)
    except OSError as error:
        yield f"{name}: cannot be read ({error.strerror})"
        return
    if found.size != file.size:
        yield f"{name}: has {found.size} bytes, {file.size} were written"
    elif found != file:
        yield f"{name}: is damaged, its checksum does not fit"


def disagreements(segment: Segment) -> Iterator[str]:
    """Counts of a segment that do not agree with one another."""
    try:
        yield from (f"{segment.name}: {problem}" for problem in unlike(segment))
        for language, matrix in segment.matrices.items():
            counts = {"rows": matrix.rows, "terms": matrix.terms, "postings": matrix.postings}
            if counts != segment.entry.languages[language]:
                yield f"{segment.name}/{language}: has {counts}, the manifest says otherwise"
            yield from (f"{segment.name}/{language}: {problem}" for problem in unequal(matrix))
    except AntecedeError as error:
        yield str(error)


def unlike(segment: Segment) -> Iterator[str]:
    """Where the table of documents and the arrays beside it differ."""
    rows = list(segment.store.all_rows())
    if len(rows) != segment.documents or len(segment.store.records[1]) != segment.documents + 1:
        yield f"{len(rows)} documents are stored, {segment.documents} were written"
        return
    names = segment.doc_ids(np.arange(segment.documents))
    if names != [row[DOC_ID] for row in rows]:
        yield "its names differ from those in the table of documents"
    if segment.days.tolist() != [day_number(row[DAY]) for row in rows]:
        yield "its days differ from those in the table of documents"
    if segment.order.tolist() != np.argsort(sorted_places(names)).tolist():
        yield "its names are not in the order that it says"


def sorted_places(names: list[str]) -> list[int]:
    """The names by number, in the order of their bytes."""
    return sorted(range(len(names)), key=lambda number: names[number].encode())


def unequal(matrix: Matrix) -> Iterator[str]:
    """Where the two directions of a matrix differ. Decoding checks each list; a sum over all pairs, the whole."""
    if mixture(matrix.by_term, swapped=True) != mixture(matrix.by_row, swapped=False):
        yield "its two directions differ"


def mixture(direction: Direction, *, swapped: bool) -> tuple[int, int, int]:
    """Postings, tokens, and the sum of a number made of row, term and count of each posting, modulo 2⁶⁴."""
    postings = tokens = total = 0
    for first, found in direction.walk(AT_ONCE):
        sizes = np.diff(found.ptr)
        owners = np.repeat(np.arange(first, first + len(sizes)), sizes).astype(np.uint64)
        items = found.items.astype(np.uint64)
        rows, terms = (items, owners) if swapped else (owners, items)
        key = (rows << np.uint64(32) | terms) * FACTOR ^ found.counts
        key = (key ^ key >> np.uint64(31)) * FACTOR
        postings += len(items)
        tokens += int(found.counts.sum(dtype=np.int64))
        total = (total + int((key ^ key >> np.uint64(29)).sum())) % (1 << 64)
    return postings, tokens, total
