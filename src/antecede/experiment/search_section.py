"""The runs that an experiment makes: every combination of `[search]`, and those that `[[runs]]` describes one by one.

The keys derive from the declarations of the search settings.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator

from antecede.errors import AntecedeError, shown
from antecede.experiment.settings import RunName, SearchRun, Several, check_text
from antecede.experiment.toml_document import InvalidValueError, describe_value, make_section, refusing, validate
from antecede.query.methods import METHODS, parse_method
from antecede.search.settings import SearchSettings, search_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from antecede.experiment.toml_document import Location
    from antecede.search.settings import Option

PUBLISHED = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
"""The methods of the papers, in their order; all other registered methods follow in the tables."""
DEPTH = 1000
"""Documents per topic, unless the file says otherwise."""
KEYS = {"model": "models"}
"""Settings that have another name in `[search]`, where they take several values."""


def default_methods() -> tuple[str, ...]:
    """Every registered method, those of the papers first."""
    return (*PUBLISHED, *(name for name in METHODS if name not in PUBLISHED))


def parse_methods(value: Any) -> tuple[str, ...]:
    """A method, or several whose rankings are fused: `tfidf+lmipc`, or a list."""
    parts = value if isinstance(value, list) else [value]
    if not parts:
        raise InvalidValueError("is empty", "name a method")
    for each in parts:
        if not isinstance(each, str):
            raise InvalidValueError(f"must be a string, not {describe_value(each)}")
    names = parts if isinstance(value, list) else re.split(r"\+(?![^(]*\))", check_text(value))
    return tuple(str(refusing(parse_method)(name.strip())) for name in names)


def normalize(option: Option) -> Callable[[Any], Any]:
    """A validator for one search setting, as it is declared."""

    def check(value: Any) -> Any:
        if option.name == "terms" and isinstance(value, dict) and value:  # one number per language
            return {name: refusing(option.check, key=(name,))(each) for name, each in value.items()}
        return refusing(option.normalize)(value.isoformat() if isinstance(value, date) else value)

    return check


OPTIONS = {each.name: each for each in sorted(search_options(), key=lambda each: each.name != "model")}
del OPTIONS["method"]
VALUES: dict[str, Any] = {name: Annotated[Any, BeforeValidator(normalize(each))] for name, each in OPTIONS.items()}
LISTS = {name for name, each in OPTIONS.items() if each.several and not each.commas}
"""Settings that take a list: it is one value, not several to be combined."""


def combined(name: str, kind: Any) -> Any:
    """The type of a setting in `[search]`: the values to be combined."""
    several: Any = Several
    return Annotated[tuple[kind], BeforeValidator(lambda value: (value,))] if name in LISTS else several[kind]


Methods = Annotated[tuple[str, ...], BeforeValidator(parse_methods)]
RunSection = make_section("RunSection", {"name": RunName, "method": Methods, "methods": Methods, **VALUES})
"""One run."""
SearchSection = make_section(
    "SearchSection",
    {"methods": Several[Methods], **{KEYS.get(name, name): combined(name, kind) for name, kind in VALUES.items()}},
)
"""Every setting, with the values to be combined."""


def combine(given: Any, location: Location) -> tuple[SearchRun, ...]:
    """The runs of `[search]`: every combination of its values."""
    section: Any = validate(SearchSection, given, location)
    values = {
        name: getattr(section, KEYS.get(name, name)) for name in OPTIONS if getattr(section, KEYS.get(name, name))
    }
    found: list[SearchRun] = []
    for methods in section.methods or [(name,) for name in default_methods()]:
        for combination in product(*values.values()):
            chosen = keep_relevant(methods, dict(zip(values, combination, strict=True)))
            varied = {name: each for name, each in chosen.items() if len(values[name]) > 1}
            run = make_run(name_run(methods, varied), methods, chosen, location)
            if run in found:
                continue
            if run.name in {each.name for each in found}:
                what = f"two runs would be named {shown(run.name)}"
                raise location.error(what, "describe them as [[runs]] with names")
            found.append(run)
    return tuple(found)


def keep_relevant(methods: tuple[str, ...], chosen: dict[str, Any]) -> dict[str, Any]:
    """The settings without those that have no effect: terms if no method selects terms, fusion of a single method."""
    selects = any(parse_method(each).definition.cut for each in methods)
    without = {name for name, effective in (("terms", selects), ("fusion", len(methods) > 1)) if not effective}
    return {name: each for name, each in chosen.items() if name not in without}


def name_run(methods: Iterable[str], varied: Mapping[str, Any]) -> str:
    """The default name of a run: its methods, and the settings that distinguish it."""
    parts = ["+".join(methods), *(f"{name}={write_value(each)}" for name, each in varied.items())]
    return "".join(char if char.isascii() and (char.isalnum() or char in "+-_.=") else "-" for char in "-".join(parts))


def write_value(value: Any) -> str:
    """A value as part of a name."""
    if isinstance(value, dict):
        return "-".join(f"{name}{each}" for name, each in value.items())
    return ",".join(value) if isinstance(value, tuple) else f"{value}"


def read_run(given: Any, location: Location) -> SearchRun:
    """A run of `[[runs]]`: `{ name = "both", methods = ["tfidf", "lmipc"], fusion = "rrf" }`."""
    section = validate(RunSection, given, location)
    values = {name: getattr(section, name) for name in given}  # in the order of the file
    if ("method" in values) == ("methods" in values):
        raise location.error("does not describe a run", "give either a path, or a method to search with")
    methods = values.pop("methods", None) or values.pop("method")
    name = values.pop("name", None)
    return make_run(name or name_run(methods, values), methods, values, location)


def make_run(name: str, methods: tuple[str, ...], values: dict[str, Any], location: Location) -> SearchRun:
    """A run with these settings; the number of terms may differ by language."""
    terms = values.get("terms")
    by_language = terms if isinstance(terms, dict) else None
    chosen = {each: value for each, value in values.items() if not (each == "terms" and by_language)}
    try:
        return SearchRun(name, SearchSettings(**{"method": methods, "k": DEPTH, **chosen}), by_language)
    except AntecedeError as error:
        raise location.error(str(error)) from None
