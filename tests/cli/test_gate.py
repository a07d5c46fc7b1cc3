"""antecede gate: exit code 0, 1 or 2, one table, and a baseline that can be saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

TOPICS = range(30)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n{t} 0 b 1\n" for t in TOPICS))
    orders = {"old": ("abxyz", "axbyz"), "new": ("xyabz", "xyzab", "axybz")}
    for name, ways in orders.items():
        lines = [f"{t} Q0 {doc} {at} {9 - at} x\n" for t in TOPICS for at, doc in enumerate(ways[t % len(ways)], 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_fall_ends_with_1_and_a_rise_with_0(here: Path, program: Program) -> None:
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
    here: Path, program: Program
) -> None:
    saved = program("gate", "qrels", "old.run", "--save", "base.json", "-m", "AP")
    assert (saved.code, saved.out) == (0, "base.json: 30 topics, AP\n")
    before = (here / "base.json").read_text()
    failed = program(
        "gate", "qrels", "new.run", "--baseline", "base.json", "--save", "base.json", "--json", "--overwrite"
    )
    assert failed.code == 1
    assert failed.json["passed"] is False
    assert [each["verdict"] for each in failed.json["measures"]] == ["fell"]
    assert (here / "base.json").read_text() == before
    allowed = program(
        "gate", "qrels", "new.run", "--baseline", "base.json", "--save", "base.json", "--drop", "0.9", "--overwrite"
    )
    assert allowed.code == 0
    assert json.loads((here / "base.json").read_text())["run"] == "new.run"


def test_a_saved_baseline_says_what_it_lacks(here: Path, program: Program) -> None:
    lines = (here / "old.run").read_text().splitlines(keepends=True)
    (here / "part.run").write_text("".join(line for line in lines if not line.startswith(("0 ", "1 "))))
    saved = program("gate", "qrels", "part.run", "--save", "base.json", "-m", "AP")
    assert saved.out == "base.json: 30 topics, AP; 2 topics (0, 1) without results in this run score 0\n"
