"""Bad input of every kind: one line on standard error, exit code 2, nothing on standard output, nothing left behind."""

from __future__ import annotations

import csv
import gzip
import io
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import one_line
from tests.conftest import antecede

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


FILES: dict[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["bad.run", "is empty"]),
    "binary": (b"\x7fELF\x02\x01\x00\x00", ["bad.run", "binary file"]),
    "truncated gzip": (gzip.compress(b"1 Q0 a 1 3.0 t\n" * 100)[:-12], ["bad.run", "the gzip data ends early"]),
    "five columns": (b"1 Q0 b 1 4.0 t\n1 Q0 a 1 3.0\n", ["bad.run, line 2", "5 columns where a run has 6"]),
    "duplicate": (
        b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n",
        ["bad.run, line 3, topic 1, document a", "appears twice (first on line 1)", "--duplicates first or last"],
    ),
    "qrels as a run": (b"1 0 a 1\n", ["bad.run, line 1", "4 columns", "looks like qrels", "give the qrels first"]),
    "no topic in common": (b"77 Q0 a 1 3 t\n", ["bad.run", "no topic in common", "77", "1, 2, 3"]),
    "UTF-16": ("1 Q0 a 1 3 t\n".encode("utf-16"), ["bad.run", "UTF-16"]),
    "zip": (b"PK\x03\x04...", ["bad.run", "zip archive"]),
}
"""Some of the kinds that the tests of the readers have."""


@pytest.mark.parametrize("kind", FILES)
def test_a_run_that_is_wrong(here: Path, program: Program, kind: str) -> None:
    data, parts = FILES[kind]
    (here / "bad.run").write_bytes(data)
    one_line(program("evaluate", "qrels", "good.run", "bad.run", "--json"), *parts)


def test_audit_lists_every_run_that_cannot_be_read_and_goes_on(here: Path, program: Program) -> None:
    unreadable = {"empty", "truncated gzip", "UTF-16", "binary", "zip", "no topic in common"}
    for kind in unreadable:
        (here / f"{kind}.run").write_bytes(FILES[kind][0])
    names = [f"{kind}.run" for kind in sorted(unreadable)]
    outcome = program("audit", "qrels", "good.run", *names, "missing.run", "poor.run", "--json")
    assert outcome.code == 1
    assert [run["name"] for run in outcome.json["runs"]] == ["good.run", "poor.run"]
    assert [*outcome.json["unreadable"]] == [*names, "missing.run"]
    assert "is empty" in outcome.json["unreadable"]["empty.run"]
    assert "UTF-16" in outcome.json["unreadable"]["UTF-16.run"]
    assert "ends early" in outcome.json["unreadable"]["truncated gzip.run"]
    rows = list(csv.DictReader(io.StringIO(program("audit", "qrels", *names, "poor.run", "--format", "csv").out)))
    assert [row["run"] for row in rows] == ["poor.run", *names]
    assert [bool(row["unreadable"]) for row in rows] == [False, *[True] * len(names)]
    for words in (["empty.run"], ["empty.run", "UTF-16.run"]):  # nothing is left to audit
        one_line(program("audit", "qrels", *words), "is empty")


