"""antecede study agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


@pytest.mark.slow
def test_the_48_runs_of_trec8(data: Path, program: Program, tmp_path: Path) -> None:
    folder = data / "trec8"
    runs = sorted((folder / "runs").glob("*.gz"))
    words = ("-m", "AP@1000", "-m", "R@1000", "-m", "PRES@1000", "--json", "--quiet", "--figure", tmp_path / "a.svg")
    outcome = program("study", "agreement", folder / "qrels.txt", *runs, *words)
    assert outcome.code == 0
    (line,) = outcome.err.splitlines()
    assert line.startswith("antecede: 5 of 48 runs (input.CL99SD, input.CL99SDopt2, input.CL99XTopt, …): ")
    assert "the rank column contradicts the scores in 249 of 250 topics; they are read by score" in line
    document = outcome.json
    assert document["pairs"] == 1128
    counts = [document["all_agree"]["count"], document["other"]["count"]]
    counts += [apart["count"] for apart in document["stands_apart"].values()]
    assert sum(counts) == 1128
    # As in figure 7 of the paper: most pairs agree, MAP stands apart the most, PRES hardly ever.
    apart = {name: entry["share"] for name, entry in document["stands_apart"].items()}
    assert document["all_agree"]["share"] > 0.7
    assert apart["AP@1000"] > apart["R@1000"] > apart["PRES@1000"]
    assert apart["PRES@1000"] < 0.02
    assert (tmp_path / "a.svg").stat().st_size > 1000


def test_contradictions_instead(here: Path, program: Program) -> None:
    outcome = program("study", "agreement", "qrels", "good.run", "poor.run", "-m", "AP,R@2", "--contradictions")
    assert outcome.code == 0
    assert outcome.out.startswith("Contradictions\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("good.run",), "needs at least two runs"),
        (("good.run", "poor.run", "-m", "AP"), "agreement needs at least two measures"),
        (("good.run", "poor.run", "-m", "AP,GMAP"), "GMAP: is defined for a set of topics only"),
        (
            ("good.run", "poor.run", "-m", "AP,Effort@100"),
            "Effort@100: run poor.run never reaches this recall on topic 1; set docs=",
        ),
        (("good.run", "poor.run", "--seed", "-3"), "'--seed': "),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: tuple[str, ...], message: str, here: Path, program: Program
) -> None:
    outcome = program("study", "agreement", "qrels", *words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
