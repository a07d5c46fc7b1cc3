"""Compiles kernels in a process of its own, while the one that started it does something else.

    python -m antecede.text.kernel_compiler PID NICENESS MODULE:KERNEL …

Each process takes from disk what the other has compiled. This one ends when the process PID, which started it, has
ended, but not before one kernel is compiled: however short the processes are that start it, fewer are left each time.
It writes the name of the kernel that it is compiling to standard output, so that the other may wait for it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from antecede.text.compiler import open_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.text.compiler import CompiledKernel


def compile_kernels(parent: int, names: Sequence[str]) -> None:
    """Compile those kernels that are not on disk, in this order, and record that all are there when they are."""
    paths = []
    compiled = 0
    for name in names:
        kernel: CompiledKernel = resolve_name(name)
        path = kernel.path()
        if path is None:
            continue
        paths.append(path)
        if path.is_file():
            continue
        if compiled and hasattr(os, "getppid") and os.getppid() != parent:
            return
        report(name)
        kernel.load()
        report("")
        compiled += 1
    open_store().keep_record(names, paths)


def report(current: str) -> None:
    """Report the kernel that is being compiled; nothing, if none is."""
    with suppress(OSError):  # nobody reads it any more
        os.write(1, f"{current}\n".encode())


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[2]))
    compile_kernels(int(sys.argv[1]), sys.argv[3:])
