"""The page on experiments names every key, and the demonstration, made small, runs to its end and only once."""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from antecede.experiment.searches import OPTIONS, SearchSection
from antecede.experiment.settings import STUDIES, Evaluation, Settings, read_settings
from antecede.experiment.steps import DEMO as FILE
from antecede.query.methods import METHODS
from tests.conftest import ROOT, call_program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


PAGE = (ROOT / "docs" / "experiments.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
KEYS = Settings.model_fields
SECTIONS: dict[str, Mapping[str, object]] = {
    "search": SearchSection.model_fields,
    "evaluation": Evaluation.model_fields,
    "study": STUDIES,
}


def test_every_key_is_told() -> None:
    settings = {f"search.{name}" for name in re.findall(r"^## (\w+)$", SETTINGS, re.MULTILINE)}  # the page refers to it
    keys = {*KEYS, *(f"{section}.{key}" for section, keys in SECTIONS.items() for key in keys)} - settings
    assert [key for key in sorted(keys) if not re.search(rf"`{re.escape(key)}[`.]", PAGE)] == []


def test_every_option_of_a_study_and_of_a_run_is_told() -> None:
    for name, study in STUDIES.items():
        written = {*re.findall(rf"`study\.{name}\.(\w+)`", PAGE)}
        assert {*study.section.model_fields} - written <= {"methods"}
    line = next(line for line in PAGE.splitlines() if line.startswith("| `runs`"))
    settings = {*re.findall(r"^## (\w+)$", SETTINGS, re.MULTILINE)}
    assert {*OPTIONS} - settings <= {*re.findall(r"\w+", line)}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_only_known_keys(example: str) -> None:
    whole = tomllib.loads(example)
    assert {*whole} <= {*KEYS}
    for section, keys in SECTIONS.items():
        assert {*whole.get(section, ())} <= {*keys}


def embedded() -> str:
    return files("antecede.experiment").joinpath(FILE).read_text("utf-8")


@pytest.mark.docs
def test_the_experiment_that_comes_along_is_right_and_has_every_method(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(embedded(), "utf-8")
    settings = read_settings(tmp_path / FILE)
    assert {each.name for each in settings.searches} == {*METHODS}
    assert settings.languages == ("en", "fr", "de")


@pytest.mark.docs
def test_the_whole_chain_ends_in_a_page_and_is_not_done_twice(tmp_path: Path) -> None:
    small = (
        embedded()
        .replace("patents = 2000\ntopics = 300", "patents = 100\ntopics = 20")
        .replace("length = 900", "length = 300")
        .replace('"PRES@1000", "AP@1000", "R@100", "R@1000", "nDCG", "P@10"', '"PRES@1000", "AP@1000"')
        .replace("samples = 20", "samples = 5")
        .replace('["en", "fr", "de"]', '["en", "de"]')
        .replace('"full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr", "logtfidf"', '"full", "lmipc", "logtfidf"')
    )
    assert small != embedded()
    (tmp_path / FILE).write_text(small, "utf-8")
    done = call_program("demo", "--out", tmp_path)
    assert done.code == 0, done.err
    assert done.out.rstrip().endswith((tmp_path / "demo" / "report.html").as_uri())
    assert [line.partition("made")[0].strip() for line in done.err.splitlines() if "made " in line][-1] == "100 %"
    assert all(name in done.out for name in ("English", "German", "lmipc", "PRES@1000"))
    page = (tmp_path / "demo" / "report.html").read_bytes()
    again = call_program("demo", "--out", tmp_path)
    assert "made " not in again.err
    assert again.out == done.out
    assert (tmp_path / "demo" / "report.html").read_bytes() == page
    search, experiment, serve = (line.split("#")[0] for line in done.out.splitlines() if line.startswith("    ante"))
    assert call_program(*shlex.split(search)[1:]).code == 0
    assert shlex.split(experiment)[1:] == ["experiment", str(tmp_path / FILE)]
    assert shlex.split(serve)[1:] == ["demo", "--out", str(tmp_path), "--serve"]
