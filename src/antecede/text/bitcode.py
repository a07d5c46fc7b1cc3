"""Bitcode of kernels: shipped with the package, so that they are compiled without numba, in a fifth of the time.

To translate a kernel to LLVM takes numba four times as long as LLVM needs to make machine code of it. What numba writes
is therefore kept in `kernels/PLATFORM/KERNEL-DIGEST.bc`, with the entry point and not optimized yet: LLVM does that for
the processor at hand (`machine_code.Loader`).

The digest covers the source of the function and of all that it refers to, the signature, and how arrays are laid out.
There is therefore no file for a function that was changed, nor for another platform, and numba compiles it. `make
kernels` writes the files anew; a test fails as long as one is missing.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antecede.text import machine_code

if TYPE_CHECKING:
    from types import FunctionType

    from antecede.text.signatures import Signature

FOLDER = Path(__file__).with_name("kernels")


def platform_folder() -> Path:
    """Where the bitcode of kernels for this platform is kept, if there is any."""
    from llvmlite import binding

    return FOLDER / str(binding.get_process_triple())


def has_bitcode() -> bool:
    """Whether there is bitcode for this platform, and no setting of numba that asks for something else."""
    return not machine_code.numba_settings() and platform_folder().is_dir()


def read_bitcode(function: FunctionType, signature: Signature) -> bytes | None:
    """The bitcode of a kernel, if there is any that can be used."""
    path = find_path(function, signature) if has_bitcode() else None
    try:
        return path.read_bytes() if path is not None else None
    except OSError:
        return None


def find_path(function: FunctionType, signature: Signature) -> Path | None:
    """The file of a kernel for this platform, be it there or not; None if no digest covers the kernel."""
    digest = sha256(describe_arrays())
    try:
        for part in machine_code.describe((repr(signature), function), set(), normalize_source):
            digest.update(b"%d:" % len(part) + part)
    except machine_code.UnknownValueError:
        return None
    return platform_folder() / f"{function.__name__}-{digest.hexdigest()[:20]}.bc"


def normalize_source(function: FunctionType) -> str:
    """The source of a function without comments, decorators and docstring: the same in each version of Python."""
    try:
        [parsed] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError) as error:
        raise machine_code.UnknownValueError(f"{function.__name__} has no source") from error
    if not isinstance(parsed, ast.FunctionDef):
        raise machine_code.UnknownValueError(f"{function.__name__} is not defined by itself")
    parsed.decorator_list = []
    if ast.get_docstring(parsed, clean=False) is not None:
        del parsed.body[0]
    return ast.unparse(parsed)


def describe_arrays() -> bytes:
    """What an entry point depends on: where the fields of arrays are, and the numbers of their types."""
    code = machine_code
    places = (code.DATA, code.DIMENSIONS, code.SHAPE, code.TYPE, code.FLAGS, code.ORDER, code.NUMBER)
    kinds = ((each, np.dtype(each).num, np.dtype(each).itemsize) for each in "?bBhHiIlLqQfd")
    return repr((places, *kinds, code.ENTRY, code.FUNCTIONS)).encode()


def write_bitcode(path: Path, bitcode: bytes) -> None:
    """Keep the bitcode of a kernel in place of what was kept of it before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob(f"{path.name.rpartition('-')[0]}-*.bc"):
        old.unlink()
    path.write_bytes(bitcode)
