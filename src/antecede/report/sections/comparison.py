"""The comparison of a part's runs: differences with intervals, effect sizes and p-values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antecede.report.display_text import clean_name
from antecede.report.figures import FIGURES
from antecede.report.page.pictures import Picture, embed_figure
from antecede.report.page.tables import Explained, PageTable, make_table

if TYPE_CHECKING:
    from antecede.comparison import Comparison
    from antecede.report.results import Part

MAX_ALL_PAIRS = 12
"""Up to so many runs, a comparison without a baseline lists all pairs."""
MAX_DRAWN = 400
"""Differences that are drawn one by one."""


@dataclass(frozen=True)
class ComparisonSection:
    """The section on the comparison."""

    figure: Picture
    details: PageTable


def make_comparison(part: Part, anchor: str, explained: Explained) -> ComparisonSection | None:
    """The section on the comparison of a part; None for a single run."""
    if part.comparison is None:
        return None
    figure = embed_comparison(part.comparison, f"{anchor}-compare", part.figures.get("compare"))
    return ComparisonSection(figure, make_details_table(part, part.comparison, explained))


def make_details_table(part: Part, comparison: Comparison, explained: Explained) -> PageTable:
    """Every difference with interval, effect and p; of all pairs of many runs, only those with the best run."""
    table = comparison.details()
    best = part.scores.runs[part.best_run]
    if comparison.baseline is None and len(part.scores.runs) > MAX_ALL_PAIRS:
        kept = [row for row, values in enumerate(table.rows) if best in values[1:3]]
        place = {old: new for new, old in enumerate(kept)}
        table = replace(
            table,
            rows=tuple(table.rows[row] for row in kept),
            marks={(place[row], column): mark for (row, column), mark in table.marks.items() if row in place},
            notes=(*table.notes, f"Only the pairs with {clean_name(best)}, the best run by {part.scores.measures[0]}."),
        )
    return make_table(table, explained)


def embed_comparison(comparison: Comparison, name: str, drawn_before: bytes | None) -> Picture:
    """The figure of a comparison; with many runs for the first measures only, since the table has them all."""
    drawn = comparison.measures[: max(1, MAX_DRAWN // max(len(comparison.pairs), 1))]
    whole = drawn_before if drawn == comparison.measures else None
    figure = whole or FIGURES["compare"](replace(comparison, measures=drawn))
    if comparison.baseline is None:
        caption = "Significant differences between all pairs of runs"
    else:
        level = f"{100 * (1 - comparison.plan.alpha):g} %"
        caption = f"Differences from {clean_name(comparison.baseline)} with {level} bootstrap intervals"
    left = comparison.measures[len(drawn) :]
    return embed_figure(figure, name, f"{caption}; {', '.join(left)}: see the table" if left else caption)
