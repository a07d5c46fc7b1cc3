"""A package of a user's own, installed with pip: all that it brings is used from shell, Python and experiment files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
PLUGIN = ROOT / "examples" / "plugin"
QRELS = "".join(f"{topic} 0 {doc} {int(doc in 'ac')}\n" for topic in range(1, 9) for doc in "abc")
RUNS = {"a": "abc", "b": "bac", "c": "cba"}
DOOR = """
import json, sys
import antecede as ac
from antecede.patent.number import PatentNumber
from antecede.report.figures import FIGURES
scores = ac.evaluate(ac.rank_table("qrels.txt", ["a.run", "b.run", "c.run"]), "AP,HalfR@2")
result = ac.study.spread(scores, min_topics=3)
result.plot("python.svg")
try:
    ac.study.spread(scores, min_topic=3)
except ac.UsageError as error:
    wrong = str(error)
print(json.dumps({"spread": result.to_dict(), "wrong": wrong, "known": "spread" in dir(ac.study),
                  "half": ac.score("HalfR@10", found=[1, 9], relevant=2), "figure": FIGURES["score_spread"].name,
                  "number": PatentNumber.of("CU", "2001/123").number}))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs, and the package installed beside it."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PLUGIN, folder / "source")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*install, "--disable-pip-version-check", "--target", folder / "site", folder / "source"],
        capture_output=True,
        text=True,
        check=False,
    )
    if "No matching distribution found for setuptools" in done.stderr:
        pytest.skip("pip cannot fetch what builds a package")
    assert done.returncode == 0, done.stderr
    (folder / "qrels.txt").write_text(QRELS)
    for name, order in RUNS.items():
        lines = [
            f"{t} Q0 {doc} {at} {9 - at} {name}\n" for t in range(1, 9) for at, doc in enumerate(order[t % 3 :], 1)
        ]
        (folder / f"{name}.run").write_text("".join(lines))
    return folder


def call(place: Path, *words: str) -> str:
    known = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place / "site"), str(ROOT / "src")])}
    done = subprocess.run(words, cwd=place, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shell(place: Path, *words: str) -> str:
    return call(place, sys.executable, "-m", "antecede", *words)


def test_the_verb_is_in_the_help_and_has_what_its_function_declares(place: Path) -> None:
    assert "spread" in shell(place, "--help")
    said = shell(place, "study", "spread", "--help")
    assert "--min-topics" in said
    assert "The fewest topics for which a spread is computed." in " ".join(said.split())
    assert "antecede study spread qrels.txt a.run b.run -m AP --min-topics 5" in said


def test_shell_python_and_experiment_give_the_same(place: Path) -> None:
    runs = ("qrels.txt", "a.run", "b.run", "c.run")
    said = shell(
        place, "study", "spread", *runs, "-m", "AP,HalfR@2", "--min-topics", "3", "--json", "--figure", "shell.svg"
    )
    python = json.loads(call(place, sys.executable, "-c", DOOR))
    assert json.loads(said) == python["spread"]
    assert python["known"]
    assert "there is no argument 'min_topic' (did you mean min_topics" in python["wrong"]
    (place / "x.toml").write_text(
        "qrels = 'qrels.txt'\nruns = ['a.run', 'b.run', 'c.run']\n[study]\nrobustness = false\nagreement = false\n"
        "correlation = false\ncutoffs = false\nspread = { measures = ['AP', 'HalfR@2'], min_topics = 3 }\n"
    )
    shell(place, "experiment", "x.toml", "--quiet")
    assert json.loads((place / "x/parts/all/studies/spread.json").read_text()) == python["spread"]
    assert {
        (place / name).read_text()[:5] for name in ("shell.svg", "python.svg", "x/parts/all/figures/spread.svg")
    } == {"<?xml"}


def test_a_wrong_key_names_the_nearest(place: Path) -> None:
    (place / "y.toml").write_text("qrels = 'qrels.txt'\nruns = 'a.run'\n[study]\nspread = { min_topic = 3 }\n")
    known = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place / "site"), str(ROOT / "src")])}
    words = [sys.executable, "-m", "antecede", "experiment", "y.toml"]
    done = subprocess.run(words, cwd=place, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "y.toml: study.spread.min_topic: unknown key (did you mean min_topics?)" in done.stderr


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("measures", "HalfR"), ("methods", "rarest"), ("models", "coordination"), ("features", "same_office"),
        ("formats", "disclosure"), ("estimators", "doubled"), ("rules", "two_pages"),
    ],
)  # fmt: skip
def test_what_it_registers_is_listed(place: Path, kind: str, name: str) -> None:
    assert name in shell(place, "list", kind, name)


def test_a_measure_and_an_office_are_used(place: Path) -> None:
    python = json.loads(call(place, sys.executable, "-c", DOOR))
    assert (python["half"], python["figure"], python["number"]) == (0.5, "score_spread", "2001000123")


def test_every_kind_of_entry_point_is_in_the_example() -> None:
    declared = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]["entry-points"]
    sources = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    kinds = [
        "measures",
        "methods",
        "models",
        "features",
        "formats",
        "estimators",
        "stopping_rules",
        "figures",
        "offices",
        "verbs",
    ]
    assert {*declared} == {f"antecede.{kind}" for kind in kinds}
    assert all(f'"{group}"' in sources for group in declared)
