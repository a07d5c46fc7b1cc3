"""No verb deletes or overwrites a file that it did not make: every option that names a path is walked."""

from __future__ import annotations

import inspect
import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import pytest

from antecede.cli import options
from antecede.cli.app import MODULES, load_verb
from antecede.cli.bundles import expand_verb, marks_of
from antecede.cli.outputs import Input, Output
from tests.cli.conftest import one_line
from tests.conftest import antecede

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Program

NO_PATHS = {
    "at", "baseline", "before", "citations", "correction", "country", "doc_id", "field", "fields", "form", "grading",
    "ipc", "irrelevant", "keep", "language", "measures", "memory", "method", "model", "names", "profile",
    "fusion", "relevant", "sort", "test", "text", "weights",
    "by", "highlight", "treat_as", "set_", "tag",
    "features", "kind", "preset", "remove", "show", "spaces",
    "after", "applicant", "cpc", "inventor", "must", "must_not", "where", "sets", "undated", "add_words",
    "category", "claims", "estimators", "feedback", "maybe", "note", "relevance", "rules", "user",
    "allow_host", "case", "document_language", "host", "name",
    "duplicates", "infinite", "interval", "malformed", "methods", "missing", "models", "no_relevant", "order", "ties",
    "unjudged", "prior", "over", "known", "languages", "topic_id",
    "prior_irrelevant", "team", "reason", "decision", "stage",
}  # fmt: skip
"""Texts that are no paths, whatever the verb."""
READS = {"topics.citations", "gate.baseline", "list formats.names", "learn translations.names", "learn space.model"}
"""Texts of these names that are paths all the same."""


@cache
def parameters() -> dict[str, inspect.Parameter]:
    """Every option and argument of every verb, as `verb.option`."""
    verbs = {verb: expand_verb(load_verb(verb)) for verb in MODULES}
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


def outputs() -> dict[str, Output]:
    """What each verb writes besides its table."""
    named = {name: mark for name, mark in marks().items() if isinstance(mark, Output)}
    table: Any = get_args(options.TableFile)[1]
    return {name: mark for name, mark in named.items() if mark is not table.path}


def test_a_verb_that_writes_a_file_takes_overwrite() -> None:
    writing = {name.partition(".")[0] for name, mark in marks().items() if isinstance(mark, Output) and not mark.folder}
    taking = {name.partition(".")[0] for name in parameters() if name.endswith(".overwrite")}
    assert taking == writing | {"run", "export"}  # whose --out is a file or a folder


@pytest.mark.parametrize(
    ("name", "begins"),
    [("t.md", b"| run"), ("t.csv", b"run,AP"), ("t.tex", b"% needs"), ("t.TXT", b"run "), ("t.json", b'{"topics"')],
)
def test_a_table_is_written_in_the_format_of_its_file(here: Path, program: Program, name: str, begins: bytes) -> None:
    words = ("evaluate", "qrels", "good.run", "-m", "AP", "--out", name)
    done = program(*words)
    assert (done.code, done.out) == (0, "")
    assert (here / name).read_bytes().startswith(begins)
    one_line(program(*words), "exists already")
    one_line(program(*words[:-1], "t.dat"), "the suffix is no format of a table", ".csv .html .json")
    assert program("audit", "qrels", "none.run", "--out", "audit.txt").code == 2
    assert not (here / "audit.txt").exists()


def test_a_table_is_written_where_the_exit_code_tells_what_it_says(here: Path, program: Program) -> None:
    done = program("gate", "qrels", "poor.run", "--baseline", "good.run", "-m", "AP", "--out", "gate.csv")
    printed = program("gate", "qrels", "poor.run", "--baseline", "good.run", "-m", "AP", "--format", "csv")
    assert (done.code, (here / "gate.csv").read_text()) == (printed.code, printed.out)


LINKS: dict[str, Callable[[Path, Path], None]] = {
    "itself": lambda _link, _file: None,
    "symlink": lambda link, file: link.symlink_to(file),
    "hard link": lambda link, file: link.hardlink_to(file),
}


@pytest.mark.parametrize("way", LINKS)
@pytest.mark.parametrize("verb", ["index", "list formats", "topics"])
def test_rejects_never_go_to_the_collection(here: Path, program: Program, verb: str, way: str) -> None:
    path = here / "c.jsonl"
    path.write_text('{"doc_id": "EP1"}\n')
    out = path if way == "itself" else here / "other.jsonl"
    LINKS[way](out, path)
    more = ["--out", "x"] if verb != "list formats" else []
    one_line(program(*verb.split(), "c.jsonl", "--rejects", out.name, *more), "is read by this call")
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
    one_line(done, "good.run: is read by this call")
    assert (here / "good.run").read_bytes() == before


