"""Systems side by side: their differences to a baseline with intervals, or without a baseline who beats whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from antecede.report.drawing.labelling import text_width
from antecede.report.drawing.names import labels
from antecede.report.drawing.pair_matrix import pair_matrix
from antecede.report.drawing.rows import name_rows, pitch, stripe, type_size
from antecede.report.drawing.style import (
    BLUE,
    COLUMN,
    GREY,
    INK,
    PAGE,
    SMALL,
    VERMILLION,
    Drawing,
    sheet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.comparison.comparison import Comparison, Differences

ABREAST, ROOMY = 5, 3
"""Panels side by side: at most, and such that there is room for several numbers below each."""


def compare(result: Comparison) -> Drawing:
    """With a baseline a forest plot, without one a matrix of all pairs; a panel for each measure."""
    return pair_matrix(result) if result.baseline is None else forest(result)


def forest(result: Comparison) -> Drawing:
    """A row a run, best first by the first measure: its difference to the baseline, filled where significant."""
    first = result.by_measure[result.measures[0]]
    sign = -1 if result.better[result.measures[0]] == "lower" else 1
    order = np.argsort(-sign * first.difference, kind="stable")
    names = [result.runs[int(run)] for run in result.pairs.first[order]]
    columns = min(ABREAST, len(result.measures))
    rows = -(-len(result.measures) // columns)
    named = text_width(labels(names), type_size(len(names))) + 0.1
    height = 0.75 + pitch(len(names)) * max(len(names), 3)
    figure = sheet(COLUMN if named + columns * 1.0 <= COLUMN else PAGE, rows * height)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for axes in grid.flat[len(result.measures) :]:
        axes.set_axis_off()
    for axes, measure in zip(grid.flat, result.measures, strict=False):
        draw_differences(axes, result.by_measure[measure], order, lower=result.better[measure] == "lower")
        axes.xaxis.set_major_locator(MaxNLocator(5 if columns <= ROOMY else 3, steps=[1, 2, 5, 10]))
        axes.set_title(measure)
    for row in grid:
        name_rows(row[0], names)
        stripe([axes for axes in row if axes.axison], len(names))
    baseline = labels([result.baseline or ""])[0]
    figure.supxlabel(f"Difference to {baseline}; filled marks: significant\n({result.plan})", size=SMALL)
    return figure


def draw_differences(axes: Axes, found: Differences, order: NDArray[np.int64], *, lower: bool) -> None:
    """One panel: a dot and an interval a row; blue where the run is ahead, vermillion where behind."""
    places = np.arange(len(order))
    axes.axvline(0, color=INK, lw=0.8, zorder=1)
    size = min(3.6, 72 * pitch(len(order)) * 0.42)
    for row, pair in zip(places, order, strict=True):
        difference = found.difference[pair]
        ahead = (difference < 0) if lower else (difference > 0)
        significant = bool(found.significant[pair])
        colour = GREY if not significant else BLUE if ahead else VERMILLION
        ends = [found.low[pair], found.high[pair]]
        axes.plot(ends, [row, row], color=colour, lw=1.3 if significant else 0.8, solid_capstyle="butt", zorder=2)
        axes.plot(
            [difference],
            [row],
            marker="o" if not significant else ">" if difference > 0 else "<",
            ms=size * (1.25 if significant else 1),
            color=colour,
            markerfacecolor=colour if significant else "white",
            markeredgewidth=0.8,
            zorder=3,
        )
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
