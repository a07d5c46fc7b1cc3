"""Memory: a build keeps to its limit; where there is too little, a command ends in one line and exit code 2."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import antecede.index.matrix_writer as matrix_writer
from antecede.index import build_index
from antecede.index.arrays import split_spans
from antecede.index.chunk import ChunkMaker, Settings
from antecede.index.matrix_writer import WorkLimits
from antecede.index.resources import CHUNK, PROCESS, resources_for
from antecede.text.profiles import Profile
from tests.index.worlds import each_once, random_collection, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

MB = 1 << 20


@pytest.mark.parametrize("size", [150, 250, 350, 400, 425, 500])
def test_a_small_address_space_ends_in_one_line(tmp_path: Path, size: int) -> None:
    resource = pytest.importorskip("resource", reason="no limit can be set here")
    build_index(write(tmp_path / "a.jsonl", each_once(1, 20)), tmp_path / "index", workers=1)
    done = subprocess.run(
        [sys.executable, "-m", "antecede", "verify", str(tmp_path / "index")],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size * MB, size * MB)),
    )
    assert done.returncode in (0, 2), done.stderr
    if done.returncode:
        assert done.stderr.startswith("antecede: ")
        assert done.stderr.count("\n") == 1
    assert "damaged" not in done.stdout + done.stderr


def test_numba_is_loaded_without_scipy() -> None:
    code = "import sys, antecede.index.index, antecede.search, antecede.text.bulk; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_word_tables_are_discarded_once_they_exceed_their_share() -> None:
    for tables, kept in ((1, False), (1 << 30, True)):
        maker = ChunkMaker(Settings(Profile("plain", ()), tables=tables))
        first = maker.analyzer("en")
        assert (maker.analyzer("en") is first) == kept


def test_postings_are_assembled_in_ranges_that_fit_their_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[tuple[int, int]] = []

    def counted(numbers: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
        for first, last in split_spans(numbers, most):
            sizes.append((most, int(numbers[first:last].sum())))
            yield first, last

    monkeypatch.setattr(matrix_writer, "split_spans", counted)
    monkeypatch.setattr(matrix_writer, "SMALLEST_RANGE", 3)
    monkeypatch.setattr(matrix_writer.WorkLimits, "postings", 60)
    build_index(write(tmp_path / "c.jsonl", random_collection(7, 60, 40)), tmp_path / "index", workers=1)
    ranges = [size for most, size in sizes if most == 60]
    assert len(ranges) > 5
    assert all(size <= most for most, size in sizes)


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_the_ranges_in_work_together_fit_in_memory(workers: int) -> None:
    for memory in (512 * 10**6, 10**9, 4 * 10**9):
        shared = resources_for(memory, workers)
        room = WorkLimits(shared.memory, ThreadPoolExecutor(1), shared.workers)
        assert room.postings * matrix_writer.BYTES_A_POSTING * 2 * shared.workers <= shared.memory
        assert shared.memory + shared.tables + PROCESS <= memory
        assert shared.workers * (shared.tables + PROCESS + CHUNK) <= memory