def test_a_file_in_a_folder_that_is_read_is_refused(here: Path, program: Program) -> None:
    folder = here / "c"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"doc_id": "EP1"}\n')
    for out in ("c/rejects.jsonl", "c/a.jsonl", "c/../c/new.jsonl", "c"):
        one_line(program("list", "formats", "c", "--rejects", out))
    assert [each.name for each in folder.iterdir()] == ["a.jsonl"]


def test_rejects_of_an_earlier_reading_survive_a_call_that_fails(here: Path, program: Program) -> None:
    (here / "c.jsonl").write_text('{"doc_id": "EP1", "title": "x"}\nbroken\n')
    assert program("list", "formats", "c.jsonl", "--rejects", "r.jsonl").code == 1
    before = (here / "r.jsonl").read_text()
    assert [json.loads(line)["document"] for line in before.splitlines()] == [2]
    again = ("--rejects", "r.jsonl", "--quiet", "--overwrite")
    one_line(program("list", "formats", "c.jsonl", "none", *again), "none")
    one_line(program("index", "none", "--out", "x", *again), "none")
    assert (here / "r.jsonl").read_text() == before
    assert sorted(each.name for each in here.iterdir()) == ["c.jsonl", "good.run", "poor.run", "qrels", "r.jsonl"]
    (here / "d.jsonl").write_text('{"doc_id": "EP1", "title": "x"}\n')
    assert program("list", "formats", "d.jsonl", *again).code == 0
    assert (here / "r.jsonl").read_text() == ""


