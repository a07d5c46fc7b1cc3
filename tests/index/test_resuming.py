"""What a build did before it was stopped is used again, if it is whole and of the same input."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import UsageError
from antecede.index import add_to_index, build_index, merge_index, verify_index
from tests.conftest import antecede
from tests.index.worlds import all_bytes, busy_collection, each_once, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def stopped() -> Iterator[None]:
    """Whoever builds meanwhile is stopped when all is read, before it is put together."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("antecede.index.build"), "assemble", stop)
        with pytest.raises(KeyboardInterrupt):
            yield


def test_an_unfinished_add_survives_a_merge(tmp_path: Path) -> None:
    index = tmp_path / "index"
    paths = [write(tmp_path / f"{at}.jsonl", each_once(at, 12)) for at in range(3)]
    build_index(paths[0], index, workers=1)
    add_to_index(index, paths[1], workers=1)
    with stopped():
        add_to_index(index, paths[2], workers=1)
    merge_index(index)
    with pytest.raises(UsageError, match="unfinished build"):
        add_to_index(index, paths[1], workers=1)
    with pytest.raises(UsageError, match="of other files"):
        add_to_index(index, paths[1], workers=1, resume=True)
    before = EmbeddedEngine.open(index).documents
    done = add_to_index(index, paths[2], workers=1, resume=True)
    assert EmbeddedEngine.open(index).documents == before + done.indexed - done.replaced
    assert verify_index(index).ok


def test_a_build_is_not_gone_on_with_if_its_input_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", each_once(1, 12))
    with stopped():
        build_index(path, tmp_path / "index", workers=1)
    write(path, each_once(2, 12))
    with pytest.raises(UsageError, match="other files or settings"):
        build_index(path, tmp_path / "index", workers=1, resume=True)
    build_index(path, tmp_path / "index", workers=1, overwrite=True)
    assert EmbeddedEngine.open(tmp_path / "index").documents == 12


@pytest.mark.slow
def test_damaged_chunks_are_made_again(tmp_path: Path) -> None:
    path = busy_collection(tmp_path / "a.jsonl", 1, 800, 0)
    build_index(path, tmp_path / "whole", workers=1)
    with stopped():
        build_index(path, tmp_path / "index", workers=1)
    chunk = next((tmp_path / "index" / "work").rglob("chunk-000001"))
    data = bytearray(chunk.read_bytes())
    data[len(data) // 2] ^= 1
    chunk.write_bytes(data)
    build_index(path, tmp_path / "index", workers=1, resume=True)
    assert all_bytes(tmp_path / "index") == all_bytes(tmp_path / "whole")


def test_an_index_is_not_built_among_the_files_it_is_built_of(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", each_once(1, 3))
    with pytest.raises(UsageError, match="lies inside"):
        build_index(tmp_path, tmp_path / "index", workers=1)
    build_index(path, tmp_path / "index", workers=1)
    with pytest.raises(UsageError, match="lies inside"):
        add_to_index(tmp_path / "index", tmp_path, workers=1)


def test_standard_input_is_indexed_and_gone_on_with(tmp_path: Path) -> None:
    data = write(tmp_path / "a.jsonl", each_once(1, 12)).read_bytes()
    other = write(tmp_path / "b.jsonl", each_once(2, 12)).read_bytes()
    for given, name in ((data, "x"), (other, "y")):
        assert antecede("index", "-", "--out", tmp_path / name, "--quiet", "--workers", 1, stdin=given).code == 0
    assert EmbeddedEngine.open(tmp_path / "x").documents == EmbeddedEngine.open(tmp_path / "y").documents == 12
