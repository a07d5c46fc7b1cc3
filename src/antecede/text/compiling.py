"""Compiling to machine code: once a machine, with nothing left to guess from the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

Kernel = TypeVar("Kernel", bound="Callable[..., object]")


def compiled(signature: Any) -> Callable[[Kernel], Kernel]:
    """Compile a function for one signature, without the interpreter's lock, and keep the result on disk.

    Where no folder can be written to (a read-only container), it is compiled anew in each process instead.
    """

    def compile_for(function: Kernel) -> Kernel:
        try:
            return translate(function, signature, keep=True)
        except RuntimeError as problem:
            if "no locator available" not in str(problem):
                raise
            return translate(function, signature, keep=False)

    return compile_for


def part(function: Kernel) -> Kernel:
    """A part of kernels, compiled into each that calls it. Give it numbers only: arrays are dear to hand on."""
    made: Any = numba.njit(nogil=True, error_model="numpy")(function)
    kernel: Kernel = made
    return kernel


def translate(function: Kernel, signature: Any, *, keep: bool) -> Kernel:
    made: Any = numba.njit(signature, nogil=True, error_model="numpy", cache=keep)(function)
    kernel: Kernel = made
    return kernel
