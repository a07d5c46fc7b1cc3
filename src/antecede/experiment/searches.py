"""The runs that an experiment makes: every combination of `[search]`, and those that `[[runs]]` describes one by one.

The keys derive from the declarations of the search settings. Only an experiment that searches imports this module.
"""

from __future__ import annotations

from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator

from antecede.errors import printable
from antecede.experiment.document import (
    InvalidValueError,
    RunName,
    Several,
    check_text,
    describe_value,
    make_section,
    refusing,
)
from antecede.experiment.settings import SearchRun
from antecede.query.methods import METHODS, parse_method
from antecede.registry import split_outside
from antecede.search.settings import SearchSettings, search_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from antecede.search.settings import Option

PUBLISHED = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
"""The methods of the papers, in their order; all other registered methods follow in the tables."""
KEYS = {"model": "models"}
"""Settings that have another name in `[search]`, where they take several values."""


def default_methods() -> tuple[str, ...]:
    """Every registered method, those of the papers first."""
    return (*PUBLISHED, *(name for name in METHODS if name not in PUBLISHED))


def _parse_methods(value: Any) -> tuple[str, ...]:
    """A method, or several whose rankings are fused: `tfidf+lmipc`, or a list."""
    parts = value if isinstance(value, list) else [value]
    if not parts:
        raise InvalidValueError("is empty", "name a method")
    for part in parts:
        if not isinstance(part, str):
            raise InvalidValueError(f"must be a string, not {describe_value(part)}")
    names = parts if isinstance(value, list) else split_outside(check_text(value), "+")
    return tuple(str(refusing(parse_method)(name.strip())) for name in names)


def _normalize(option: Option) -> Callable[[Any], Any]:
    """A validator for one search setting, as it is declared."""

    def check(value: Any) -> Any:
        if option.name == "terms" and isinstance(value, dict) and value:  # one number per language
            return {name: refusing(option.check, key=(name,))(number) for name, number in value.items()}
        return refusing(option.normalize)(value.isoformat() if isinstance(value, date) else value)

    return check


OPTIONS = {option.name: option for option in sorted(search_options(), key=lambda option: option.name != "model")}
del OPTIONS["method"]
VALUES: dict[str, Any] = {name: Annotated[Any, BeforeValidator(_normalize(kind))] for name, kind in OPTIONS.items()}
LISTS = {name for name, option in OPTIONS.items() if option.several and not option.commas}
"""Settings that take a list: it is one value, not several to be combined."""


def _combined(name: str, kind: Any) -> Any:
    """The type of a setting in `[search]`: the values to be combined."""
    several: Any = Several
    return Annotated[tuple[kind], BeforeValidator(lambda value: (value,))] if name in LISTS else several[kind]


Methods = Annotated[tuple[str, ...], BeforeValidator(_parse_methods)]
RunSection = make_section("RunSection", {"name": RunName, "method": Methods, "methods": Methods, **VALUES})
"""One run."""
SearchSection = make_section(
    "SearchSection",
    {"methods": Several[Methods], **{KEYS.get(name, name): _combined(name, kind) for name, kind in VALUES.items()}},
)
"""Every setting, with the values to be combined."""


def combine_runs(given: Any) -> tuple[SearchRun, ...]:
    """The runs of `[search]`: every combination of its values."""
    section: Any = SearchSection.model_validate(given)
    values = {name: chosen for name in OPTIONS if (chosen := getattr(section, KEYS.get(name, name)))}
    runs: dict[str, SearchRun] = {}
    for methods in section.methods or [(name,) for name in default_methods()]:
        # Left out where they have no effect: terms if no method selects terms, fusion of a single method.
        effective = {"terms": any(parse_method(name).definition.cut for name in methods), "fusion": len(methods) > 1}
        for combination in product(*values.values()):
            chosen = {n: v for n, v in zip(values, combination, strict=True) if effective.get(n, True)}
            varied = {name: value for name, value in chosen.items() if len(values[name]) > 1}
            run = _make_search_run(_name_run(methods, varied), methods, chosen)
            if runs.setdefault(run.name, run) != run:
                what = f"two runs would be named {printable(run.name)}"
                raise InvalidValueError(what, "describe them as [[runs]] with names")
    return tuple(runs.values())


def describe_run(given: Any) -> SearchRun:
    """A run of `[[runs]]`: `{ name = "both", methods = ["tfidf", "lmipc"], fusion = "rrf" }`."""
    section = RunSection.model_validate(given)
    values = {name: getattr(section, name) for name in given}  # in the order of the file
    if ("method" in values) == ("methods" in values):
        raise InvalidValueError("does not describe a run", "give either a path, or a method to search with")
    methods = values.pop("methods", None) or values.pop("method")
    name = values.pop("name", None)
    return _make_search_run(name or _name_run(methods, values), methods, values)


def _name_run(methods: Iterable[str], varied: Mapping[str, Any]) -> str:
    """The default name of a run: its methods, and the settings that distinguish it."""

    def write(value: Any) -> str:
        if isinstance(value, dict):
            return "-".join(f"{name}{number}" for name, number in value.items())
        return ",".join(value) if isinstance(value, tuple) else f"{value}"

    parts = ["+".join(methods), *(f"{name}={write(value)}" for name, value in varied.items())]
    return "".join(char if char.isascii() and (char.isalnum() or char in "+-_.=") else "-" for char in "-".join(parts))


def _make_search_run(name: str, methods: tuple[str, ...], values: Mapping[str, Any]) -> SearchRun:
    """A run with these settings; the number of terms may differ by language."""
    by_language = terms if isinstance(terms := values.get("terms"), dict) else None
    chosen = {option: value for option, value in values.items() if not (option == "terms" and by_language)}
    settings = refusing(lambda options: SearchSettings(**options))({"method": methods, **chosen})
    return SearchRun(name, settings, by_language)
