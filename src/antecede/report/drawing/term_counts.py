"""Scores against the number of terms in the queries, a line a query method (Queries, figures 1–3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator, NullLocator

from antecede.report.drawing.cutoffs import LONGEST, NARROWEST, ticks
from antecede.report.drawing.labelling import Label, beside, text_width
from antecede.report.drawing.names import labels
from antecede.report.drawing.style import COLUMN, PAGE, SMALL, TEXT, Drawing, look, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from antecede.study.term_counts import TermCounts


def term_counts(result: TermCounts) -> Drawing:
    """A panel a measure, a line a method, a mark where a method is best."""
    names = labels(result.methods, LONGEST)
    needed = NARROWEST + text_width(names, SMALL) + 0.3
    columns = max(1, min(len(result.measures), int(PAGE / needed)))
    rows = -(-len(result.measures) // columns)
    figure = sheet(COLUMN if columns == 1 else PAGE, 2.1 * rows + 0.2)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(result.measures) :]:
        axes.set_axis_off()
    for m, axes in enumerate(grid.flat[: len(result.measures)]):
        draw_curves(axes, result, m)
        axes.set_title(result.measures[m])
        if m % columns == 0:
            axes.set_ylabel("Score")
    figure.supxlabel("Terms in the query (marked: where a method scores best)", size=TEXT)
    figure.draw_without_rendering()
    for m, axes in enumerate(grid.flat[: len(result.measures)]):
        ends = [(name, float(result.scores[m, q, -1])) for q, name in enumerate(names)]
        x = float(result.at[-1])
        beside(axes, [Label(name, x, y, look(q).label) for q, (name, y) in enumerate(ends) if np.isfinite(y)], off=9)
    return figure


def draw_curves(axes: Axes, result: TermCounts, measure: int) -> None:
    """The lines of one measure."""
    for q in range(len(result.methods)):
        here = look(q)
        curve = result.scores[measure, q]
        axes.plot(result.at, curve, color=here.colour, ls=here.line, lw=1.1)
        if np.isfinite(curve).any():
            best = int(np.nanargmax(curve))
            axes.plot(result.at[best], curve[best], color=here.colour, marker=here.marker, ms=3.8 * here.scale)
    if result.at[-1] > 8 * result.at[0]:
        axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(*ticks(result.at, log=axes.get_xscale() == "log"))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")
