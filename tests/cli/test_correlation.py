"""antecede study correlation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.study.simulation import TABLE_4

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

TABLE = "run,MAP,Recall,PRES\n" + "".join(f"R{at:02},{m},{r},{p}\n" for at, (m, r, p) in enumerate(TABLE_4.tolist(), 1))


def test_table_4_of_the_paper(here: Path, program: Program) -> None:
    (here / "table4.csv").write_text(TABLE)
    outcome = program("study", "correlation", "table4.csv", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = outcome.json
    assert set(document) == {"kendall", "spearman", "pearson", "tau_ap"}
    kendall = {"MAP|Recall": 0.561, "MAP|PRES": 0.665, "Recall|PRES": 0.878}
    spearman = {"MAP|Recall": 0.709, "MAP|PRES": 0.812, "Recall|PRES": 0.970}
    assert {pair: round(value, 3) for pair, value in document["kendall"].items()} == kendall
    assert {pair: round(value, 3) for pair, value in document["spearman"].items()} == spearman


def test_the_table_of_evaluate_comes_back_in(here: Path, program: Program) -> None:
    table = program("evaluate", "qrels", "good.run", "poor.run", "-m", "AP,R@2", "--format", "csv").out
    read = program("study", "correlation", "-", "--json", stdin=table.encode())
    direct = program("study", "correlation", "qrels", "good.run", "poor.run", "-m", "AP,R@2", "--json")
    assert direct.json == read.json | {"advice": direct.json["advice"]}
    assert "poor.run (1): topics without results score 0" in direct.json["advice"]
    assert read.json["kendall"] == {"AP|R@2": 1.0}


def test_chosen_columns_of_a_table(here: Path, program: Program) -> None:
    (here / "table4.csv").write_text(TABLE)
    assert list(program("study", "correlation", "table4.csv", "-m", "PRES,Recall", "--json").json["kendall"]) == [
        "PRES|Recall"
    ]


def test_figure_and_saved_table(here: Path, program: Program) -> None:
    program("evaluate", "qrels", "good.run", "poor.run", "--save", "ranks.npz")
    outcome = program("study", "correlation", "ranks.npz", "-m", "AP,R@2", "--format", "md", "--figure", "c.png")
    assert outcome.code == 0
    assert "| AP – R@2 |" in outcome.out
    assert (here / "c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("qrels", "good.run"), "needs at least two runs"),
        (("qrels", "good.run", "poor.run", "-m", "AP"), "a correlation needs two measures"),
        (("qrels",), "is not a table of scores; name two or more measures in its first line"),
        (("nothing.csv",), "nothing.csv: no such file"),
        (("nothing.npz",), "nothing.npz: no such file"),
        (
            ("qrels", "good.run", "poor.run", "-m", "Effort@100,AP"),
            "Effort@100: run poor.run does not reach this recall on every topic",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: tuple[str, ...], message: str, here: Path, program: Program
) -> None:
    outcome = program("study", "correlation", *words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("option", [("--rel", "2"), ("--missing", "skip"), ("--depth", "10"), ("--ties", "input")])
def test_options_that_a_table_of_scores_cannot_follow_are_refused(
    here: Path, program: Program, option: tuple[str, str]
) -> None:
    (here / "table4.csv").write_text(TABLE)
    outcome = program("study", "correlation", "table4.csv", *option)
    assert (outcome.code, outcome.out) == (2, "")
    assert "is a table of scores" in outcome.err
