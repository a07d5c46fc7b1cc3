"""No verb deletes or overwrites a file that it did not make: every option that names a path is walked."""

from __future__ import annotations

import gzip
import inspect
import json
import os
import zipfile
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import pytest

from antecede.cli.app import load_verb, verb_names
from antecede.cli.bundles import expand_verb, marks_of
from antecede.cli.outputs import FOLDER, KINDS, Input, Output
from tests.conftest import antecede

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Program

NO_PATHS = {
    "at", "baseline", "before", "citations", "correction", "country", "doc_id", "field", "fields", "form", "grades",
    "ipc", "irrelevant", "keep", "language", "lose", "measures", "memory", "method", "model", "names", "profile",
    "fusion", "relevant", "sort", "test", "text", "weights",
    "by", "highlight", "lost", "set_", "tag",
    "features", "kind", "preset", "remove", "space",
    "after", "applicant", "cpc", "inventor", "must", "must_not", "undated", "with_words",
    "category", "claims", "estimator", "feedback", "maybe", "note", "relevance", "rule", "user",
    "allow_host", "case", "document_language", "host", "name",
}  # fmt: skip
"""Texts that are no paths, whatever the verb."""
READS = {"gate.baseline", "formats.names", "translate.names", "space.model"}
"""Texts of these names that are paths all the same."""


@cache
def parameters() -> dict[str, inspect.Parameter]:
    """Every option and argument of every verb, as `verb.option`."""
    verbs = {verb: expand_verb(load_verb(verb)) for verb in verb_names()}
    return {
        f"{verb}.{name}": each
        for verb, function in verbs.items()
        for name, each in inspect.signature(function).parameters.items()
    }


@cache
def marks() -> dict[str, Input | Output]:
    return {name: mark for name, each in parameters().items() for mark in marks_of([each]).values()}


def test_every_option_that_may_be_a_path_is_marked() -> None:
    for name, each in parameters().items():
        kind = str(get_args(each.annotation)[0])
        may_be_path = "Path" in kind or ("str" in kind and (name.partition(".")[2] not in NO_PATHS or name in READS))
        if each.annotation is not Any and may_be_path:
            assert name in marks(), f"{name} names a path: mark it Input() or Output(kind), or list it in NO_PATHS"
        elif name in marks():
            pytest.fail(f"{name} is marked, but listed in NO_PATHS")
        if "Path" in kind:
            assert isinstance(marks()[name], Output | Input)


def test_the_outputs_of_all_verbs() -> None:
    found = {name: mark.kind for name, mark in marks().items() if isinstance(mark, Output)}
    figures = ("agreement", "audit", "compare", "correlate", "cutoffs", "evaluate", "published", "robustness")
    studies = ("judges", "meta", "retrievability", "terms", "topics")
    reviews = ("review calibrate", "review simulate", "review status")
    assert found == {
        **{f"{verb}.figure": "figure" for verb in (*figures, *studies, *reviews)},
        **{f"{verb}.rejects": "rejects" for verb in ("add", "formats", "index", "topics")},
        **{f"{verb}.out": FOLDER for verb in ("demo", "experiment", "export", "index", "run", "synthesize", "topics")},
        "review start.out": FOLDER,
        "fuse.out": "run",
        "learn.out": "weights",
        "translate.out": "translation",
        "evaluate.save": "rank table",
        "gate.save": "topic scores",
        "report.out": "report",
        "review status.qrels": "marks",
        "review calibrate.out": "calibration",
        "review calibrate.rules_figure": "figure",
        "review calibrate.estimates_figure": "figure",
        "case export.out": "case",
        "case report.out": "report",
    }
    assert {*found.values()} - {FOLDER} <= {*KINDS}


def only_line(done: Any, *parts: str) -> None:
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    for part in parts:
        assert part in done.err


