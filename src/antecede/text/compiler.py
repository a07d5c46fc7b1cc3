"""Compilation to machine code with numba: once per user and machine, for fixed signatures, when first called.

numba is only loaded to compile: machine code is kept on disk (`machine_code.py`) and loaded without it, which takes a
tenth of the time. A kernel that allocates arrays, or returns more than one number, is the exception: numba calls it.

Where several kernels have to be compiled, a second process helps, from the last on (`kernel_compiler.py`).

A compiled loop does not check its indices. Each kernel therefore states in its docstring, after `Bounds:`, what keeps
it inside its arrays: a check before the call, or a guard in the loop.
"""

from __future__ import annotations

import os
import sys
from functools import cache, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from threading import RLock, Thread
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from antecede.garbage import pause_garbage_collection
from antecede.text import machine_code
from antecede.text.signatures import Signature, types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np
    from numpy.typing import NDArray

Kernel = TypeVar("Kernel", bound="Callable[..., object]")
LOCK = RLock()
"""Held while a kernel is loaded or compiled, so that two threads do not do it twice."""
EXPECTED: list[str] = []
"""The kernels that this process is going to call, as `module:kernel`."""
__all__ = [
    "Signature",
    "compile_helper",
    "compile_kernel",
    "count_trailing_zeros",
    "expect_kernels",
    "load_all",
    "load_eight",
    "types",
]


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


@cache
def open_store() -> machine_code.Store:
    return machine_code.Store()


@cache
def start_loader() -> machine_code.Loader | None:
    """What loads machine code; None where Python or numpy differ from what it expects, so that numba does the work."""
    try:
        return machine_code.Loader() if machine_code.knows_arrays() else None
    except (AttributeError, ValueError):  # an interpreter without one of the functions
        return None


class Part:
    """A function that numba compiles, alone or as a part of kernels. `__wrapped__` is the function as written."""

    __wrapped__: Any
    __name__: str

    def __init__(self, function: Callable[..., object]) -> None:
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self.numba_object(*arguments)

    @property
    def numba_object(self) -> Any:
        """What kernels that call it refer to."""
        found = self.__dict__.get("translated")
        if found is None:
            found = self.__dict__["translated"] = self.translate()
        return found

    def translate(self) -> Any:
        return load_numba().njit(nogil=True, error_model="numpy")(self.function())

    def function(self) -> FunctionType:
        """The function, with the objects of numba in place of our own."""
        own = self.__wrapped__
        used = {name: own.__globals__.get(name) for name in machine_code.names_in(own.__code__)}
        known = own.__globals__ | {name: each.numba_object for name, each in used.items() if isinstance(each, Part)}
        copy = FunctionType(own.__code__, known, own.__name__, own.__defaults__, own.__closure__)
        copy.__module__, copy.__qualname__, copy.__doc__ = own.__module__, own.__qualname__, own.__doc__
        return copy


class Intrinsic(Part):
    """A machine instruction; the function generates its code."""

    def translate(self) -> Any:
        return load_numba().extending.intrinsic(self.__wrapped__)


