"""Arrays: their types; as plain files of consecutive little-endian numbers; and large ones of a process, in memory or
in a file.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antecede.files import open_regular
from antecede.parallel import memory_limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import DTypeLike

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
I32: TypeAlias = NDArray[np.int32]
F32: TypeAlias = NDArray[np.float32]
U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]

KINDS = {".u8": "<u1", ".u32": "<u4", ".u64": "<u8", ".i32": "<i4", ".i64": "<i8", ".f32": "<f4"}
"""The number type that each file name suffix denotes."""
SMALL = 1 << 20
"""A file up to this many bytes is read; a larger one is mapped, which takes a file descriptor."""
MEMORY_SHARE = 4
"""Arrays of a process that may take more than one in so many bytes of the memory are in a file."""


def kind_of(name: str) -> np.dtype[Any]:
    """The number type of a file, from its name: `lengths.u32` holds unsigned 32-bit integers."""
    return np.dtype(KINDS[PurePath(name).suffix])


def map_file(path: Path) -> bytes | mmap.mmap:
    """The bytes of a file; a large file is mapped, so that only the parts in use take memory.

    Reading beyond the end of a mapped file that was truncated meanwhile kills the process (SIGBUS). antecede never
    truncates a file: it writes new ones and removes old ones, whose bytes remain as long as they are mapped.
    """
    with open_regular(path) as file:
        if file.seek(0, 2) > SMALL:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.seek(0)
        return file.readall()


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """The different numbers, in ascending order; `np.unique` would load the masked arrays of numpy first."""
    ordered = np.sort(numbers)
    is_first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def release_pages(array: NDArray[Any]) -> None:
    """Release the memory of a mapped array; it is read again on its next use."""
    whole: object = array
    while isinstance(whole, np.ndarray):
        whole = whole.base
    if isinstance(whole, memoryview):
        whole = whole.obj
    if isinstance(whole, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        whole.madvise(mmap.MADV_DONTNEED)


def are_pointers(ptr: NDArray[np.int64], end: int) -> bool:
    """Whether numbers from a file are offsets that start at 0, never decrease, and end at `end`."""
    return len(ptr) > 0 and int(ptr[0]) == 0 and int(ptr[-1]) == end and bool((ptr[1:] >= ptr[:-1]).all())


def are_ascending(numbers: NDArray[np.uint32], limit: int) -> bool:
    """Whether numbers from a file are strictly ascending and below a limit."""
    return not len(numbers) or (int(numbers[-1]) < limit and bool((numbers[1:] > numbers[:-1]).all()))


def pointers_from_sizes(sizes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The offsets of consecutive items of these lengths, and the end of the last."""
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


def allocate_arrays(shapes: Sequence[tuple[tuple[int, ...], DTypeLike]], folder: Path) -> list[NDArray[Any]]:
    """Large arrays that are filled bit by bit: in memory, or in a file without a name that the system may page out.

    A file is used where they may take much of the memory; it disappears with the process. Its space is allocated at
    once, so that writing never fails: where the disk is full, the arrays are in memory.
    """
    counts = [int(np.prod(shape)) for shape, _ in shapes]
    sizes = [-(-count * np.dtype(kind).itemsize // 8) * 8 for count, (_, kind) in zip(counts, shapes, strict=True)]
    if sum(sizes) > memory_limit() // MEMORY_SHARE and hasattr(os, "posix_fallocate"):
        with suppress(OSError), tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, sum(sizes))
            mapped = mmap.mmap(file.fileno(), sum(sizes))
            begins = np.cumsum([0, *sizes]).tolist()
            return [
                np.frombuffer(mapped, kind, count, begin).reshape(shape)
                for (shape, kind), count, begin in zip(shapes, counts, begins, strict=False)
            ]
    return [np.empty(shape, kind) for shape, kind in shapes]
