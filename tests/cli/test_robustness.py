"""antecede study robustness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.evaluation import rank_table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


@pytest.fixture
def trec8(data: Path, tmp_path: Path) -> Path:
    """Twelve runs of TREC-8 as a saved rank table."""
    table = tmp_path / "ranks.npz"
    runs = sorted((data / "trec8" / "runs").glob("*.gz"))[::4]
    rank_table(data / "trec8" / "qrels.txt", runs).save(table)
    return table


@pytest.mark.slow
def test_json_has_the_shape_of_the_interface(trec8: Path, program: Program, tmp_path: Path) -> None:
    words = ("-m", "AP@1000,PRES@1000", "--samples", "4", "--seed", "2", "--figure", tmp_path / "r.svg")
    outcome = program("study", "robustness", trec8, *words, "--json")
    assert outcome.code == 0
    (note,) = outcome.err.splitlines()
    assert note.startswith("antecede: input.acsys8alo2: the rank column contradicts the scores in 50 of 50 topics;")
    document = outcome.json
    assert document["keep"] == [0.2, 0.4, 0.6, 0.8]
    assert (document["samples"], document["runs"], document["seed"]) == (4, 12, 2)
    cell = document["tau"]["AP@1000"]["0.2"]
    assert set(cell) == {"mean", "worst", "low", "high", "values"}
    assert len(cell["values"]) == 4
    assert document["tau"]["AP@1000"]["0.2"]["mean"] < document["tau"]["PRES@1000"]["0.2"]["mean"]
    assert (tmp_path / "r.svg").stat().st_size > 1000
    again = program("study", "robustness", trec8, *words, "--json", "--overwrite")
    assert again.out == outcome.out


@pytest.mark.slow
def test_losing_groups(trec8: Path, data: Path, program: Program) -> None:
    words = ("-m", "AP", "--remove", "group", "--groups", data / "trec8" / "groups.txt")
    document = program("study", "robustness", trec8, *words, "--json").json
    assert document["samples"] == len(document["groups"]) > 2
    text = program("study", "robustness", trec8, *words).out
    assert "Without the documents found only by one group" in text


def test_a_shallow_pool(trec8: Path, program: Program) -> None:
    document = program("study", "robustness", trec8, "-m", "AP", "--remove", "depth", "--keep", "5,100", "--json").json
    assert document["keep"] == [5, 100]
    assert document["tau"]["AP"]["5"]["mean"] < document["tau"]["AP"]["100"]["mean"] <= 1


@pytest.mark.slow
def test_rare_finds_first(trec8: Path, program: Program) -> None:
    outcome = program(
        "study", "robustness", trec8, "-m", "AP,GMAP,Bpref", "--remove", "late", "--keep", "0.5,1", "--format", "csv"
    )
    rows = [line.split(",") for line in outcome.out.splitlines()]
    assert rows[0] == ["kept", "τ", "AP", "GMAP", "Bpref"]
    assert rows[4][:2] == ["1", "mean"]
    assert [float(value) for value in rows[4][2:]] == [1, 1, 1]


def test_from_files(here: Path, program: Program) -> None:
    outcome = program("study", "robustness", "qrels", "good.run", "poor.run", "--json")
    assert outcome.code == 0
    assert set(outcome.json["tau"]) == {"PRES@1000", "AP@1000", "R@1000", "R@100", "nDCG", "P@10"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("good.run",), "but got 1; add another run"),
        (("good.run", "poor.run", "--keep", "0.2,1.2"), "keep: 1.2 is not a share"),
        (("good.run", "poor.run", "--keep", "0"), "keep: 0 is not a share"),
        (("good.run", "poor.run", "--keep", ""), "--keep: '' is not a number"),
        (("good.run", "poor.run", "--samples", "0"), "'--samples': "),
        (("good.run", "poor.run", "--remove", "rndom"), "(did you mean random?)"),
        (("good.run", "poor.run", "--remove", "group"), "--groups FILE"),
        (("good.run", "poor.run", "--remove", "group", "--groups", "groups"), "do not name run poor.run"),
        (("good.run", "poor.run", "--remove", "group", "--groups", "none"), "none: no such file"),
        (("good.run", "same.run", "-m", "AP"), "AP: all runs have the same total"),
        (
            ("good.run", "poor.run", "-m", "Effort@100"),
            "Effort@100: run poor.run does not reach this recall on every topic",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: tuple[str, ...], message: str, here: Path, program: Program
) -> None:
    (here / "groups").write_text("good.run x\n")
    (here / "same.run").write_text((here / "good.run").read_text())
    outcome = program("study", "robustness", "qrels", *words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
