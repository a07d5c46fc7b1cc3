"""Compilation to machine code: once per user and machine, for fixed signatures, when first called.

The machine code is made of the bitcode that is shipped with the package (`bitcode.py`); where there is none, numba
compiles the function. It is kept on disk (`machine_code.py`) and loaded from there, which takes a tenth of the time. A
kernel that allocates arrays, or returns more than one number, is the exception: numba compiles it and calls it.

While an index is built, a second process compiles (`kernel_compiler.py`), so that the first search finds its kernels on
disk. Where numba must compile several kernels for a search, such a process helps, from before anything else is done.

A compiled loop does not check its indices. Each kernel therefore states in its docstring, after `Bounds:`, what keeps
it inside its arrays: a check before the call, or a guard in the loop.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from threading import Condition, RLock, Thread
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from antecede.code_cache import check_code_caches, check_source_cache
from antecede.garbage import pause_garbage_collection
from antecede.text import machine_code
from antecede.text.bitcode import has_bitcode, read_bitcode
from antecede.text.signatures import Signature, types

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

Kernel = TypeVar("Kernel", bound="Callable[..., object]")
LOCK = RLock()
"""Held while a kernel is loaded or compiled, so that two threads do not do it twice."""
EXPECTED: list[str] = []
"""The kernels that this process is going to call, as `module:kernel`, in the order in which another compiles them."""
HELPERS: list[Helper] = []
"""The second process of this one, if there is any."""
LONGEST = 10.0
"""Seconds to wait for a kernel that it is compiling."""
LOW_PRIORITY = 19
"""The niceness of a process that compiles for later ones: it takes what others leave."""
__all__ = [
    "Signature",
    "compile_ahead",
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
    check_code_caches()
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
    check_code_caches()
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
            path = self.path() if loader is not None else None
            code = machine_code.read_code(path) if path is not None else None
            if code is None and loader is not None:
                code = self.make_code(loader, path)
                if path is not None:
                    machine_code.write_code(path, code)
            self.call = loader.load(self.__name__, code) if loader is not None and code else self.translate()

    def make_code(self, loader: machine_code.Loader, path: Path | None) -> list[bytes]:
        """The parts of its machine code, from bitcode, from another process that is compiling it now, or from numba."""
        bitcode = read_bitcode(self.__wrapped__, self.signature)
        if bitcode is not None:
            with suppress(RuntimeError):  # LLVM cannot read it
                return [loader.translate(bitcode)]
        if path is not None:
            share_compilation()
            if any(each.wait_for(f"{self.__module__}:{self.__name__}") for each in HELPERS):
                code = machine_code.read_code(path)
                if code is not None:
                    return code
        with pause_garbage_collection():  # it would traverse the many objects of the compiler
            return self.compile(loader)

    def path(self) -> Path | None:
        """Where its machine code is kept; None where it cannot be."""
        return open_store().path(self.__wrapped__, self.signature)

    def compile(self, loader: machine_code.Loader) -> list[bytes]:
        """The parts of its machine code; none where it cannot be called without numba."""
        load_numba()
        from antecede.text.entry_point import write_entry_point

        return write_entry_point(self.compile_by_numba(), self.__name__, loader.emit) if self.is_supported else []

    @property
    def is_supported(self) -> bool:
        """Whether it can be called without numba, as far as its signature tells."""
        numba = load_numba()
        from antecede.text.entry_point import is_supported

        return is_supported(self.signature.of_numba(numba.types))

    def compile_by_numba(self) -> Any:
        """What numba compiles, without a way to call it from Python."""
        numba = load_numba()
        options = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        [compiled] = numba.njit(self.signature.of_numba(numba.types), **options)(self.function()).overloads.values()
        return compiled

    def bitcode(self) -> bytes | None:
        """Its bitcode, to be shipped with the package; None where it cannot be called without numba."""
        load_numba()
        from antecede.text.entry_point import write_bitcode

        return write_bitcode(self.compile_by_numba, self.__name__) if self.is_supported else None

    def translate(self) -> Any:
        """The kernel as numba calls it."""
        check_source_cache(self.__wrapped__.__code__.co_filename)
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


def expect_kernels(names: Iterable[str], ahead: Collection[str] = ()) -> None:
    """Announce the kernels that this process is going to call, in this order, each as `module:kernel`.

    Unless all are on disk, a second process compiles them, first those in `ahead`, then from the last on, and keeps
    them there, where this one finds them when it has come so far, or waits for the last of them. It is also started
    where a kernel turns out to be missing. Where there is bitcode, this process needs less time than a second one to
    start.
    """
    if has_bitcode():
        return
    EXPECTED[:] = in_order(names, ahead)
    if start_loader() is not None and not open_store().has_all(EXPECTED):
        share_compilation()


def in_order(names: Iterable[str], ahead: Collection[str]) -> list[str]:
    """The order in which the second process compiles kernels."""
    return [*ahead, *(name for name in reversed([*names]) if name not in ahead)]


def compile_ahead(names: Iterable[str], ahead: Collection[str] = ()) -> subprocess.Popen[bytes] | None:
    """Compile kernels for later processes, in a second process of low priority; None where there is nothing to do.

    It ends with this process, after the kernel that it is compiling then.
    """
    wanted = in_order(names, ahead)
    if start_loader() is None or open_store().has_all(wanted):
        return None
    child = start_compiler(wanted, LOW_PRIORITY)
    if child is not None:
        Helper(child)  # so that its end is noticed
    return child


def share_compilation() -> None:
    """Start the second process, once."""
    names, EXPECTED[:] = EXPECTED[:], []
    if names and (child := start_compiler(names, 0)) is not None:
        HELPERS[:] = [Helper(child)]


class Helper:
    """A second process that compiles kernels, and the kernel that it is compiling now."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child
        self.current = ""
        self.changed = Condition()
        with suppress(RuntimeError):  # no memory for its stack: nothing waits for the other process then
            Thread(target=self.follow, daemon=True).start()

    def follow(self) -> None:
        """Read what the process reports until it ends."""
        if self.child.stdout is not None:
            rest = b""
            with self.child.stdout as output:
                while report := os.read(output.fileno(), 4096):
                    *names, rest = (rest + report).split(b"\n")
                    if names:
                        self.change(names[-1].decode())
        self.child.wait()
        self.change("")

    def change(self, current: str) -> None:
        with self.changed:
            self.current = current
            self.changed.notify_all()

    def wait_for(self, name: str) -> bool:
        """Wait for a kernel if the process is compiling it now; whether it was."""
        with self.changed:
            if self.current != name:
                return False
            self.changed.wait_for(lambda: self.current != name, timeout=LONGEST)
            return True


def start_compiler(names: list[str], niceness: int) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles kernels, where there is a core for it; it writes to its output what it compiles."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores < 2 or not sys.executable or getattr(sys, "frozen", False):
        return None
    import subprocess  # only here: it takes a while

    nothing = subprocess.DEVNULL
    facts = str(os.getpid()), str(niceness)
    command = (sys.executable, "-P", "-m", "antecede.text.kernel_compiler", *facts, *names)
    try:
        return subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing, bufsize=0)  # noqa: S603 - our own
    except OSError:  # too many processes: this one compiles all
        return None


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
