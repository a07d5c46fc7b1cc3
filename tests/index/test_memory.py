"""Memory: a build keeps to its limit; where there is too little, a command ends in one line and exit code 2."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

import antecede.index.assembly as matrix_writer
from antecede.index import build_index
from antecede.index.assembly import WorkLimits
from antecede.index.chunk import BuildSettings, ChunkMaker
from antecede.parallel import CHUNK, PROCESS, resources_for
from antecede.text.profiles import Profile
from tests.index.worlds import each_once, write

if TYPE_CHECKING:
    from pathlib import Path

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
    monkeypatch.setattr(import_module("antecede.index.verify"), "file_of", fail)
    found = program("verify", str(tmp_path / "index"))
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("antecede: not enough memory; ")
    assert found.err.count("\n") == 1


def test_word_tables_are_discarded_once_they_exceed_their_share() -> None:
    for tables, kept in ((1, False), (1 << 30, True)):
        maker = ChunkMaker(BuildSettings(Profile("plain", ()), tables=tables))
        first = maker.analyzer("en")
        assert (maker.analyzer("en") is first) == kept


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
