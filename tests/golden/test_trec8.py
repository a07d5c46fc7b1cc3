"""TREC-8 ad hoc: the official MAP of 48 real runs, through the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import call_program

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_map_equals_the_official_scores_in_all_digits(data: Path) -> None:
    folder = data / "trec8"
    official = dict(line.split() for line in (folder / "official-scores.map").read_text().splitlines())
    runs = sorted((folder / "runs").glob("*.gz"))
    outcome = call_program("evaluate", folder / "qrels.txt", *runs, "-m", "AP", "--json")
    assert outcome.code == 0, outcome.err
    ours = {run["name"].removeprefix("input."): run["scores"]["AP"] for run in outcome.json["runs"]}
    assert len(ours) == 48
    assert {name: f"{value:.4f}" for name, value in ours.items()} == {name: official[name] for name in ours}
