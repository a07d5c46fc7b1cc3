"""antecede evaluate, compare and gate, as people and programs call them."""

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

from antecede.evaluation import rank_table
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

FORBIDDEN = {"numba", "lxml", "matplotlib", "scipy", "pandas", "rich.progress"}


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


@pytest.fixture
def trec8(data: Path, tmp_path: Path) -> Path:
    """Six runs of TREC-8 as a saved rank table."""
    table = tmp_path / "ranks.npz"
    runs = sorted((data / "trec8" / "runs").glob("*.gz"))[::8]
    rank_table(data / "trec8" / "qrels.txt", runs).save(table)
    return table


def test_json_of_a_comparison_has_the_shape_of_the_interface(trec8: Path, program: Program) -> None:
    outcome = program("compare", trec8, "-m", "AP@1000,PRES@1000", "--baseline", "input.CL99XTopt", "--json")
    assert outcome.code == 2  # not among the six
    assert "is not among the runs" in outcome.err
    names = [run["name"] for run in program("evaluate", trec8, "--json").json["runs"]]
    outcome = program("compare", trec8, "-m", "AP@1000,PRES@1000", "--baseline", names[0], "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = outcome.json
    assert document["baseline"] == names[0]
    assert document["measures"] == ["AP@1000", "PRES@1000"]
    assert [run["name"] for run in document["runs"]] == names
    for run in document["runs"]:
        assert {"name", "scores", "p", "significant", "effect", "interval"} <= set(run)
    assert document["runs"][0]["p"] == {"AP@1000": None, "PRES@1000": None}
    assert [(pair["first"], pair["second"]) for pair in document["pairs"]] == [(name, names[0]) for name in names[1:]]
    for pair, run in zip(document["pairs"], document["runs"][1:], strict=True):
        assert {key: pair[key] for key in ("p", "p_adjusted", "difference", "interval")} == {
            key: run[key] for key in ("p", "p_adjusted", "difference", "interval")
        }


@pytest.mark.slow
def test_a_small_p_is_a_bound_and_a_correction_has_any_case(trec8: Path, program: Program) -> None:
    words = ("compare", trec8, "-m", "AP", "--details")
    text = program(*words, "--correction", "BH").out
    assert "bh correction" in text
    assert text == program(*words, "--correction", "bh").out
    smallest = min(pair["p"]["AP"] for pair in program(*words, "--json").json["pairs"])
    assert 0 < smallest < 0.0001
    assert "< .0001" in text
    assert "0.0000 " not in text
    assert repr(smallest) in program(*words, "--format", "csv").out
    assert "\\textless{} .0001" in program(*words, "--format", "latex").out


def test_csv_has_p_values_and_marks(trec8: Path, program: Program) -> None:
    names = [run["name"] for run in program("evaluate", trec8, "--json").json["runs"]]
    words = ("compare", trec8, "-m", "AP,PRES@100", "--baseline", names[0])
    document = program(*words, "--json").json
    rows = list(csv.DictReader(io.StringIO(program(*words, "--format", "csv").out)))
    assert [row["run"] for row in rows] == names
    for row, run in zip(rows, document["runs"], strict=True):
        for name in ("AP", "PRES@100"):
            assert float(row[name]) == run["scores"][name]
            assert row[f"{name} p"] == ("" if run["p"][name] is None else repr(run["p"][name]))
            assert row[f"{name} adjusted p"] == ("" if run["p"][name] is None else repr(run["p_adjusted"][name]))
            assert bool(row[f"{name} mark"]) == run["significant"][name]
    pairs = list(csv.DictReader(io.StringIO(program("compare", trec8, "-m", "AP", "--format", "csv").out)))
    better = {
        run["name"]: run["better_than"]["AP"] for run in program("compare", trec8, "-m", "AP", "--json").json["runs"]
    }
    assert any(better.values())
    assert all(bool(row["AP mark"]) == bool(better[row["run"]]) for row in pairs)
    rows_by_run = {row["run"]: row for row in pairs}
    for pair in program("compare", trec8, "-m", "AP", "--json").json["pairs"]:
        first, second = pair["first"], pair["second"]
        assert float(rows_by_run[first][f"AP adjusted p against {second}"]) == pair["p_adjusted"]["AP"]
        assert float(rows_by_run[second][f"AP adjusted p against {first}"]) == pair["p_adjusted"]["AP"]
    assert all(row[f"AP adjusted p against {name}"] == "" for name, row in rows_by_run.items())


@pytest.mark.parametrize(
    "words", [("compare",), ("study", "agreement"), ("study", "correlation"), ("study", "cutoffs", "--at", "1,2")]
)
def test_csv_says_on_standard_error_what_a_run_lacks(words: tuple[str, ...], here: Path, program: Program) -> None:
    (here / "qrels").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    (here / "good.run").write_text("1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n3 Q0 a 1 3 t\n")
    (here / "poor.run").write_text("1 Q0 a 1 3 t\n2 Q0 x 1 3 t\n")
    more = () if "cutoffs" in words else ("-m", "AP,R@1")
    outcome = program(*words, "qrels", "good.run", "poor.run", *more, "--format", "csv")
    line = "antecede: poor.run (1): topics without results score 0\n"
    assert (outcome.code, outcome.err.count(line)) == (0, 1)
    scored = program("evaluate", "qrels", "poor.run", "-m", "AP", "--format", "csv")
    assert (scored.code, scored.err) == (0, line)
    assert program("evaluate", "qrels", "poor.run", "-m", "AP", "--format", "md").err == ""


TOPICS = range(30)


@pytest.fixture
def thirty_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 1\n" for t in TOPICS))
    orders = {"old": ("abxyz", "axbyz"), "new": ("xyabz", "xyzab", "axybz")}
    for name, ways in orders.items():
        lines = [f"{t} Q0 {doc} {at} {9 - at} x\n" for t in TOPICS for at, doc in enumerate(ways[t % len(ways)], 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_fall_ends_with_1_and_a_rise_with_0(thirty_topics: Path, program: Program) -> None:
    fell = program("gate", "qrels", "new.run", "--baseline", "old.run", "-m", "AP,R@2")
    assert fell.code == 1
    assert fell.out.splitlines()[0] == "new.run compared with old.run"
    assert fell.out.splitlines()[1].split() == [
        *("measure", "baseline", "now", "difference", "low", "high", "p", "verdict")
    ]
    assert fell.out.splitlines()[-1] == "Gate: failed, AP, R@2 fell."
    rose = program("gate", "qrels", "old.run", "--baseline", "new.run", "-m", "AP,R@2")
    assert (rose.code, rose.out.splitlines()[-1]) == (0, "Gate: passed.")


def test_a_saved_baseline_gives_the_same_and_is_replaced_only_where_the_gate_passes(
    thirty_topics: Path, program: Program
) -> None:
    saved = program("gate", "qrels", "old.run", "--save", "base.json", "-m", "AP")
    assert (saved.code, saved.out) == (0, "base.json: 30 topics, AP\n")
    before = (thirty_topics / "base.json").read_text()
    failed = program(
        "gate", "qrels", "new.run", "--baseline", "base.json", "--save", "base.json", "--json", "--overwrite"
    )
    assert failed.code == 1
    assert failed.json["passed"] is False
    assert [each["verdict"] for each in failed.json["measures"]] == ["fell"]
    assert (thirty_topics / "base.json").read_text() == before
    allowed = program(
        "gate", "qrels", "new.run", "--baseline", "base.json", "--save", "base.json", "--drop", "0.9", "--overwrite"
    )
    assert allowed.code == 0
    assert json.loads((thirty_topics / "base.json").read_text())["run"] == "new.run"


def test_a_saved_baseline_says_what_it_lacks(thirty_topics: Path, program: Program) -> None:
    lines = (thirty_topics / "old.run").read_text().splitlines(keepends=True)
    (thirty_topics / "part.run").write_text("".join(line for line in lines if not line.startswith(("0 ", "1 "))))
    saved = program("gate", "qrels", "part.run", "--save", "base.json", "-m", "AP")
    assert saved.out == "base.json: 30 topics, AP; 2 topics (0, 1) without results in this run score 0\n"
