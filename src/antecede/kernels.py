"""Compiled loops: one decorator over numba, and the operations on bytes that several modules share.

A kernel is compiled when it is first called with arguments of new types, and numba keeps the machine code on disk: a
later process loads it. Arrays that may be written and those that may not are different types (`read_only`).
Operands of `np.uint64` stay unsigned only among themselves.

numba compiles a kernel anew when its own source file has changed, but does not know of changes in others: a function
that kernels call is in their module (or in this one, which is not expected to change).

A compiled loop does not check its indices. Each kernel therefore states in its docstring, after `Bounds:`, what keeps
it inside its arrays: a check before the call, or a guard in the loop.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from antecede.code_cache import check_code_caches, check_source_cache
from antecede.garbage import load_for_good

check_code_caches()  # before numba is imported
with load_for_good():
    import numba

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Function = TypeVar("Function", bound="Callable[..., Any]")
Kind = TypeVar("Kind", bound=np.generic)


def kernel(function: Function) -> Function:
    """Decorator: compile a function on its first call, and keep the machine code on disk where a folder is writable.

    The interpreter lock is released while it runs, and a division by zero is no error.
    """
    check_source_cache(function.__code__.co_filename)
    njit: Any = partial(numba.njit, nogil=True, error_model="numpy")
    try:
        return cast("Function", njit(function, cache=True))
    except RuntimeError:  # no folder is writable, as in a read-only container
        return cast("Function", njit(function))


def read_only(array: NDArray[Kind]) -> NDArray[Kind]:
    """A view of an array, for a kernel that gets mapped arrays as well as new ones and is to be compiled once."""
    view = array.view()
    view.flags.writeable = False
    return view


def is_on_disk(compiled: Callable[..., Any]) -> bool:
    """Whether machine code of a kernel was kept on disk, perhaps that of an earlier version."""
    folder = compiled.stats.cache_path  # type: ignore[attr-defined]
    return folder is not None and any(Path(folder).glob(f"*.{compiled.__name__}-*.nbi"))


_PAIRS, _FOURS, _EIGHTS, _ONES = (
    np.uint64(byte * 0x0101010101010101) for byte in (0b01010101, 0b00110011, 0b00001111, 0b00000001)
)
_ONE, _TWO, _FOUR, _LAST = (np.uint64(number) for number in (1, 2, 4, 56))


@kernel
def count_trailing_zeros(number: np.uint64) -> np.uint64:
    """The number of zero bits below the lowest set bit; 64 if none is set.

    The bits below it are set and counted; LLVM recognises the counting, and makes one instruction of the whole.
    """
    below = ~number & (number - _ONE)
    below -= (below >> _ONE) & _PAIRS
    below = (below & _FOURS) + ((below >> _TWO) & _FOURS)
    below = (below + (below >> _FOUR)) & _EIGHTS
    return (below * _ONES) >> _LAST


@kernel
def load_eight(data: NDArray[np.uint8], at: np.uint64) -> np.uint64:
    """Eight bytes from a place on, as a little-endian number; LLVM makes one load of them.

    Bounds: the caller ensures that eight bytes are there.
    """
    return (
        np.uint64(data[at])
        | np.uint64(data[at + np.uint64(1)]) << np.uint64(8)
        | np.uint64(data[at + np.uint64(2)]) << np.uint64(16)
        | np.uint64(data[at + np.uint64(3)]) << np.uint64(24)
        | np.uint64(data[at + np.uint64(4)]) << np.uint64(32)
        | np.uint64(data[at + np.uint64(5)]) << np.uint64(40)
        | np.uint64(data[at + np.uint64(6)]) << np.uint64(48)
        | np.uint64(data[at + np.uint64(7)]) << np.uint64(56)
    )


@kernel
def interval_of(place: np.int64, bounds: NDArray[np.int64], hints: NDArray[np.int32], shift: int) -> np.int64:
    """The interval between two bounds that a place is in; `hints` has that of each multiple of 2^`shift`.

    Whether it is the one after that of the hint takes no branch; few are further on.
    Bounds: the place is not negative and below the last bound, so that there is a hint, and a step stays within.
    """
    interval = np.uint64(hints[np.uint64(place) >> np.uint64(shift)])
    interval += np.uint64(bounds[interval + np.uint64(1)] <= place)
    while bounds[interval + np.uint64(1)] <= place:
        interval += np.uint64(1)
    return np.int64(interval)


MORE = np.uint8(128)
"""The bit of a byte of LEB128 that says that another follows."""
SEVEN_BITS = np.uint64(127)


@kernel
def write_leb128(value: np.uint64, out: NDArray[np.uint8], at: int) -> int:
    """Write one number, and return the place after it. Bounds: the caller has room for its bytes."""
    while value > SEVEN_BITS:
        out[at] = np.uint8(value & SEVEN_BITS) | MORE
        value >>= np.uint64(7)
        at += 1
    out[at] = np.uint8(value)
    return at + 1


_FACTOR, _HALF = np.uint32(0x9E3779B1), np.uint64(32)


@kernel
def update_checksum(total: np.uint32, value: np.uint64) -> np.uint32:
    """The checksum of numbers extended by one; the few numbers longer than 32 bits are added as two."""
    total = np.uint32((total + np.uint32(value)) * _FACTOR)
    return total if value >> _HALF == np.uint64(0) else np.uint32((total + np.uint32(value >> _HALF)) * _FACTOR)
