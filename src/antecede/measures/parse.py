"""Measures as people write them: `PRES@1000`, `AP(rel=2)`, `nDCG(gain=exp)@10`, and trec_eval's `map_cut_100`."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

from antecede.errors import MeasureError, shown
from antecede.measures.registry import MEASURES, Measure, MeasureDefinition
from antecede.measures.trec_eval_names import GROUPS
from antecede.registry import parse_call

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
"""Common names of other tools, in lower case (trec_eval's own names are declared with each measure)."""


def parse_measures(written: str | Measure | Iterable[str | Measure], *, rel: int | None = None) -> tuple[Measure, ...]:
    """The measures in one or several comma-separated lists; one that is named twice counts once.

    `rel` is the relevance level of those that take one and do not specify it.
    """
    texts = [written] if isinstance(written, str | Measure) else list(written)
    found: dict[Measure, None] = {}
    for text in texts:
        for part in [text] if isinstance(text, Measure) else split_measures(text):
            found[with_level(parse_measure(part), rel)] = None
    if not found:
        raise MeasureError("no measure is given; name at least one, as in PRES@1000")
    return tuple(found)


CUTOFF = re.compile(r"(?P<before>.*@|.*[A-Za-z][_.])(?P<cutoff>\.?[0-9][0-9.]*)")
"""A measure that ends in a cut-off: PRES@100, P_10, P.10."""
NUMBER = re.compile(r"\.?[0-9][0-9.]*")


def split_measures(text: str) -> list[str]:
    """The measures of a list: a number on its own is a further cut-off, as in P@5,10; a group is all its measures."""
    parts: list[str] = []
    for part in (each.strip() for each in re.split(r",(?![^(]*\))", text)):
        before = CUTOFF.fullmatch(parts[-1]) if parts and NUMBER.fullmatch(part) else None
        if part:
            parts += GROUPS.get(part, (f"{before['before']}{part}" if before else part,))
    return parts


def with_level(measure: Measure, rel: int | None) -> Measure:
    """The same measure at a relevance level, if it takes one and none is given."""
    takes = {parameter.name: parameter for parameter in measure.definition.parameters}
    given = dict(measure.arguments)
    if rel is None or "rel" not in takes or "rel" in given:
        return measure
    given["rel"] = takes["rel"].read(str(rel), measure.name, MeasureError)
    return Measure(measure.definition, tuple((name, given[name]) for name in takes if name in given))


def parse_measure(text: str | Measure) -> Measure:
    """Parse a measure such as `PRES(rel=2)@100`. The error for an unknown name suggests the nearest ones.

    Args:
        text: The measure as written; a `Measure` is returned unchanged.
    """
    if isinstance(text, Measure):
        return text
    text = text.strip()
    call = parse_call(text, MeasureError)
    known = call is not None and call.name in MEASURES
    if not known and (found := find_trec_eval_name(text)) is not None:
        definition, fixed = found
        return bind(definition, (), fixed, text)
    if call is None:
        raise MeasureError(f"{shown(text)!r} is not a measure; measures are written like PRES@1000 or AP(rel=2)")
    definition = MEASURES[call.name] if known else find_measure(call.name, text)
    given = list(call.arguments)
    if call.at is not None:
        if definition.at is None:
            raise MeasureError(
                f"{shown(text)}: {definition.name} takes nothing after an @; write it as {definition.usage}"
            )
        given.append((definition.at, call.at))
    return bind(definition, given, {}, text)


def bind(definition: MeasureDefinition, given: Iterable[tuple[str, str]], fixed: dict[str, Any], text: str) -> Measure:
    """A measure with the parameters written in `text`, each read and checked."""
    values = {**fixed, **definition.bind(given, text, MeasureError)}
    for parameter in definition.parameters:
        if parameter.required and parameter.name not in values:
            example = "PRES@1000" if definition.name == "PRES" else definition.usage
            raise MeasureError(f"{shown(text)}: {definition.name} needs its {parameter.name}; write it as {example}")
    names = (parameter.name for parameter in definition.parameters)
    return Measure(definition, tuple((name, values[name]) for name in names if name in values))


def find_measure(name: str, text: str) -> MeasureDefinition:
    """The measure of that name, whatever its case."""
    lowered = {each.lower(): each for each in MEASURES}
    lowered |= {other: ours for other, ours in OTHER_NAMES.items() if other not in lowered}
    if name.lower() in lowered:
        return MEASURES[lowered[name.lower()]]
    if name in MEASURES.failures:
        return MEASURES.choose(name)
    theirs = [each.lower() for definition in MEASURES.values() for each in definition.trec_eval]
    near = difflib.get_close_matches(name.lower(), [*lowered, *theirs], n=3, cutoff=0.5)
    names = dict.fromkeys(lowered.get(n, n) for n in near)
    hint = f"did you mean {' or '.join(names)}?" if names else f"available: {', '.join(MEASURES)}"
    raise MeasureError(f"unknown measure {shown(text)!r}; {hint} (see antecede measures)")


def find_trec_eval_name(text: str) -> tuple[MeasureDefinition, dict[str, Any]] | None:
    """The measure that trec_eval calls `text`, and the parameters that this name implies."""
    for definition in MEASURES.values():
        for name, fixed in definition.trec_eval.items():
            # A parameter in a name follows _ or a dot: map_cut_{cutoff} is written map_cut_100 or map_cut.100.
            pattern = re.sub(r"[_.]\\\{(\w+)\\\}", r"[_.](?P<\1>[0-9.]+)", re.escape(name))
            if match := re.fullmatch(pattern, text):
                ranges = {each.name: each.range for each in definition.parameters}
                given = {
                    each: read_share(value, text) if (limit := ranges[each]) is not None and limit.high <= 1 else value
                    for each, value in match.groupdict().items()
                }
                return definition, {**fixed, **definition.bind(given.items(), text, MeasureError)}
    return None


def read_share(value: str, text: str) -> str:
    """A share as trec_eval takes it: the dot before a parameter may be its decimal point, as in iprec_at_recall.10."""
    return f".{value}" if value.isdecimal() and text.endswith(f".{value}") else value
