"""Large arrays that are filled bit by bit: in memory, or in a file without a name that the system may page out.

A file is used for arrays that together may exceed a share of the memory of this process. The pages in use are in the
page cache, like those of the index itself, so that a search needs less memory than its arrays have. The file has no
name and disappears with the process. Its space is allocated before it is written: on a full disk the arrays are in
memory instead, and writing never fails.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

SHARE = 4
"""Arrays that may take more than one in so many bytes of the memory are in files."""
CGROUPS = Path("/sys/fs/cgroup")
STEP = 1 << 26
"""Bytes of a file that are allocated at a time."""


@cache
def memory_limit() -> int:
    """The bytes of memory that this process may use: those of the machine, or of its control group if that has less."""
    found = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            names = ["unified" + path, path.lstrip("/")] if not kinds else ["memory" + path, "memory"]
            files = ["memory.max"] if not kinds else ["memory.limit_in_bytes"]
            if not kinds or "memory" in kinds.split(","):
                found += [size for name in names for file in files if (size := read_size(CGROUPS / name / file))]
    return min(found, default=1 << 62)


def read_size(path: Path) -> int | None:
    """The number in a file of a control group; None where there is none."""
    with suppress(OSError, ValueError):
        return int(path.read_text())
    return None


class ScratchArray:
    """An array of which a leading part is in use."""

    def __init__(self, shape: tuple[int, ...], kind: DTypeLike, folder: Path | None) -> None:
        """Without a folder, or where a file cannot be used there, the array is in memory."""
        self.file: int | None = None
        self.allocated = 0
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        mapped = None if folder is None or not size else self.map_file(folder, size)
        self.values: NDArray[Any] = (
            np.empty(shape, kind) if mapped is None else np.frombuffer(mapped, kind).reshape(shape)
        )

    def map_file(self, folder: Path, size: int) -> mmap.mmap | None:
        """A mapping of a new file without a name; None where the system does not provide one."""
        if not hasattr(os, "posix_fallocate"):
            return None
        for place in (folder, tempfile.gettempdir()):
            with suppress(OSError), tempfile.TemporaryFile(dir=place) as file:
                os.posix_fallocate(file.fileno(), 0, min(STEP, size))
                file.truncate(size)
                found = mmap.mmap(file.fileno(), size)
                self.file, self.allocated = os.dup(file.fileno()), min(STEP, size)
                return found
        return None

    def reserve(self, items: int) -> None:
        """Make sure that the first `items` items can be written."""
        size = items * self.values.itemsize * int(np.prod(self.values.shape[1:]))
        if self.file is None or size <= self.allocated:
            return
        wanted = min(-(-size // STEP) * STEP, self.values.nbytes)
        try:
            os.posix_fallocate(self.file, self.allocated, wanted - self.allocated)
            self.allocated = wanted
        except OSError:  # the disk is full: continue in memory
            used, self.values = self.values, np.empty_like(self.values)
            whole = self.allocated // used.itemsize
            self.values.reshape(-1)[:whole] = used.reshape(-1)[:whole]
            self.close()

    def close(self) -> None:
        """Close the file; the mapping remains as long as it is used."""
        if self.file is not None:
            os.close(self.file)
            self.file = None

    def __del__(self) -> None:
        if getattr(self, "file", None) is not None:
            self.close()


def scratch_arrays(wanted: Sequence[tuple[tuple[int, ...], DTypeLike]], folder: Path) -> list[ScratchArray]:
    """Arrays of these shapes and types; in files if together they may take much of the memory."""
    size = sum(int(np.prod(shape)) * np.dtype(kind).itemsize for shape, kind in wanted)
    mapped = folder if size > memory_limit() // SHARE else None
    return [ScratchArray(shape, kind, mapped) for shape, kind in wanted]
