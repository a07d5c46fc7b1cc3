"""Systems sorted by one measure, with the others beside it (PRES, figure 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.report.drawing.labelling import key_height, keys
from antecede.report.drawing.rows import name_rows, pitch, stripe
from antecede.report.drawing.style import COLUMN, PAGE, SMALL, Drawing, look, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.evaluation.scores import Scores

FEW = 4
"""So many measures are still read in one column's width."""


def systems(scores: Scores, sort: str | None) -> Drawing:
    """A row a run, the best on top; a mark for each measure. A measure that is not a share has a panel of its own."""
    names = [str(measure) for measure in scores.measures]
    chosen = 0 if sort is None else place_of(sort, names)
    order = best_first(scores, chosen)
    panels = panels_of(scores)
    wide = len(panels) > 1 or len(names) > FEW
    texts = [key(name, sorts=m == chosen) for m, name in enumerate(names)]
    width = PAGE if wide else COLUMN
    figure = sheet(width, 0.5 + key_height(texts, width) + pitch(len(order)) * max(len(order), 3))
    ratios = [2 if len(panel) > 1 else 1 for panel in panels]
    grid = figure.subplots(1, len(panels), sharey=True, squeeze=False, width_ratios=ratios)[0]
    for axes, panel in zip(grid, panels, strict=True):
        for measure in panel:
            draw_measure(axes, scores.totals[measure, order], measure, texts[measure], sorts=measure == chosen)
            never(axes, scores.never()[measure, order] * np.isinf(scores.totals[measure, order]), look(measure).label)
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(names[panel[0]] if alone(scores, panel[0]) else "Score")
    name_rows(grid[0], [scores.runs[run] for run in order])
    stripe(grid, len(order))
    handles = {text: line for axes in grid for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    keys(figure, {text: handles[text] for text in texts})
    return figure


def key(name: str, *, sorts: bool) -> str:
    """What stands beside the mark of a measure above the chart."""
    return f"{name} (sorted)" if sorts else name


def place_of(measure: str, names: list[str]) -> int:
    if measure not in names:
        raise UsageError(f"cannot sort by {measure}: it is not among the measures, {', '.join(names)}")
    return names.index(measure)


def best_first(scores: Scores, measure: int) -> NDArray[np.int64]:
    """The order of the table that is sorted by this measure; a run without a score comes last."""
    falling = scores.measures[measure].definition.better != "lower"
    totals = scores.totals[measure]
    return np.argsort(-totals if falling else totals, kind="stable")


def alone(scores: Scores, measure: int) -> bool:
    """Whether a measure has a scale of its own, such as a number of documents."""
    return bool(np.isinf(scores.measures[measure].definition.bounds).any())


def panels_of(scores: Scores) -> list[list[int]]:
    """The measures by panel: all shares together, then one by one those with a scale of their own."""
    places = range(len(scores.measures))
    shares = [m for m in places if not alone(scores, m)]
    return [*([shares] if shares else []), *([m] for m in places if alone(scores, m))]


def draw_measure(axes: Axes, totals: NDArray[np.float64], measure: int, text: str, *, sorts: bool) -> None:
    """The marks of one measure, a row each; the one that sorts has a line through them, and lies below the others."""
    here = look(measure)
    axes.plot(
        np.where(np.isfinite(totals), totals, np.nan),
        np.arange(len(totals)),
        color=here.colour,
        marker=here.marker,
        markersize=here.scale * min(4.2, 72 * pitch(len(totals)) * 0.5),
        markeredgecolor="white",
        markeredgewidth=0.3,
        linestyle="solid" if sorts else "none",
        linewidth=1.0,
        label=text,
        zorder=2 if sorts else 3,
    )


def never(axes: Axes, counts: NDArray[np.int64], colour: str) -> None:
    """Where a mean is infinite, say so at the edge, with the number of topics, as the table does."""
    if not axes.lines or not np.isfinite(np.concatenate([line.get_xdata() for line in axes.lines])).any():
        axes.set_xticks([])
    for row in np.flatnonzero(counts):
        axes.annotate(
            f"never: {counts[row]}",
            xy=(1.0, float(row)),
            xycoords=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            size=min(SMALL, 72 * pitch(len(counts)) * 0.8),
            color=colour,
        )
