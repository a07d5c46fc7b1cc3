"""The demonstration, made small: an experiment file that is there already is used."""

from __future__ import annotations

import shlex
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from antecede.experiment.settings import read_settings
from antecede.experiment.steps import DEMO as FILE
from antecede.query.methods import METHODS
from tests.conftest import call_program

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.docs


def embedded() -> str:
    return files("antecede.experiment").joinpath(FILE).read_text("utf-8")


def test_the_experiment_that_comes_along_is_right_and_has_every_method(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(embedded(), "utf-8")
    settings = read_settings(tmp_path / FILE)
    assert {each.name for each in settings.searches} == {*METHODS}
    assert settings.languages == ("en", "fr", "de")


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
