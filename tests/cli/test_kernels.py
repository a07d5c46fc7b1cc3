"""The compiled loops of a search are compiled while an index is built, without a cost to the build."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from antecede.cli.kernels import AHEAD, KERNELS
from antecede.text import compiler, machine_code
from antecede.text.bitcode import has_bitcode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Program

PATENTS = "".join(
    json.dumps({"id": f"US{number}", "language": "en", "title": f"A device with part {number}"}) + "\n"
    for number in range(5_000_001, 5_000_004)
)
MISSING = ("find_row", "add_squares")
"""Kernels that a search calls, and that no build compiles for itself."""


@pytest.fixture(scope="module")
def full_store() -> Path:
    """The folder of machine code of this user, with all kernels of a search."""
    words = (sys.executable, "-P", "-m", "antecede.text.kernel_compiler", str(os.getpid()), "0", *KERNELS)
    subprocess.run(words, check=True)
    found = machine_code.folder()
    assert found is not None
    return found


@pytest.fixture
def store(full_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[machine_code.Store]:
    """A copy of it, with which a build may do as it likes."""
    shutil.copytree(full_store, tmp_path / "cache" / "antecede")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    compiler.open_store.cache_clear()
    yield compiler.open_store()
    compiler.open_store.cache_clear()


@pytest.fixture
def patents(tmp_path: Path) -> Path:
    (tmp_path / "patents.jsonl").write_text(PATENTS)
    return tmp_path / "patents.jsonl"


def remove_kernels(store: machine_code.Store) -> Path:
    assert store.folder is not None
    for name in MISSING:
        for each in store.folder.glob(f"{name}-*.bin"):
            each.unlink()
    return store.folder


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one core only")
def test_a_build_compiles_the_kernels_of_a_search(store: machine_code.Store, patents: Path, tmp_path: Path) -> None:
    assert store.has_all(KERNELS)
    folder = remove_kernels(store)
    assert not store.has_all(KERNELS)
    out = tmp_path / "new.index"
    words = ["antecede", "index", str(patents), "--out", str(out), "--workers", "2", "--quiet"]
    script = (
        f"import sys, time\nfrom antecede.cli import main\nsys.argv = {words}\n"
        "from antecede.cli.kernels import KERNELS\nfrom antecede.text import compiler\n"
        "from antecede.text.compiler import open_store\n"
        "compiler.LOW_PRIORITY = 0\n"  # other tests may leave nothing to a process of low priority
        "try: main()\nexcept SystemExit as end: code = end.code\n"
        "until = time.monotonic() + 300\n"  # the process that compiles ends with this one, after one kernel at least
        "while not open_store().has_all(KERNELS) and time.monotonic() < until: time.sleep(0.05)\n"
        "sys.exit(code)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert store.has_all(KERNELS)
    for name in MISSING:
        assert any(machine_code.read_code(each) for each in folder.glob(f"{name}-*.bin"))


def test_each_process_leaves_fewer_kernels_to_compile(store: machine_code.Store) -> None:
    """Also where the process that started it has ended before it began, as after many short searches."""
    folder = remove_kernels(store)
    words = (sys.executable, "-P", "-m", "antecede.text.kernel_compiler", "0", "19", *reversed(KERNELS))
    for left in ((MISSING[1],), ()):
        subprocess.run(words, check=True)
        assert [name for name in MISSING if not [*folder.glob(f"{name}-*.bin")]] == [*left]
    assert store.has_all(KERNELS)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The processes that were started in place of those that compile."""
    found: list[subprocess.Popen[bytes]] = []

    def start(names: list[str], niceness: int) -> subprocess.Popen[bytes]:
        assert sorted(names) == sorted(KERNELS)
        assert names[: len(AHEAD)] == [*AHEAD]
        assert niceness == compiler.LOW_PRIORITY
        found.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
        return found[-1]

    monkeypatch.setattr(compiler, "start_compiler", start)
    yield found
    for each in found:
        each.kill()
        each.wait()


@pytest.mark.parametrize(
    ("words", "fate"),
    [
        (("--workers", "2"), "remains"),
        (("--workers", "2", "--memory", "800MB"), "ends"),
        (("--workers", "1"), "none"),
        (("--memory", "512MB"), "none"),
    ],
)
def test_the_limits_of_a_build_hold(
    store: machine_code.Store,
    started: list[subprocess.Popen[bytes]],
    patents: Path,
    program: Program,
    words: tuple[str, ...],
    fate: str,
) -> None:
    """Where memory leaves no room beside the workers, the process ends when they have begun."""
    remove_kernels(store)
    done = program("index", patents, "--out", patents.with_name("new.index"), *words)
    assert done.code == 0, done.err
    assert len(started) == (0 if fate == "none" else 1)
    if fate == "ends":
        assert started[0].wait(timeout=600) != 0
    elif fate == "remains":
        assert started[0].poll() is None


def test_a_build_succeeds_where_the_process_is_killed_or_cannot_start(
    store: machine_code.Store,
    started: list[subprocess.Popen[bytes]],
    patents: Path,
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remove_kernels(store)
    start = compiler.start_compiler

    def start_and_kill(*given: Any) -> subprocess.Popen[bytes] | None:
        child = start(*given)
        assert child is not None
        child.kill()
        child.wait()
        return child

    monkeypatch.setattr(compiler, "start_compiler", start_and_kill)
    out = patents.with_name("new.index")
    assert program("index", patents, "--out", out, "--workers", "2", "--memory", "800MB").code == 0
    monkeypatch.setattr(compiler, "start_compiler", lambda *_: None)
    assert program("add", out, patents, "--workers", "2", "--memory", "800MB").code == 0
    assert len(started) == 1


def test_nothing_is_started_where_all_kernels_are_on_disk(
    store: machine_code.Store, started: list[subprocess.Popen[bytes]], patents: Path, program: Program
) -> None:
    assert program("index", patents, "--out", patents.with_name("new.index"), "--workers", "2").code == 0
    compiler.expect_kernels(KERNELS)
    assert not started
    assert ([] if has_bitcode() else [*reversed(KERNELS)]) == compiler.EXPECTED
    compiler.EXPECTED.clear()


def test_the_record_of_kernels_is_that_of_their_source(store: machine_code.Store, tmp_path: Path) -> None:
    """A changed source file or another list of kernels has a record of its own; a damaged record is none."""
    record = store.record(KERNELS)
    assert record is not None
    assert record.is_file()
    assert store.record(KERNELS[1:]) != record
    whole = record.read_bytes()
    record.write_bytes(whole + b"\xff-none.bin\n")
    assert not store.has_all(KERNELS)
    store.keep_record(KERNELS, [tmp_path / "none.bin"])
    assert not store.has_all(KERNELS)
    record.unlink()
    assert not store.has_all(KERNELS)
    store.folder = None
    assert store.has_all(KERNELS)
