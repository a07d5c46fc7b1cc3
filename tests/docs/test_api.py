"""The API reference is complete: every public name with its signature, its description and its parameters."""

from __future__ import annotations

import inspect
import re
from operator import attrgetter

import pytest

import antecede
from antecede.names import public_names
from docs.site.api import (
    TOPICS,
    anchor_of,
    api_manual,
    group_names,
    page_of,
    split_docstring,
    topic_manual,
    topic_of,
    undocumented_parameters,
    write_signature,
)
from docs.site.markdown import make_anchor

FUNCTIONS = [name for name in public_names() if inspect.isfunction(attrgetter(name)(antecede))]


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """The section of each name, by its anchor."""
    taken: set[str] = set()
    parts = [part for topic in group_names() for part in re.split(r"^## ", topic_manual(topic), flags=re.MULTILINE)[1:]]
    return {make_anchor(part.split("\n", 1)[0], taken): part for part in parts}


@pytest.mark.parametrize("name", public_names())
def test_a_name_has_a_section_with_signature_and_description(name: str, sections: dict[str, str]) -> None:
    section = sections[anchor_of(name, attrgetter(name)(antecede))]
    assert f"\nantecede.{name}" in section
    described = section.split("```", 2)[2].strip()
    assert re.match(r"[A-Z].{10,}", described), f"{name} has no description"
    if name in FUNCTIONS:
        signature = section.split("```py\n", 1)[1].split("\n```")[0]
        assert all(
            re.search(rf"\b{each}\b", signature) for each in inspect.signature(attrgetter(name)(antecede)).parameters
        )
        assert "**" not in signature


@pytest.mark.parametrize("name", public_names())
def test_the_first_page_leads_to_the_section_of_a_name(name: str) -> None:
    thing = attrgetter(name)(antecede)
    assert f"| [`{name}`](api/{page_of(topic_of(thing))}.md#{anchor_of(name, thing)}) |" in api_manual()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_of_a_public_function_is_described(name: str) -> None:
    assert undocumented_parameters(attrgetter(name)(antecede)) == set()


def test_what_a_function_returns_is_described_with_its_module(sections: dict[str, str]) -> None:
    assert "\nantecede.study.robustness.Robustness(" in sections["class-robustness"]


def test_every_name_belongs_to_a_topic() -> None:
    assert {topic_of(attrgetter(name)(antecede)) for name in public_names()} <= {*TOPICS} - {"Other"}


def test_a_parameter_without_a_description_is_noticed() -> None:
    def sample(first: int, second: int) -> None:
        """Do something.

        Args:
            first: A number that is described
                on two lines.
            third: One that does not exist.
        """

    assert split_docstring(sample)[1]["first"] == "A number that is described on two lines."
    assert undocumented_parameters(sample) == {"second", "third"}


def test_a_signature_is_written_with_types_defaults_and_the_star() -> None:
    assert write_signature("audit", inspect.signature(antecede.audit)) == (
        "audit(table: object, runs: object = None, *, k: int = 1000, order: Order = 'score', "
        "progress: Progress | None = None) -> Audit"
    )
