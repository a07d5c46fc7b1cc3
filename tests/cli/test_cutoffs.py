"""antecede study cutoffs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

THREE = ("input.ok8asxc.gz", "input.CL99SD.gz", "input.fub99a.gz")


@pytest.mark.slow
def test_three_runs_of_trec8(data: Path, program: Program, tmp_path: Path) -> None:
    folder = data / "trec8"
    runs = [folder / "runs" / name for name in THREE]
    words = ("--at", "10,50,100,500,1000", "--figure", tmp_path / "c.pdf")
    outcome = program("study", "cutoffs", folder / "qrels.txt", *runs, *words, "--json")
    assert outcome.code == 0
    document = outcome.json
    assert document["at"] == [10, 50, 100, 500, 1000]
    assert document["measures"] == ["PRES", "AP", "R"]
    cutoffs = ",".join(f"R@{cutoff}" for cutoff in document["at"])
    evaluated = program("evaluate", folder / "qrels.txt", *runs, "-m", cutoffs, "--json").json["runs"]
    for ours, theirs in zip(document["runs"], evaluated, strict=True):
        assert ours["scores"]["R"] == {name[2:]: pytest.approx(value) for name, value in theirs["scores"].items()}
    # Recall of ok8asxc and fub99a is close between 100 and 160 documents, and goes to and fro there.
    crossed = [(c["measure"], c["first"], c["at"]) for c in document["crossings"]]
    assert crossed[0] == ("R", "input.fub99a", 105)
    assert crossed[-1] == ("R", "input.ok8asxc", 156)
    assert len(crossed) == 8
    assert (tmp_path / "c.pdf").read_bytes().startswith(b"%PDF")


def test_the_tables_for_people(here: Path, program: Program) -> None:
    outcome = program("study", "cutoffs", "qrels", "good.run", "poor.run", "-m", "R", "--at", "1,2")
    assert outcome.out == (
        "Scores by cut-off\n"
        "measure  run           @1       @2\n"
        "───────  ────────  ───────  ───────\n"
        "R        good.run  0.7500*  1.0000*\n"
        "R        poor.run  0.0000   0.2500\n"
        "Pairs of runs that change places between 1 and 2: R: 0 of 1.\n"
        "Note: 1 topics of the qrels have no relevant document and are left out\n"
        "Note: poor.run (1): topics without results score 0\n"
        "Note: poor.run (1): topics without qrels are left out\n"
        "\n"
        "Where runs change places\n"
        "measure  ahead first  up to  ahead then  from  gap there\n"
        "───────  ───────────  ─────  ──────────  ────  ─────────\n"
        "0 changes of places, at every cut-off from 1 to 2.\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--at", "0,10"), "at: 0 is not a cut-off"),
        (("--at", "ten"), "--at: 'ten' is not a number"),
        (("-m", "PRES@10"), "PRES@10: name the measure without a cut-off here"),
        (("-m", "Bpref"), "Bpref has no cut-off to vary"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: tuple[str, ...], message: str, here: Path, program: Program
) -> None:
    outcome = program("study", "cutoffs", "qrels", "good.run", "poor.run", *words)
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
