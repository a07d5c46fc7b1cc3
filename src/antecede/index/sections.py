"""Several arrays in one file, each mapped where it stands: the passing files of a build.

A head of JSON says what is there; the sums of the arrays' bytes tell whether a file left by a killed build is whole.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"antecede sections 1\n"
ALIGNED = 64


def write_sections(path: Path, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write facts and arrays to a file, under a passing name until all is on disk."""
    flat = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    places: dict[str, tuple[str, int, int]] = {}
    at = 0
    for name, array in flat.items():
        places[name] = (array.dtype.str, at, array.nbytes)
        at += -(-array.nbytes // ALIGNED) * ALIGNED
    sums = {name: zlib.crc32(array.view(np.uint8).data) for name, array in flat.items()}
    head = json.dumps({"facts": facts, "places": places, "sums": sums}, ensure_ascii=False).encode()
    passing = path.with_suffix(".part")
    with passing.open("wb") as out:
        start = len(MAGIC) + 16 + len(head)
        out.write(MAGIC + b"%8d%8x" % (len(head), zlib.crc32(head)) + head + bytes(-start % ALIGNED))
        for array in flat.values():
            out.write(array.view(np.uint8).data)
            out.write(bytes(-array.nbytes % ALIGNED))
        out.flush()
        os.fsync(out.fileno())
    passing.replace(path)


class Sections:
    """A file of arrays, opened."""

    def __init__(self, path: Path) -> None:
        """Raises `ValueError` where the file is not one of these, or not whole."""
        with path.open("rb") as file:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        begin = len(MAGIC) + 16
        if whole[: len(MAGIC)] != MAGIC:
            raise ValueError("not a file of sections")
        size, checksum = int(whole[len(MAGIC) : len(MAGIC) + 8]), int(whole[len(MAGIC) + 8 : begin], 16)
        head = whole[begin : begin + size]
        if zlib.crc32(head) != checksum:
            raise ValueError("the head is damaged")
        found = json.loads(head)
        self.path, self.facts, self.sums = path, found["facts"], found["sums"]
        start = -(-(begin + size) // ALIGNED) * ALIGNED
        self.arrays: dict[str, NDArray[Any]] = {}
        for name, (kind, at, length) in found["places"].items():
            if start + at + length > len(whole):
                raise ValueError("the file is cut off")
            dtype = np.dtype(kind)
            self.arrays[name] = np.frombuffer(whole, dtype, length // dtype.itemsize, start + at)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def whole(self) -> bool:
        """Whether every array is what was written."""
        return all(zlib.crc32(array.view(np.uint8).data) == self.sums[name] for name, array in self.arrays.items())
