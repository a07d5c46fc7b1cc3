"""Memory: a build keeps to its limit; where there is too little, a command ends in one line and exit code 2."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import antecede.index.assembly as matrix_writer
from antecede.index import build_index
from antecede.index.arrays import split_spans
from antecede.index.assembly import WorkLimits
from antecede.index.chunk import ChunkMaker, Settings
from antecede.parallel import CHUNK, PROCESS, resources_for
from antecede.text.profiles import Profile
from tests.index.worlds import each_once, random_collection, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tests.cli.conftest import Program

MB = 1 << 20


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(errno.ENOMEM, "no"), SystemError("NULL without setting an exception")]
)
def test_a_lack_of_memory_is_one_line_and_no_damage(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_: Path) -> None:
        raise error

    build_index(write(tmp_path / "a.jsonl", each_once(1, 20)), tmp_path / "index", workers=1)
    monkeypatch.setattr("antecede.index.verify.file_of", fail)
    found = program("verify", str(tmp_path / "index"))
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("antecede: not enough memory; ")
    assert found.err.count("\n") == 1


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
    for memory, most in ((512 * 10**6, 1), (10**9, 8), (4 * 10**9, 8), (16 * 10**9, 8)):
        shared = resources_for(memory, workers)
        assert min(workers, most) >= shared.workers >= min(workers, 8 if memory > 10**10 else 1)
        assert shared.tables > 0
        room = WorkLimits(shared.memory, ThreadPoolExecutor(1), shared.workers, positions=True)
        assert room.postings * matrix_writer.BYTES_A_POSTING * 2 * shared.workers <= shared.memory
        assert shared.memory + shared.tables + PROCESS <= memory
        assert shared.workers * (shared.tables + PROCESS + CHUNK) <= memory
