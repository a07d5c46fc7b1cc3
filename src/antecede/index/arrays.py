"""Arrays as plain files: little-endian numbers one behind the other, mapped into memory when they are read."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

KINDS: dict[str, np.dtype[Any]] = {
    name: np.dtype(kind) for name, kind in {"u8": "<u1", "u32": "<u4", "u64": "<u8", "i32": "<i4", "i64": "<i8"}.items()
}
"""What the end of a file's name says of its numbers."""


def kind_of(path: Path) -> np.dtype[Any]:
    """The kind of number a file holds: `lengths.u32` holds unsigned 32-bit ones."""
    return KINDS[path.suffix.removeprefix(".")]


def read_array(path: Path, length: int | None = None) -> NDArray[Any]:
    """The numbers of a file, mapped and not to be written to. `length` is how many there must be."""
    kind = kind_of(path)
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path), remedy="verify the index") from None
    if size % kind.itemsize or (length is not None and size != length * kind.itemsize):
        raise InputError(f"has {size} bytes, not what the index says", source=str(path), remedy="build it again")
    return np.frombuffer(whole, kind)


def write_array(path: Path, values: NDArray[Any]) -> None:
    """Write numbers as the name says; those that do not fit are an error of ours."""
    kind = kind_of(path)
    if not np.can_cast(values.dtype, kind, "safe"):
        raise TypeError(f"{path.name} cannot hold {values.dtype}")
    with path.open("wb") as out:
        np.ascontiguousarray(values, kind).tofile(out)


def pointers(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Where each of several things begins that stand one behind the other, and where the last ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.fromiter(lengths, np.int64))])
