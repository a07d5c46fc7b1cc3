"""antecede study: agreement, correlation, cutoffs, robustness and published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.evaluation import rank_table
from antecede.study.simulation import TABLE_4
from tests.cli.conftest import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

TABLE = "run,MAP,Recall,PRES\n" + "".join(f"R{at:02},{m},{r},{p}\n" for at, (m, r, p) in enumerate(TABLE_4.tolist(), 1))
THREE = ("input.ok8asxc.gz", "input.CL99SD.gz", "input.fub99a.gz")


@pytest.fixture
def trec8(data: Path, tmp_path: Path) -> Path:
    """Twelve runs of TREC-8 as a saved rank table."""
    runs = sorted((data / "trec8" / "runs").glob("*.gz"))[::4]
    rank_table(data / "trec8" / "qrels.txt", runs).save(tmp_path / "ranks.npz")
    return tmp_path / "ranks.npz"


@pytest.mark.slow
def test_agreement_of_the_48_runs_of_trec8(data: Path, program: Program, tmp_path: Path) -> None:
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
    assert sum(counts) + sum(apart["count"] for apart in document["stands_apart"].values()) == 1128
    # As in figure 7 of the paper: most pairs agree, MAP stands apart the most, PRES hardly ever.
    apart = {name: entry["share"] for name, entry in document["stands_apart"].items()}
    assert document["all_agree"]["share"] > 0.7
    assert apart["AP@1000"] > apart["R@1000"] > apart["PRES@1000"]
    assert apart["PRES@1000"] < 0.02
    assert (tmp_path / "a.svg").stat().st_size > 1000


def test_correlations_in_table_4_of_the_paper(here: Path, program: Program) -> None:
    (here / "table4.csv").write_text(TABLE)
    outcome = program("study", "correlation", "table4.csv", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = outcome.json
    assert set(document) == {"kendall", "spearman", "pearson", "tau_ap"}
    kendall = {"MAP|Recall": 0.561, "MAP|PRES": 0.665, "Recall|PRES": 0.878}
    spearman = {"MAP|Recall": 0.709, "MAP|PRES": 0.812, "Recall|PRES": 0.970}
    assert {pair: round(value, 3) for pair, value in document["kendall"].items()} == kendall
    assert {pair: round(value, 3) for pair, value in document["spearman"].items()} == spearman
    chosen = program("study", "correlation", "table4.csv", "-m", "PRES,Recall", "--json").json["kendall"]
    assert list(chosen) == ["PRES|Recall"]
    for option in ("--rel 2", "--missing skip", "--depth 10", "--ties input"):  # what is scored cannot follow them
        one_line(program("study", "correlation", "table4.csv", *option.split()), "is a table of scores")


def test_the_table_of_evaluate_is_correlated(here: Path, program: Program) -> None:
    table = program("evaluate", "qrels", "good.run", "poor.run", "-m", "AP,R@2", "--format", "csv").out
    read = program("study", "correlation", "-", "--json", stdin=table.encode())
    direct = program("study", "correlation", "qrels", "good.run", "poor.run", "-m", "AP,R@2", "--json")
    assert direct.json == read.json | {"advice": direct.json["advice"]}
    assert "poor.run (1): topics without results score 0" in direct.json["advice"]
    assert read.json["kendall"] == {"AP|R@2": 1.0}
    program("evaluate", "qrels", "good.run", "poor.run", "--save", "ranks.npz")
    drawn = program("study", "correlation", "ranks.npz", "-m", "AP,R@2", "--format", "md", "--figure", "c.png")
    assert "| AP – R@2 |" in drawn.out
    assert (here / "c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_cutoffs_of_three_runs_of_trec8(data: Path, program: Program, tmp_path: Path) -> None:
    folder = data / "trec8"
    runs = [folder / "runs" / name for name in THREE]
    words = ("--at", "10,50,100,500,1000", "--figure", tmp_path / "c.pdf")
    document = program("study", "cutoffs", folder / "qrels.txt", *runs, *words, "--json").json
    assert (document["at"], document["measures"]) == ([10, 50, 100, 500, 1000], ["PRES", "AP", "R"])
    cutoffs = ",".join(f"R@{cutoff}" for cutoff in document["at"])
    evaluated = program("evaluate", folder / "qrels.txt", *runs, "-m", cutoffs, "--json").json["runs"]
    for ours, theirs in zip(document["runs"], evaluated, strict=True):
        assert ours["scores"]["R"] == {name[2:]: pytest.approx(value) for name, value in theirs["scores"].items()}
    # Recall of ok8asxc and fub99a is close between 100 and 160 documents, and goes to and fro there.
    crossed = [(c["measure"], c["first"], c["at"]) for c in document["crossings"]]
    assert (len(crossed), crossed[0], crossed[-1]) == (8, ("R", "input.fub99a", 105), ("R", "input.ok8asxc", 156))
    assert (tmp_path / "c.pdf").read_bytes().startswith(b"%PDF")


def test_cutoffs_as_tables(here: Path, program: Program) -> None:
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


@pytest.mark.slow
def test_robustness_has_the_shape_of_the_interface(trec8: Path, program: Program, tmp_path: Path) -> None:
    words = ("-m", "AP@1000,PRES@1000", "--samples", "4", "--seed", "2", "--figure", tmp_path / "r.svg")
    outcome = program("study", "robustness", trec8, *words, "--json")
    (note,) = outcome.err.splitlines()
    assert note.startswith("antecede: input.acsys8alo2: the rank column contradicts the scores in 50 of 50 topics;")
    document = outcome.json
    assert document["keep"] == [0.2, 0.4, 0.6, 0.8]
    assert (document["samples"], document["runs"], document["seed"]) == (4, 12, 2)
    cell = document["tau"]["AP@1000"]["0.2"]
    assert set(cell) == {"mean", "worst", "low", "high", "values"}
    assert len(cell["values"]) == 4
    assert cell["mean"] < document["tau"]["PRES@1000"]["0.2"]["mean"]
    assert (tmp_path / "r.svg").stat().st_size > 1000
    assert program("study", "robustness", trec8, *words, "--json", "--overwrite").out == outcome.out


@pytest.mark.slow
def test_robustness_to_other_losses(trec8: Path, data: Path, program: Program) -> None:
    lost = ("study", "robustness", trec8, "--remove")
    groups = (*lost, "group", "-m", "AP", "--groups", data / "trec8" / "groups.txt")
    document = program(*groups, "--json").json
    assert document["samples"] == len(document["groups"]) > 2
    assert "Without the documents found only by one group" in program(*groups).out
    shallow = program(*lost, "depth", "-m", "AP", "--keep", "5,100", "--json").json
    assert shallow["keep"] == [5, 100]
    assert shallow["tau"]["AP"]["5"]["mean"] < shallow["tau"]["AP"]["100"]["mean"] <= 1
    late = program(*lost, "late", "-m", "AP,GMAP,Bpref", "--keep", "0.5,1", "--format", "csv").out
    rows = [line.split(",") for line in late.splitlines()]
    assert rows[0] == ["kept", "τ", "AP", "GMAP", "Bpref"]
    assert (rows[4][:2], [float(value) for value in rows[4][2:]]) == (["1", "mean"], [1, 1, 1])


@pytest.mark.slow
def test_published_figures_beside_ours(program: Program, tmp_path: Path) -> None:
    outcome = program("study", "published", "--samples", "20", "--json", "--figure", tmp_path / "p.svg")
    assert (outcome.code, outcome.err) == (0, "")
    document = outcome.json
    by_place = {
        (section["title"].partition(":")[0], figure["row"], figure["measure"]): figure
        for section in document["sections"]
        for figure in section["figures"]
    }
    tau = by_place["PRES, table 4", "Recall – PRES", "Kendall τ-b"]
    assert (tau["printed"], round(tau["ours"], 3), tau["agrees"]) == ("0.87", 0.878, False)
    assert (document["robustness"]["simulated"], document["robustness"]["samples"]) == (True, 20)
    assert (tmp_path / "p.svg").stat().st_size > 1000


@pytest.mark.parametrize("style", ["text", "md", "csv", "latex", "html"])
def test_published_tables_name_misprints_and_what_is_simulated(style: str, program: Program) -> None:
    outcome = program("study", "published", "--samples", "1", "--format", style)
    assert outcome.code == 0
    assert "0.0917" in outcome.out
    if style == "text":
        assert outcome.out.count("Misprint: ") >= 9
        assert "SIMULATED: the runs of CLEF-IP 2009 are not public." in outcome.out
        assert "0.0918 ≠" in outcome.out
