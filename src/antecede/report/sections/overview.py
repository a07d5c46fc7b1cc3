"""The overview of all parts: the best run and the baseline of each, and tables across parts as papers print them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.evaluation.scores import format_total
from antecede.report.display_text import clean, clean_name, count_noun, join_words
from antecede.report.page.tables import Explained, PageTable, Span, make_table
from antecede.report.sections.scores import collect_marks
from antecede.study import Robustness
from antecede.tables import Table, best_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.report.results import Part
    from antecede.tables import Value

HEADLINE_MEASURES = 4
"""Measures in the first table."""
METHOD_MEASURES = ("PRES", "AP", "R")
"""The measures of the table of methods: PRES, and those of the papers' first table, MAP and recall."""


@dataclass(frozen=True)
class OverviewSection:
    """The section that opens the page."""

    facts: str
    headline: PageTable
    methods: PageTable | None
    robustness: PageTable | None


def make_overview(parts: Sequence[Part], explained: Explained) -> OverviewSection:
    """The overview of all parts."""
    return OverviewSection(
        count_parts(parts),
        make_headline(parts, explained),
        make_methods_table(parts, explained),
        make_robustness_table(parts, explained),
    )


def make_headline(parts: Sequence[Part], explained: Explained) -> PageTable:
    """The best run and the baseline of each part, by the first measures."""
    names = list(dict.fromkeys(str(measure) for part in parts for measure in part.scores.measures[:HEADLINE_MEASURES]))
    names = names[:HEADLINE_MEASURES]
    rows: list[tuple[Value, ...]] = []
    marks: dict[tuple[int, int], str] = {}
    for part in parts:
        best, baseline, found = part.best_run, part.baseline_run, collect_marks(part.comparison)[0]
        roles = {best: "best"} | ({baseline: "baseline"} if baseline is not None else {})
        if best == baseline:
            roles = {best: "best, baseline"}
        for place, (run, role) in enumerate(roles.items()):
            name = part.scores.runs[run]
            values = [find_total(part, measure, run) for measure in names]
            marks |= {(len(rows), 3 + m): found[name, each] for m, each in enumerate(names) if (name, each) in found}
            rows.append(("" if place else clean(part.title), role if len(part.scores.runs) > 1 else "", name, *values))
    by = f"Best by {parts[0].scores.measures[0]}." if any(len(part.scores.runs) > 1 for part in parts) else ""
    baselined = any(part.comparison is not None and part.comparison.baseline is not None for part in parts)
    legend = (
        "† significantly better, ‡ significantly worse than the baseline of the part." if marks and baselined else ""
    )
    notes = tuple(text for text in (f"{by} {legend}".strip(),) if text)
    table = Table(("part", "", "run", *names), tuple(rows), notes=notes, marks=marks if baselined else {})
    return make_table(table, explained, caption="The best run and the baseline", sortable=False)


def find_total(part: Part, measure: str, run: int) -> Value:
    """The score of a run as the tables show it; None where the part lacks that measure."""
    names = [str(each) for each in part.scores.measures]
    if measure not in names:
        return None
    at = names.index(measure)
    return format_total(part.scores.totals[at, run], int(part.scores.never()[at, run]))


def count_parts(parts: Sequence[Part]) -> str:
    """The numbers of parts, runs and topics, in one line."""
    runs = sum(len(part.scores.runs) for part in parts)
    topics = sum(len(part.scores.topics) for part in parts)
    several = f"{count_noun(len(parts), 'part')}, " if len(parts) > 1 else ""
    return f"{several}{count_noun(runs, 'run')}, {count_noun(topics, 'topic')} evaluated"


def name_across(parts: Sequence[Part]) -> list[dict[str, int]]:
    """For each part: names of its runs that are comparable across parts → their indices.

    The names of the runs, if any occurs in two parts; else method and model, where they identify the runs of a part.
    """
    names = [{clean_name(run): at for at, run in enumerate(part.scores.runs)} for part in parts]
    return names if is_shared(names) else [name_by_method(part) for part in parts]


def name_by_method(part: Part) -> dict[str, int]:
    """Method and model → index of the run; empty unless they identify every run."""
    facts = [part.runs.get(run) for run in part.scores.runs]
    names = [clean_name(f"{fact.method} {fact.model}".strip()) if fact and fact.method else "" for fact in facts]
    found = {name: run for run, name in enumerate(names) if name}
    return found if len(found) == len(names) else {}


def is_shared(names: Sequence[dict[str, int]]) -> bool:
    """Whether any name occurs in two parts."""
    return len({name for each in names for name in each}) < sum(map(len, names))


def make_methods_table(parts: Sequence[Part], explained: Explained) -> PageTable | None:
    """Methods × parts for PRES, MAP and recall; None where no method occurs in two parts."""
    names = name_across(parts)
    methods = list(dict.fromkeys(name for each in names for name in each))
    if not is_shared(names):
        return None
    measures = choose_measures(parts)
    columns, better = [], []
    for measure in measures:
        for part, places in zip(parts, names, strict=True):
            values = [find_total(part, measure, places[name]) if name in places else None for name in methods]
            columns.append(values)
            better.append(find_direction(part, measure))
    numbers = [[v if isinstance(v, int | float) else float("nan") for v in column] for column in columns]
    table = Table(
        ("method", *(clean(part.title) for _ in measures for part in parts)),
        tuple((name, *values) for name, values in zip(methods, zip(*columns, strict=True), strict=True)),
        best=best_of(numbers, better),
    )
    spans = (Span("", 1), *(Span(measure, len(parts), explained.get(measure, "")) for measure in measures))
    return replace(make_table(table, caption=f"Methods by part: {join_words(measures)}"), spans=spans)


def find_direction(part: Part, measure: str) -> str | None:
    """Whether higher or lower is better; None where the part lacks the measure."""
    found = (each.definition.better for each in part.scores.measures if str(each) == measure)
    return next(found, None)


def choose_measures(parts: Sequence[Part]) -> list[str]:
    """The first PRES, the first average precision and the first recall; without any, the first two measures."""
    measures = [measure for part in parts for measure in part.scores.measures]
    by_name = {measure.definition.name: str(measure) for measure in reversed(measures)}
    chosen = [by_name[name] for name in METHOD_MEASURES if name in by_name]
    return chosen or list(dict.fromkeys(map(str, measures)))[:2]


def make_robustness_table(parts: Sequence[Part], explained: Explained) -> PageTable | None:
    """The mean τ of each part and level, one column per measure; None unless two parts have the study."""
    studies = [(part, study) for part in parts if isinstance(study := part.studies.get("robustness"), Robustness)]
    if len(studies) < 2:
        return None
    measures = list(dict.fromkeys(name for _, study in studies for name in study.measures))
    rows: list[tuple[Value, ...]] = []
    best: set[tuple[int, int]] = set()
    for part, study in studies:
        for at, level in enumerate(study.levels):
            means = dict(zip(study.measures, study.mean[:, at].tolist(), strict=True))
            values = [means.get(name, float("nan")) for name in measures]
            known = [value for value in values if not np.isnan(value)]
            if len(set(known)) > 1:
                best |= {(len(rows), 2 + m) for m, value in enumerate(values) if value == max(known)}
            rows.append((clean(part.title) if not at else "", level, *values))
    note = "Kendall’s τ with the order of the runs under all judgements; means over the samples."
    table = Table(("part", "kept", *measures), tuple(rows), notes=(note,), best=frozenset(best), digits=3)
    return make_table(table, explained, caption="Robustness by part", sortable=False)
