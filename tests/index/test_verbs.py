"""The verbs that keep an index: index, add, merge, verify, info, and show of a patent in one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from antecede.cli.output import show_build_progress
from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import UsageError
from antecede.index import BuildProgress
from antecede.parallel import parse_size
from tests.index.worlds import each_once, random_collection, write

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

QUICK = ("--workers", "1", "--quiet")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two collections, in which the program is called."""
    write(tmp_path / "a.jsonl", random_collection(1, 30, 12))
    write(tmp_path / "b.jsonl", each_once(2, 8))
    write(tmp_path / "bad.jsonl", [{"doc_id": "a"}, {"title": "no name"}])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_index_from_its_making_to_its_merging(program: Program, here: Path) -> None:
    made = program("index", "a.jsonl", "--out", "x", "--json", *QUICK)
    assert made.code == 0
    assert set(made.json) == {"read", "indexed", "merged", "rejected", "languages", "seconds"}
    assert made.json["read"] == 30 == made.json["indexed"] + made.json["merged"] + made.json["rejected"]
    more = program("add", "x", "b.jsonl", "--json", *QUICK).json
    assert more["read"] == more["indexed"] == 8
    index = EmbeddedEngine.open(here / "x")
    told = program("info", "x", "--json").json
    assert told["documents"] == index.documents == made.json["indexed"] + 8 - more["replaced"]
    assert told["segments"] == 2
    assert told["languages"]["en"]["documents"] == index.statistics("en").documents
    assert told["bytes"]["total"] > told["bytes"]["by_term"] > 0
    assert told["settings"]["profile"] == "default"
    assert program("merge", "x", "--quiet", "--json").json["segments"] == 2
    assert program("info", "x", "--json").json["documents"] == told["documents"]
    checked = program("verify", "x", "--json", "--quiet")
    assert (checked.code, checked.json) == (0, {"ok": True, "problems": []})


@pytest.mark.usefixtures("here")
def test_tables_for_people(program: Program) -> None:
    words = ("index", "a.jsonl", "--out", "x", "--fields", "title, abstract", "--profile", "published")
    assert "indexed" in program(*words, "--workers", "1").out
    told = program("info", "x").out
    assert "title, abstract" in told
    assert "published" in told
    assert "all as they were written" in program("verify", "x", "--quiet").out
    program("add", "x", "b.jsonl", *QUICK)
    assert "2 segments merged into one" in program("merge", "x").out


def test_what_is_rejected_is_told_and_too_much_of_it_is_exit_code_1(program: Program, here: Path) -> None:
    made = program("index", "bad.jsonl", "--out", "x", "--rejects", "r.jsonl", "--workers", "1")
    assert made.code == 1
    assert "no doc_id" in made.out
    kept = here / "x" / "segments" / "s000001" / "rejects.jsonl"
    assert made.err.endswith("rejected documents and reasons: r.jsonl\n")
    assert kept.read_bytes() == (here / "r.jsonl").read_bytes()
    assert json.loads(kept.read_text())["document"] == 2
    strict = program("index", "bad.jsonl", "--out", "y", "--strict", *QUICK)
    assert (strict.code, strict.err.count("\n")) == (2, 1)
    assert "no doc_id" in strict.err
    assert not (here / "y").exists()


def test_damage_is_exit_code_1_and_no_index_is_exit_code_2(program: Program, here: Path) -> None:
    program("index", "b.jsonl", "--out", "x", *QUICK)
    path = here / "x" / "segments" / "s000001" / "days.i32"
    path.write_bytes(path.read_bytes()[::-1])
    found = program("verify", "x", "--json", "--quiet")
    assert found.code == 1
    assert found.json["ok"] is False
    assert "days.i32" in found.json["problems"][0]
    assert "days.i32" in program("verify", "x", "--quiet").out
    for verb in ("verify", "info", "merge"):
        seen = program(verb, "nowhere")
        assert (seen.code, seen.err.count("\n")) == (2, 1)
        assert "no such index" in seen.err


@pytest.mark.usefixtures("here")
def test_show_finds_a_patent_in_an_index(program: Program) -> None:
    program("index", "b.jsonl", "--out", "x", *QUICK)
    name = each_once(2, 8)[3]["doc_id"]
    shown = program("show", "x", f"{name[:2]}-{name[2:]}-A1", "--json")
    assert shown.json["doc_id"] == name
    assert name in program("show", "x", name).out
    assert "name one of the patents" in program("show", "x").err
    assert "is not in the index" in program("show", "x", "EP9999999").err


@pytest.mark.usefixtures("here")
def test_a_folder_with_another_manifest_is_shown_as_files(program: Program, here: Path) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "manifest.json").write_text('{"name": "a web page"}')
    write(here / "sub" / "c.jsonl", each_once(3, 1))
    assert program("show", "sub", "--quiet").code == 0


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--memory", "2QB"), "'2QB' is not a size"),
        (("--memory", "10MB"), "too few"),
        (("--profile", "mine"), "unknown profile 'mine'; choose one of published, default"),
        (("--fields", "titel"), "no text field is called 'titel'; there are title, abstract, claims, description"),
        (("--fields", ","), "at least one text field: title, abstract, claims, description"),
        (("--workers", "0"), "workers"),
    ],
)
def test_a_wrong_call_is_one_clear_line(program: Program, words: tuple[str, ...], message: str) -> None:
    seen = program("index", "a.jsonl", "--out", "x", "--quiet", *words)
    assert (seen.code, seen.err.count("\n")) == (2, 1)
    assert message in seen.err


def test_a_build_that_went_on_to_its_end_has_nothing_to_resume(program: Program, here: Path) -> None:
    program("index", "b.jsonl", "--out", "x", *QUICK)
    assert "holds an index already; " in program("index", "b.jsonl", "--out", "x", *QUICK).err
    assert "no unfinished build" in program("index", "b.jsonl", "--out", "x", "--resume", *QUICK).err
    assert program("index", "a.jsonl", "--out", "x", "--overwrite", *QUICK).code == 0
    assert EmbeddedEngine.open(here / "x").documents <= 12


def test_sizes() -> None:
    sizes = {"2GB": 2 * 10**9, "1.5g": 15 * 10**8, "700MiB": 700 << 20, " 3 TB ": 3 * 10**12, "9": 9}
    assert {written: parse_size(written) for written in sizes} == sizes
    for written in ("", "GB", "2 XB", "-1GB", "2iB", "two", "1e9", "2GB2"):
        with pytest.raises(UsageError, match="is not a size"):
            parse_size(written)


def test_how_far_it_is_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("antecede.cli.output.EVERY_SECONDS", 0.0)
    with show_build_progress(quiet=False) as report:
        now = 110.0
        report(BuildProgress("reading", 500, 0, 0))
        report(BuildProgress("reading", 500, 25, 100))
        report(BuildProgress("terms, en", 500, 1, 4))
        now = 120.0
        report(BuildProgress("terms, en", 500, 2, 4))
    assert capsys.readouterr().err.splitlines() == [
        "reading: 500 documents, 50/s",
        "reading: 500 documents, 50/s, 25 %, 0:30 left",
        "assembling: terms, en, 25 %, 0:00 left",
        "assembling: terms, en, 50 %, 0:10 left",
    ]
