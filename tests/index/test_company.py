"""Several at one index: one writer at a time, and readers that are never kept waiting or led astray."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import UsageError
from antecede.index import add_to_index, build_index, merge_index
from antecede.index import index as index_module
from antecede.index.commit import write_lock
from antecede.index.files import read_array
from tests.conftest import call_program
from tests.index.worlds import by_row, each_once, write

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.index.files import File


@pytest.mark.slow
def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", each_once(1, 20))
    index = tmp_path / "index"
    build_index(path, index, workers=1)
    with write_lock(index):
        for work in (
            lambda: add_to_index(index, path, workers=1),
            lambda: merge_index(index),
            lambda: build_index(path, index, workers=1, overwrite=True),
        ):
            with pytest.raises(UsageError, match="another process is writing to this index"):
                work()
        ended = call_program("add", index, path, "--quiet")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert EmbeddedEngine.open(index).documents == 20
    add_to_index(index, path, workers=1)


@pytest.mark.slow
def test_readers_see_the_old_state_or_the_new_while_another_adds_and_merges(tmp_path: Path) -> None:
    index = tmp_path / "index"
    parts = [write(tmp_path / f"{at}.jsonl", each_once(at, 12)) for at in range(4)]
    build_index(parts[0], index, workers=1)
    code = (
        "import sys; from antecede.index import add_to_index, merge_index\n"
        "for _ in range(2):\n"
        "    for part in sys.argv[2:]:\n"
        "        add_to_index(sys.argv[1], part, workers=1)\n"
        "    merge_index(sys.argv[1])\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", code, str(index), *map(str, parts[1:])])
    held = [EmbeddedEngine.open(index)]
    seen = set()
    while writer.poll() is None or len(held) < 3:
        opened = EmbeddedEngine.open(index)
        rows = {language: by_row(opened, language) for language in opened.languages}
        assert opened.documents == sum(1 for segment in opened.segments for live in segment.live if live)
        seen.add((opened.manifest.generation, len(opened.segments)))
        assert rows
        if len(held) < 20:
            held.append(opened)
    assert writer.returncode == 0
    assert len(seen) > 1
    for opened in held:  # a state that was opened stays as it was, even where its segments were merged since
        assert all(by_row(opened, language) for language in opened.languages)
        for segment in opened.segments:
            assert len(segment.store.by_number(["title"], range(segment.documents))) == segment.documents
            assert segment.store.record(0).doc_id == segment.doc_ids(segment.order[:1] * 0)[0]


def test_segments_that_were_read_are_removed_by_the_next_writer(tmp_path: Path) -> None:
    index = tmp_path / "index"
    path = write(tmp_path / "a.jsonl", each_once(1, 20))
    build_index(path, index, workers=1)
    reader = EmbeddedEngine.open(index)
    build_index(path, index, workers=1, overwrite=True)
    assert {each.name for each in (index / "segments").iterdir()} == {"s000001", "s000002"}
    assert by_row(reader, "en")
    del reader
    add_to_index(index, write(tmp_path / "b.jsonl", each_once(2, 3)), workers=1)
    assert "s000001" not in {each.name for each in (index / "segments").iterdir()}


def test_a_list_of_replaced_documents_that_is_removed_while_it_is_read_leads_to_the_new_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    path = write(tmp_path / "a.jsonl", each_once(1, 20))
    build_index(path, index, workers=1)
    add_to_index(index, write(tmp_path / "b.jsonl", each_once(1, 5)), workers=1)
    assert any(segment.entry.deleted for segment in EmbeddedEngine.open(index).segments)
    merged: list[str] = []

    def merge_first(path: Path, file: File | None) -> Any:
        if not merged:
            merged.append(path.name)
            merge_index(index)
            path.unlink(missing_ok=True)
        return read_array(path, file)

    monkeypatch.setattr(index_module, "read_array", merge_first)
    opened = EmbeddedEngine.open(index)
    assert merged
    assert (len(opened.segments), opened.documents) == (1, 20)
