"""The runs that an experiment makes: methods × models × parameters, and those that its file describes one by one."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any

from antecede.errors import shown
from antecede.experiment.settings import Search
from antecede.experiment.values import flag, many, number, table, text, whole, word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.experiment.values import Kind, Place

METHODS = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr", "logtfidf")
"""The papers' methods in their order, and the one that finds most."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+=-]{0,99}")
"""What a run may be called, since it is a file's name too."""


def methods(value: Any, at: Place) -> tuple[str, ...]:
    """A method, or several of which the rankings are fused: `tfidf+lmipc`, or a list."""
    from antecede.query.methods import parse_method

    parts = value if isinstance(value, list) else re.split(r"\+(?![^(]*\))", text(value, at))
    if not parts:
        raise at.wrong("is empty; name a method")
    names = [text(each, at).strip() for each in parts]
    return tuple(map(str, at.passed_on(lambda: [parse_method(name) for name in names])))


def model(value: Any, at: Place) -> str:
    from antecede.search.models import parse_model

    return str(at.passed_on(lambda: parse_model(text(value, at))))


def terms(value: Any, at: Place) -> int | dict[str, int]:
    """How many terms: a number, or one for each language."""
    if isinstance(value, dict):
        return {name: whole(1)(each, at / name) for name, each in value.items()}
    count: int = whole(1)(value, at)
    return count


def text_fields(value: Any, at: Place) -> str:
    from antecede.query.topic import read_fields

    return ",".join(at.passed_on(lambda: read_fields(text(value, at))))


def weights(value: Any, at: Place) -> str:
    from antecede.query.making import WEIGHINGS

    return str(word(*WEIGHINGS)(value, at))


def before(value: Any, at: Place) -> str:
    """`auto`, `off`, or a day."""
    from antecede.search.prior_art import AUTO, day_of

    written = value if isinstance(value, str) else str(value)
    if written != AUTO:
        at.passed_on(lambda: day_of(written))
    return written


def fusion(value: Any, at: Place) -> str:
    from antecede.search.fusion import FUSIONS

    return str(word(*FUSIONS)(value, at))


ONE: dict[str, Kind] = {
    "terms": terms,
    "fields": text_fields,
    "weights": weights,
    "k": whole(1, 1_000_000),
    "before": before,
    "fusion": fusion,
    "ipc_boost": number(0, 1000),
    "cited": flag,
}
"""The settings of one run, besides its methods and model."""
SEARCH: dict[str, Kind] = {
    "methods": lambda value, at: several(value, at),
    "models": many(model),
    **{name: many(kind) for name, kind in ONE.items()},
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
    chosen = {name: given[name] for name in ("models", *ONE) if name in given}
    ways = given.get("methods") or tuple((name,) for name in METHODS)
    found: list[Search] = []
    for way in ways:
        for values in product(*chosen.values()):
            asked = dict(zip(chosen, values, strict=True))
            meant = fitting(way, asked)
            varied = [name for name in asked if len(chosen[name]) > 1 and name in meant]
            taken = {"model" if name == "models" else name: each for name, each in meant.items()}
            made = Search(name_of(way, [(name, meant[name]) for name in varied]), way, **taken)
            if made in found:
                continue
            if made.name in {each.name for each in found}:
                raise at.wrong(f"two runs would be called {shown(made.name)}", "describe them as [[runs]] with names")
            found.append(made)
    return tuple(found)


def fitting(way: tuple[str, ...], asked: dict[str, Any]) -> dict[str, Any]:
    """Without settings that say nothing to these methods: terms where none cuts, a fusion of one."""
    from antecede.query.methods import parse_method

    cuts = any(parse_method(each).definition.cut for each in way)
    left_out = {name for name, says in (("terms", cuts), ("fusion", len(way) > 1)) if not says}
    return {name: each for name, each in asked.items() if name not in left_out}


NAMED = {"models": "model"}


def name_of(way: Iterable[str], varied: Iterable[tuple[str, Any]]) -> str:
    """What a run is called: its methods, and what tells it from others."""
    parts = ["+".join(way), *(f"{NAMED.get(name, name)}={written(each)}" for name, each in varied)]
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "+-_.=") else "-" for sign in "-".join(parts))


def written(value: Any) -> str:
    return "-".join(f"{name}{each}" for name, each in value.items()) if isinstance(value, dict) else f"{value}"


def described(value: dict[str, Any], at: Place) -> Search:
    """A run that the file describes: `{ name = "both", methods = ["tfidf", "lmipc"], fusion = "rrf" }`."""
    keys: dict[str, Kind] = {"name": run_name, "method": methods, "methods": methods, "model": model, **ONE}
    given = table(keys)(value, at)
    if ("method" in given) == ("methods" in given):
        raise at.wrong("is no run", "give it a path, or a method to search with")
    way = given.pop("methods", None) or given.pop("method")
    name = given.pop("name", None)
    return Search(name or name_of(way, given.items()), way, **given)


def run_name(value: Any, at: Place) -> str:
    if not NAME.fullmatch(text(value, at)):
        raise at.wrong(f"{shown(value)!r} cannot be the name of a file", "take letters, digits and _ . + = -")
    return str(value)


def checked(search: Search, at: Place) -> Search:
    """The search, if a plan can be made of it."""
    from antecede.search.plan import Plan

    at.passed_on(lambda: Plan(**search.plan("en")).checked())
    return search