def test_rejects_of_all_paths_are_kept_and_each_is_written_once(here: Path, program: Program) -> None:
    (here / "a.jsonl").write_text("broken\n")
    (here / "b.jsonl").write_text("broken\n")
    program("list", "formats", "a.jsonl", "b.jsonl", "--rejects", "r.jsonl", "--quiet")
    assert [json.loads(line)["file"] for line in (here / "r.jsonl").read_text().splitlines()] == ["a.jsonl", "b.jsonl"]
    lines = [
        {"doc_id": "EP1", "title": "x", "publication_date": "2001-01-01"},
        {"doc_id": "EP2", "title": "y", "publication_date": "2002-01-01", "citations": [{"number": "EP1"}]},
    ]
    (here / "c.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines) + "broken\n")
    program("topics", "c.jsonl", "--out", "t", "--rejects", "r.jsonl", "--quiet", "--overwrite")
    assert [json.loads(line)["document"] for line in (here / "r.jsonl").read_text().splitlines()] == [3]


@pytest.mark.parametrize(("option", "name"), [("--save", "ranks.npz"), ("--figure", "a.svg"), ("--figure", "a.pdf")])
def test_a_file_stays_unless_it_may_be_replaced(here: Path, program: Program, option: str, name: str) -> None:
    (here / name).write_bytes(b"mine")
    words = ("evaluate", "qrels", "good.run", option, name)
    one_line(program(*words), f"{name}: exists already; --overwrite replaces it, or name another file")
    assert (here / name).read_bytes() == b"mine"
    (here / name).write_bytes(b"")  # as mktemp makes it
    assert program(*words).code == 0
    first = (here / name).read_bytes()
    one_line(program(*words), "exists already")
    assert program("evaluate", "qrels", "poor.run", option, name, "--overwrite").code == 0
    assert (here / name).read_bytes() != first


def test_two_outputs_do_not_share_a_file(here: Path, program: Program) -> None:
    for out in ("x.svg", "./x.svg"):
        one_line(program("evaluate", "qrels", "good.run", "--save", "x.svg", "--figure", out), "two outputs")
    (here / "c.jsonl").write_text('{"doc_id": "EP1"}\n')
    one_line(program("topics", "c.jsonl", "--out", "t", "--rejects", "t/qrels.txt"), "lies inside t")
    assert not (here / "t").exists()


def test_judgements_stay(here: Path, program: Program) -> None:
    lines = [{"doc_id": "EP1", "title": "x"}, {"doc_id": "EP2", "title": "y", "citations": [{"number": "EP1"}]}]
    (here / "c.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    (here / "t").mkdir()
    (here / "t" / "qrels.txt").write_text("EP7 0 EP1 3\n")
    make = ("topics", "c.jsonl", "--out", "t", "--quiet")
    one_line(program(*make), "t/qrels.txt: exists already")
    assert [each.name for each in (here / "t").iterdir()] == ["qrels.txt"]
    assert program(*make, "--overwrite").code == 0
    one_line(program(*make), "t/topics.jsonl: exists already")
    (here / "c.jsonl").rename(here / "topics.jsonl")
    before = (here / "topics.jsonl").read_bytes()
    words = ("topics", "topics.jsonl", "--out", ".", "--quiet", "--overwrite")
    one_line(program(*words), "topics.jsonl: is read by this call")
    assert (here / "topics.jsonl").read_bytes() == before


def test_a_gate_renews_its_baseline(here: Path, program: Program) -> None:
    assert program("gate", "qrels", "good.run", "--save", "b.json").code == 0
    renew = ("gate", "qrels", "good.run", "--baseline", "b.json", "--save", "b.json")
    one_line(program(*renew), "b.json: exists already")
    assert program(*renew, "--overwrite").code == 0


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
        one_line(program("index", "c.jsonl", "--out", name, "--quiet", *options), name)
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
    one_line(program("add", "i", "i/notes.txt", "--quiet"), "lies inside i")
    inner = here / "i" / "segments" / "s000004" / "notes.txt"
    inner.parent.mkdir(exist_ok=True)
    inner.write_text("mine")
    one_line(program(*build, "--overwrite"), "notes.txt was not written by antecede")
    assert inner.read_text() == "mine"


def test_an_empty_folder_of_the_user_survives_a_build_that_fails(here: Path, program: Program) -> None:
    (here / "empty").mkdir()
    (here / "c.jsonl").write_text("broken\n")
    one_line(program("index", "c.jsonl", "--out", "empty", "--quiet"), "no patent could be read")
    assert [*(here / "empty").iterdir()] == []
    one_line(program("index", "c.jsonl", "--out", "new", "--quiet"), "no patent could be read")
    assert not (here / "new").exists()


def test_messages_name_the_remedy_for_the_error(here: Path, program: Program) -> None:
    one_line(program("evaluate", "qrels", "good.run", "--save", "qrels/x.npz"), "Not a directory")
    one_line(program("evaluate", "qrels", "good.run", "--save", "x" * 300), "choose a shorter name")
    (here / "full.svg").symlink_to("/dev/full")
    one_line(program("evaluate", "qrels", "good.run", "--figure", "full.svg"), "free some space")
    assert (here / "full.svg").is_symlink()


@pytest.mark.slow
def test_quiet_silences_what_is_written_but_neither_failures_nor_a_format(here: Path, program: Program) -> None:
    texts: list[dict[str, Any]] = [
        {"doc_id": f"EP{number}", "title": "a valve and a spring", "citations": []} for number in range(1, 5)
    ]
    texts[-1]["citations"] = [{"number": "EP1"}]
    (here / "c.jsonl").write_text("".join(json.dumps(each) + "\n" for each in texts))
    (here / "damaged.jsonl").write_text('{"doc_id": "EP9", "title": "a pump"}\n' * 30 + "broken\n")
    for words in (
        ("synthesize", "--patents", "100", "--form", "jsonl", "--out", "made"),
        ("topics", "c.jsonl", "--out", "t"),
        ("index", "c.jsonl", "--out", "i", "--workers", "1"),
        ("add", "i", "c.jsonl", "--workers", "1"),
        ("merge", "i", "--workers", "1"),
        ("run", "i", "c.jsonl", "--out", "a.run"),
        ("fuse", "good.run", "poor.run", "--out", "fused.run"),
        ("learn", "space", "i", "--dimensions", "2"),
    ):
        done = program(*words, "--quiet")
        assert (done.code, done.out, done.err) == (0, "", ""), words
    build = ("index", "c.jsonl", "--out", "i", "--overwrite", "--quiet")
    assert program(*build, "--format", "csv").out.startswith(",documents\nread,4\n")
    done = program("index", "damaged.jsonl", "--out", "j", "--quiet")
    assert "rejected because" in done.out
    (here / "none.jsonl").write_text('{"doc_id": "EP9"}\n' + (here / "c.jsonl").read_text())
    assert "EP9" in program("run", "i", "none.jsonl", "--out", "b.run", "--quiet").out
