"""Measures by name: as people write them, `PRES@1000` or `nDCG(gain=exp)@10`, as trec_eval does, and all in a list."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from antecede.errors import MeasureError, advise, printable, require_type
from antecede.measures.definition import MEASURES, Measure, MeasureDefinition
from antecede.operations import Help
from antecede.registry import Listing, parse_call, split_outside
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def normalize_measure(text: str) -> str:
    """The name of a measure in its normal form."""
    return str(parse_measure(text))


MeasureList = str | Measure | Iterable[str | Measure]
Measures = Annotated[
    MeasureList,
    Help(
        "A measure, such as PRES@1000, AP(rel=2), P@5,10,20 or map; may be repeated. trec_eval's groups: "
        "official, set, all_trec. All measures: antecede list measures.",
        flags="--measure -m",
        metavar="MEASURE",
        default="PRES@1000 AP@1000 R@1000 R@100 nDCG P@10",
        check=normalize_measure,
    ),
]
DEFAULT_MEASURES = ("PRES@1000", "AP@1000", "R@1000", "R@100", "nDCG", "P@10")

_OTHER_NAMES = {
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


# trec_eval's groups of measures

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
_RECALL_LEVELS = tuple(f"iprec_at_recall_{level / 10:.2f}" for level in range(11))
_SETS = ("set_P", "set_relative_P", "set_recall", "set_map", "set_F")


def _at_cutoffs(*names: str, cutoffs: Sequence[int] = _CUTOFFS) -> Iterator[str]:
    return (f"{name}_{cutoff}" for name in names for cutoff in cutoffs)


_OFFICIAL = (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", *_RECALL_LEVELS, *_at_cutoffs("P"))
GROUPS: dict[str, tuple[str, ...]] = {
    "official": _OFFICIAL,
    "set": (*_COUNTS, "utility", *_SETS),
    "all_trec": (
        *_OFFICIAL,
        *_at_cutoffs("recall"),
        *("infAP", "gm_bpref"),
        *(f"Rprec_mult_{mult / 5:.2f}" for mult in range(1, 11)),
        *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
        *_at_cutoffs("ndcg_cut", "map_cut", "relative_P"),
        *_at_cutoffs("success", cutoffs=(1, 5, 10)),
        *_SETS,
        *("num_nonrel_judged_ret", "rbp", "rbp_resid"),
        *_at_cutoffs("unj", cutoffs=(5, 10, 20)),
    ),
}
"""Groups of measures that trec_eval has a name for, in the order in which it prints them."""


# Reading names


def parse_measures(written: str | Measure | Iterable[str | Measure], *, rel: int | None = None) -> tuple[Measure, ...]:
    """The measures in one or several comma-separated lists; one that is named twice counts once.

    `rel` is the relevance level of those that take one and do not specify it.
    """
    texts = [written] if isinstance(written, str | Measure) else list(written)
    measures: dict[Measure, None] = {}
    for text in texts:
        for part in [text] if isinstance(text, Measure) else _split_measures(text):
            measures[_with_level(parse_measure(part), rel)] = None
    if not measures:
        raise MeasureError("no measure is given; name at least one, as in PRES@1000")
    return tuple(measures)


_CUTOFF = re.compile(r"(?P<before>.*@|.*[A-Za-z][_.])(?P<cutoff>\.?[0-9][0-9.]*)")
"""A measure that ends in a cut-off: PRES@100, P_10, P.10."""
_NUMBER = re.compile(r"\.?[0-9][0-9.]*")


def _split_measures(text: str) -> list[str]:
    """The measures of a list: a number on its own is a further cut-off, as in P@5,10; a group is all its measures."""
    parts: list[str] = []
    for part in split_outside(text, ","):
        before = _CUTOFF.fullmatch(parts[-1]) if parts and _NUMBER.fullmatch(part) else None
        if part:
            parts += GROUPS.get(part, (f"{before['before']}{part}" if before else part,))
    return parts


def _with_level(measure: Measure, rel: int | None) -> Measure:
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
    require_type(text, str, "a measure", "a text such as PRES@1000, or a Measure")
    text = text.strip()
    call = parse_call(text, MeasureError)
    known = call is not None and call.name in MEASURES
    if not known and (theirs := _find_trec_eval_name(text)) is not None:
        definition, fixed = theirs
        return _bind(definition, (), fixed, text)
    if call is None:
        raise MeasureError(f"{printable(text)!r} is not a measure; measures are written like PRES@1000 or AP(rel=2)")
    definition = MEASURES[call.name] if known else find_measure(call.name, text)
    given = list(call.arguments)
    if call.at is not None:
        if definition.at is None:
            raise MeasureError(
                f"{printable(text)}: {definition.name} takes nothing after an @; write it as {definition.usage}"
            )
        given.append((definition.at, call.at))
    return _bind(definition, given, {}, text)


def _bind(definition: MeasureDefinition, given: Iterable[tuple[str, str]], fixed: dict[str, Any], text: str) -> Measure:
    """A measure with the parameters written in `text`, each read and checked."""
    values = {**fixed, **definition.bind(given, text, MeasureError)}
    for parameter in definition.parameters:
        if parameter.required and parameter.name not in values:
            example = "PRES@1000" if definition.name == "PRES" else definition.usage
            raise MeasureError(
                f"{printable(text)}: {definition.name} needs its {parameter.name}; write it as {example}"
            )
    names = (parameter.name for parameter in definition.parameters)
    return Measure(definition, tuple((name, values[name]) for name in names if name in values))


def find_measure(name: str, text: str) -> MeasureDefinition:
    """The measure of that name, whatever its case."""
    lowered = {ours.lower(): ours for ours in MEASURES}
    lowered |= {other: ours for other, ours in _OTHER_NAMES.items() if other not in lowered}
    if name.lower() in lowered:
        return MEASURES[lowered[name.lower()]]
    if name in MEASURES.failures:
        return MEASURES.choose(name)
    theirs = [their.lower() for definition in MEASURES.values() for their in definition.trec_eval]
    near = difflib.get_close_matches(name.lower(), [*lowered, *theirs], n=3, cutoff=0.5)
    names = dict.fromkeys(lowered.get(n, n) for n in near)
    hint = f"did you mean {' or '.join(names)}?" if names else f"available: {', '.join(MEASURES)}"
    listed = advise("antecede.measures.MEASURES", "antecede list measures")
    raise MeasureError(f"unknown measure {printable(text)!r}; {hint} (see {listed})")


def _find_trec_eval_name(text: str) -> tuple[MeasureDefinition, dict[str, Any]] | None:
    """The measure that trec_eval calls `text`, and the parameters that this name implies."""
    for definition in MEASURES.values():
        for name, fixed in definition.trec_eval.items():
            # A parameter in a name follows _ or a dot: map_cut_{cutoff} is written map_cut_100 or map_cut.100.
            pattern = re.sub(r"[_.]\\\{(\w+)\\\}", r"[_.](?P<\1>[0-9.]+)", re.escape(name))
            if match := re.fullmatch(pattern, text):
                ranges = {parameter.name: parameter.range for parameter in definition.parameters}
                given = {
                    place: _read_share(value, text) if (limit := ranges[place]) and limit.high <= 1 else value
                    for place, value in match.groupdict().items()
                }
                return definition, {**fixed, **definition.bind(given.items(), text, MeasureError)}
    return None


def _read_share(value: str, text: str) -> str:
    """A share as trec_eval takes it: the dot before a parameter may be its decimal point, as in iprec_at_recall.10."""
    return f".{value}" if value.isdecimal() and text.endswith(f".{value}") else value


# Writing trec_eval's names


def write_trec_eval_names(measures: Sequence[Measure]) -> list[str]:
    """The names under which trec_eval prints these measures; ours for one that it does not have, or that is ambiguous.

    trec_eval sets the level of relevance for all measures at once (-l), so it is not part of their names.
    """
    names = [_find_name(measure) for measure in measures]
    return [
        name if name is not None and names.count(name) == 1 else str(measure).replace(" ", "")
        for name, measure in zip(names, measures, strict=True)
    ]


def _find_name(measure: Measure) -> str | None:
    """The name that denotes exactly this measure in trec_eval, whatever its level of relevance."""
    given = {name: value for name, value in measure.arguments if name != "rel"}
    for pattern, fixed in measure.definition.trec_eval.items():
        places = re.findall(r"\{(\w+)\}", pattern)
        if {*places, *fixed} == {*given} and all(given[name] == value for name, value in fixed.items()):
            written = {name: f"{given[name]:.2f}" if isinstance(given[name], float) else given[name] for name in places}
            return pattern.format(**written)
    return None


def is_whole_number(measure: Measure) -> bool:
    """Whether trec_eval prints the measure without decimals: counts."""
    return any(name.startswith("num_") for name in measure.definition.trec_eval)


# All measures as a table, a page of the manual and data

_MANUAL_HEAD = """# Measures