LINKS: dict[str, Callable[[Path, Path], None]] = {
    "itself": lambda _link, _file: None,
    "symlink": lambda link, file: link.symlink_to(file),
    "hard link": lambda link, file: link.hardlink_to(file),
}


@pytest.mark.parametrize("way", LINKS)
@pytest.mark.parametrize("verb", ["index", "formats", "topics"])
def test_rejects_never_go_to_the_collection(here: Path, program: Program, verb: str, way: str) -> None:
    path = here / "c.jsonl"
    path.write_text('{"doc_id": "EP1"}\n')
    out = path if way == "itself" else here / "other.jsonl"
    LINKS[way](out, path)
    more = ["--out", "x"] if verb != "formats" else []
    only_line(program(verb, "c.jsonl", "--rejects", out.name, *more), "is read by this call")
    assert path.read_text() == '{"doc_id": "EP1"}\n'
    assert not (here / "x").exists()


def test_standard_input_is_an_input(here: Path) -> None:
    before = (here / "good.run").read_bytes()
    with (here / "good.run").open("rb") as stream:
        saved = os.dup(0)
        os.dup2(stream.fileno(), 0)
        try:
            done = antecede("evaluate", "qrels", "-", "--save", "good.run")
        finally:
            os.dup2(saved, 0)
            os.close(saved)
    only_line(done, "good.run: is read by this call")
    assert (here / "good.run").read_bytes() == before


def test_a_file_in_a_folder_that_is_read_is_refused(here: Path, program: Program) -> None:
    folder = here / "c"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"doc_id": "EP1"}\n')
    for out in ("c/rejects.jsonl", "c/a.jsonl", "c/../c/new.jsonl", "c"):
        only_line(program("formats", "c", "--rejects", out))
    assert [each.name for each in folder.iterdir()] == ["a.jsonl"]


def test_rejects_of_an_earlier_reading_survive_a_call_that_fails(here: Path, program: Program) -> None:
    (here / "c.jsonl").write_text('{"doc_id": "EP1", "title": "x"}\nbroken\n')
    assert program("formats", "c.jsonl", "--rejects", "r.jsonl").code == 1
    before = (here / "r.jsonl").read_text()
    assert [json.loads(line)["document"] for line in before.splitlines()] == [2]
    only_line(program("formats", "c.jsonl", "none", "--rejects", "r.jsonl", "--quiet"), "none")
    only_line(program("index", "none", "--out", "x", "--rejects", "r.jsonl", "--quiet"), "none")
    assert (here / "r.jsonl").read_text() == before
    assert sorted(each.name for each in here.iterdir()) == ["c.jsonl", "good.run", "poor.run", "qrels", "r.jsonl"]
    (here / "d.jsonl").write_text('{"doc_id": "EP1", "title": "x"}\n')
    assert program("formats", "d.jsonl", "--rejects", "r.jsonl", "--quiet").code == 0
    assert (here / "r.jsonl").read_text() == ""


