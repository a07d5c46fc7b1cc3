"""Compiles kernels in a process of its own, while the one that started it compiles others.

    python -m antecede.text.kernel_compiler PID MODULE:KERNEL …

It ends when the process PID, which started it, has ended. Each process takes from disk what the other has compiled.
"""

from __future__ import annotations

import os
import sys
from pkgutil import resolve_name


def compile_kernels(parent: int, names: list[str]) -> None:
    """Compile kernels one after the other, or load those that are compiled."""
    for name in names:
        if hasattr(os, "getppid") and os.getppid() != parent:
            return
        resolve_name(name).load()


if __name__ == "__main__":
    compile_kernels(int(sys.argv[1]), sys.argv[2:])