BOTH = "qrels good.run poor.run"
CALLS: dict[str, list[tuple[str, list[str]]]] = {
    "evaluate": [
        ("qrels none.run", ["none.run: no such file"]),
        ("qrels .", [".: is a folder"]),
        ("good.run qrels", ["good.run, line 1", "looks like a run"]),
        ("wrong.qrels good.run", ["wrong.qrels, line 2", "relevance 'x' is not a whole number"]),
        ("qrels good.run -m PRESS@100", ["unknown measure 'PRESS@100'", "PRES"]),
        ("qrels good.run -m ,", ["no measure is given"]),
        ("qrels good.run --depth 0", ["--depth", "evaluate --help"]),
        ("qrels good.run --foo", ["No such option", "--foo", "evaluate --help"]),
        ("qrels good.run --ties random", ["--ties", "'random'"]),
        ("", ["QRELS"]),
        ("qrels good.run poor.run good.run", ["good.run: given twice"]),
        ("- -", ["standard input can only be read once"]),
        ("qrels good.run -m AP --sort P@10", ["P@10 was not evaluated"]),
        ("qrels.npz", ["qrels.npz: is not a rank table"]),
        ("qrels good.run --save none/a.npz", ["none/a.npz: cannot be written", "create the folder first"]),
        ("qrels good.run --save .", [".: is a folder; name a file"]),
    ],
    "compare": [
        (f"{BOTH} -m Effort@100", ["Effort@100: run poor.run never reaches this recall on topic 1; set docs="]),
        (f"{BOTH} --test u", ["--test: unknown test 'u'"]),
        (f"{BOTH} --correction hold", ["(did you mean holm?)"]),
        (f"{BOTH} --baseline goood.run", ["(did you mean good.run"]),
        (f"{BOTH} --figure a.gif", ["end its name in one of .svg, .png, .pdf"]),
    ],
    "gate": [
        ("qrels good.run", ["give --baseline FILE, or make one with --save FILE"]),
        ("qrels good.run --baseline broken.json", ["broken.json: cannot be read as JSON"]),
        ("- good.run --baseline poor.run", ["the qrels are needed twice; give a file"]),
    ],
    "study agreement": [
        (f"{BOTH} -m AP", ["agreement needs at least two measures"]),
    ],
    "study correlation": [
        ("qrels good.run", ["needs at least two runs"]),
        (f"{BOTH} -m AP", ["a correlation needs two measures"]),
        ("qrels", ["is not a table of scores; name two or more measures in its first line"]),
        (f"{BOTH} -m Effort@100,AP", ["Effort@100: run poor.run does not reach this recall on every topic"]),
    ],
    "study cutoffs": [
        (f"{BOTH} --at 0,10", ["at: 0 is not a cut-off"]),
        (f"{BOTH} --at ten", ["--at: 'ten' is not a number"]),
        (f"{BOTH} -m PRES@10", ["PRES@10: name the measure without a cut-off here"]),
    ],
    "study robustness": [
        (f"{BOTH} --keep 0.2,1.2", ["keep: 1.2 is not a share"]),
        (f"{BOTH} --keep=", ["--keep: '' is not a number"]),
        (f"{BOTH} --remove rndom", ["(did you mean random?)"]),
        (f"{BOTH} --remove group", ["--groups FILE"]),
        (f"{BOTH} --remove group --groups groups", ["do not name run poor.run"]),
        ("qrels good.run same.run -m AP", ["AP: all runs have the same total"]),
    ],
    "study published": [("--samples 0", ["'--samples': "])],
    "synthesize": [
        ("--patents 3 --out made", ["cannot generate 3 patents; choose 100 to 5,000,000"]),
    ],
    "experiment": [
        ("qrels", ["qrels, line 1: is not valid TOML"]),
        ("e.toml", ["e.toml: evaluation.baselin: unknown key (did you mean baseline?)"]),
    ],
    "show": [("gone.index EP1", ["gone.index: there is no such file, folder, archive or index; check the path"])],
    "evluate": [("", ["No such command 'evluate'"])],
}


@pytest.mark.parametrize(("verb", "words", "parts"), [(verb, *call) for verb, calls in CALLS.items() for call in calls])
def test_a_call_that_is_wrong(here: Path, program: Program, verb: str, words: str, parts: list[str]) -> None:
    (here / "qrels.npz").write_text("1 0 a 1\n")
    (here / "wrong.qrels").write_text("1 0 a 1\n1 0 b x\n")
    (here / "broken.json").write_text("{")
    (here / "groups").write_text("good.run x\n")
    (here / "e.toml").write_text('qrels = "qrels"\nruns = "good.run"\n[evaluation]\nbaselin = "good.run"\n')
    (here / "same.run").write_text((here / "good.run").read_text())
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    one_line(program(*verb.split(), *words.split()), *parts)
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before, "nothing is left behind"


def test_no_verb_at_all_shows_the_help_and_no_error(program: Program) -> None:
    outcome = program()
    assert (outcome.code, outcome.err) == (2, "")
    assert "evaluate" in outcome.out


