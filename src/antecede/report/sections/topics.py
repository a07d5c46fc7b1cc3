"""The topics of a part: a table for readers without JavaScript, topics won and lost, and the data for all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.report.sections.charts import topic_differences
from antecede.report.sections.grids import Grid, grid
from antecede.report.sections.standings import standing, topic_measures, won_and_lost
from antecede.report.sections.texts import name_of, title_of
from antecede.report.sections.topic_data import Block, blocks
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.report.results import Part
    from antecede.report.sections.inline_svg import Picture
    from antecede.tables import Value


@dataclass(frozen=True)
class Tally:
    """How one run did against the baseline, in topics."""

    run: str
    won: int
    equal: int
    lost: int

    @property
    def topics(self) -> int:
        return max(self.won + self.equal + self.lost, 1)


@dataclass(frozen=True)
class Topics:
    """The section of topics."""

    count: int
    measure: str
    """The measure of the static tables."""
    baseline: str
    tallies: tuple[Tally, ...]
    differences: Picture | None
    plain: Grid
    blocks: tuple[Block, ...]


def topics(part: Part, anchor: str) -> Topics:
    here, measures = standing(part), topic_measures(part)
    tallies = [Tally(run, *counts) for run, counts in won_and_lost(part)]
    return Topics(
        count=len(part.ranks.topics),
        measure=str(part.scores.measures[measures[0]]) if measures else "",
        baseline=name_of(part.scores.runs[here.baseline]) if here.baseline is not None else "",
        tallies=tuple(sorted(tallies, key=lambda tally: tally.lost - tally.won)),
        differences=topic_differences(part),
        plain=plain_table(part),
        blocks=blocks(part, anchor),
    )


def plain_table(part: Part) -> Grid:
    """A row a topic: relevant documents, the best run's score, the baseline's, and the difference."""
    here, measures = standing(part), topic_measures(part)
    names, relevant = part.ranks.relevant_per_topic()
    values = part.scores.values[measures[0]] if measures else np.full((len(part.scores.runs), len(names)), np.nan)
    best = values[here.best]
    columns: list[str] = ["topic", "title", "relevant", name_of(part.scores.runs[here.best])]
    rows: list[tuple[Value, ...]] = []
    for t, name in enumerate(names):
        row: list[Value] = [name, title_of(part.titles.get(name, "")), int(relevant[t]), float(best[t])]
        if here.baseline is not None and here.baseline != here.best:
            base = float(values[here.baseline, t])
            row += [base, float(best[t]) - base if np.isfinite(best[t] - base) else None]
        rows.append(tuple(row))
    if here.baseline is not None and here.baseline != here.best:
        columns += [name_of(part.scores.runs[here.baseline]), "difference"]
    measure = part.scores.measures[measures[0]] if measures else ""
    table = Table(tuple(columns), tuple(rows))
    return grid(table, caption=f"Topics{f', scores by {measure}' if measure else ''}", most=10**9, sortable=False)
