"""The scores of a part: runs × measures, the best of each column, significant differences, and costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.evaluation.scores import format_total
from antecede.report.display_text import clean_name
from antecede.report.figures import FIGURES
from antecede.report.page.charts import chart_means
from antecede.report.page.pictures import Picture, embed_figure
from antecede.report.page.tables import Explained, PageTable, make_table
from antecede.report.results import RunFacts
from antecede.tables import Table, best_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.comparison import Comparison
    from antecede.report.results import Part
    from antecede.tables import Value

UNKNOWN = RunFacts()
"""What is known about an external run."""


@dataclass(frozen=True)
class ScoresSection:
    """The section on the scores."""

    table: PageTable
    figure: Picture
    means: Picture | None


def make_scores(part: Part, anchor: str, explained: Explained) -> ScoresSection:
    """The section on the scores of a part."""
    caption = f"Runs sorted by {part.scores.measures[0]}, best first"
    figure = embed_figure(part.figures.get("systems") or FIGURES["systems"](part.scores), f"{anchor}-systems", caption)
    return ScoresSection(make_scores_table(part, explained), figure, chart_means(part))


def make_scores_table(part: Part, explained: Explained) -> PageTable:
    """One row per run: its scores, marks of significance, and costs."""
    scores, (marks, legend) = part.scores, collect_marks(part.comparison)
    costs = collect_costs([part.runs.get(run) for run in scores.runs])
    letters = collect_letters(part)
    names = [str(measure) for measure in scores.measures]
    never = scores.never()
    rows: list[tuple[Value, ...]] = [
        (
            *([letters[run]] if letters else []),
            run,
            *map(format_total, scores.totals[:, at], never[:, at]),
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
            (row, first + m): marks[run, name]
            for row, run in enumerate(scores.runs)
            for m, name in enumerate(names)
            if (run, name) in marks
        },
    )
    lower = frozenset({name for name, each in zip(names, better, strict=True) if each == "lower"} | set(costs))
    made = make_table(table, explained, caption="Scores by run", lower=lower)
    baseline = part.baseline_run
    tags = {} if baseline is None else {clean_name(scores.runs[baseline]): "baseline"}
    return made.with_one_digit(frozenset(costs)).with_tags(tags)


def collect_marks(comparison: Comparison | None) -> tuple[dict[tuple[str, str], str], tuple[str, ...]]:
    """The marks of significance by run and measure, and their legend."""
    if comparison is None:
        return {}, ()
    table = comparison.table()
    names = table.columns.index("run")
    marks = {(str(table.rows[r][names]), table.columns[c]): mark.strip() for (r, c), mark in table.marks.items()}
    return marks, table.notes


def collect_costs(facts: list[RunFacts | None]) -> dict[str, list[float | None]]:
    """The cost per topic: the columns for which anything is known."""
    known = [fact if fact is not None else UNKNOWN for fact in facts]
    columns = {
        "terms": [fact.terms for fact in known],
        "ms per topic": [fact.milliseconds for fact in known],
        "ms for the query": [fact.making for fact in known],
    }
    return {name: values for name, values in columns.items() if any(value is not None for value in values)}


def collect_letters(part: Part) -> Mapping[str, str]:
    """The letter that denotes each run in a comparison without a baseline."""
    if part.comparison is None or part.comparison.baseline is not None:
        return {}
    return {str(row[1]): str(row[0]) for row in part.comparison.table().rows}