def test_an_unreadable_file(here: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid():
        (here / "good.run").chmod(0)
    else:  # permissions do not stop root

        def refuse(path: Path, *_how: object, **_more: object) -> None:
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("pathlib.Path.open", refuse)
    one_line(program("evaluate", "qrels", "good.run"), "permission denied")


HOSTILE = "a\x1b[2J\x07\x7f\u202e\u0085b"


@pytest.mark.parametrize(
    "text",
    [
        f"1 Q0 {HOSTILE} 1 1 t\n1 Q0 {HOSTILE} 2 1 t\n",
        f"{HOSTILE} Q0 a 1 1 t\n{HOSTILE} Q0 a 1 1 t\n",
        f"{HOSTILE} Q0 a 1 1 t\n",
        f"1 Q0 {HOSTILE} 1\n",
        f"1 Q0 a 1 {HOSTILE} t\n",
        f"topic_id,doc_id,{HOSTILE}\n1,a,1\n",
        f"topic_id,doc_id,score\n1,a,{HOSTILE}\n",
        f"topic_id,doc_id,score\n1,{HOSTILE},1\n1,{HOSTILE},1\n",
    ],
)
def test_ids_that_steer_a_terminal_are_escaped(here: Path, program: Program, text: str) -> None:
    (here / "bad.run").write_text(text, encoding="utf-8")
    one_line(program("evaluate", "qrels", "bad.run"), r"\x1b[2J")


@pytest.mark.parametrize("name", ["no\x1b[2Jfile", "no\nfile", "no\u2028file"])
def test_names_that_steer_a_terminal_are_escaped(here: Path, program: Program, name: str) -> None:
    for words in (
        ("qrels", name),
        (name, "good.run"),
        *(("qrels", "good.run", word, name) for word in ("-m", "--sort")),
    ):
        one_line(program("evaluate", *words))
    one_line(program("evaluate", "qrels", "good.run", f"--{name}"))
    one_line(program(name))


HUGE: dict[str, bytes] = {
    "one word of 50 MB": b"x" * 50_000_000,
    "ten million columns": b"x " * 10_000_000,
    "a document id of 5 MB, twice": b"1 Q0 " + b"x" * 5_000_000 + b" 1 1 t\n1 Q0 " + b"x" * 5_000_000 + b" 1 1 t\n",
    "a score of a million digits": b"1 Q0 a 1 " + b"9" * 1_000_000 + b" t\n",
}


@pytest.mark.parametrize("kind", HUGE)
def test_huge_lines_are_refused_and_shown_in_part(here: Path, program: Program, kind: str) -> None:
    (here / "bad.run").write_bytes(HUGE[kind])
    line = one_line(program("evaluate", "qrels", "bad.run"))
    assert len(line) < 1000


def test_a_failed_save_keeps_the_old_table(here: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program("evaluate", "qrels", "good.run", "--save", "ranks.npz")
    before = (here / "ranks.npz").read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    outcome = program("evaluate", "qrels", "poor.run", "--save", "ranks.npz", "--overwrite")
    one_line(outcome, "ranks.npz: cannot be written (No space left on device)")
    assert (here / "ranks.npz").read_bytes() == before
    assert len(list(here.iterdir())) == 4


@pytest.mark.parametrize("kind", ["five columns", "truncated gzip"])
def test_the_real_program_does_just_the_same(here: Path, program: Program, kind: str) -> None:
    (here / "bad.run").write_bytes(FILES[kind][0])
    assert antecede("evaluate", "qrels", "bad.run") == program("evaluate", "qrels", "bad.run")


def test_debug_shows_where_an_error_arose(here: Path) -> None:
    outcome = antecede("evaluate", "qrels", "none.run", "--debug")
    assert outcome.code != 0
    assert "Traceback" in outcome.err
    assert "no such file" in outcome.err


def limited(here: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command in which `antecede` has 2 GB of address space, so that what has no bound fails at once."""
    program = f"(ulimit -v 2000000; exec {shlex.quote(sys.executable)} -m antecede "
    whole = command.replace("antecede(", program)
    return subprocess.run(
        ["bash", "-c", whole], cwd=here, capture_output=True, text=True, timeout=600, env=os.environ, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("antecede(evaluate qrels /dev/zero)", "is a device, not a file"),
        ("antecede(evaluate /dev/urandom good.run)", "is a device, not a file"),
        ("antecede(evaluate qrels -) < /dev/zero", "is a binary file, not text"),
        ("antecede(evaluate qrels -) < /dev/urandom", "is a binary file, not text"),
        ("mkfifo pipe; yes '1 Q0 d 1 1 t' > pipe & antecede(evaluate qrels pipe)", "memory"),
        ("yes '1 Q0 d 1 1 t' | antecede(evaluate qrels -)", "memory"),
    ],
)
def test_input_without_an_end_takes_no_more_memory_than_there_is(here: Path, command: str, message: str) -> None:
    done = limited(here, command)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("antecede: ")
    assert message in done.stderr


def test_too_little_memory_is_one_line(here: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object, **_more: object) -> None:
        raise MemoryError

    monkeypatch.setattr("antecede.evaluation.rank_table", fail)
    one_line(program("evaluate", "qrels", "good.run"), "not enough memory")
