"""Compilation to machine code with numba: once per machine and for fixed signatures; and two machine instructions that
numba does not provide.

A compiled loop does not check its indices. Each kernel therefore states in its docstring, after `Bounds:`, what keeps
it inside its arrays: a check before the call, or a guard in the loop.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar, cast

from llvmlite import ir

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

Kernel = TypeVar("Kernel", bound="Callable[..., object]")


def load_numba() -> Any:
    """Import numba without SciPy, which it would load only to learn that it is there.

    That saves a third of a second, and the OpenBLAS inside SciPy, which never returns where the address space is
    limited (`ulimit -v`). Linear algebra in somebody else's numba functions still finds SciPy when it is called.
    """
    if "scipy" in sys.modules or "numba.np.arraymath" in sys.modules:
        return import_module("numba")
    sys.modules["scipy"] = None  # type: ignore[assignment]
    try:
        loaded = import_module("numba")
        arrays = import_module("numba.np.arraymath")
    finally:
        del sys.modules["scipy"]
    arrays._HAVE_BLAS = find_spec("scipy") is not None  # type: ignore[attr-defined]
    return loaded


numba = load_numba()
types = numba.types


def compile_kernel(signature: Any) -> Callable[[Kernel], Kernel]:
    """Decorator: compile a function for one signature, release the interpreter lock, and cache the result on disk.

    If no cache folder is writable (as in a read-only container), the function is compiled in each process.
    """

    def compile_function(function: Kernel) -> Kernel:
        try:
            return translate(function, signature, cache=True)
        except RuntimeError as problem:
            if "no locator available" not in str(problem):
                raise
            return translate(function, signature, cache=False)

    return compile_function


def compile_helper(function: Kernel) -> Kernel:
    """Decorator: compile a function into each kernel that calls it. Pass numbers only: passing arrays is slow."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    kernel: Kernel = dispatcher
    return kernel


def translate(function: Kernel, signature: Any, *, cache: bool) -> Kernel:
    dispatcher: Any = numba.njit(signature, nogil=True, error_model="numpy", cache=cache)(function)
    kernel: Kernel = dispatcher
    return kernel


def generate_load(_: Any, array: Any, at: Any) -> Any:
    """Code generator for `load_eight`: an unaligned load of eight bytes."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        place = builder.bitcast(builder.gep(data, [given[1]]), ir.IntType(64).as_pointer())
        found = builder.load(place, align=1)
        return found if sys.byteorder == "little" else builder.bswap(found)

    return types.uint64(array, at), generate


def generate_zero_count(_: Any, number: Any) -> Any:
    """Code generator for `count_trailing_zeros`."""

    def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(number), generate


load_eight = cast("Callable[[NDArray[np.uint8], np.uint64], np.uint64]", numba.extending.intrinsic(generate_load))
"""Eight bytes of an array from an index on, as a little-endian number. Unchecked: the caller ensures the bounds."""
count_trailing_zeros = cast("Callable[[np.uint64], np.uint64]", numba.extending.intrinsic(generate_zero_count))
"""The number of zero bits below the lowest set bit of a number; 64 if none is set."""
