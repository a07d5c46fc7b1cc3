"""Several arrays in one file, each of which can be read by itself: the temporary files of a build.

A JSON header lists the arrays; their checksums show whether a file left by a killed build is complete. Arrays are read,
not mapped, so that the memory of a build is what it allocates.
"""

from __future__ import annotations

import json
import os
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.index.schema import SchemaError, anything, describe_value, integer, list_of, record, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"antecede sections 2\n"
SIZES = 24
"""Bytes that hold the length of the header and its checksum."""
STEP = 1 << 22
KINDS = ("|u1", "<u2", "<u4", "<u8", "<i8")


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


def check_place(value: Any) -> None:
    """Rule: the number type of an array, its offset, and its length."""
    if not isinstance(value, list) or len(value) != 3 or value[0] not in KINDS:
        raise SchemaError(f"is {describe_value(value)}, not the place of an array")
    for each in value[1:]:
        integer()(each)


HEAD = record(
    {
        "facts": record(
            {
                "read": integer(),
                "rejected": list_of(table(text(), anything)),
                "input": integer(),
                "patents": integer(),
                "languages": list_of(text()),
            },
            needed=("read", "rejected", "patents", "languages"),
        ),
        "places": table(text(), check_place),
        "sums": table(text(), integer()),
    }
)


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
        found = json.loads(head)
        HEAD(found)
        self.path, self.start, self.sums = path, begin + size, found["sums"]
        self.facts: dict[str, Any] = found["facts"]
        self.places: dict[str, tuple[str, int, int]] = found["places"]

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
