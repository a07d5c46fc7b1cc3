"""The same collection gives the same bytes, however many work on it and whatever memory they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import antecede.index.assembly as matrix_writer
from antecede.index import add_to_index, build_index, merge_index
from tests.index.worlds import all_bytes, chunks_of, each_once, random_collection, write

if TYPE_CHECKING:
    from pathlib import Path

MEMORIES = (512 * 10**6, 2 * 10**9)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A collection whose documents stand apart, and another one to be added."""
    folder = tmp_path_factory.mktemp("files")
    first = write(folder / "c.jsonl", [*random_collection(7, 60, 40), {"title": "no name"}])
    return first, write(folder / "d.jsonl", each_once(8, 30))


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory, files: tuple[Path, Path]) -> dict[str, bytes]:
    """What one process makes of them with little memory."""
    with chunks_of(3):
        return indexed(tmp_path_factory.mktemp("wanted") / "index", files, workers=1, memory=MEMORIES[0])


def indexed(folder: Path, files: tuple[Path, Path], **how: Any) -> dict[str, bytes]:
    """Every byte of an index that was built, added to and merged."""
    build_index(files[0], folder, **how)
    found = {f"built {name}": data for name, data in all_bytes(folder).items()}
    add_to_index(folder, files[1], **how)
    found |= {f"added {name}": data for name, data in all_bytes(folder).items()}
    merge_index(folder, memory=how["memory"], workers=how["workers"])
    return found | {f"merged {name}": data for name, data in all_bytes(folder).items()}


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_workers_and_memory_change_nothing(tmp_path: Path, files: tuple[Path, Path], wanted: dict[str, bytes]) -> None:
    assert len(wanted) > 60
    assert indexed(tmp_path / "two", files, workers=2, memory=MEMORIES[1]) == wanted
    build_index(files[0], tmp_path / "three", workers=3, memory=MEMORIES[1])
    assert (
        all_bytes(tmp_path / "three").items()
        <= {name[6:]: data for name, data in wanted.items() if "built" in name}.items()
    )


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_ranges_of_terms_may_be_as_small_as_one_likes(
    tmp_path: Path, files: tuple[Path, Path], wanted: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_writer, "MIN_RANGE", 3)
    assert indexed(tmp_path / "small", files, workers=1, memory=MEMORIES[0]) == wanted
    monkeypatch.setattr(matrix_writer.WorkLimits, "postings", 5)
    assert indexed(tmp_path / "smaller", files, workers=1, memory=MEMORIES[0]) == wanted


def test_how_the_input_is_cut_changes_only_the_numbers(tmp_path: Path) -> None:
    """Each patent is one document here, so that not even its place changes."""
    path = write(tmp_path / "c.jsonl", each_once(9, 40))
    build_index(path, tmp_path / "whole", workers=1)
    with chunks_of(4):
        build_index(path, tmp_path / "cut", workers=1)
    assert all_bytes(tmp_path / "cut") == all_bytes(tmp_path / "whole")