class CompiledKernel(Part):
    """A kernel that is loaded, or compiled, when it is first called."""

    def __init__(self, function: Callable[..., object], signature: Signature) -> None:
        super().__init__(function)
        self.signature = signature
        self.call: Callable[..., Any] = self.load_and_call

    def __call__(self, *arguments: Any) -> Any:
        return self.call(*arguments)

    def load_and_call(self, *arguments: Any) -> Any:
        self.load()
        return self.call(*arguments)

    def load(self) -> None:
        """Load the kernel from disk, or compile it and keep it there."""
        with LOCK:
            if self.call != self.load_and_call:
                return
            loader = start_loader()
            path = open_store().path(self.__wrapped__, self.signature) if loader is not None else None
            code = machine_code.read_code(path) if path is not None else None
            if code is None and loader is not None:
                if path is not None:
                    share_compilation()
                with pause_garbage_collection():  # it would traverse the many objects of the compiler
                    code = self.compile(loader)
                if path is not None:
                    machine_code.write_code(path, code)
            self.call = loader.load(self.__name__, code) if loader is not None and code else self.translate()

    def compile(self, loader: machine_code.Loader) -> list[bytes]:
        """The parts of its machine code; none where it cannot be called without numba."""
        numba = load_numba()
        from antecede.text.entry_point import is_supported, write_entry_point

        signature = self.signature.of_numba(numba.types)
        if not is_supported(signature):
            return []
        options = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        [compiled] = numba.njit(signature, **options)(self.function()).overloads.values()
        return write_entry_point(compiled, self.__name__, loader.emit)

    def translate(self) -> Any:
        """The kernel as numba calls it."""
        numba = load_numba()
        signature, function = self.signature.of_numba(numba.types), self.function()
        try:
            return numba.njit(signature, nogil=True, error_model="numpy", cache=True)(function)
        except RuntimeError as problem:  # no folder is writable, as in a read-only container
            if "no locator available" not in str(problem):
                raise
            return numba.njit(signature, nogil=True, error_model="numpy")(function)


def compile_kernel(signature: Signature) -> Callable[[Kernel], Kernel]:
    """Decorator: compile a function for one signature when it is first called, and keep the machine code on disk.

    The interpreter lock is released while it runs. If no folder is writable, it is compiled in each process.
    """

    def compile_function(function: Kernel) -> Kernel:
        return cast("Kernel", CompiledKernel(function, signature))

    return compile_function


def expect_kernels(names: Iterable[str]) -> None:
    """Announce the kernels that this process is going to call, in this order, each as `module:kernel`.

    As soon as one has to be compiled, a second process compiles the others, the last first, and keeps them on disk,
    where this one finds them when it has come so far: a first search takes three quarters of the time.
    """
    EXPECTED[:] = names


def share_compilation() -> None:
    """Start the second process, once, where there is a core for it."""
    names, EXPECTED[:] = EXPECTED[:], []
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not names or cores < 2 or not sys.executable or getattr(sys, "frozen", False):
        return
    import subprocess  # only here: it takes a while

    nothing = subprocess.DEVNULL
    command = (sys.executable, "-P", "-m", "antecede.text.kernel_compiler", str(os.getpid()), *reversed(names))
    try:
        child = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)  # noqa: S603 - our own
    except OSError:  # too many processes: this one compiles all
        return
    Thread(target=child.wait, daemon=True).start()


def load_all(*modules: ModuleType) -> None:
    """Load the kernels of modules now rather than when they are first called."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, CompiledKernel):
                value.load()


def compile_helper(function: Kernel) -> Kernel:
    """Decorator: compile a function into each kernel that calls it. Pass numbers only: passing arrays is slow."""
    return cast("Kernel", Part(function))


def generate_load(_: Any, array: Any, at: Any) -> Any:
    """Code generator for `load_eight`: an unaligned load of eight bytes."""
    from llvmlite import ir
    from numba import types as numba_types

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        place = builder.bitcast(builder.gep(data, [given[1]]), ir.IntType(64).as_pointer())
        found = builder.load(place, align=1)
        return found if sys.byteorder == "little" else builder.bswap(found)

    return numba_types.uint64(array, at), generate


def generate_zero_count(_: Any, number: Any) -> Any:
    """Code generator for `count_trailing_zeros`."""
    from llvmlite import ir
    from numba import types as numba_types

    def generate(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 0))

    return numba_types.uint64(number), generate


load_eight = cast("Callable[[NDArray[np.uint8], np.uint64], np.uint64]", Intrinsic(generate_load))
"""Eight bytes of an array from an index on, as a little-endian number. Unchecked: the caller ensures the bounds."""
count_trailing_zeros = cast("Callable[[np.uint64], np.uint64]", Intrinsic(generate_zero_count))
"""The number of zero bits below the lowest set bit of a number; 64 if none is set."""
