"""One figure for one thing: measured figures are stored once, in CSV files, and pages that state one name its source.

A page of the evidence (`docs/studies`, `bench/results.md`) is made from the CSV file beside it. Elsewhere a measured
figure is a link to such a page, whose title names the row of the CSV file:

    [97 %](studies/ranking.md "large; all; the default; R@100")
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import pytest

from bench import results
from docs.site.evidence import PAGES, STUDIES, read_figures
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BENCH = ROOT / "bench/results.md"
EVIDENCE = {*STUDIES.glob("*.md"), BENCH}
REST = [ROOT / "README.md", *(each for each in sorted((ROOT / "docs").rglob("*.md")) if each not in EVIDENCE)]
GENERATED = ("measures", "methods", "models", "features", "formats", "settings")
STATED = re.compile(r'\[([^\]]+)\]\(([^)\s]+) "([^"]+)"\)')
MEASURED = re.compile(
    r"(?<![\w.=@,/])\.\d{2,4}\b|\b0\.\d{3,4}\b|\b\d+(?:\.\d+)? (?:ms|milliseconds)\b|\b\d+\.\d+ (?:s|seconds)\b"
)
"""A score to two digits or more, or a time: what is measured, as opposed to set."""
SET = {"docs/stopping.md": {".95"}}
"""Figures that look measured but are levels or settings, by page."""


@cache
def stored(page: Path) -> dict[tuple[str, ...], str]:
    """The figures beside a page, by what they are of."""
    with page.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    at = head.index("value")
    return {tuple(row[:at]): row[at] for row in rows}


def prose(page: Path) -> str:
    """A page without code and formulas."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^ {4}.*$|`[^`\n]*`", "", text, flags=re.MULTILINE)


def statements() -> list[tuple[Path, str, Path, str]]:
    """Every figure that names its source: the page, the figure, the page of the source, and the row."""
    found = []
    for page in REST:
        for text, target, row in STATED.findall(re.sub(r"\s+", " ", page.read_text())):
            found.append((page, text, (page.parent / target.partition("#")[0]).resolve(), row))
    return found


def test_a_stated_figure_is_the_stored_one() -> None:
    assert len(statements()) >= 10
    for page, text, source, row in statements():
        key = tuple(row.split("; "))
        assert key in stored(source), f"{page.name}: {source.stem}.csv has no row {row}"
        written = re.search(r"-?\d*\.?\d+", text)
        assert written is not None, f"{page.name}: {text} has no figure"
        digits = len(written[0].partition(".")[2])
        value = float(stored(source)[key].replace(",", "")) * (100 if "%" in text else 1)
        assert f"{value:.{digits}f}" == f"{float(written[0]):.{digits}f}", f"{page.name}: {text}, but {row} is {value}"


def test_a_measured_figure_outside_the_evidence_names_its_source() -> None:
    for page in REST:
        name = page.relative_to(ROOT).as_posix()
        if page.stem not in GENERATED and not name.startswith("docs/api"):
            text = STATED.sub("", re.sub(r"\s+", " ", prose(page)))
            stray = {each for each in MEASURED.findall(text) if each not in SET.get(name, set())}
            assert not stray, f"{name} states {stray} without a source: link it to the evidence, or leave it out"


def test_no_two_studies_disagree_about_the_same_thing() -> None:
    """Values of different precision agree if one is the other, rounded."""
    seen: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for study in PAGES:
        for each in read_figures(study):
            seen[each[:4]].add(each.value)
    for key, values in seen.items():
        numbers = [value for value in values if re.fullmatch(r"-?\d+(\.\d+)?", value)]
        digits = min((len(value.partition(".")[2]) for value in numbers), default=0)
        assert len({f"{float(value):.{digits}f}" for value in numbers}) <= 1, f"{key}: {values}"


@pytest.mark.parametrize("study", PAGES)
def test_a_study_is_made_from_its_figures(study: str) -> None:
    assert (STUDIES / f"{study}.md").read_text() == PAGES[study](read_figures(study)), "run: make docs"


def test_the_benchmark_is_made_from_its_figures() -> None:
    assert BENCH.read_text() == results.document(results.read()), "run: python bench/results.py"
    keys = [row[:4] for row in results.read()]
    assert len({*keys}) == len(keys)
