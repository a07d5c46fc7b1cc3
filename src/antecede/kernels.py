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

import os
import stat
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from antecede.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

Function = TypeVar("Function", bound="Callable[..., Any]")
Kind = TypeVar("Kind", bound=np.generic)
SETTINGS = ".numba_config.yaml"
"""A file in the current folder that numba would take its settings from, the cache folder among them."""
OTHERS_WRITE, OTHERS_ENTER = 0o022, 0o011


def check_code_cache() -> None:
    """Refuse, in one line, to load compiled code that somebody else can change, who could thus run code as the user.

    The caches beside the source (`__pycache__`) are as safe as the source: Python itself loads code from there.
    """
    if Path(SETTINGS).exists():
        raise UsageError(f"{SETTINGS}: numba would take settings from the current folder; remove it, or work elsewhere")
    if not hasattr(os, "geteuid"):  # without users of POSIX
        return
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(chosen) if chosen else user_cache() / "numba"
    if chosen:
        with suppress(OSError):  # made here, so that nobody else makes it first
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if (risk := find_risk(folder)) is not None:
        raise UsageError(
            f"{folder}: compiled code is not loaded from there, since {risk}; "
            "set NUMBA_CACHE_DIR to a folder of your own that only you can enter (chmod 700)"
        )


def user_cache() -> Path:
    """The folder for the caches of this user's programs; it may not exist."""
    place = "~/Library/Caches" if sys.platform == "darwin" else os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(place))  # noqa: PTH111  # Path.expanduser fails without a home


def find_risk(folder: Path) -> str | None:
    """Who but the user can change what is in a folder, in words; None where nobody can.

    As ssh checks the folders of keys: each one on the way, by its name and behind links, belongs to the user or to
    root, and nobody else can write to it. What lies in a folder that others cannot enter is safe from them.
    """
    user = os.geteuid()
    for path in (folder.absolute(), Path(os.path.realpath(folder))):
        for place in (*reversed(path.parents), path):
            try:
                facts = place.stat()
                others = {facts.st_uid, place.lstat().st_uid} - {user}
            except OSError:  # numba makes what is not there
                break
            if others - {0} or (others and place == path):
                return f"{place} belongs to another user"
            # In a sticky folder, such as /tmp, only its owner can rename or remove an entry.
            if facts.st_mode & OTHERS_WRITE and not (facts.st_mode & stat.S_ISVTX and place != path):
                return f"others can write to {place}"
            if facts.st_uid == user and not facts.st_mode & OTHERS_ENTER:
                break
    return None


check_code_cache()
import numba  # noqa: E402 - after the check
from numba.core import event  # noqa: E402


def kernel(function: Function) -> Function:
    """Decorator: compile a function on its first call, and keep the machine code on disk where a folder is writable.

    The interpreter lock is released while it runs, and a division by zero is no error. There is no wrapper for calls
    from C, which would take a twelfth of the time to compile.
    """
    njit: Any = partial(numba.njit, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
    try:
        return cast("Function", njit(function, cache=True))
    except RuntimeError:  # no folder is writable, as in a read-only container
        return cast("Function", njit(function))


def read_only(array: NDArray[Kind]) -> NDArray[Kind]:
    """A view of an array, for a kernel that gets mapped arrays as well as new ones and is to be compiled once."""
    view = array.view()
    view.flags.writeable = False
    return view


class _CompilationListener(event.Listener):
    """Calls a function when a kernel is compiled, once."""

    announce: Callable[[], None] | None = None

    def on_start(self, _: Any) -> None:
        announce, self.announce = self.announce, None
        if announce is not None:
            announce()

    def on_end(self, _: Any) -> None:
        """Nothing is said of the end."""


_COMPILATIONS = _CompilationListener()
event.register("numba:compile", _COMPILATIONS)  # type: ignore[no-untyped-call] # numba has no types


@contextmanager
def announced(announce: Callable[[], None]) -> Iterator[None]:
    """Call a function when a kernel is compiled for the first time, which takes seconds; loading one is silent."""
    _COMPILATIONS.announce = announce
    try:
        yield
    finally:
        _COMPILATIONS.announce = None


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
