"""antecede compare and antecede gate."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

from antecede.evaluation import rank_table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


@pytest.fixture
def trec8(data: Path, tmp_path: Path) -> Path:
    """Six runs of TREC-8 as a saved rank table."""
    table = tmp_path / "ranks.npz"
    runs = sorted((data / "trec8" / "runs").glob("*.gz"))[::8]
    rank_table(data / "trec8" / "qrels.txt", runs).save(table)
    return table


def test_json_has_the_shape_of_the_interface(trec8: Path, program: Program) -> None:
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
