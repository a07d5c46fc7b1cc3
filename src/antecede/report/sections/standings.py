"""Who is best, who is the baseline, and how all runs of a part stand beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.evaluation.scores import shown_total
from antecede.report.results import RunFacts
from antecede.report.sections.grids import Cell, Explained, Grid, grid, with_tags
from antecede.report.sections.texts import name_of
from antecede.tables import Table, best_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from antecede.comparison import Comparison
    from antecede.report.results import Part
    from antecede.tables import Value

    Ints = NDArray[np.int64]

STEPS = 10**6
"""Scores of topics are kept to so many steps from 0 to 1; two that are equal then count as equal."""
NEVER = 2**62
"""Stands for ∞ among the steps."""
NONE = -(2**62)
"""Stands for a topic that is left out."""


NOTHING = RunFacts()
"""What is known of somebody else's run."""


@dataclass(frozen=True)
class Standing:
    """The places of the runs that others are held against."""

    best: int
    """By the first measure."""
    baseline: int | None


def standing(part: Part) -> Standing:
    """The best run by the first measure, and the baseline of the comparison, if there is one."""
    scores = part.scores
    totals = scores.totals[0] * direction(part, 0)
    best = int(np.argmax(np.where(np.isnan(totals), -np.inf, totals)))
    named = part.comparison.baseline if part.comparison is not None else None
    return Standing(best, scores.runs.index(named) if named in scores.runs else None)


def direction(part: Part, measure: int) -> int:
    """−1 where less is better."""
    return -1 if part.scores.measures[measure].definition.better == "lower" else 1


def steps(part: Part, measure: int) -> Ints:
    """int64[runs, topics]: scores as whole numbers of steps, `NONE` where left out, `NEVER` for ∞."""
    values = part.scores.values[measure]
    known = np.where(np.isfinite(values), values, 0.0)
    found: Ints = np.rint(known * STEPS).astype(np.int64)
    found[np.isnan(values)] = NONE
    found[np.isinf(values)] = NEVER
    return found


def marks(comparison: Comparison | None) -> tuple[dict[tuple[str, str], str], tuple[str, ...]]:
    """The signs of significance by run and measure, and what they mean."""
    if comparison is None:
        return {}, ()
    table = comparison.table()
    names = table.columns.index("run")
    found = {(str(table.rows[r][names]), table.columns[c]): sign.strip() for (r, c), sign in table.marks.items()}
    return found, table.notes


def scores_grid(part: Part, explained: Explained) -> Grid:
    """Runs × measures: the best of each column, what differs significantly, and what a run costs."""
    scores, (signs, legend) = part.scores, marks(part.comparison)
    facts = [part.runs.get(run) for run in scores.runs]
    costs = cost_columns(facts)
    letters = letter_column(part)
    names = [str(measure) for measure in scores.measures]
    never = scores.never()
    rows: list[tuple[Value, ...]] = [
        (
            *([letters[run]] if letters else []),
            run,
            *map(shown_total, scores.totals[:, at], never[:, at]),
            *(values[at] for values in costs.values()),
        )
        for at, run in enumerate(scores.runs)
    ]
    first = 2 if letters else 1
    better = [measure.definition.better for measure in scores.measures]
    table = Table(
        (*([""] if letters else []), "run", *names, *costs),
        tuple(rows),
        notes=(*scores.notes(), *legend),
        best=best_of([list(map(float, column)) for column in scores.totals], better, first=first),
        marks={
            (row, first + m): signs[run, name]
            for row, run in enumerate(scores.runs)
            for m, name in enumerate(names)
            if (run, name) in signs
        },
    )
    lower = frozenset({name for name, each in zip(names, better, strict=True) if each == "lower"} | set(costs))
    shown_grid = grid(table, explained, caption="Scores, a row a run", lower=lower)
    return with_tags(with_fewer_digits(shown_grid, frozenset(costs)), tags(part))


def cost_columns(facts: list[RunFacts | None]) -> dict[str, list[float | None]]:
    """What a topic costs, for the columns of which something is known."""
    known = [fact if fact is not None else NOTHING for fact in facts]
    columns = {
        "terms": [fact.terms for fact in known],
        "ms a topic": [fact.milliseconds for fact in known],
        "ms its query": [fact.making for fact in known],
    }
    return {name: values for name, values in columns.items() if any(value is not None for value in values)}


def with_fewer_digits(shown_grid: Grid, columns: frozenset[str]) -> Grid:
    """The same grid with one digit in some columns: nobody needs ten thousandths of a millisecond."""
    places = {c for c, head in enumerate(shown_grid.heads) if head.text in columns}

    def shorter(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
        return tuple(
            replace(cell, text=f"{float(cell.key):,.1f}") if c in places and cell.key else cell
            for c, cell in enumerate(row)
        )

    return replace(shown_grid, rows=tuple(map(shorter, shown_grid.rows)))


def letter_column(part: Part) -> Mapping[str, str]:
    """Without a baseline the letter that stands for each run."""
    if part.comparison is None or part.comparison.baseline is not None:
        return {}
    return {str(row[1]): str(row[0]) for row in part.comparison.table().rows}


def tags(part: Part) -> dict[str, str]:
    """The word behind the baseline's name."""
    at = standing(part).baseline
    return {} if at is None else {name_of(part.scores.runs[at]): "baseline"}


def details_grid(part: Part, explained: Explained) -> Grid | None:
    """Every difference with interval, effect and p; of all pairs of many runs those with the best run."""
    if part.comparison is None:
        return None
    table = part.comparison.details()
    best = part.scores.runs[standing(part).best]
    if part.comparison.baseline is None and len(part.scores.runs) > FEW:
        kept = [row for row, values in enumerate(table.rows) if best in values[1:3]]
        place = {old: new for new, old in enumerate(kept)}
        table = replace(
            table,
            rows=tuple(table.rows[row] for row in kept),
            marks={(place[row], column): mark for (row, column), mark in table.marks.items() if row in place},
            notes=(*table.notes, f"Only the pairs with {name_of(best)}, the best run by {part.scores.measures[0]}."),
        )
    return grid(table, explained)


FEW = 12
"""Without a baseline, so many runs have all their pairs listed."""


def topic_measures(part: Part) -> list[int]:
    """The places of the measures that a single topic has a value of."""
    return [at for at, measure in enumerate(part.scores.measures) if not measure.definition.aggregate_only]


def won_and_lost(part: Part) -> tuple[tuple[str, tuple[int, int, int]], ...]:
    """For each run but the baseline: topics won, equal and lost, by the first measure that topics have."""
    at, measures = standing(part).baseline, topic_measures(part)
    if at is None or not measures:
        return ()
    scores, ahead = steps(part, measures[0]), direction(part, measures[0])
    base = scores[at]
    found = []
    for run, name in enumerate(part.scores.runs):
        known = (scores[run] != NONE) & (base != NONE)
        higher, lower = int((scores[run] > base)[known].sum()), int((scores[run] < base)[known].sum())
        won, lost = (higher, lower) if ahead > 0 else (lower, higher)
        if run != at:
            found.append((name_of(name), (won, int(known.sum()) - won - lost, lost)))
    return tuple(found)
