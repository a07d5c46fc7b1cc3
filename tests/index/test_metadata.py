"""The documents of a segment in the order of class and day, after builds, additions and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.errors import InputError
from antecede.index import add_to_index, build_index, merge_index, open_index, verify_index
from antecede.index.files import CLASS_ORDER
from antecede.index.manifest import read_manifest
from antecede.index.metadata import main_class
from tests.fuzz.index_worlds import seal
from tests.index.worlds import each_once, write

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.index.index import Segment


def keys_in_order(segment: Segment) -> list[tuple[str, int, int]]:
    order = segment.class_order
    assert order is not None
    classes = [main_class(row) for row in segment.store.all_rows()]
    return [(classes[number], int(segment.days[number]), number) for number in order.tolist()]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Two segments; documents of the second replace some of the first."""
    build_index(write(tmp_path / "a.jsonl", each_once(1, 40)), tmp_path / "index", workers=1)
    add_to_index(tmp_path / "index", write(tmp_path / "b.jsonl", each_once(2, 30)), workers=1)
    return tmp_path / "index"


def test_documents_are_ordered_by_class_then_day(index: Path) -> None:
    opened = open_index(index)
    assert len(opened.segments) == 2
    merge_index(index, workers=1)
    for segment in (*opened.segments, *open_index(index).segments):
        keys = keys_in_order(segment)
        assert keys == sorted(keys)
        assert len({key[0] for key in keys}) > 3
    assert [number for *_, number in keys] != sorted(number for *_, number in keys)
    assert verify_index(index).problems == ()


def test_the_main_class_is_the_first_of_the_ipc_or_else_of_the_cpc() -> None:
    row: list[Any] = [""] * 14
    assert main_class(row) == ""
    row[10] = "G06F 17/30\nH04L 1/00"
    assert main_class(row) == "G06F 17/30"
    row[9] = "A61K 31/00"
    assert main_class(row) == "A61K 31/00"


def without_order(folder: Path) -> None:
    """Make an index what an earlier version wrote."""
    manifest = read_manifest(folder)
    for entry in manifest.segments:
        (folder / "segments" / entry.name / CLASS_ORDER).unlink()
        del entry.files[CLASS_ORDER]
    manifest.write(folder)


def test_an_index_without_the_order_is_searched_and_gains_it_by_a_merge(index: Path) -> None:
    merge_index(index, workers=1)
    names = open_index(index).segments[0].doc_ids(np.arange(5))
    without_order(index)
    (segment,) = open_index(index).segments
    assert segment.class_order is None
    assert segment.doc_ids(np.arange(5)) == names
    assert verify_index(index).problems == ()
    merge_index(index, workers=1)
    (segment,) = open_index(index).segments
    assert keys_in_order(segment) == sorted(keys_in_order(segment))
    assert segment.doc_ids(np.arange(5)) == names


@pytest.mark.parametrize("order", ["swapped", "repeated"])
def test_a_wrong_order_is_found(index: Path, order: str) -> None:
    merge_index(index, workers=1)
    path = index / "segments" / open_index(index).segments[0].name / CLASS_ORDER
    numbers = np.fromfile(path, "<u4")
    numbers[0], numbers[-1] = (numbers[-1], numbers[0]) if order == "swapped" else (numbers[1], numbers[-1])
    path.write_bytes(numbers.tobytes())
    assert any(CLASS_ORDER in problem for problem in verify_index(index).problems)
    with pytest.raises(InputError, match=CLASS_ORDER):
        _ = open_index(index).segments[0].class_order
    seal(index)
    assert any(CLASS_ORDER in problem for problem in verify_index(index).problems)
