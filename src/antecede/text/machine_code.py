"""Machine code of kernels: kept on disk, and loaded as builtin functions of Python, without loading numba.

The code of a kernel is in a file of its own, named after a digest of everything that it depends on: the function and
all that it refers to, the signature, the versions of Python, numpy, numba and llvmlite, the processor, the settings of
numba, and the code here. Nothing is therefore ever replaced, and a changed function, another processor or a new version
is compiled anew. The folder belongs to one user. A file that others may write to is not used, nor one that is damaged.

A record of a list of kernels names their files. With it, whether all are there is known without importing any of them.
"""

from __future__ import annotations

import ctypes
import os
import platform
import stat
import struct
import sys
import tempfile
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.code_cache import user_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.text.signatures import Signature

FORMAT = b"antecede kernel 1\n"
"""The first bytes of a file. Another way to call a kernel needs another number."""
SIZE = struct.Struct("<Q")
ENTRY = "call_kernel"
"""The name of the entry point in each file."""
FUNCTIONS = (
    "PyBool_FromLong",
    "PyErr_Occurred",
    "PyErr_SetString",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyFloat_AsDouble",
    "PyFloat_FromDouble",
    "PyLong_AsLongLong",
    "PyLong_AsUnsignedLongLong",
    "PyLong_FromLongLong",
    "PyLong_FromUnsignedLongLong",
    "PyNumber_Index",
    "PyObject_IsInstance",
    "PyObject_IsTrue",
    "Py_DecRef",
    "Py_IncRef",
)
OBJECTS = {"antecede.None": None, "antecede.SystemError": SystemError, "antecede.TypeError": TypeError}
"""What a kernel uses of the interpreter, to accept arguments and to return a number. The names are shared with numba,
which has names of its own for these objects."""
LIBRARY = ("memcpy", "memmove", "memset", "exp", "expf", "log", "logf", "pow", "powf")
"""What it may use of the library of C."""
HEAD = object.__basicsize__
DATA, DIMENSIONS, SHAPE, TYPE, FLAGS = HEAD, HEAD + 8, HEAD + 16, HEAD + 40, HEAD + 48
ORDER, NUMBER = HEAD + 10, HEAD + 12
"""Offsets in an array and in its type, as the C interface of numpy defines them (`PyArrayObject_fields`)."""


class UnknownValueError(TypeError):
    """A kernel refers to a value that its digest cannot cover."""


