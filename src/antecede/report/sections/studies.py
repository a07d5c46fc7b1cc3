"""Studies and figures of a part: for each what it asks, its figure and its tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antecede.comparison import Agreement
from antecede.report import figures
from antecede.report.sections.grids import Explained, Grid, grid
from antecede.report.sections.inline_svg import Picture, picture
from antecede.report.sections.texts import name_of
from antecede.study import Cutoffs, Robustness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.comparison import Comparison
    from antecede.report.results import Part, Study
    from antecede.tables import Table

MOST_EVENTS = 200
"""Contradictions and changes of places that are listed one by one."""

MOST_DRAWN = 400
"""Differences that are drawn one by one."""

TITLES: Mapping[str, str] = {
    "robustness": "Robustness to missing judgements",
    "agreement": "Agreement of measures",
    "correlate": "Correlation of measures",
    "cutoffs": "Scores by cut-off",
    "terms": "Number of terms",
}
"""What the studies are called, by the name of their verb, in the order they are shown."""


CAPTIONS: Mapping[str, str] = {
    "robustness": "How well each measure keeps the order of the runs when judgements are lost",
    "agreement": "How often the measures agree on pairs of runs, and how many pairs each tells apart",
    "correlation": "How alike the measures order the runs",
    "cutoffs": "Scores against the number of documents read",
    "term_counts": "Scores against the number of terms in the queries",
}
"""What stands below the figures, by their names."""


@dataclass(frozen=True)
class Shown:
    """One study on the page."""

    name: str
    title: str
    figure: Picture
    table: Grid
    further: tuple[Grid, ...]
    """What it lists besides, to unfold."""


def studies(part: Part, anchor: str, explained: Explained) -> tuple[Shown, ...]:
    """Every study of a part, those the report knows by name first."""
    order = [*(name for name in TITLES if name in part.studies), *(n for n in part.studies if n not in TITLES)]
    return tuple(shown(name, part.studies[name], anchor, explained) for name in order)


def shown(name: str, study: Study, anchor: str, explained: Explained) -> Shown:
    drawn = picture(study.plot(), f"{anchor}-{name}", CAPTIONS.get(study.figure) or figures.summary(study.figure))
    further = tuple(grid(each, explained) for each in further_tables(study))
    table = study.table()
    title = TITLES.get(name, name.capitalize())
    return Shown(name, title, drawn, grid(table, explained, sortable=not spans_rows(table)), further)


def further_tables(study: Study) -> list[Table]:
    """What a study lists besides its main table, where there is anything to list."""
    found: list[Table] = []
    if isinstance(study, Agreement) and study.contradictions:
        found.append(study.contradictions_table())
    if isinstance(study, Cutoffs) and study.crossings:
        found.append(study.crossings_table(most=MOST_EVENTS))
    if isinstance(study, Robustness) and study.sample_names:
        found.append(study.groups_table())
    return found


def spans_rows(table: Table) -> bool:
    """Whether a name stands for the rows below it too, so that they must stay together."""
    return any(row[0] == "" for row in table.rows)


def pictures(part: Part, anchor: str) -> dict[str, Picture]:
    """The figures of the runs themselves."""
    first = part.scores.measures[0]
    found = {"systems": picture(figures.systems(part.scores), f"{anchor}-systems", f"Runs, the best on top by {first}")}
    if part.comparison is not None:
        found["compare"] = differences(part.comparison, f"{anchor}-compare")
    caption = "How many relevant documents the topics have"
    found["relevant"] = picture(part.ranks.plot(), f"{anchor}-relevant", caption)
    return found


def differences(comparison: Comparison, name: str) -> Picture:
    """The figure of a comparison; with many runs under the first measures only, as the table has them all."""
    shown_measures = comparison.measures[: max(1, MOST_DRAWN // max(len(comparison.pairs), 1))]
    drawn = replace(comparison, measures=shown_measures).plot()
    if comparison.baseline is None:
        caption = "Who beats whom"
    else:
        level = f"{100 * (1 - comparison.plan.alpha):g} %"
        caption = f"Differences to {name_of(comparison.baseline)} with {level} bootstrap intervals"
    left = comparison.measures[len(shown_measures) :]
    return picture(drawn, name, f"{caption}; {', '.join(left)}: see the table" if left else caption)
