"""PRES comes first wherever measures are chosen by default, and nobody counts the query methods by hand."""

from __future__ import annotations

import re
from pathlib import Path

from antecede.experiment import settings
from antecede.measures import DEFAULT_MEASURES
from antecede.study.cutoffs import FAMILIES
from antecede.study.term_counts import MEASURES

ROOT = Path(__file__).parents[2]
COUNT = re.compile(r"\b(eight|nine|ten|eleven|twelve|\d+)\s+(\[?query )?(methods|queries of a topic)\b", re.IGNORECASE)
"""A number of methods in words or digits, which is wrong as soon as a method is added."""


def test_pres_is_the_first_default_measure_everywhere() -> None:
    for measures in (DEFAULT_MEASURES, FAMILIES, MEASURES, settings.MEASURES, settings.STUDY_MEASURES):
        assert measures[0].startswith("PRES"), measures


def test_the_number_of_methods_is_never_written() -> None:
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    files += [*(ROOT / "src").rglob("*.toml")]
    found = {str(path.relative_to(ROOT)): COUNT.findall(path.read_text(encoding="utf-8")) for path in files}
    assert {name: counts for name, counts in found.items() if counts} == {}
