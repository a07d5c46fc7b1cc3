"""Damaged index files, with and without the right checksums: never a crash, never another ranking in silence.

A case ends `exact` (the damage changes nothing), `refused` (one line), `reported` (a sealed index that contradicts
itself in a redundant part: it is read without harm, and verify says so) or `another` (a sealed index that is
consistent, whose rankings are those of a brute-force search through it).
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.fuzz.index_worlds import build_world

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fuzz.outcomes import Fuzz

CASES = {"sealed": 60, "unsealed": 15}
AT_ONCE = 200
"""Cases that one process goes through at most."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the whole index."""
    return build_world(tmp_path_factory.mktemp("world")).parent


def run(world: Path, copies: Path, target: str, cases: list[str]) -> list[list[str]]:
    """Go through cases in other processes: case, outcome, damage, problem of each. One that dies costs one case."""
    found: list[list[str]] = []
    while cases:
        some, cases = cases[:AT_ONCE], cases[AT_ONCE:]
        words = [sys.executable, "-m", "tests.fuzz.index_worker", str(world), str(copies), target]
        done = subprocess.run(words, input="\n".join(some), capture_output=True, text=True, cwd=ROOT, check=False)
        lines = done.stdout.splitlines()
        found += [json.loads(line) for line in lines if line.startswith("[")]
        if done.returncode:
            begun = [line.removeprefix("begin ") for line in lines if line.startswith("begin")]
            assert begun, done.stderr
            found.append([begun[-1], "crash", "", f"exit code {done.returncode}: {done.stderr[-2000:]}"])
            cases = some[some.index(begun[-1]) + 1 :] + cases
    return found


def test_damaged_files(world: Path, tmp_path: Path, fuzz: Fuzz) -> None:
    """Both kinds in one process, which takes longer to load everything than to go through a few cases."""
    cases = [f"{kind} {number}" for kind, count in CASES.items() for number, _ in fuzz.cases(count)]
    problems = []
    for case, outcome, how, why in run(world, tmp_path, fuzz.target, cases):
        fuzz.count(f"{case.split()[0]} and {outcome}")
        if outcome in ("failed", "crash"):
            problems.append(f"case {case} ({how}): {outcome}: {why}")
    assert problems == []
    assert fuzz.outcomes.total() >= len(cases)
