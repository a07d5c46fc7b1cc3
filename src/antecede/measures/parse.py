"""Measures as people write them: `PRES@1000`, `AP(rel=2)`, `nDCG(gain=exp)@10`, and trec_eval's `map_cut_100`."""

from __future__ import annotations

import difflib
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from antecede.errors import MeasureError, shown
from antecede.measures.registry import Definition, Measure, definitions

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_MEASURES = ("PRES@1000", "AP@1000", "R@1000", "R@100", "nDCG", "P@10")

OTHER_NAMES = {
    "map": "AP",
    "mrr": "RR",
    "recall": "R",
    "precision": "P",
    "hitrate": "Success",
    "setp": "P",
    "setr": "R",
    "setf": "F",
}
"""What others call our measures, in small letters (trec_eval's own names stand with each measure)."""

FORM = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_′']*)(\((?P<inside>[^()]*)\))?(@(?P<at>[^()@\s]+))?(\((?P<behind>[^()]*)\))?"
)


def parse_measures(written: str | Measure | Iterable[str | Measure], *, rel: int | None = None) -> tuple[Measure, ...]:
    """The measures in a text or in several, comma-separated; one that is named twice counts once.

    `rel` is the level of relevance for those that take one and do not say it.
    """
    texts = [written] if isinstance(written, str | Measure) else list(written)
    found: dict[Measure, None] = {}
    for text in texts:
        for part in [text] if isinstance(text, Measure) else split(text):
            found[with_level(parse_measure(part), rel)] = None
    if not found:
        raise MeasureError("no measure is named; name some, as in PRES@1000")
    return tuple(found)


def with_level(measure: Measure, rel: int | None) -> Measure:
    """The same measure at a level of relevance, if it takes one and none was given."""
    takes = {parameter.name: parameter for parameter in measure.definition.parameters}
    given = dict(measure.arguments)
    if rel is None or "rel" not in takes or "rel" in given:
        return measure
    given["rel"] = takes["rel"].read(str(rel), measure.name)
    return Measure(measure.definition, tuple((name, given[name]) for name in takes if name in given))


def split(text: str) -> list[str]:
    """Parts between commas that stand outside brackets."""
    parts = re.split(r",(?![^(]*\))", text)
    return [part.strip() for part in parts if part.strip()]


def parse_measure(text: str | Measure) -> Measure:
    """The measure that a text stands for; an error names what is near."""
    if isinstance(text, Measure):
        return text
    text = text.strip()
    named = find(text)
    if named is not None:
        definition, fixed = named
        return bind(definition, {}, fixed, text)
    form = FORM.fullmatch(text)
    if form is None:
        raise MeasureError(f"{shown(text)!r} is not a measure; measures are written like PRES@1000 or AP(rel=2)")
    definition = by_name(form["name"], text)
    given: dict[str, str] = {}
    for part in split(",".join(filter(None, (form["inside"], form["behind"])))):
        key, equals, value = part.partition("=")
        if not equals:
            raise MeasureError(f"{text}: {shown(part)!r} is not a parameter; write it as name=value")
        given[key.strip()] = value.strip()
    if form["at"] is not None:
        if definition.at is None:
            raise MeasureError(f"{text}: {definition.name} takes nothing behind an @; write {definition.usage}")
        given[definition.at] = form["at"]
    return bind(definition, given, {}, text)


def bind(definition: Definition, given: dict[str, str], fixed: dict[str, Any], written: str) -> Measure:
    """Give a measure its parameters, each read and checked."""
    known = {parameter.name: parameter for parameter in definition.parameters}
    for name in given:
        if name not in known:
            takes = ", ".join(known) or "none"
            raise MeasureError(f"{written}: {definition.name} has no parameter {shown(name)!r}; it takes {takes}")
    values = {**fixed, **{name: known[name].read(text, written) for name, text in given.items()}}
    for parameter in definition.parameters:
        if parameter.required and parameter.name not in values:
            example = "PRES@1000" if definition.name == "PRES" else definition.usage
            raise MeasureError(f"{written}: {definition.name} needs its {parameter.name}; write it as {example}")
    return Measure(definition, tuple((name, values[name]) for name in known if name in values))


def by_name(name: str, written: str) -> Definition:
    """The measure of that name, whatever its capitals."""
    known = definitions()
    lowered = {each.lower(): each for each in known}
    lowered |= {other: ours for other, ours in OTHER_NAMES.items() if other not in lowered}
    if name.lower() in lowered:
        return known[lowered[name.lower()]]
    near = difflib.get_close_matches(name.lower(), [*lowered, *(n.lower() for n in trec_eval_names())], n=3, cutoff=0.5)
    names = dict.fromkeys(lowered.get(n, n) for n in near)
    hint = f"near it: {', '.join(names)}" if names else f"there are: {', '.join(known)}"
    raise MeasureError(f"unknown measure {shown(written)!r}; {hint} (see antecede measures)")


@cache
def trec_eval_names() -> dict[str, tuple[re.Pattern[str], Definition]]:
    """trec_eval's name for each measure it has, as a pattern in which a parameter may stand."""
    names = {}
    for definition in definitions().values():
        for name in definition.trec_eval:
            pattern = re.sub(r"[_.]\\\{(\w+)\\\}", r"[_.](?P<\1>[0-9.]+)", re.escape(name))
            names[name] = (re.compile(pattern), definition)
    return names


def find(text: str) -> tuple[Definition, dict[str, Any]] | None:
    """The measure that trec_eval calls `text`, and the parameters that this name stands for."""
    for name, (pattern, definition) in trec_eval_names().items():
        match = pattern.fullmatch(text)
        if match:
            known = {parameter.name: parameter for parameter in definition.parameters}
            read = {key: known[key].read(value, text) for key, value in match.groupdict().items()}
            return definition, {**definition.trec_eval[name], **read}
    return None
