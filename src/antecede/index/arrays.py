"""Arrays as plain files: little-endian numbers one behind the other."""

from __future__ import annotations

import mmap
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

KINDS: dict[str, np.dtype[Any]] = {
    name: np.dtype(kind) for name, kind in {"u8": "<u1", "u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8"}.items()
}
"""What the end of a file's name says of its numbers."""
SMALL = 1 << 20
"""A file up to this many bytes is read; a larger one is mapped, which costs the process an open file."""


def kind_of(name: str) -> np.dtype[Any]:
    """The kind of number a file holds: `lengths.u32` holds unsigned 32-bit ones."""
    return KINDS[PurePath(name).suffix.removeprefix(".")]


def mapped(path: Path) -> bytes | mmap.mmap:
    """The bytes of a file; those of a large one in memory only where they are used."""
    with path.open("rb", buffering=0) as file:
        if file.seek(0, 2) > SMALL:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.seek(0)
        return file.readall()


def forget(array: NDArray[Any]) -> None:
    """Let go of the memory behind a mapped array, which is read again when it is used again."""
    whole: object = array
    while isinstance(whole, np.ndarray):
        whole = whole.base
    if isinstance(whole, memoryview):
        whole = whole.obj
    if isinstance(whole, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        whole.madvise(mmap.MADV_DONTNEED)


def pointers(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Where each of several things begins that stand one behind the other, and where the last ends."""
    return from_sizes(np.fromiter(lengths, np.int64))


def from_sizes(sizes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The same from an array."""
    ptr = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ptr[1:])
    return ptr
