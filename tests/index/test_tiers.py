"""However often something is added, there are few segments, few open files, and the rankings of one build."""

from __future__ import annotations

import os
import random
from math import log10
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antecede.index.build as add_module
from antecede.corpus import Collection
from antecede.index import add_to_index, build_index, open_index, verify_index
from antecede.index.build import WIDTH, first_to_merge, tier_of
from tests.index.test_adding import facts, rankings
from tests.index.worlds import each_once, random_patent, write

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.corpus.document import Rejected


def added(sizes: list[int]) -> tuple[list[int], int]:
    """The segments after adds of these sizes, and how many documents were written."""
    segments: list[int] = []
    wrote = 0
    for size in sizes:
        segments.append(size)
        first = first_to_merge(segments)
        segments[first:] = [sum(segments[first:])]
        wrote += segments[-1]
    return segments, wrote


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 60)), min_size=1, max_size=300))
def test_replaced_documents_make_no_more_segments(steps: list[tuple[int, int]]) -> None:
    segments: list[int] = []
    total = 0
    for size, replaced in steps:
        for at in range(len(segments)):  # the oldest documents are replaced first
            gone = min(segments[at], replaced)
            segments[at] -= gone
            replaced -= gone
        segments.append(size)
        first = first_to_merge(segments)
        segments[first:] = [sum(segments[first:])]
        total += size
    assert len(segments) <= (WIDTH - 1) * (1 + int(log10(total)))


@given(st.lists(st.integers(1, 9) | st.integers(1, 5000), min_size=1, max_size=300))
def test_segments_are_few_and_documents_are_seldom_written_again(sizes: list[int]) -> None:
    segments, wrote = added(sizes)
    total = sum(sizes)
    assert sum(segments) == total
    tiers = [tier_of(size) for size in segments]
    assert tiers == sorted(tiers, reverse=True)
    assert all(tiers.count(each) < WIDTH for each in tiers)
    assert len(segments) <= (WIDTH - 1) * (1 + int(log10(total)))
    assert wrote <= total * (1 + 1 + int(log10(total)))


def test_ten_thousand_adds_of_one_document() -> None:
    segments, wrote = added([1] * 10_000)
    assert segments == [10_000]
    assert wrote <= 5 * 10_000
    assert added([1] * 9_999)[0] == [1000] * 9 + [100] * 9 + [10] * 9 + [1] * 9


@pytest.mark.parametrize(
    ("sizes", "first"),
    [
        ([5], 0),
        ([5, 5], 1),
        ([5, 12], 0),  # smaller ones before it are taken in
        ([12, 5], 1),
        ([1] * 9, 8),
        ([1] * 10, 0),
        ([40, *[1] * 10], 1),
        ([*[10] * 9, *[1] * 10], 0),  # ten of one become one of ten, the tenth
        ([100, 0, 0, 3], 1),  # segments all of whose documents were replaced
        ([5, *[12] * 8, 11], 0),  # one that was larger when the next was added
    ],
)
def test_what_is_merged(sizes: list[int], first: int) -> None:
    assert first_to_merge(sizes) == first


def test_forty_adds_rank_as_one_build(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311
    patents = [random_patent(chance, chance.randint(1, 30)) for _ in range(40)]
    last = {each["doc_id"]: each for each in patents}
    for number, patent in enumerate(patents):
        path = write(tmp_path / "one.jsonl", [patent])
        if number == 0:
            build_index(path, tmp_path / "index", workers=1)
        else:
            add_to_index(tmp_path / "index", path, workers=1)
    build_index(write(tmp_path / "all.jsonl", last.values()), tmp_path / "whole", workers=1)
    index, whole = open_index(tmp_path / "index"), open_index(tmp_path / "whole")
    assert len(index.segments) < 12
    assert {each.name for each in (tmp_path / "index" / "segments").iterdir() if each.is_dir()} == {
        segment.name for segment in index.segments
    }
    assert facts(index) == facts(whole)
    assert rankings(index) == rankings(whole)
    assert verify_index(tmp_path / "index").problems == ()
    counts = index.manifest.counts
    assert (counts["read"], counts["indexed"], counts["replaced"]) == (40, 40, 40 - len(last))


def test_an_add_reports_what_it_added_not_what_it_merged(tmp_path: Path) -> None:
    build_index(write(tmp_path / "a.jsonl", [*each_once(1, 5), {"title": "x"}]), tmp_path / "index", workers=1)
    rejects: list[Rejected] = []
    new = [{"doc_id": f"EP{2000000 + number}", "language": "en", "title": "a press"} for number in range(12)]
    collection = Collection(write(tmp_path / "b.jsonl", [*new, {"title": "y"}]), on_reject=rejects.append)
    done = add_to_index(tmp_path / "index", collection, workers=1)
    assert (done.read, done.indexed, done.rejected, dict(done.languages)) == (13, 12, 1, {"en": 12})
    assert len(rejects) == 1
    index = open_index(tmp_path / "index")
    assert len(index.segments) == 1
    assert len(list(index.segments[0].rejects())) == 2
    assert verify_index(tmp_path / "index").problems == ()


def test_going_on_after_a_kill_reports_the_add_and_not_the_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(write(tmp_path / "a.jsonl", [*each_once(1, 5), {"title": "x"}]), tmp_path / "index", workers=1)
    path = write(tmp_path / "b.jsonl", [*each_once(2, 12), {"title": "y"}])
    with monkeypatch.context() as patch:
        patch.setattr("antecede.index.work_folder.Work.remove", lambda _: None)
        first = add_to_index(tmp_path / "index", path, workers=1)
    rejects: list[Rejected] = []
    again = add_to_index(tmp_path / "index", Collection(path, on_reject=rejects.append), workers=1, resume=True)
    assert {**again.to_dict(), "seconds": 0} == {**first.to_dict(), "seconds": 0}
    assert len(rejects) == first.rejected == 1


def test_where_the_disk_is_too_full_to_merge_the_add_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(write(tmp_path / "a.jsonl", each_once(1, 5)), tmp_path / "index", workers=1)
    kept = add_module.new_segment

    def full(writer: Any, manifest: Any, parts: Any, counts: Any) -> Any:
        if len(parts) > 1:
            raise OSError(28, "No space left on device")
        return kept(writer, manifest, parts, counts)

    monkeypatch.setattr(add_module, "new_segment", full)
    add_to_index(tmp_path / "index", write(tmp_path / "b.jsonl", each_once(2, 12)), workers=1)
    assert len(open_index(tmp_path / "index").segments) == 2
    monkeypatch.undo()
    more = [{"doc_id": f"EP{2000000 + number}", "language": "en", "title": "a press"} for number in range(100)]
    add_to_index(tmp_path / "index", write(tmp_path / "c.jsonl", more), workers=1)
    assert len(open_index(tmp_path / "index").segments) == 1
    assert verify_index(tmp_path / "index").problems == ()


def test_open_files_do_not_grow_with_adds(tmp_path: Path) -> None:
    build_index(write(tmp_path / "a.jsonl", each_once(1, 1)), tmp_path / "index", workers=1)
    for seed in range(2, 25):
        add_to_index(tmp_path / "index", write(tmp_path / "b.jsonl", each_once(seed, 1)), workers=1)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    index = open_index(tmp_path / "index")
    rankings(index)
    assert len(os.listdir("/proc/self/fd")) - before <= 2 * len(index.segments) * 2  # noqa: PTH208
    assert len(index.segments) <= 2 * (WIDTH - 1)
