"""The bitcode that is shipped belongs to the kernels as they are, and they are compiled without it, too."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.text import bitcode, compiler
from antecede.text.compiler import CompiledKernel, types
from tests.text.kernels import all_kernels
from tests.text.test_compiler import CALLED_BY_NUMBA, FACTOR, add_to_all

if TYPE_CHECKING:
    from pathlib import Path

SIGNATURE = types.int64(types.int64[::1], types.int64)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where bitcode and machine code are kept: nowhere yet."""
    monkeypatch.setattr(bitcode, "FOLDER", tmp_path / "kernels")
    monkeypatch.setattr(compiler.open_store(), "folder", tmp_path / "machine")
    return tmp_path


def kernel_of(source: str, path: Path, **names: Any) -> CompiledKernel:
    """A kernel from a file of its own."""
    path.write_text(source, encoding="utf-8")
    exec(compile(source, str(path), "exec"), names)  # noqa: S102
    assert isinstance(names["kernel"], FunctionType)
    return CompiledKernel(names["kernel"], SIGNATURE)


@pytest.mark.skipif(not bitcode.has_bitcode(), reason="no bitcode is shipped for this platform")
def test_each_kernel_has_bitcode() -> None:
    missing, paths = set(), set()
    for name, kernel in all_kernels().items():
        path = bitcode.find_path(kernel.__wrapped__, kernel.signature)
        assert path is not None, name
        paths.add(path)
        if not path.is_file():
            missing.add(name)
    assert missing <= CALLED_BY_NUMBA, "kernels were changed: run `make kernels`"
    assert {*bitcode.platform_folder().iterdir()} <= paths, "kernels were removed: run `make kernels`"


def test_a_kernel_made_of_its_bitcode(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = CompiledKernel(add_to_all.__wrapped__, SIGNATURE)  # type: ignore[attr-defined]
    path = bitcode.find_path(kernel.__wrapped__, kernel.signature)
    made = kernel.bitcode()
    assert path is not None
    assert made is not None
    bitcode.write_bitcode(path.with_name("add_to_all-old.bc"), b"old")
    bitcode.write_bitcode(path, made)
    assert [*path.parent.iterdir()] == [path]
    monkeypatch.setattr(CompiledKernel, "compile", None)
    numbers = np.arange(4)
    assert (kernel(numbers, 2), numbers.tolist()) == (4, [each + 2 * FACTOR for each in range(4)])
    with pytest.raises(TypeError, match="argument 1 must be a writable array of int64"):
        kernel([1], 2)
    assert [each.name.partition("-")[0] for each in (folder / "machine").iterdir()] == ["add_to_all"]


@pytest.mark.parametrize("content", [b"", b"BC\xc0\xdeanything", bytes(100)])
def test_numba_compiles_where_bitcode_cannot_be_read(folder: Path, content: bytes) -> None:
    kernel = CompiledKernel(add_to_all.__wrapped__, SIGNATURE)  # type: ignore[attr-defined]
    path = bitcode.find_path(kernel.__wrapped__, kernel.signature)
    assert path is not None
    bitcode.write_bitcode(path, content)
    assert kernel(np.arange(4), 2) == 4


def test_the_file_depends_on_the_source_and_all_that_it_refers_to(tmp_path: Path) -> None:
    source = "def kernel(numbers, more):\n    return len(numbers) + LIMIT\n"
    documented = source.replace(":\n", ':  # as written\n    """Documented."""\n')
    changed = source.replace("+", "-")
    limits = {"LIMIT": np.int64(1)}
    kernels = {
        "same": kernel_of(source, tmp_path / "a.py", **limits),
        "documented": kernel_of(documented, tmp_path / "b.py", **limits),
        "changed": kernel_of(changed, tmp_path / "c.py", **limits),
        "limited": kernel_of(source, tmp_path / "d.py", LIMIT=np.int64(2)),
        "typed": CompiledKernel(kernel_of(source, tmp_path / "e.py", **limits).__wrapped__, types.void(types.int64)),
    }
    paths = {name: bitcode.find_path(each.__wrapped__, each.signature) for name, each in kernels.items()}
    assert paths["same"] == paths["documented"]
    assert len({*paths.values()}) == 4


def test_a_function_without_source_has_no_bitcode() -> None:
    names: dict[str, Any] = {}
    exec("def kernel(numbers, more):\n    return len(numbers)", names)  # noqa: S102
    assert bitcode.find_path(names["kernel"], SIGNATURE) is None
    assert CompiledKernel(names["kernel"], SIGNATURE)(np.arange(3), 0) == 3


def test_a_setting_of_numba_asks_for_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert not bitcode.has_bitcode()
    assert bitcode.read_bitcode(add_to_all.__wrapped__, SIGNATURE) is None  # type: ignore[attr-defined]
