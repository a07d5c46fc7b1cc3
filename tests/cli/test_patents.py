"""The verbs that read patents: formats, topics, show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.corpus.worlds import COLLECTION, marec, write_jsonl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_jsonl(tmp_path / "c.jsonl", *COLLECTION)
    (tmp_path / "a.xml").write_text(marec("1000000", "A1"))
    (tmp_path / "zeros").write_bytes(bytes(5000))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_formats_are_listed_and_explained(program: Program) -> None:
    listed = program("list", "formats")
    assert "<patent-document>" in listed.out
    assert {each["name"] for each in json.loads(program("list", "formats", "--json").out)} >= {"marec", "jsonl", "epo"}
    assert "doc_id" in program("list", "formats", "jsonl").out


@pytest.mark.usefixtures("here")
def test_formats_tells_what_files_hold(program: Program) -> None:
    seen = program("list", "formats", "c.jsonl", "a.xml", "zeros", "--rejects", "r.jsonl", "--json")
    assert seen.code == 1
    assert [each["documents"] for each in json.loads(seen.out)] == [5, 1, 0]
    table = program("list", "formats", "zeros")
    assert "a file of zeros" in table.out


@pytest.mark.usefixtures("here")
def test_a_path_that_is_not_there_is_one_clear_line(program: Program) -> None:
    seen = program("show", "nothing.xml", "--quiet")
    assert seen.code == 2
    assert seen.err.count("\n") == 1
    assert "nothing.xml" in seen.err


def test_topics_writes_both_files(program: Program, here: Path) -> None:
    seen = program("topics", "c.jsonl", "--out", "t", "--json", "--quiet")
    assert seen.code == 0
    assert json.loads(seen.out)["topics"] == 1
    assert (here / "t" / "qrels.txt").read_text() == "EP1000003 0 EP1000001 3\nEP1000003 0 EP1000002 2\n"


@pytest.mark.usefixtures("here")
def test_topics_without_any_say_so(program: Program) -> None:
    seen = program("topics", "a.xml", "--out", "t", "--quiet")
    assert seen.code == 2
    assert "no topic" in seen.err


@pytest.mark.usefixtures("here")
def test_show_lists_or_shows(program: Program) -> None:
    assert "5 patents; name one to see it" in program("show", "c.jsonl").out
    assert "A press with a valve" in program("show", "c.jsonl", "EP-1000003").out
    assert json.loads(program("show", "a.xml", "--json").out)["doc_id"] == "EP1000000"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("field", ["doc_id", "=x", "doc_id="])
def test_a_field_written_wrongly_is_refused(program: Program, field: str) -> None:
    seen = program("show", "c.jsonl", "--field", field)
    assert seen.code == 2
    assert "ours=theirs" in seen.err