def folder() -> Path | None:
    """Where machine code is kept: in the cache folder of the user, or where `NUMBA_CACHE_DIR` says."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen, "antecede")
    base = user_cache()
    return Path(base, "antecede", "kernels") if base and os.path.isabs(base) else None  # noqa: PTH117


class Store:
    """The files of machine code on this machine."""

    def __init__(self) -> None:
        self.folder = folder()
        self.environment = describe_environment()

    def path(self, function: FunctionType, signature: Signature) -> Path | None:
        """The file of a kernel; None where there is no folder, or where no digest covers the kernel."""
        if self.folder is None:
            return None
        digest = sha256(self.environment)
        try:
            for part in describe((repr(signature), function), set()):
                digest.update(b"%d:" % len(part) + part)
        except UnknownValueError:
            return None
        return self.folder / f"{function.__name__}-{digest.hexdigest()[:40]}.bin"

    def record(self, names: Sequence[str]) -> Path | None:
        """The record of a list of kernels, each named as `module:kernel`; None where nothing can be kept.

        It is another one as soon as a source file in one of their packages has been changed.
        """
        if self.folder is None:
            return None
        digest = sha256(self.environment + "\n".join(sorted(names)).encode())
        for package in sorted({name.partition(":")[0].rpartition(".")[0] for name in names}):
            place = Path(__file__).parents[1].joinpath(*package.split(".")[1:])
            try:
                with os.scandir(place) as files:
                    facts = [(each.name, each.stat()) for each in files if each.name.endswith(".py")]
            except OSError:  # not in a folder
                return None
            states = sorted(f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in facts)
            digest.update("\n".join((package, *states)).encode())
        return self.folder / f"kernels-{digest.hexdigest()[:40]}.txt"

    def has_all(self, names: Sequence[str]) -> bool:
        """Whether all kernels of a list are on disk, by its record; true where nothing can be kept."""
        path = self.record(names)
        if path is None:
            return True
        try:
            kept = path.read_text(encoding="ascii", errors="replace").split()
            return {each.name for each in path.parent.iterdir()}.issuperset(kept)
        except OSError:
            return False

    def keep_record(self, names: Sequence[str], files: Sequence[Path]) -> None:
        """Write the record of a list of kernels if all their files are there."""
        path = self.record(names)
        if path is not None and all(each.is_file() for each in files):
            replace_file(path, "".join(f"{each.name}\n" for each in files).encode())


def read_code(path: Path) -> list[bytes] | None:
    """The parts of machine code in a file; None where there are none that can be trusted.

    There are no parts if numba must call the kernel.
    """
    try:
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            if hasattr(os, "geteuid") and (
                facts.st_uid != os.geteuid() or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            ):
                return None
            whole = file.read()
    except OSError:
        return None
    start = len(FORMAT) + sha256().digest_size
    joined = memoryview(whole)[start:]
    if whole[:start] != FORMAT + sha256(joined).digest():
        return None
    code = []
    while joined:
        (size,) = SIZE.unpack_from(joined)
        code.append(bytes(joined[SIZE.size : SIZE.size + size]))
        joined = joined[SIZE.size + size :]
    return code


def write_code(path: Path, code: Sequence[bytes]) -> None:
    """Keep machine code; where the folder cannot be written to, the kernel is compiled again in the next process."""
    joined = b"".join(SIZE.pack(len(each)) + each for each in code)
    replace_file(path, FORMAT + sha256(joined).digest() + joined)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file as a whole, or not at all where that is impossible."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError:
        return


def describe_environment() -> bytes:
    """What machine code depends on apart from the kernel."""
    import llvmlite

    spec = find_spec("numba")
    at = Path((spec.origin if spec else None) or "", "..").resolve()
    versions = [each.read_bytes() for name in ("_version.py", "__init__.py") if (each := at / name).is_file()][:1]
    own = (Path(__file__).with_name(name).read_bytes() for name in ("machine_code.py", "entry_point.py", "compiler.py"))
    facts = (
        sys.implementation.cache_tag,
        sys.version,
        platform.machine(),
        sys.platform,
        np.__version__,
        llvmlite.__version__,
        *processor(),
        *numba_settings(),
    )
    return "\n".join(map(str, facts)).encode() + b"\n" + b"".join((*versions, *own))


def numba_settings() -> list[str]:
    """The settings of numba in the environment that change what it compiles."""
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    return [each for each in settings if not each.startswith(("NUMBA_CACHE_DIR=", "NUMBA_NUM_THREADS="))]


def processor() -> tuple[str, str]:
    """The name and the features of the processor, as LLVM names them."""
    from llvmlite import binding

    try:
        features = binding.get_host_cpu_features().flatten()
    except RuntimeError:
        features = ""
    return binding.get_host_cpu_name(), features


def instructions_of(function: FunctionType) -> CodeType:
    return function.__code__


def describe(
    value: Any, seen: set[int], instructions: Callable[[FunctionType], CodeType | str] = instructions_of
) -> Iterator[bytes]:
    """Bytes that differ where values of a kernel differ: its instructions, constants, and all that it refers to.

    `instructions` gives those of a function: as Python compiled them, or its source.
    """
    function = getattr(value, "__wrapped__", value)
    if isinstance(function, FunctionType):
        if id(function) not in seen:
            seen.add(id(function))
            yield b"function"
            yield from describe(parts_of(function, instructions(function)), seen, instructions)
    elif isinstance(value, CodeType):
        parts = (value.co_code, value.co_consts, value.co_names, value.co_varnames, value.co_freevars)
        yield from describe((*parts, getattr(value, "co_exceptiontable", b"")), seen, instructions)
    elif isinstance(value, tuple):
        yield b"tuple %d" % len(value)
        for each in value:
            yield from describe(each, seen, instructions)
    elif value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray | np.generic):
        yield f"{value.dtype.str} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, ModuleType | type | BuiltinFunctionType):
        yield f"{getattr(value, '__module__', 'module')} {value.__name__}".encode()
    else:
        raise UnknownValueError(f"the digest of a kernel does not cover a {type(value).__name__}")


def parts_of(function: FunctionType, instructions: CodeType | str) -> tuple[Any, ...]:
    """The instructions of a function, and all that it refers to."""
    known = function.__globals__
    used = tuple((name, known[name]) for name in sorted({*names_in(function.__code__)} & {*known}))
    inside = tuple(cell.cell_contents for cell in function.__closure__ or ())
    return instructions, function.__defaults__, function.__kwdefaults__, used, inside


def names_in(code: CodeType) -> Iterable[str]:
    """All names that instructions refer to, also in functions inside."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from names_in(each)