Generated from `src/antecede/measures/`.

A measure is written `PRES(rel=2)@100`, with parameters in parentheses and the cut-off after the `@`; `[@N]` is
optional. trec_eval's names are recognised as well. `score` in the examples is `antecede.score`, which scores a single
ranking.

n is the number of relevant documents of a topic (relevance `rel` or higher; a measure without `rel` uses the grades
themselves), k the number of them among the first N documents, and r_1 < r_2 < … their ranks; a sum over i is over the
relevant documents. L is the length of the list, and N if there is no cut-off. D is the size of the collection, given as
`docs`: a number, `judged` (the documents judged for the topic, as in systematic reviews), or a file of lines
`topic size`.
"""


def _tabulate(definitions: Sequence[MeasureDefinition]) -> Table:
    """One row per measure: how it is written, what it is, and its name in trec_eval."""
    rows = tuple(
        (entry.usage, entry.summary.partition(": ")[2] or entry.summary, ", ".join(entry.other_names) or None)
        for entry in definitions
    )
    note = "Details: antecede list measures NAME. [@N]: the cut-off is optional. Values shown are the defaults."
    return Table(("measure", "description", "trec_eval"), rows, notes=(note,))


def _write_section(entry: MeasureDefinition) -> str:
    text, _, example = entry.doc.partition("\n\n>>> ")
    lines = [f"## {entry.name}", f"`{entry.usage}`", text, f"```python\n>>> {example}\n```", f"Source: {entry.cite}."]
    if entry.trec_eval:
        names = ", ".join(f"`{name}`" for name in entry.other_names)
        own = entry.cite.startswith("trec_eval")
        lines[-1] = f"Source: {entry.cite}: {names}." if own else f"{lines[-1]} trec_eval: {names}."
    return "\n\n".join(lines)


def _choose_measure(name: str) -> MeasureDefinition:
    """The measure of a name, however it is written: PRES, PRES@1000, AP(rel=2) or map_cut_100."""
    call = parse_call(name, MeasureError)
    if _find_trec_eval_name(name) is None and (call is None or (not call.arguments and call.at is None)):
        return find_measure(name if call is None else call.name, name)
    measure = parse_measure(name)
    return replace(measure.definition, written=str(measure))


LISTING = Listing(
    registry=MEASURES,
    choose=_choose_measure,
    tabulate=_tabulate,
    manual_head=_MANUAL_HEAD,
    write_section=_write_section,
)
