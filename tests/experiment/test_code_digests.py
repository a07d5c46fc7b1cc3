"""A step is repeated when its code changes: the paths of `CODE` exist, and cover all that the steps import."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import pytest

from antecede.experiment.digests import CODE, code_digest
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOP = ROOT / "src" / "antecede"
STEPS = ("experiment/steps", "experiment/search_steps")
MACHINERY = {f"experiment/{name}" for name in ("digests", "experiment_file", "folder", "outcome", "step_runner")}
"""Modules that decide what is made and where, but not the contents of a result."""
SETTINGS = {"experiment/settings", "experiment/toml_document"}
"""The settings themselves are among the dependencies of a step."""


def files_of(path: str) -> list[Path]:
    return sorted((TOP / path).rglob("*.py")) if (TOP / path).is_dir() else [TOP / f"{path}.py"]


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Every name that is imported from the package, with its module, wherever it is; not those for type checks."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("antecede"):
            for alias in node.names:
                module = f"{node.module}.{alias.name}".split(".")[1:]
                path = "/".join(module)
                yield alias.asname or alias.name, path if (TOP / f"{path}.py").exists() else "/".join(module[:-1])
        yield from imports(node)


def is_covered(path: str, kind: str) -> bool:
    return any(f"{path}/".startswith(f"{each}/") for each in CODE[kind])


@pytest.mark.parametrize("kind", CODE)
def test_every_path_exists(kind: str) -> None:
    for path in CODE[kind]:
        assert (TOP / path).is_dir() or (TOP / f"{path}.py").is_file(), path
    assert code_digest(kind).startswith("sha256:")


@pytest.mark.parametrize("kind", CODE)
def test_all_that_the_code_of_a_step_imports_is_its_code_too(kind: str) -> None:
    for path in CODE[kind]:
        for file in files_of(path) if path not in STEPS else ():
            missing = {module for _, module in imports(ast.parse(file.read_text())) if not is_covered(module, kind)}
            assert not missing - MACHINERY - SETTINGS - {""}, file


def step_functions() -> Iterator[tuple[str, str, str]]:
    """Each function that makes a step: its module, its name, and the kind of the step."""
    for module in STEPS:
        for node in ast.parse(files_of(module)[0].read_text()).body:
            for call in ast.walk(node) if isinstance(node, ast.FunctionDef) else ():
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("run", "begin"):
                    codes = [ast.literal_eval(each.value) for each in call.keywords if each.arg == "code"]
                    yield from ((module, getattr(node, "name", ""), code) for code in codes)


def test_every_kind_of_code_belongs_to_a_step() -> None:
    assert {kind for _, _, kind in step_functions()} == {*CODE}


@pytest.mark.parametrize(("module", "function", "kind"), [*step_functions()])
def test_all_that_a_step_calls_is_its_code(module: str, function: str, kind: str) -> None:
    tree = ast.parse(files_of(module)[0].read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    origins = dict(imports(tree))
    waiting, seen = [function], set()
    while waiting:
        seen.add(name := waiting.pop())
        used = {node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)}
        waiting += [each for each in used & {*functions} if each not in seen]
        for each in used & {*origins}:
            assert is_covered(origins[each], kind) or origins[each] in MACHINERY | SETTINGS, f"{name}: {origins[each]}"
    assert is_covered(module, kind)


def test_no_modules_of_the_package_import_each_other_in_a_circle() -> None:
    graph = {
        f"experiment/{file.stem}": {module for _, module in imports(ast.parse(file.read_text()))}
        for file in files_of("experiment")
    }
    order = [*TopologicalSorter(graph).static_order()]
    assert order.index("experiment/toml_document") < order.index("experiment/steps")
