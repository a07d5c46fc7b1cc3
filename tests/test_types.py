"""The types of the public functions: mypy finds typical mistakes, and what has a name has it in the types, too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_args

import pytest

from antecede.comparison import effect_sizes, significance
from antecede.comparison.correlation import CORRELATIONS, Coefficient
from antecede.conditions.filters import UNDATED, Undated
from antecede.fusion import FUSIONS, FusionName
from antecede.index.manifest import KINDS, SpaceKind
from antecede.query.query_maker import TERM_WEIGHTS, WeightEdits
from antecede.review.reading import FEEDBACK, Feedback
from antecede.search.settings import GivenSettings, search_options
from antecede.study.judgement_loss import LOSSES, LOST, LossName, Lost
from antecede.synthetic.collection import OUTPUT_FORMATS, Form
from antecede.text.profiles import PROFILES, ProfileName
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MISTAKES = """
import antecede as ac

index = ac.open_index("clefip.index")
table = ac.rank_table("qrels.txt", ["a.run"])
scores = ac.evaluate(table, "AP")
patent = index.patent("EP-1000000")
ac.search_index(index, patent, method="tfidf", terms=75, k=100, fusion="rrf", before=None)
ac.compare(scores, test="wilcoxon", correction="bh", interval="percentile")
ac.study.robustness(table, ["AP", "PRES@1000"], remove="depth", treat_as="unjudged")
ac.fuse(["a.run", "b.run"], "combsum")
ac.rank_table("qrels.txt", ["a.run"], ties="input", duplicates="first", order="score")
# the lines below are wrong
ac.search_index(index, patent, methd="tfidf")
ac.search_index(index, patent, k="100")
ac.search_index(index, patent, undated="dropped")
ac.search_index(index, patent, fusion="rff")
ac.make_query(patent, index, weights="idf")
ac.run(index, [patent], depth=100)
index.search(patent, methd="tfidf")
ac.compare(scores, test="foo")
ac.compare(scores, methd="t")
ac.study.robustnes(table, "AP")
ac.study.robustness(table, "AP", sampels=10)
ac.study.correlaton(scores)
ac.rank_table("qrels.txt", ["a.run"], tie="input")
ac.evaluate(table, measures=10)
ac.correlate(scores)
ac.compare(scores, correction="fdr")
ac.compare(scores, interval="normal")
ac.compare(scores, baseline=1)
ac.study.agreement(scores, test="foo")
ac.discriminative_power(scores, test="foo")
ac.study.correlation(scores, ["kendal"])
ac.gate("qrels.txt", "new.run", "old.run", test="foo")
ac.study.robustness(table, "AP", remove="foo")
ac.study.robustness(table, "AP", treat_as="foo")
ac.study.measures(table, test="foo")
ac.study.judges("a.txt", "b.txt", unjudged="foo")
ac.evaluate(table, [10])
ac.evaluate(table, missing="one")
ac.rank_table("qrels.txt", ["a.run"], ties="score")
ac.fuse(["a.run", "b.run"], "foo")
ac.synthesize("out", 100, form="xml")
ac.index.build("clefip", "clefip.index", profile="published2")
ac.SpacePlan("lsi")
ac.review.simulate([], feedback="passive")
ac.review.start("cases.db", index, patent, feedback="passive")
ac.review.start("cases.db", index, patent, dept=100)
ac.index.build("clefip", "clefip.index", memory="2GB")
ac.index.add("clefip.index", "new", worker=2)
ac.learn.space("clefip.index", kind="lsi")
"""


@pytest.mark.slow
def test_mypy_finds_typical_mistakes_in_an_installed_package_and_nothing_else(tmp_path: Path) -> None:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    site = tmp_path / "site"  # what the wheel has, which pip builds first
    built = subprocess.run([*install, "--target", site, ROOT], capture_output=True, text=True, check=False)
    if "No matching distribution found for hatchling" in built.stderr:
        pytest.skip("pip cannot fetch what builds a package")
    assert built.returncode == 0, built.stderr
    assert (site / "antecede" / "py.typed").is_file()
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    call = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", "cache", "mistakes.py"]
    known = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(call, cwd=tmp_path, env=known, capture_output=True, text=True, check=False)
    errors = {int(line) for line in re.findall(r"mistakes\.py:(\d+): error", done.stdout)}
    wrong = MISTAKES.splitlines().index("# the lines below are wrong") + 2
    assert errors == {*range(wrong, MISTAKES.count("\n") + 1)}, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("choices", "known"),
    [
        (significance.Test, significance.TESTS),
        (significance.Correction, significance.CORRECTIONS),
        (effect_sizes.Interval, effect_sizes.METHODS),
        (Coefficient, CORRELATIONS),
        (LossName, LOSSES),
        (Lost, LOST),
        (FusionName, FUSIONS),
        (Undated, UNDATED),
        (SpaceKind, KINDS),
        (WeightEdits, TERM_WEIGHTS),
        (Feedback, FEEDBACK),
        (Form, OUTPUT_FORMATS),
        (ProfileName, PROFILES),
    ],
)
def test_the_choices_of_a_type_are_those_that_there_are(choices: Any, known: Iterable[str]) -> None:
    assert {*get_args(choices)} == {*known}


def test_type_checkers_know_the_settings_of_a_search() -> None:
    assert [*GivenSettings.__annotations__] == [option.name for option in search_options()]
