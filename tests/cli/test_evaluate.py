"""antecede evaluate, as people and programs call it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import GOOD, QRELS, one_line, run_alone

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


def test_json_has_the_shape_of_the_interface(here: Path, program: Program) -> None:
    outcome = program(
        "evaluate", "qrels", "good.run", "poor.run", "-m", "R@2,P@1", "-m", "map", "--json", "--per-topic"
    )
    assert outcome.code == 0
    assert outcome.err == ""
    document = outcome.json
    assert document["topics"] == 2
    assert document["topics_without_relevant"] == 1
    assert document["measures"] == ["R@2", "P@1", "AP"]
    good, poor = document["runs"]
    assert (good["name"], poor["name"]) == ("good.run", "poor.run")
    assert good["scores"] == {"R@2": 1.0, "P@1": 1.0, "AP": 1.0}
    assert poor["scores"] == {"R@2": 0.25, "P@1": 0.0, "AP": 0.125}
    assert poor["per_topic"] == {"1": {"R@2": 0.5, "P@1": 0.0, "AP": 0.25}, "2": {"R@2": 0.0, "P@1": 0.0, "AP": 0.0}}
    counts = poor["counts"]
    assert (counts["topics_missing"], counts["topics_unjudged"], counts["unjudged@100"]) == (1, 1, 0.5)
    assert counts["ties"] == 0
    plain = program("evaluate", "qrels", "good.run", "--json").json
    assert "per_topic" not in plain["runs"][0]
    assert plain["measures"] == ["PRES@1000", "AP@1000", "R@1000", "R@100", "nDCG", "P@10"]


def test_the_table_for_people(here: Path, program: Program) -> None:
    outcome = program("evaluate", "qrels", "good.run", "poor.run", "-m", "AP")
    assert outcome.out == (
        "run           AP\n"
        "────────  ───────\n"
        "good.run  1.0000*\n"
        "poor.run  0.1250\n"
        "2 topics\n"
        "1 topics of the qrels have no relevant document and are left out\n"
        "poor.run (1): topics without results score 0\n"
        "poor.run (1): topics without qrels are left out\n"
    )


def test_a_row_a_topic(here: Path, program: Program) -> None:
    outcome = program("evaluate", "qrels", "poor.run", "-m", "AP,GMAP", "--per-topic", "--format", "csv")
    assert list(csv.reader(io.StringIO(outcome.out))) == [
        ["run", "topic", "AP", "GMAP"],
        ["poor.run", "1", "0.25", ""],
        ["poor.run", "2", "0.0", ""],
    ]
    outcome = program("evaluate", "qrels", "poor.run", "good.run", "-m", "map", "--sort", "map", "--format", "csv")
    assert [line.split(",")[0] for line in outcome.out.splitlines()] == ["run", "good.run", "poor.run"]


@pytest.mark.parametrize("packed", [True, False])
def test_standard_input_may_be_the_qrels_or_a_run(here: Path, program: Program, packed: bool) -> None:
    expected = program("evaluate", "qrels", "good.run", "-m", "AP", "--json").json["runs"][0]["scores"]
    for words, text in ((("-", "good.run"), QRELS), (("qrels", "-"), GOOD)):
        stdin = gzip.compress(text.encode()) if packed else text.encode()
        outcome = program("evaluate", *words, "-m", "AP", "--json", stdin=stdin)
        assert outcome.json["runs"][0]["scores"] == expected
    assert outcome.json["runs"][0]["name"] == "stdin"


def test_a_saved_table_gives_the_same_without_the_files(here: Path, program: Program) -> None:
    words = ("-m", "AP,Bpref,PRES@10,Judged@5", "--json", "--per-topic")
    first = program("evaluate", "qrels", "good.run", "poor.run", "--save", "ranks.npz", *words)
    for name in ("qrels", "good.run", "poor.run"):
        (here / name).unlink()
    again = program("evaluate", "ranks.npz", *words)
    assert again.code == 0
    assert again.json == first.json


def test_what_a_saved_table_cannot_do_any_more_is_refused(here: Path, program: Program) -> None:
    # It would be ignored, and the scores would be those of another question.
    program("evaluate", "qrels", "good.run", "--save", "ranks.npz")
    for option in ("--depth 1", "--ties input", "--duplicates last"):
        one_line(program("evaluate", "ranks.npz", *option.split()), "--depth")
    one_line(program("evaluate", "ranks.npz", "good.run"), "already contains its runs")


def test_policies_reach_the_readers(here: Path, program: Program) -> None:
    (here / "a.run").write_text("1 Q0 x 2 1.0 t\n1 Q0 a 1 1.0 t\n1 Q0 b 3 0.5 t\n1 Q0 b 4 nan t\n1 Q0 a 5 0.1 t\n")

    def ap(*words: str) -> float:
        outcome = program("evaluate", "qrels", "a.run", "-m", "AP", "--json", "--missing", "skip", *words)
        assert outcome.code == 0, outcome.err
        return float(outcome.json["runs"][0]["scores"]["AP"])

    mended = ("--malformed", "skip", "--duplicates", "first")
    assert ap(*mended) == pytest.approx((1 / 2 + 2 / 3) / 2)  # x a b
    assert ap(*mended, "--ties", "input") == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert ap(*mended, "--ties", "rank") == pytest.approx((1 + 2 / 3) / 2)  # a x b
    assert ap("--malformed", "skip", "--duplicates", "last") == pytest.approx((1 / 2 + 2 / 3) / 2)  # x b a
    assert ap(*mended, "--depth", "2") == pytest.approx((1 / 2) / 2)  # x a
    # Copies count as documents found: a at 2 and 4, b at 3.
    assert ap("--malformed", "skip", "--duplicates", "keep") == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 2)


@pytest.mark.parametrize(
    ("option", "scores"), [("--rel 2", {"R(rel=2)@5": None}), ("--no-relevant zero", {"R@5": 2 / 3})]
)
def test_levels_and_topics_without_anything_relevant(
    here: Path, program: Program, option: str, scores: dict[str, float | None]
) -> None:
    document = program("evaluate", "qrels", "good.run", "-m", "R@5", "--json", *option.split()).json
    assert document["runs"][0]["scores"] == pytest.approx(scores)


def test_names_of_any_kind_come_out_as_valid_json(here: Path, program: Program) -> None:
    # A name in Latin-1, as old archives have it, and one with a line break and an escape sequence.
    names = [b"r\xe9.run", b"x\n\x1b[31m.run", "naïve.run".encode()]
    for name in names:
        (here / os.fsdecode(name)).write_text(GOOD)
    words = [os.fsdecode(name) for name in names]
    outcome = program("evaluate", "qrels", *words, "-m", "AP", "--json")
    assert [run["name"] for run in outcome.json["runs"]] == words
    table = program("evaluate", "qrels", *words, "-m", "AP")
    assert table.code == 0
    assert "\x1b" not in table.out
    assert len(table.out.splitlines()) == 2 + 3 + 2
    program("evaluate", "qrels", words[2], "--save", "ranks.npz")
    assert program("evaluate", "ranks.npz", "--json").json["runs"][0]["name"] == words[2]


def test_progress_is_shown_on_standard_error_only(
    here: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antecede.cli.output.EVERY_SECONDS", 0.0)
    outcome = program("evaluate", "qrels", "good.run", "poor.run", "--json")
    assert outcome.err.splitlines() == [
        "reading runs: 1 of 2, 50 %, 0:00 left",
        "reading runs: 2 of 2, 100 %, 0:00 left",
    ]
    json.loads(outcome.out)
    assert program("evaluate", "qrels", "good.run", "poor.run", "--json", "--quiet").err == ""


def test_audit_ends_with_1_where_evaluate_would_refuse(here: Path, program: Program) -> None:
    clean = program("audit", "qrels", "good.run", "--json")
    assert (clean.code, clean.json["runs"][0]["counts"]["duplicates"]) == (0, 0)
    (here / "twice.run").write_text(GOOD + GOOD)
    odd = program("audit", "qrels", "good.run", "twice.run", "--json")
    assert odd.code == 1
    assert [run["counts"]["duplicates"] for run in odd.json["runs"]] == [0, 4]
    assert program("evaluate", "qrels", "twice.run").code == 2


def test_a_pipe_is_read_once(here: Path, program: Program) -> None:
    # Looking whether it is a saved table must not open it: what is in it would be lost.
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as out:
        out.write(QRELS.encode())
    try:
        outcome = program("evaluate", f"/dev/fd/{reading}", "good.run", "-m", "AP", "--json")
    finally:
        os.close(reading)
    assert outcome.json["runs"][0]["scores"] == {"AP": 1.0}


# From here on the real program, in a process of its own.

FORBIDDEN = {"numba", "lxml", "matplotlib", "scipy", "pandas", "rich.progress", "numpy.ma"}


def test_nothing_heavy_is_imported(here: Path) -> None:
    out, modules = run_alone("evaluate", "qrels", "good.run", "--json")
    assert not FORBIDDEN & modules
    json.loads(out)


def test_help_loads_no_reader_and_no_table(here: Path) -> None:
    out, modules = run_alone("--help")
    assert "evaluate" in out
    assert not {"numpy", "polars", "scipy"} & modules


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_terminal_that_knows_no_unicode_is_no_reason_to_fail(here: Path, words: tuple[str, ...]) -> None:
    (here / "naïve.run").write_text(GOOD)
    done = subprocess.run(
        [sys.executable, "-m", "antecede", "evaluate", "qrels", "naïve.run", "-m", "AP", *words],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    if words:
        assert json.loads(done.stdout)["runs"][0]["name"] == "naïve.run"
    else:
        assert b"na\\xefve.run" in done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
def test_output_that_cannot_be_written_is_one_line_and_2(here: Path) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "antecede", "evaluate", "qrels", "good.run"], stdout=full, stderr=-1, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().startswith("antecede: ")
    assert done.stderr.count(b"\n") == 1


def test_a_reader_that_goes_away_is_no_error(here: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "antecede", "evaluate", "qrels", "good.run"], stdout=writing, stderr=-1, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


VERBS_THAT_READ_RUNS = {
    "evaluate": "AP",
    "compare": "AP",
    "study robustness": "AP --keep 0.5",
    "study cutoffs": "AP --at 1,2",
    "study correlation": "AP,P@1",
    "study agreement": "AP,P@1",
    "audit": "",
}


@pytest.mark.parametrize("verb", VERBS_THAT_READ_RUNS)
def test_every_verb_reports_and_takes_an_order(here: Path, program: Program, verb: str) -> None:
    (here / "contrary.run").write_text("1 Q0 a 1 1 t\n1 Q0 x 2 3 t\n1 Q0 b 3 2 t\n2 Q0 a 1 1 t\n2 Q0 c 2 1 t\n")
    measures = VERBS_THAT_READ_RUNS[verb].split()
    call = (*verb.split(), "qrels", "contrary.run", "good.run", *(("-m", *measures) if measures else ()))
    by_score = program(*call)
    assert by_score.code == 0, by_score.err
    if verb == "audit":
        assert "rank_conflicts: topics in which the rank column contradicts the scores" in by_score.out
    else:
        said = by_score.out if verb == "evaluate" else by_score.err
        assert said.count("contrary.run: the rank column contradicts the scores in 1 of 2 topics") == 1
        assert "--order rank" in said
    by_rank = program(*call, "--order", "rank")
    assert by_rank.code == 0, by_rank.err
    assert "contradicts the scores in" not in by_rank.err
    if verb not in {"study correlation", "study agreement"}:  # two runs correlate alike either way
        documents = [program(*call, "--json", *more).json for more in ((), ("--order", "rank"))]
        assert documents[0] != documents[1]


def test_the_gate_follows_and_reports_the_order(here: Path, program: Program) -> None:
    (here / "contrary.run").write_text("1 Q0 a 1 1 t\n1 Q0 x 2 3 t\n1 Q0 b 3 2 t\n2 Q0 a 1 1 t\n2 Q0 c 2 1 t\n")
    words = ("gate", "qrels", "contrary.run", "--baseline", "good.run", "-m", "AP", "--json")
    document = program(*words).json
    assert any("contrary.run: the rank column contradicts" in note for note in document["notes"])
    assert program(*words, "--order", "rank").json["measures"][0]["now"] > document["measures"][0]["now"]
