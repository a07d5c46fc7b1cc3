"""Arrays as plain files: little-endian numbers one behind the other."""

from __future__ import annotations

import errno
import mmap
import os
import stat
from io import FileIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

KINDS: dict[str, np.dtype[Any]] = {
    name: np.dtype(kind) for name, kind in {"u8": "<u1", "u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8"}.items()
}
"""What the end of a file's name says of its numbers."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
SMALL = 1 << 20
"""A file up to this many bytes is read; a larger one is mapped, which costs the process an open file."""


def kind_of(name: str) -> np.dtype[Any]:
    """The kind of number a file holds: `lengths.u32` holds unsigned 32-bit ones."""
    return KINDS[PurePath(name).suffix.removeprefix(".")]


def open_regular(path: Path) -> FileIO:
    """Open a file to be read, if it is one: a link might lead anywhere, and a pipe would be waited for."""
    handle = os.open(path, os.O_RDONLY | NO_LINK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return FileIO(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def map_file(path: Path) -> bytes | mmap.mmap:
    """The bytes of a file; those of a large one in memory only where they are used.

    A mapped file that somebody cuts off afterwards ends the process (SIGBUS) when its lost part is read. Our own
    writers never do that: they write new files and remove old ones, whose bytes stay as long as they are mapped.
    """
    with open_regular(path) as file:
        if file.seek(0, 2) > SMALL:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.seek(0)
        return file.readall()


def release_pages(array: NDArray[Any]) -> None:
    """Let go of the memory behind a mapped array, which is read again when it is used again."""
    whole: object = array
    while isinstance(whole, np.ndarray):
        whole = whole.base
    if isinstance(whole, memoryview):
        whole = whole.obj
    if isinstance(whole, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        whole.madvise(mmap.MADV_DONTNEED)


def are_pointers(ptr: NDArray[np.int64], end: int) -> bool:
    """Whether numbers from a file are places that begin at 0, never go back, and end at `end`."""
    return len(ptr) > 0 and int(ptr[0]) == 0 and int(ptr[-1]) == end and bool((ptr[1:] >= ptr[:-1]).all())


def are_ascending(numbers: NDArray[np.uint32], limit: int) -> bool:
    """Whether numbers from a file ascend, none twice, all of them below a limit."""
    return not len(numbers) or (int(numbers[-1]) < limit and bool((numbers[1:] > numbers[:-1]).all()))


def pointers(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Where each of several things begins that stand one behind the other, and where the last ends."""
    return pointers_from_sizes(np.fromiter(lengths, np.int64))


def pointers_from_sizes(sizes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The same from an array."""
    ptr = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ptr[1:])
    return ptr


def split_spans(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of neighbours whose sizes sum to at most `most`; a larger one is a range of its own."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + most, "right")), first + 1)
        yield first, last
        first = last
