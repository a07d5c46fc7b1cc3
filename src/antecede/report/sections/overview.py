"""All parts at a glance: the best and the baseline of each, and the tables that the papers print over languages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.evaluation.scores import shown_total
from antecede.report.sections.grids import Explained, Grid, Over, grid
from antecede.report.sections.standings import marks, standing
from antecede.report.sections.texts import clean, counted, name_of
from antecede.study import Robustness
from antecede.tables import Table, best_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.report.results import Part
    from antecede.tables import Value

FIRST = 4
"""Measures in the first table."""
PAPERS = ("AP", "R")
"""The measures of the papers' first table: MAP and recall."""


def headline(parts: Sequence[Part], explained: Explained) -> Grid:
    """For each part the best run and the baseline, in the first measures."""
    names = list(dict.fromkeys(str(measure) for part in parts for measure in part.scores.measures[:FIRST]))[:FIRST]
    rows: list[tuple[Value, ...]] = []
    signs: dict[tuple[int, int], str] = {}
    for part in parts:
        here, found = standing(part), marks(part.comparison)[0]
        roles = {here.best: "best"} | ({here.baseline: "baseline"} if here.baseline is not None else {})
        if here.best == here.baseline:
            roles = {here.best: "best, baseline"}
        for place, (run, role) in enumerate(roles.items()):
            name = part.scores.runs[run]
            values = [total(part, measure, run) for measure in names]
            signs |= {(len(rows), 3 + m): found[name, each] for m, each in enumerate(names) if (name, each) in found}
            rows.append(("" if place else clean(part.title), role if len(part.scores.runs) > 1 else "", name, *values))
    by = f"Best by {parts[0].scores.measures[0]}." if any(len(part.scores.runs) > 1 for part in parts) else ""
    baselined = any(part.comparison is not None and part.comparison.baseline is not None for part in parts)
    legend = (
        "† significantly better, ‡ significantly worse than the baseline of the part." if signs and baselined else ""
    )
    notes = tuple(text for text in (f"{by} {legend}".strip(),) if text)
    table = Table(("part", "", "run", *names), tuple(rows), notes=notes, marks=signs if baselined else {})
    return grid(table, explained, caption="The best run and the baseline", sortable=False)


def total(part: Part, measure: str, run: int) -> Value:
    """A run's number as the tables show it; none where the part has not that measure."""
    names = [str(each) for each in part.scores.measures]
    if measure not in names:
        return None
    at = names.index(measure)
    return shown_total(part.scores.totals[at, run], int(part.scores.never()[at, run]))


def facts(parts: Sequence[Part]) -> str:
    """How much there is, in a line."""
    runs = sum(len(part.scores.runs) for part in parts)
    topics = sum(len(part.scores.topics) for part in parts)
    several = f"{counted(len(parts), 'part')}, " if len(parts) > 1 else ""
    return f"{several}{counted(runs, 'run')}, {counted(topics, 'topic')} evaluated"


def row_names(parts: Sequence[Part]) -> list[dict[str, int]]:
    """For each part: what to call its runs across parts → their places.

    The names of the runs, if any is in two parts; else method and model, where they tell the runs of a part apart.
    """
    names = [{name_of(run): at for at, run in enumerate(part.scores.runs)} for part in parts]
    return names if shares(names) else [made_by(part) for part in parts]


def made_by(part: Part) -> dict[str, int]:
    """Method and model → place of the run; nothing unless each run has its own."""
    made = [part.runs.get(run) for run in part.scores.runs]
    called = [name_of(f"{fact.method} {fact.model}".strip()) if fact and fact.method else "" for fact in made]
    found = {name: run for run, name in enumerate(called) if name}
    return found if len(found) == len(called) else {}


def shares(names: Sequence[dict[str, int]]) -> bool:
    """Whether any name is in two parts."""
    return len({name for each in names for name in each}) < sum(map(len, names))


def methods_by_part(parts: Sequence[Part], explained: Explained) -> Grid | None:
    """Methods × parts for MAP and recall, side by side, as in the papers; none where no method is in two parts."""
    names = row_names(parts)
    methods = list(dict.fromkeys(name for each in names for name in each))
    if not shares(names):
        return None
    measures = papers_measures(parts)
    columns, better = [], []
    for measure in measures:
        for part, places in zip(parts, names, strict=True):
            values = [total(part, measure, places[name]) if name in places else None for name in methods]
            columns.append(values)
            better.append(direction_of(part, measure))
    numbers = [[v if isinstance(v, int | float) else float("nan") for v in column] for column in columns]
    table = Table(
        ("method", *(clean(part.title) for _ in measures for part in parts)),
        tuple((name, *values) for name, values in zip(methods, zip(*columns, strict=True), strict=True)),
        best=best_of(numbers, better),
    )
    over = (Over("", 1), *(Over(measure, len(parts), explained.get(measure, "")) for measure in measures))
    shown_grid = grid(table, caption=f"Methods by part: {' and '.join(measures)}")
    return replace(shown_grid, over=over)


def direction_of(part: Part, measure: str) -> str | None:
    found = (each.definition.better for each in part.scores.measures if str(each) == measure)
    return next(found, None)


def papers_measures(parts: Sequence[Part]) -> list[str]:
    """The first average precision and the first recall; where there is neither, the first two measures."""
    measures = [measure for part in parts for measure in part.scores.measures]
    by_name = {measure.definition.name: str(measure) for measure in reversed(measures)}
    chosen = [by_name[name] for name in PAPERS if name in by_name]
    return chosen or list(dict.fromkeys(map(str, measures)))[:2]


def robustness_by_part(parts: Sequence[Part], explained: Explained) -> Grid | None:
    """The mean τ of each part and level, measures side by side; none unless two parts have the study."""
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
    note = "Kendall’s τ against the order of the runs under all judgements, the mean over the samples."
    table = Table(("part", "kept", *measures), tuple(rows), notes=(note,), best=frozenset(best), digits=3)
    return grid(table, explained, caption="Robustness by part", sortable=False)