def test_rejects_of_all_paths_are_kept_and_each_is_written_once(here: Path, program: Program) -> None:
    (here / "a.jsonl").write_text("broken\n")
    (here / "b.jsonl").write_text("broken\n")
    program("formats", "a.jsonl", "b.jsonl", "--rejects", "r.jsonl", "--quiet")
    assert [json.loads(line)["file"] for line in (here / "r.jsonl").read_text().splitlines()] == ["a.jsonl", "b.jsonl"]
    lines = [
        {"doc_id": "EP1", "title": "x", "publication_date": "2001-01-01"},
        {"doc_id": "EP2", "title": "y", "publication_date": "2002-01-01", "citations": [{"number": "EP1"}]},
    ]
    (here / "c.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines) + "broken\n")
    program("topics", "c.jsonl", "--out", "t", "--rejects", "r.jsonl", "--quiet")
    assert [json.loads(line)["document"] for line in (here / "r.jsonl").read_text().splitlines()] == [3]


def foreign_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("head.npy", "mine")


FOREIGN: dict[str, tuple[list[str], Callable[[Path], Any]]] = {
    "ranks.npz": (["--save", "ranks.npz"], foreign_zip),
    "a.svg": (["--figure", "a.svg"], lambda path: path.write_text("<svg><title>mine</title></svg>")),
    "a.png": (["--figure", "a.png"], lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\nmine")),
    "a.pdf": (["--figure", "a.pdf"], lambda path: path.write_bytes(b"%PDF-1.4 my thesis")),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_stays_and_one_of_ours_is_replaced(here: Path, program: Program, name: str) -> None:
    words, write = FOREIGN[name]
    write(here / name)
    before = (here / name).read_bytes()
    only_line(program("evaluate", "qrels", "good.run", *words), f"{name}: already exists and is not", "remove it")
    assert (here / name).read_bytes() == before
    (here / name).write_bytes(b"")  # as mktemp makes it
    assert program("evaluate", "qrels", "good.run", *words).code == 0
    first = (here / name).read_bytes()
    assert program("evaluate", "qrels", "poor.run", *words).code == 0
    assert (here / name).read_bytes() != first


def test_two_outputs_do_not_share_a_file(here: Path, program: Program) -> None:
    for out in ("x.svg", "./x.svg"):
        only_line(program("evaluate", "qrels", "good.run", "--save", "x.svg", "--figure", out), "two outputs")
    (here / "c.jsonl").write_text('{"doc_id": "EP1"}\n')
    only_line(program("topics", "c.jsonl", "--out", "t", "--rejects", "t/qrels.txt"), "lies inside t")
    assert not (here / "t").exists()


def test_judgements_of_others_stay(here: Path, program: Program) -> None:
    lines = [{"doc_id": "EP1", "title": "x"}, {"doc_id": "EP2", "title": "y", "citations": [{"number": "EP1"}]}]
    (here / "c.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    (here / "t").mkdir()
    (here / "t" / "qrels.txt").write_text("EP2 0 EP1 3\n")
    only_line(program("topics", "c.jsonl", "--out", "t", "--quiet"), "t/qrels.txt: already exists")
    (here / "t" / "qrels.txt").unlink()
    for _ in range(2):  # its own are written again
        assert program("topics", "c.jsonl", "--out", "t", "--quiet").code == 0
    (here / "t" / "qrels.txt").write_text("EP7 0 EP1 3\n")
    only_line(program("topics", "c.jsonl", "--out", "t", "--quiet"), "t/qrels.txt: already exists")
    (here / "t" / "topics.jsonl").write_text("mine\n")
    only_line(program("topics", "c.jsonl", "--out", "t", "--quiet"), "t/topics.jsonl: already exists")
    assert (here / "t" / "topics.jsonl").read_text() == "mine\n"
    (here / "c.jsonl").rename(here / "topics.jsonl")
    before = (here / "topics.jsonl").read_bytes()
    only_line(program("topics", "topics.jsonl", "--out", ".", "--quiet"), "topics.jsonl: is read by this call")
    assert (here / "topics.jsonl").read_bytes() == before


def test_a_gate_renews_its_own_baseline_only(here: Path, program: Program) -> None:
    only_line(
        program("gate", "qrels", "good.run", "--baseline", "poor.run", "--save", "poor.run"), "poor.run: already exists"
    )
    assert program("gate", "qrels", "good.run", "--save", "b.json").code == 0
    assert program("gate", "qrels", "good.run", "--baseline", "b.json", "--save", "b.json").code == 0
    (here / "package.json").write_text('{"name": "mine"}')
    only_line(program("gate", "qrels", "good.run", "--save", "package.json"), "package.json: already exists")


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("EP1 Q0 EP2 1 3.5 tfidf\n", True),
        ("EP1 Q0 EP2 1 3.5 tfidf+lmipc\n", True),
        ("EP1 Q0 EP2 1 3.5 bm25-k1=2-b=0.5-+lm\n", True),
        ("EP1 Q0 EP2 1 3.5 Anserini\n", False),
        ("EP1 Q0 EP2 1 3.5 tfidf+mine\n", False),
        ("EP1 0 EP2 1\n", False),
        ("mine\n", False),
    ],
)
def test_a_run_of_ours_is_recognised_by_its_tag(tmp_path: Path, text: str, ours: bool) -> None:
    recognise = KINDS["run"][1]
    (tmp_path / "a.run").write_text(text)
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(text.encode()))
    assert (recognise(tmp_path / "a.run"), recognise(tmp_path / "a.run.gz")) == (ours, ours)


@pytest.mark.parametrize("options", [[], ["--overwrite"], ["--resume"]])
def test_only_an_index_is_built_over(here: Path, program: Program, options: list[str]) -> None:
    (here / "c.jsonl").write_text('{"doc_id": "EP1", "title": "a valve"}\n')
    folders: dict[str, dict[str, str]] = {
        "extension": {"manifest.json": '{"manifest_version": 3}', "popup.html": "mine"},
        "project": {"work/thesis.tex": "mine"},
        "locked": {"lock": "mine"},
        "half": {"segments/s000001/notes.txt": "mine"},
    }
    for name, files in folders.items():
        for file, text in files.items():
            (here / name / file).parent.mkdir(parents=True, exist_ok=True)
            (here / name / file).write_text(text)
        only_line(program("index", "c.jsonl", "--out", name, "--quiet", *options), name)
        left = {each.relative_to(here / name).as_posix(): each for each in (here / name).rglob("*") if each.is_file()}
        assert {file: each.read_text() for file, each in left.items()} == files


def test_foreign_files_in_the_folder_of_an_index_stay(here: Path, program: Program) -> None:
    (here / "c.jsonl").write_text('{"doc_id": "EP1", "title": "a valve"}\n')
    build = ["index", "c.jsonl", "--out", "i", "--quiet", "--workers", "1"]
    assert program(*build).code == 0
    mine = [here / "i" / name for name in ("notes.txt", ".manifest.json.bak", ".notes.markdown", "segments/photo.jpg")]
    for path in mine:
        path.write_text("mine")
    assert program(*build, "--overwrite").code == 0
    assert program("add", "i", "c.jsonl", "--quiet", "--workers", "1").code == 0
    assert program("merge", "i", "--quiet").code == 0
    assert [path.read_text() for path in mine] == ["mine"] * 4
    only_line(program("add", "i", "i/notes.txt", "--quiet"), "lies inside i")
    inner = here / "i" / "segments" / "s000004" / "notes.txt"
    inner.parent.mkdir(exist_ok=True)
    inner.write_text("mine")
    only_line(program(*build, "--overwrite"), "notes.txt was not written by antecede")
    assert inner.read_text() == "mine"


def test_an_empty_folder_of_the_user_survives_a_build_that_fails(here: Path, program: Program) -> None:
    (here / "empty").mkdir()
    (here / "c.jsonl").write_text("broken\n")
    only_line(program("index", "c.jsonl", "--out", "empty", "--quiet"), "no patent could be read")
    assert [*(here / "empty").iterdir()] == []
    only_line(program("index", "c.jsonl", "--out", "new", "--quiet"), "no patent could be read")
    assert not (here / "new").exists()


def test_messages_name_the_remedy_for_the_error(here: Path, program: Program) -> None:
    only_line(program("evaluate", "qrels", "good.run", "--save", "no/where.npz"), "create the folder first")
    only_line(program("evaluate", "qrels", "good.run", "--save", "qrels/x.npz"), "Not a directory")
    only_line(program("evaluate", "qrels", "good.run", "--save", "x" * 300), "choose a shorter name")
    (here / "full.svg").symlink_to("/dev/full")
    only_line(program("evaluate", "qrels", "good.run", "--figure", "full.svg"), "free some space")
    assert (here / "full.svg").is_symlink()
