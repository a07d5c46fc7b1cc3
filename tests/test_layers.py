"""What import-linter does not see: modules imported by name; every module imports on systems without POSIX locks."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src"
FILES = sorted((SOURCE / "antecede").rglob("*.py"))
DYNAMIC = {
    "antecede/__init__.py",
    "antecede/names/__init__.py",
    "antecede/operations.py",
    "antecede/registry.py",
    "antecede/cli/app.py",
}
"""Where our own modules are imported by name: the lazy public API, its operations and the types of their arguments, the
registry, and the program's list of verbs."""
LOADERS = {"import_module", "__import__"}


@pytest.mark.slow
def test_own_modules_are_not_imported_by_name() -> None:
    for path in FILES:
        text = path.read_text()
        if path.relative_to(SOURCE).as_posix() in DYNAMIC or not any(name in text for name in LOADERS):
            continue
        for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
            if (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) in LOADERS:
                literal = call.args[0] if call.args else None
                external = isinstance(literal, ast.Constant) and not str(literal.value).startswith("antecede")
                assert external, f"{path}, line {call.lineno}: pass it in as an argument, or move it down"


@pytest.mark.slow
def test_every_module_imports_without_posix_locks() -> None:
    modules = [".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__") for path in FILES]
    names = [name for name in modules if not name.endswith("__main__") and ".adapters" not in name]
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
