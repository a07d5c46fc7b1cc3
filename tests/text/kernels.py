"""All kernels of the package. Run as a program (`make kernels`), it writes the bitcode that is shipped with it."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import antecede
from antecede.text.bitcode import find_path, platform_folder, write_bitcode
from antecede.text.compiler import CompiledKernel


def all_kernels() -> dict[str, CompiledKernel]:
    """The kernels by their full names."""
    found = {}
    for module in pkgutil.walk_packages(antecede.__path__, "antecede."):
        if b"compile_kernel" not in Path(str(module.module_finder.find_spec(module.name).origin)).read_bytes():  # type: ignore[union-attr, call-arg]
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, CompiledKernel):
                found[f"{value.__module__}.{value.__name__}"] = value
    return found


def write_all() -> None:
    """Write the bitcode of those kernels that have none, and remove that of kernels that are no more."""
    current = set()
    for name, kernel in all_kernels().items():
        path = find_path(kernel.__wrapped__, kernel.signature)
        if path is None:
            raise SystemExit(f"{name}: no digest covers this kernel")
        current.add(path)
        if not path.exists() and (bitcode := kernel.bitcode()):
            write_bitcode(path, bitcode)
            print(f"{name}: {len(bitcode):,} bytes")
    for old in {*platform_folder().glob("*.bc")} - current:
        old.unlink()
        print(f"{old.name} removed")


if __name__ == "__main__":
    write_all()