class Loader:
    """Machine code in memory."""

    def __init__(self) -> None:
        from llvmlite import binding

        self.binding = binding
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        for name in FUNCTIONS:
            binding.add_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
        for name, value in OBJECTS.items():
            binding.add_symbol(name, id(value))
        self.kept: list[Any] = []

    def machine(self, optimization: int = 1) -> Any:
        """A generator of code for this processor, with the options that numba gives to it.

        Little optimization suffices for entry points.
        """
        target = self.binding.Target.from_triple(self.binding.get_process_triple())
        name, features = processor()
        reloc = "static" if target.name.startswith("x86") else "pic" if target.name.startswith("ppc") else "default"
        return target.create_target_machine(
            cpu=name, features=features, opt=optimization, reloc=reloc, codemodel="jitdefault", jit=True
        )

    def emit(self, module: Any) -> bytes:
        """The machine code of a module of LLVM."""
        code: bytes = self.machine().emit_object(module)
        return code

    def translate(self, bitcode: bytes) -> bytes:
        """The machine code of bitcode, optimized as numba does it: functions are inlined, references pruned first."""
        machine, module = self.machine(3), self.binding.parse_bitcode(bitcode)
        for level in (0, 3):
            options = self.binding.create_pipeline_tuning_options(level)
            options.loop_vectorization, options.slp_vectorization = level > 0, False
            builder = self.binding.create_pass_builder(machine, options)
            passes = builder.getModulePassManager()
            if not level:
                passes.add_loop_rotate_pass()
                passes.add_instruction_combine_pass()
                passes.add_jump_threading_pass()
            passes.add_refprune_pass()
            passes.run(module, builder)
        code: bytes = machine.emit_object(module)
        return code

    def load(self, name: str, code: Sequence[bytes]) -> Callable[..., Any]:
        """The entry point in machine code, as a builtin function of Python with a name."""
        engine = self.binding.create_mcjit_compiler(self.binding.parse_assembly(""), self.machine())
        for part in code:
            engine.add_object_file(self.binding.ObjectFileRef.from_data(part))
        engine.finalize_object()
        method = Method(name.encode(), engine.get_function_address(ENTRY), FASTCALL, None)
        self.kept.append(engine)  # Python does not know that the function needs it
        # Never freed: it is read when the function is, which may be after everything else, as the process ends.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.restype, make.argtypes = ctypes.py_object, (ctypes.POINTER(Method), ctypes.py_object, ctypes.py_object)
        function: Callable[..., Any] = make(method, np.ndarray, None)
        return function


class Method(ctypes.Structure):
    """`PyMethodDef`: a function of the C interface of Python."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


FASTCALL = 0x0080
"""`METH_FASTCALL`: the arguments are an array of objects."""


def knows_arrays() -> bool:
    """Whether arrays are laid out in memory as machine code expects it."""
    array = np.zeros((3, 5), np.uint16)
    at = id(array)
    try:
        flags = array.flags.num
    except AttributeError:
        return False
    shape = ctypes.c_void_p.from_address(at + SHAPE).value or 0
    kind = ctypes.c_void_p.from_address(at + TYPE).value or 0
    return (
        ctypes.sizeof(ctypes.c_void_p) == 8
        and kind == id(array.dtype)
        and ctypes.c_void_p.from_address(at + DATA).value == array.__array_interface__["data"][0]
        and ctypes.c_int.from_address(at + DIMENSIONS).value == 2
        and ctypes.c_int.from_address(at + FLAGS).value == flags
        and [*(ctypes.c_int64 * 2).from_address(shape)] == [3, 5]
        and ctypes.c_char.from_address(kind + ORDER).value == b"="
        and ctypes.c_int.from_address(kind + NUMBER).value == array.dtype.num
    )
