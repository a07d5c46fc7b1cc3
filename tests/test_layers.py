"""Packages import only what is below them, in the open; and every module imports on systems without POSIX locks."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from functools import cache
from typing import TYPE_CHECKING

import pytest

import antecede
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = ROOT / "src"
FILES = sorted((SOURCE / "antecede").rglob("*.py"))
DYNAMIC = {"antecede/__init__.py", "antecede/registry.py", "antecede/cli/app.py"}
"""Where our own modules are imported by name: the lazy public API, the registry, and the program's list of verbs."""
LOADERS = {"import_module", "__import__"}


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


@cache
def tree_of(path: Path) -> ast.AST:
    return ast.parse(path.read_text())


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in LOADERS:
                yield node


@pytest.mark.slow
def test_own_modules_are_not_imported_by_name() -> None:
    for path in FILES:
        if path.relative_to(SOURCE).as_posix() in DYNAMIC:
            continue
        for call in calls(tree_of(path)):
            literal = call.args[0] if call.args else None
            external = isinstance(literal, ast.Constant) and not str(literal.value).startswith("antecede")
            assert external, f"{path}, line {call.lineno}: pass it in as an argument, or move it down"


def layers() -> list[list[set[str]]]:
    """Each contract of layers: from the top, the packages side by side."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return [
        [{name.strip() for name in layer.replace("|", ":").split(":")} for layer in each["layers"]]
        for each in contracts
        if each["type"] == "layers"
    ]


def own_imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every import of our own, wherever it is written: within functions and for type checks, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("antecede"):
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.startswith("antecede"))


def level_of(module: str, contract: list[set[str]]) -> int | None:
    found = (at for at, layer in enumerate(contract) for name in layer if f"{module}.".startswith(f"{name}."))
    return next(found, None)


@pytest.mark.slow
def test_nothing_is_imported_from_above_for_type_checks_either() -> None:
    """Which import-linter leaves out, since types of other libraries may be named where these may not be loaded."""
    contracts = layers()
    for path in FILES:
        if path.parent == SOURCE / "antecede" and path.name == "__init__.py":
            continue
        imports = [*own_imports(tree_of(path))]
        for contract in contracts:
            own = level_of(module_of(path), contract)
            for line, module in imports if own is not None else ():
                level = level_of(module, contract)
                assert level is None or own is None or level >= own, f"{path}, line {line}: {module} is above"


@pytest.mark.slow
def test_every_module_imports_without_posix_locks() -> None:
    names = [module_of(path) for path in FILES if path.name != "__main__.py" and "adapters" not in path.parts]
    program = (
        f"import sys; sys.modules['fcntl'] = None\nfor name in {names!r}: __import__(name)\nprint(len(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > len(names)


def test_completion_offers_the_public_names_alone() -> None:
    assert dir(antecede) == sorted(antecede.__all__)
