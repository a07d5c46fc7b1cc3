"""Several arrays in one file, each of which can be read by itself: the temporary files of a build.

A JSON header lists the arrays; their checksums show whether a file left by a killed build is complete. Arrays are read,
not mapped, so that the memory of a build is what it allocates.
"""

from __future__ import annotations

import json
import os
import zlib
from typing import TYPE_CHECKING, Any, Literal, NotRequired

import numpy as np
from typing_extensions import TypedDict

from antecede.corpus.document import Rejected
from antecede.index.validation import Count, parse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"antecede sections 2\n"
SIZES = 24
"""Bytes that hold the length of the header and its checksum."""
STEP = 1 << 22


def write_sections(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write facts and arrays to a file, under a temporary name until it is complete.

    The file is not synced: after a system crash the checksums show whether it is complete.
    """
    flat = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    places: dict[str, tuple[str, int, int]] = {}
    at = 0
    for name, array in flat.items():
        places[name] = (array.dtype.str, at, len(array))
        at += array.nbytes
    sums = {name: zlib.crc32(array.view(np.uint8).data) for name, array in flat.items()}
    head = json.dumps({"facts": facts, "places": places, "sums": sums}, ensure_ascii=False).encode()
    passing = path.with_suffix(f".{os.getpid()}")
    try:
        passing.unlink(missing_ok=True)
        with passing.open("xb") as out:
            out.write(MAGIC + b"%12d%12x" % (len(head), zlib.crc32(head)) + head)
            for array in flat.values():
                out.write(array.view(np.uint8).data)
        passing.replace(path)
    finally:
        passing.unlink(missing_ok=True)


class RejectLine(TypedDict):
    """A rejected document, as `Rejected.to_dict` describes it."""

    file: str
    reason: str
    document: NotRequired[Count]
    offset: NotRequired[Count]
    doc_id: NotRequired[str | None]


def restore_reject(line: RejectLine) -> Rejected:
    """The rejected document that a JSON line describes."""
    number, offset = line.get("document", 0), line.get("offset", 0)
    return Rejected(line["file"], line["reason"], number, offset, line.get("doc_id"))


class ChunkFacts(TypedDict):
    """The counts of a chunk, and its languages."""

    read: Count
    rejected: list[RejectLine]
    input: NotRequired[Count]
    """A checksum of the input; a late chunk has none."""
    patents: Count
    languages: list[str]


class _Header(TypedDict):
    facts: ChunkFacts
    places: dict[str, tuple[Literal["|u1", "<u2", "<u4", "<u8", "<i8"], Count, Count]]
    """Of each array: its number type, its offset, and its length."""
    sums: dict[str, Count]


class Sections:
    """A file of arrays, for reading."""

    def __init__(self, path: Path) -> None:
        """Raises `ValueError` where the file is not of this format or its header is damaged."""
        begin = len(MAGIC) + SIZES
        with path.open("rb") as file:
            start = file.read(begin)
            if not start.startswith(MAGIC) or len(start) < begin:
                raise ValueError("not a file of sections")
            size, checksum = int(start[len(MAGIC) : -SIZES // 2]), int(start[-SIZES // 2 :], 16)
            head = file.read(size)
        if len(head) < size or zlib.crc32(head) != checksum:
            raise ValueError("the header is damaged")
        header = parse(_Header, head)
        self.path, self.start, self.sums = path, begin + size, header["sums"]
        self.facts, self.places = header["facts"], header["places"]

    def array(self, name: str, first: int = 0, end: int | None = None) -> NDArray[Any]:
        """An array, or a slice of it."""
        kind, at, length = self.places[name]
        dtype = np.dtype(kind)
        count = (length if end is None else end) - first
        found = np.fromfile(self.path, dtype, count, offset=self.start + at + first * dtype.itemsize)
        if len(found) != count:
            raise ValueError(f"{self.path} is cut off")
        return found

    def is_intact(self) -> bool:
        """Whether every array is as it was written."""
        return all(self.checksum_of(name) == checksum for name, checksum in self.sums.items())

    def checksum_of(self, name: str) -> int:
        """The current checksum of an array."""
        kind, at, length = self.places[name]
        left, checksum = length * np.dtype(kind).itemsize, 0
        with self.path.open("rb", buffering=0) as file:
            file.seek(self.start + at)
            while left and (part := file.read(min(left, STEP))):
                checksum = zlib.crc32(part, checksum)
                left -= len(part)
        return checksum if not left else -1
