"""antecede study published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


@pytest.mark.slow
def test_json(program: Program, tmp_path: Path) -> None:
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
    assert document["robustness"]["simulated"] is True
    assert document["robustness"]["samples"] == 20
    assert (tmp_path / "p.svg").stat().st_size > 1000


def test_tables_for_people_name_misprints_and_what_is_simulated(program: Program) -> None:
    out = program("study", "published", "--samples", "3").out
    assert out.count("Misprint: ") >= 9
    assert "SIMULATED: the runs of CLEF-IP 2009 are not public." in out
    assert "0.0918 ≠" in out


@pytest.mark.parametrize("style", ["md", "csv", "latex", "html"])
def test_every_format(style: str, program: Program) -> None:
    outcome = program("study", "published", "--samples", "1", "--format", style)
    assert outcome.code == 0
    assert "0.0917" in outcome.out


def test_no_samples(program: Program) -> None:
    outcome = program("study", "published", "--samples", "0")
    assert (outcome.code, outcome.out) == (2, "")
    assert "'--samples': " in outcome.err
