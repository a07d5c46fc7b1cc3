"""Kernels are compiled once per machine, when first called; they check their arguments, and work without a cache."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.text import machine_code
from antecede.text.bitcode import has_bitcode
from antecede.text.compiler import Helper, compile_helper, compile_kernel, types
from tests.text.kernels import all_kernels

if TYPE_CHECKING:
    from pathlib import Path

CALLED_BY_NUMBA = {
    "antecede.index.spaces.words.count_pairs",
    "antecede.learning.ascent.count_better",
}
"""Kernels that allocate arrays, return several values or call a library. None of them is needed to search."""
SCRIPT = """
import sys
import numpy as np
from antecede.text.scanner import key_terms
key_terms(np.zeros(4, np.uint8), np.zeros(1, np.int64), np.full(1, 4), np.zeros(4, np.uint64))
print("numba" in sys.modules)
"""
BY_NUMBA = {"NUMBA_OPT": "3"}
"""Any setting of numba: bitcode is not used then."""
SHIPPED = has_bitcode()
FACTOR = 3


@compile_helper
def triple(number: int) -> int:
    return number * FACTOR


@compile_kernel(types.int64(types.int64[::1], types.int64))
def add_to_all(numbers: Any, more: Any) -> int:
    """Bounds: the loop ends with the array."""
    for at in range(len(numbers)):
        numbers[at] += triple(more)
    return len(numbers)


READ_ONLY = types.Array(types.float32, 2, "C", readonly=True)


@compile_kernel(types.float64(READ_ONLY, types.float32, types.float64, types.boolean, types.uint64))
def add_numbers(table: Any, small: Any, large: Any, twice: Any, natural: Any) -> Any:
    """Bounds: the loops end with the rows and the columns."""
    total = small + large + natural
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            total += table[i, j]
    return 2 * total if twice else total


@compile_kernel(types.void(types.boolean[::1], types.uint8[::1]))
def mark(marks: Any, bytes_: Any) -> None:
    """Bounds: the loop ends with the shorter array."""
    for at in range(min(len(marks), len(bytes_))):
        part = bytes_[at : at + 2]
        marks[at] = part.sum() > 0


def run_script(script: str, **variables: str) -> list[str]:
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=True, text=True)
    return done.stdout.split()


@pytest.mark.parametrize("settings", [{}, BY_NUMBA])
def test_nothing_is_compiled_twice(tmp_path: Path, settings: dict[str, str]) -> None:
    assert run_script(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path), **settings) == [str(not SHIPPED or bool(settings))]
    files = {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*.bin")}
    assert [each.name.partition("-")[0] for each in files] == ["key_terms"]
    assert run_script(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path), **settings) == ["False"]
    assert {each: each.stat().st_mtime_ns for each in tmp_path.rglob("*.bin")} == files


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there is one core only")
def test_a_second_process_compiles_what_is_expected(tmp_path: Path) -> None:
    expected = [
        "antecede.text.scanner:key_terms",
        "antecede.index.codec:numbers_into",
        "antecede.search.kernel:find_row",
    ]
    script = f"""
import time
from pathlib import Path
from antecede.text.compiler import EXPECTED, expect_kernels
expect_kernels({expected})
{SCRIPT}
until = time.monotonic() + 300
while len([*Path({str(tmp_path)!r}).rglob("*.bin")]) < 3 and time.monotonic() < until:
    time.sleep(0.05)
