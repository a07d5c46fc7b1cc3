"""Systems sorted by one measure, with the others beside it (PRES, figure 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.report.figures.highlights import choose_highlights
from antecede.report.figures.layout import add_legend, legend_height, name_rows, row_height, stripe_rows
from antecede.report.figures.paper import COLUMN, PAGE, SMALL, figure, new_figure
from antecede.report.figures.style import get_look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.evaluation.scores import Scores
    from antecede.report.figures.paper import PaperFigure

MAX_NARROW = 4
"""Up to so many measures remain readable in one column's width."""


@figure("systems", result="Scores")
def systems(scores: Scores, *, sort: str | None = None, highlight: Sequence[str] | None = None) -> PaperFigure:
    """Systems sorted by one measure (by default the first), with the others beside it (PRES, figure 5).

    One row per run, the best at the top; one mark per measure. A measure whose range is unbounded has its own panel.
    The names of the runs of `highlight` are bold.
    """
    names = [str(measure) for measure in scores.measures]
    chosen = 0 if sort is None else find_measure(sort, names)
    order = sort_runs(scores, chosen)
    panels = group_panels(scores)
    texts = [f"{name} (sorted)" if m == chosen else name for m, name in enumerate(names)]
    width = PAGE if len(panels) > 1 or len(names) > MAX_NARROW else COLUMN
    sheet = new_figure(width, 0.5 + legend_height(texts, width) + row_height(len(order)) * max(len(order), 3))
    ratios = [2 if len(panel) > 1 else 1 for panel in panels]
    grid = sheet.subplots(1, len(panels), sharey=True, squeeze=False, width_ratios=ratios)[0]
    for axes, panel in zip(grid, panels, strict=True):
        for measure in panel:
            totals = scores.totals[measure, order]
            draw_measure(axes, totals, measure, texts[measure], sorts=measure == chosen)
            mark_never(axes, scores.never()[measure, order] * np.isinf(totals), get_look(measure).label)
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(names[panel[0]] if is_unbounded(scores, panel[0]) else "Score")
    name_rows(grid[0], [scores.runs[run] for run in order])
    bold = choose_highlights(highlight, scores.runs, ())
    for row, run in enumerate(order.tolist()):
        if run in bold:
            grid[0].get_yticklabels()[row].set(weight="bold", color=get_look(chosen).label)
    stripe_rows(grid, len(order))
    handles = {text: line for axes in grid for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    add_legend(sheet, {text: handles[text] for text in texts})
    return sheet


def find_measure(measure: str, names: list[str]) -> int:
    """The index of the measure to sort by."""
    if measure not in names:
        raise UsageError(f"cannot sort by {measure}: it is not among the measures, {', '.join(names)}")
    return names.index(measure)


def sort_runs(scores: Scores, measure: int) -> NDArray[np.int64]:
    """The order of the table sorted by this measure; runs without a score come last."""
    falling = scores.measures[measure].definition.better != "lower"
    totals = scores.totals[measure]
    return np.argsort(-totals if falling else totals, kind="stable")


def is_unbounded(scores: Scores, measure: int) -> bool:
    """Whether a measure has an unbounded range, such as a number of documents."""
    return bool(np.isinf(scores.measures[measure].definition.bounds).any())


def group_panels(scores: Scores) -> list[list[int]]:
    """The measures by panel: all bounded ones together, then each unbounded one by itself."""
    places = range(len(scores.measures))
    bounded = [m for m in places if not is_unbounded(scores, m)]
    return [*([bounded] if bounded else []), *([m] for m in places if is_unbounded(scores, m))]


def draw_measure(axes: Axes, totals: NDArray[np.float64], measure: int, text: str, *, sorts: bool) -> None:
    """The marks of one measure, one per row; those of the sorting measure are joined by a line below the others."""
    look = get_look(measure)
    axes.plot(
        np.where(np.isfinite(totals), totals, np.nan),
        np.arange(len(totals)),
        color=look.colour,
        marker=look.marker,
        markersize=look.scale * min(4.2, 72 * row_height(len(totals)) * 0.5),
        markeredgecolor="white",
        markeredgewidth=0.3,
        linestyle="solid" if sorts else "none",
        linewidth=1.0,
        label=text,
        zorder=2 if sorts else 3,
    )


def mark_never(axes: Axes, counts: NDArray[np.int64], colour: str) -> None:
    """Where a mean is infinite, write the number of topics that cause it at the edge, as the table does."""
    if not axes.lines or not np.isfinite(np.concatenate([line.get_xdata() for line in axes.lines])).any():
        axes.set_xticks([])
    for row in np.flatnonzero(counts):
        axes.annotate(
            f"never: {counts[row]}",
            xy=(1.0, float(row)),
            xycoords=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            size=min(SMALL, 72 * row_height(len(counts)) * 0.8),
            color=colour,
        )
