"""Each setting is declared once: the command line, experiment files, Python and the manual agree on it."""

from __future__ import annotations

import inspect
from dataclasses import fields
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
import typer

import antecede
from antecede.cli.app import program
from antecede.errors import UsageError
from antecede.experiment.searches import RunSection, SearchSection
from antecede.models import parse_model
from antecede.query.methods import parse_method
from antecede.search import rank
from antecede.search.settings import SearchSettings, merge_settings, search_options, settings_manual
from tests.conftest import find_command

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = [each.name for each in fields(SearchSettings)]
QUERY_MAKING = {"method", "terms", "fields", "weights", "language", "translation", "dictionary", "before"}
OFFERED = {
    "search": {*NAMES},
    "run": {*NAMES},
    "study query-length": {*NAMES} - {"terms", "fusion"},
    "query": QUERY_MAKING,
}


@pytest.mark.parametrize("verb", OFFERED)
def test_verbs_offer_the_settings_as_declared(verb: str) -> None:
    command = find_command(typer.main.get_command(program(verb.split())), verb)
    options = {each.name: each for each in command.params}
    assert {*NAMES} & {*options} == OFFERED[verb]
    for each in search_options():
        if each.name in OFFERED[verb]:
            assert options[each.name].help == each.help
            assert options[each.name].multiple == each.several


@pytest.mark.parametrize(
    "function",
    [antecede.search_index, rank, antecede.run, antecede.make_query],
)
def test_functions_take_the_settings_as_declared(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    for each in search_options():
        assert parameters[each.name].default == each.default
        assert parameters[each.name].kind is inspect.Parameter.KEYWORD_ONLY
    assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def test_experiment_files_have_every_setting_as_a_key() -> None:
    assert {*RunSection.model_fields} == {*NAMES} | {"name", "methods"}
    assert {*SearchSection.model_fields} == {*NAMES} - {"method", "model"} | {"methods", "models"}


def test_the_manual_has_every_setting() -> None:
    page = settings_manual()
    for each in search_options():
        assert f"## {each.name}\n\n{each.help}" in page


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ({"method": "bm25( k1 = 2 ),tf"}, {"method": ("bm25(k1=2)", "tf")}),
        ({"method": ["tf", "lm"]}, {"method": ("tf", "lm")}),
        ({"method": parse_method("tf")}, {"method": ("tf",)}),
        ({"model": parse_model("bm25(b=0.1)")}, {"model": "bm25(b=0.1)"}),
        ({"fields": "Title, abstract"}, {"fields": ("title", "abstract")}),
        ({"country": "ep"}, {"country": ("EP",)}),
        ({"before": date(2001, 2, 3)}, {"before": "2001-02-03"}),
        ({"before": None}, {"before": "off"}),
        ({"relevant": ["A, B", "C"]}, {"relevant": ("A, B", "C")}),
        ({"ipc_boost": 1}, {"ipc_boost": 1.0}),
    ],
)
def test_values_are_brought_into_their_normal_form(given: dict[str, Any], normal: dict[str, Any]) -> None:
    settings = SearchSettings(**given)
    assert {name: getattr(settings, name) for name in normal} == normal
    assert SearchSettings(**settings.to_dict()) == settings
    assert merge_settings(settings, {"k": 7}) == SearchSettings(**{**given, "k": 7})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"k": 2**70}, "k: must be between 1 and 1000000"),
        ({"k": 1.5}, "k: must be a whole number, not 1.5"),
        ({"k": True}, "k: must be a whole number, not True"),
        ({"weights": "roots"}, "weights: 'roots' is not one of method, tf, root, topical, none (did you mean root?)"),
        ({"relevant": 3}, "relevant: must be a list, not 3"),
        ({"model": "bm25(b=7)"}, "model: bm25(b=7): b must be between 0 and 1, not 7"),
        ({"fields": " , "}, "no field is given"),
        ({"method": ()}, "no query method is given"),
        ({"method": "tfidff"}, "did you mean tfidf"),
        ({"fusion": "sum"}, "fusion: 'sum' is not one of rrf, combsum, combmnz"),
        ({"terms": 0}, "terms: must be between 1 and 1000000, not 0"),
        ({"ipc_boost": float("nan")}, "ipc_boost: must be between 0 and 1000, not nan"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_by_name(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        SearchSettings(**given)
    assert said in str(caught.value)


def test_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(TypeError, match="depht"):
        rank(None, "text", depht=3)  # type: ignore[arg-type, call-arg]