print(EXPECTED)
"""
    assert run_script(script, NUMBA_CACHE_DIR=str(tmp_path), **BY_NUMBA) == ["True", "[]"]
    kept = sorted(each.name.partition("-")[0] for each in tmp_path.rglob("*.bin"))
    assert kept == sorted(each.partition(":")[2] for each in expected)


def test_a_damaged_file_is_compiled_anew(tmp_path: Path) -> None:
    run_script(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path), **BY_NUMBA)
    [damaged] = tmp_path.rglob("key_terms-*.bin")
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-100] + bytes(100))
    assert run_script(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path), **BY_NUMBA) == ["True"]
    assert machine_code.read_code(damaged)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert machine_code.read_code(damaged) is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="without users of POSIX")
def test_a_file_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "kernel.bin"
    machine_code.write_code(path, [b"first", b""])
    assert machine_code.read_code(path) == [b"first", b""]
    assert path.parent.stat().st_mode & 0o077 == 0
    path.chmod(0o620)
    assert machine_code.read_code(path) is None


def test_without_a_writable_folder_a_kernel_is_still_compiled(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run_script(SCRIPT, NUMBA_CACHE_DIR=str(blocked)) == [str(not SHIPPED)]
    assert run_script(SCRIPT, NUMBA_CACHE_DIR=str(blocked), **BY_NUMBA) == ["True"]


def test_the_folder_is_that_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert machine_code.folder() == tmp_path / "antecede" / "kernels"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "own"))
    assert machine_code.folder() == tmp_path / "own" / "antecede"


def test_a_kernel_that_cannot_be_kept_is_still_compiled() -> None:
    names: dict[str, Any] = {"odd": object()}
    exec("def add_one(numbers):\n    numbers[0] += 1\n    if False:\n        odd", names)  # noqa: S102
    numbers = np.array([41], np.int64)
    compile_kernel(types.void(types.int64[::1]))(names["add_one"])(numbers)
    assert numbers.tolist() == [42]


def test_results_and_arguments_of_each_type() -> None:
    numbers = np.arange(4)
    assert (add_to_all(numbers, 2), numbers.tolist()) == (4, [6, 7, 8, 9])
    assert (add_to_all(numbers, np.int32(-2)), numbers.tolist()) == (4, [0, 1, 2, 3])
    table = np.ones((2, 3), np.float32)
    table.flags.writeable = False
    assert add_numbers(table, 0.5, 1, True, np.uint64(2**63)) == 2 * (2**63 + 7.5)
    assert add_numbers(table[:0], np.float32(0.1), -1.0, np.False_, 0) == float(np.float32(0.1)) - 1
    marks = np.zeros(3, np.bool_)
    mark(marks, np.array([0, 0, 1], np.uint8))
    assert marks.tolist() == [False, True, True]


def test_mapped_arrays_and_types_with_two_names_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "numbers").write_bytes(np.arange(3, dtype="<i8").tobytes())
    mapped = np.memmap(tmp_path / "numbers", "<i8", "r+")
    assert add_to_all(mapped, 1) == 3
    assert mapped.tolist() == [3, 4, 5]
    for code in "lq":
        assert add_to_all(np.zeros(2, code), 1) == 2


READ_ONLY_ARRAY = np.zeros(2, np.int64)
READ_ONLY_ARRAY.flags.writeable = False


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.zeros(2, np.int32), 1), TypeError, "argument 1 must be a writable array of int64"),
        ((np.zeros(2, np.uint64), 1), TypeError, "argument 1"),
        ((np.zeros(2, ">i8"), 1), TypeError, "argument 1"),
        ((np.zeros((2, 2), np.int64), 1), TypeError, "1-dimensional"),
        ((np.zeros(4, np.int64)[::2], 1), TypeError, "contiguous"),
        ((np.frombuffer(bytes(17), np.int64, 2, 1), 1), TypeError, "argument 1"),
        ((READ_ONLY_ARRAY, 1), TypeError, "writable"),
        (([1, 2], 1), TypeError, "argument 1"),
        ((None, 1), TypeError, "argument 1"),
        ((np.zeros(2, np.int64), 1.5), TypeError, "integer"),
        ((np.zeros(2, np.int64), 2**63), OverflowError, "too big"),
        ((np.zeros(2, np.int64),), TypeError, "takes 2 arguments"),
        ((np.zeros(2, np.int64), 1, 1), TypeError, "takes 2 arguments"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        add_to_all(*arguments)


def test_a_negative_number_is_not_a_natural_one() -> None:
    with pytest.raises(OverflowError):
        add_numbers(np.zeros((1, 1), np.float32), 0, 0, False, -1)
    with pytest.raises(TypeError):
        add_numbers(np.zeros((1, 1), np.float32), "0", 0, False, 1)


def test_the_interpreter_lock_is_released() -> None:
    @compile_kernel(types.int64(types.int64[::1]))
    def wait(flag: Any) -> int:
        """Bounds: the array has one number."""
        rounds = 0
        while flag[0] == 0 and rounds < 1 << 40:
            rounds += 1
            flag[1] = rounds
        return rounds

    flag = np.zeros(2, np.int64)
    wait(np.ones(2, np.int64))  # compiled
    thread = threading.Thread(target=wait, args=(flag,))
    thread.start()
    flag[0] = 1  # this line is reached only if the kernel does not hold the lock
    thread.join(600)
    assert not thread.is_alive()


def digest_of(source: str, **values: Any) -> str:
    names: dict[str, Any] = dict(values)
    exec(source, names)  # noqa: S102
    path = machine_code.Store().path(names["kernel"], types.void(types.int64))
    assert path is not None
    return path.stem


def test_the_file_of_a_kernel_depends_on_all_that_it_refers_to() -> None:
    source = "def kernel(n):\n    return helper(n) + LIMIT"

    def helper(n: int) -> int:
        return n + 1

    def other(n: int) -> int:
        return n + 2

    same = digest_of(source, helper=helper, LIMIT=np.uint64(1))
    assert same == digest_of(source, helper=compile_helper(helper), LIMIT=np.uint64(1), unrelated=7)
    changed = [
        digest_of(source, helper=other, LIMIT=np.uint64(1)),
        digest_of(source, helper=helper, LIMIT=np.uint64(2)),
        digest_of(source, helper=helper, LIMIT=np.uint32(1)),
        digest_of(source, helper=helper, LIMIT=np.array([1, 2])),
        digest_of(source, helper=helper, LIMIT=np.array([1, 3])),
        digest_of(source.replace("+", "-"), helper=helper, LIMIT=np.uint64(1)),
    ]
    assert len({same, *changed}) == 7


def test_the_environment_names_processor_versions_and_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    before = machine_code.describe_environment()
    name, features = machine_code.processor()
    assert name.encode() in before
    assert features.encode() in before
    assert np.__version__.encode() in before
    numba_version = importlib.import_module("numba").__version__
    assert numba_version.encode() in before
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    assert machine_code.describe_environment() == before
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert machine_code.describe_environment() != before


def test_only_kernels_that_no_search_needs_are_called_by_numba() -> None:
    """Each kernel has a digest, and takes arguments that its entry point supports."""
    store, found = machine_code.Store(), all_kernels()
    assert len(found) > 35
    for name, kernel in found.items():
        assert store.path(kernel.__wrapped__, kernel.signature) is not None, name
    assert {name for name, kernel in found.items() if not kernel.is_supported} <= CALLED_BY_NUMBA


def test_arrays_are_laid_out_as_expected() -> None:
    assert machine_code.knows_arrays()


def test_signatures_have_contiguous_arrays_only() -> None:
    with pytest.raises(ValueError, match="contiguous"):
        types.int64[:]
    with pytest.raises(ValueError, match="C order"):
        types.Array(types.int64, 1, "A")
    numba = importlib.import_module("numba")
    ours = types.Tuple((types.int64, types.float32[:, ::1]))(READ_ONLY, types.UniTuple(types.int64, 2))
    theirs = numba.types.Tuple((numba.types.int64, numba.types.float32[:, ::1]))(
        numba.types.Array(numba.types.float32, 2, "C", readonly=True), numba.types.UniTuple(numba.types.int64, 2)
    )
    assert ours.of_numba(numba.types) == theirs


def test_kernels_can_be_loaded_ahead_of_the_first_analyser() -> None:
    script = (
        "import sys; from antecede.text import load_kernels; tables = 'antecede.text.term_tables'; "
        "before = tables in sys.modules; load_kernels(); print(before, tables in sys.modules)"
    )
    assert run_script(script) == ["False", "True"]


@pytest.mark.parametrize("end", ["print(flush=True); input()", "sys.exit(1)"])
def test_a_process_waits_for_what_the_other_is_compiling(end: str) -> None:
    """Until the other has done it, or has ended without having done it; for nothing else."""
    script = f"import sys; print('a:b'); print('c:d', flush=True); input(); {end}"
    pipe = subprocess.PIPE
    child = subprocess.Popen([sys.executable, "-c", script], stdin=pipe, stdout=pipe, bufsize=0)
    assert child.stdin is not None
    helper = Helper(child)
    try:
        until = time.monotonic() + 300
        while helper.current != "c:d" and time.monotonic() < until:
            time.sleep(0.01)
        assert not helper.wait_for("a:b")
        assert helper.current == "c:d"
        threading.Timer(0.2, child.stdin.write, (b"\n",)).start()
        assert helper.wait_for("c:d")
        assert helper.current == ""
        assert not helper.wait_for("c:d")
    finally:
        child.stdin.close()
        child.kill()
        child.wait()


def test_a_function_may_be_freed_after_all_that_loaded_it() -> None:
    """As the process ends, in any order: Python reads the definition of a function when it frees it."""
    script = """
import gc, sys, weakref
from antecede.text import compiler, machine_code
from antecede.index import codec
made = []
class Watched(machine_code.Method):
    def __init__(self, *fields):
        super().__init__(*fields)
        made.append(weakref.ref(self))
machine_code.Method = Watched
codec.decode_into.load()
function = codec.decode_into.call
compiler.start_loader().kept.clear()
compiler.start_loader.cache_clear()
gc.collect()
print(len(made), made[0]() is not None, type(function).__name__)
"""
    assert run_script(script) == ["1", "True", "builtin_function_or_method"]
