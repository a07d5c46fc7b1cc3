"""The verbs that read or make patents: formats, topics, show, synthesize."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import one_line
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


def test_topics_writes_both_files(program: Program, here: Path) -> None:
    seen = program("topics", "c.jsonl", "--out", "t", "--json", "--quiet")
    assert seen.code == 0
    assert json.loads(seen.out)["topics"] == 1
    assert (here / "t" / "qrels.txt").read_text() == "EP1000003 0 EP1000001 3\nEP1000003 0 EP1000002 2\n"


@pytest.mark.usefixtures("here")
def test_topics_without_any_say_so(program: Program) -> None:
    one_line(program("topics", "a.xml", "--out", "t", "--quiet"), "no topic")


@pytest.mark.usefixtures("here")
def test_show_lists_or_shows(program: Program) -> None:
    assert "5 patents; name one to see it" in program("show", "c.jsonl").out
    assert "A press with a valve" in program("show", "c.jsonl", "EP-1000003").out
    assert json.loads(program("show", "a.xml", "--json").out)["doc_id"] == "EP1000000"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("field", ["doc_id", "=x", "doc_id="])
def test_a_field_written_wrongly_is_refused(program: Program, field: str) -> None:
    one_line(program("show", "c.jsonl", "--field", field), "ours=theirs")


def test_it_writes_a_collection_and_counts_it(program: Program, tmp_path: Path) -> None:
    done = program("synthesize", "--patents", 120, "--topics", 5, "--out", tmp_path / "made", "--json", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert (done.json["patents"], done.json["topics"], done.json["seed"]) == (120, 5, 1)
    assert done.json["documents"] == len(list((tmp_path / "made").rglob("*.xml")))
    assert done.json["relevant"] == len((tmp_path / "made" / "qrels.txt").read_text().splitlines())


def test_the_table_has_the_counts(program: Program, tmp_path: Path) -> None:
    done = program("synthesize", "--patents", 100, "--form", "jsonl", "--out", tmp_path / "made", "-q")
    assert done.code == 0
    rows = dict(line.rsplit(maxsplit=1) for line in done.out.splitlines()[2:-1])
    assert (rows["patents"], rows["topics"]) == ("100", "25")
    assert {"documents", "patents in EN", "relevant per topic, mean", "megabytes", "seconds"} <= rows.keys()
