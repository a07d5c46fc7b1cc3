"""The page on experiments names every key, and its examples are such files."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from antecede.experiment.searches import OPTIONS, SearchSection
from antecede.experiment.settings import STUDIES, Evaluation, Settings
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE = (ROOT / "docs" / "experiments.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
KEYS = Settings.model_fields
SECTIONS: dict[str, Mapping[str, object]] = {
    "search": SearchSection.model_fields,
    "evaluation": Evaluation.model_fields,
    "studies": STUDIES,
}


@pytest.mark.parametrize("key", [*KEYS, *(f"{section}.{key}" for section, keys in SECTIONS.items() for key in keys)])
def test_every_key_is_told(key: str) -> None:
    section, _, name = key.partition(".")
    setting = section == "search" and f"\n## {name}\n" in SETTINGS  # the page refers to that of the settings
    assert setting or f"`{key}`" in PAGE or f"`{key}." in PAGE


def test_every_option_of_a_study_and_of_a_run_is_told() -> None:
    for name, study in STUDIES.items():
        line = next(line for line in PAGE.splitlines() if line.startswith(f"| `studies.{name}`"))
        assert {*study.options.model_fields} <= {*re.findall(r"\w+", line)}
    line = next(line for line in PAGE.splitlines() if line.startswith("| `runs`"))
    settings = {*re.findall(r"^## (\w+)$", SETTINGS, re.MULTILINE)}
    assert {*OPTIONS} - settings <= {*re.findall(r"\w+", line)}


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_has_only_known_keys(example: str) -> None:
    whole = tomllib.loads(example)
    assert {*whole} <= {*KEYS}
    for section, keys in SECTIONS.items():
        assert {*whole.get(section, ())} <= {*keys}
