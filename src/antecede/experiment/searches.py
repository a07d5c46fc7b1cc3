"""The runs that an experiment makes: methods × models × parameters, and those that its file describes one by one."""

from __future__ import annotations

import re
from datetime import date
from itertools import product
from typing import TYPE_CHECKING, Any

from antecede.errors import shown
from antecede.experiment.settings import Search
from antecede.experiment.values import many, run_name, table, text, whole
from antecede.query.methods import METHODS, parse_method
from antecede.search.settings import SearchSettings, search_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.experiment.values import Kind, Place
    from antecede.search.settings import Option

PUBLISHED = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr")
"""The methods of the papers, in their order; every other registered method follows in the tables."""
DEPTH = 1000
"""Documents per topic, unless the file says otherwise."""


def default_methods() -> tuple[str, ...]:
    """Every method that can be used as it is, those of the papers first."""
    return (*PUBLISHED, *(name for name in METHODS if name not in PUBLISHED))


def methods(value: Any, at: Place) -> tuple[str, ...]:
    """A method, or several whose rankings are fused: `tfidf+lmipc`, or a list."""
    parts = value if isinstance(value, list) else re.split(r"\+(?![^(]*\))", text(value, at))
    if not parts:
        raise at.wrong("is empty; name a method")
    names = [text(each, at).strip() for each in parts]
    return tuple(map(str, at.passed_on(lambda: [parse_method(name) for name in names])))


def reader_of(option: Option) -> Kind:
    """Reads the value of one search setting, as its declaration says."""

    def read(value: Any, at: Place) -> Any:
        if option.name == "terms" and isinstance(value, dict):  # a number for each language
            return {name: whole(1)(each, at / name) for name, each in value.items()}
        written = value.isoformat() if isinstance(value, date) else value
        return at.passed_on(lambda: option.normalize(written))

    return read


READERS: dict[str, Kind] = {each.name: reader_of(each) for each in search_options() if each.name != "method"}
"""The keys of one run, besides its methods: the settings of a search."""
LISTS = {each.name for each in search_options() if each.several and not each.commas}
"""Settings that take a list: a list is one value of these, not several to be combined."""


def one(read: Kind) -> Kind:
    """A single value, where others may be several to be combined."""
    return lambda value, at: (read(value, at),)


SEARCH: dict[str, Kind] = {
    "methods": lambda value, at: several(value, at),
    "models": many(READERS["model"]),
    **{name: one(read) if name in LISTS else many(read) for name, read in READERS.items() if name != "model"},
}


def several(value: Any, at: Place) -> tuple[tuple[str, ...], ...]:
    """The methods of `[search]`, each perhaps a fusion."""
    if not isinstance(value, list):
        return (methods(value, at),)
    if not value:
        raise at.wrong("is empty; name one, or leave it out for all")
    return tuple(methods(each, at / number) for number, each in enumerate(value))


def searches(given: dict[str, Any], at: Place) -> tuple[Search, ...]:
    """Every combination of `[search]`, as the file gives it, read already."""
    chosen = {name: given[name] for name in SEARCH if name in given and name != "methods"}
    ways = given.get("methods") or tuple((name,) for name in default_methods())
    found: list[Search] = []
    for way in ways:
        for values in product(*chosen.values()):
            asked = dict(zip(chosen, values, strict=True))
            meant = fitting(way, asked)
            varied = [name for name in asked if len(chosen[name]) > 1 and name in meant]
            taken = {"model" if name == "models" else name: each for name, each in meant.items()}
            made = make_search(name_of(way, [(name, meant[name]) for name in varied]), way, taken)
            if made in found:
                continue
            if made.name in {each.name for each in found}:
                raise at.wrong(f"two runs would be called {shown(made.name)}", "describe them as [[runs]] with names")
            found.append(made)
    return tuple(found)


def fitting(way: tuple[str, ...], asked: dict[str, Any]) -> dict[str, Any]:
    """Without settings that say nothing to these methods: terms where none cuts, a fusion of one."""
    cuts = any(parse_method(each).definition.cut for each in way)
    left_out = {name for name, says in (("terms", cuts), ("fusion", len(way) > 1)) if not says}
    return {name: each for name, each in asked.items() if name not in left_out}


NAMED = {"models": "model"}


def name_of(way: Iterable[str], varied: Iterable[tuple[str, Any]]) -> str:
    """What a run is called: its methods, and what tells it from others."""
    parts = ["+".join(way), *(f"{NAMED.get(name, name)}={written(each)}" for name, each in varied)]
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "+-_.=") else "-" for sign in "-".join(parts))


def written(value: Any) -> str:
    """A value as part of a name."""
    if isinstance(value, dict):
        return "-".join(f"{name}{each}" for name, each in value.items())
    return ",".join(value) if isinstance(value, tuple) else f"{value}"


def described(value: dict[str, Any], at: Place) -> Search:
    """A run that the file describes: `{ name = "both", methods = ["tfidf", "lmipc"], fusion = "rrf" }`."""
    keys: dict[str, Kind] = {"name": run_name, "method": methods, "methods": methods, **READERS}
    given = table(keys)(value, at)
    if ("method" in given) == ("methods" in given):
        raise at.wrong("is no run", "give it a path, or a method to search with")
    way = given.pop("methods", None) or given.pop("method")
    name = given.pop("name", None)
    return make_search(name or name_of(way, given.items()), way, given)


def make_search(name: str, way: tuple[str, ...], values: dict[str, Any]) -> Search:
    """A run of these methods with these settings; terms may differ by language."""
    terms = values.get("terms")
    by_language = terms if isinstance(terms, dict) else None
    chosen = {each: value for each, value in values.items() if not (each == "terms" and by_language)}
    return Search(name, SearchSettings(**{"method": way, "k": DEPTH, **chosen}), by_language)
