"""Every worked example in the docstrings of readings, estimators and stopping rules."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import antecede.review
from antecede.review.estimators import ESTIMATORS, estimate
from antecede.review.reading import Reading
from antecede.review.stopping import STOPPING_RULES, decide

NAMES = [each.name for each in pkgutil.walk_packages(antecede.review.__path__, "antecede.review.")]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_are_right(name: str) -> None:
    module = importlib.import_module(name)
    names = {"Reading": Reading, "estimate": estimate, "decide": decide}
    assert not doctest.testmod(module, extraglobs=names).failed


@pytest.mark.parametrize("registry", [ESTIMATORS, STOPPING_RULES], ids=["estimators", "rules"])
def test_every_entry_has_a_formula_a_paper_and_an_example(registry: dict) -> None:  # type: ignore[type-arg]
    for definition in registry.values():
        assert definition.cite, definition.name
        assert ">>>" in definition.doc, definition.name
        assert definition.summary.endswith("."), definition.name
