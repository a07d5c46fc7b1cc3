"""What is not documented fails here."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from typing import TYPE_CHECKING

import pytest

import antecede.cli.verbs
from antecede.corpus.listing import manual as manual_of_formats
from antecede.measures.listing import manual as manual_of_measures
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = ROOT / "docs"
VERBS = [module.name for module in pkgutil.iter_modules(antecede.cli.verbs.__path__)]


@pytest.mark.parametrize(("page", "manual"), [("measures", manual_of_measures), ("formats", manual_of_formats)])
def test_a_page_made_from_the_code_is_what_the_code_says(page: str, manual: Callable[[], str]) -> None:
    assert (DOCS / f"{page}.md").read_text() == manual(), "run: make docs"


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_a_page_that_names_its_options_and_examples(verb: str) -> None:
    page = (DOCS / "verbs" / f"{verb}.md").read_text()
    function = getattr(importlib.import_module(f"antecede.cli.verbs.{verb}"), verb)
    for name in inspect.signature(function).parameters:
        option = f"--{name.rstrip('_').replace('_', '-')}"
        written = {option, option.removesuffix("s"), name.upper().removesuffix("S")}
        assert any(each in page for each in written) or name == "names", option
    assert function.examples
    for example in function.examples:
        assert example in page


def test_every_page_that_is_linked_exists() -> None:
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links {target}"


def test_the_readme_names_every_verb_or_their_folder() -> None:
    assert "docs/verbs" in (ROOT / "README.md").read_text()
