"""Scores against the number of terms in the queries, one line per query method (Queries, figures 1–3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from antecede.report.display_text import make_labels
from antecede.report.figures.layout import CURVE_LABEL_LENGTH, Label, draw_curve_panels, label_ends, set_value_ticks
from antecede.report.figures.paper import figure
from antecede.report.figures.style import get_look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from antecede.report.figures.paper import PaperFigure
    from antecede.study.term_counts import TermCounts


@figure("term_counts", result="TermCounts")
def term_counts(result: TermCounts) -> PaperFigure:
    """Scores against the number of terms in the queries (Queries, figures 1–3).

    One panel per measure, one line per method; a mark where a method scores best.
    """
    names = make_labels(result.methods, CURVE_LABEL_LENGTH)
    notes = ["marked: the best score of each method"]
    sheet, panels = draw_curve_panels(result.measures, names, "Terms in the query", notes)
    for measure, axes in enumerate(panels):
        draw_curves(axes, result, measure)
    sheet.draw_without_rendering()
    x = float(result.at[-1])
    for measure, axes in enumerate(panels):
        ends = [float(result.scores[measure, method, -1]) for method in range(len(names))]
        labels = [Label(name, x, y, get_look(i).label) for i, (name, y) in enumerate(zip(names, ends, strict=True))]
        label_ends(axes, [label for label in labels if np.isfinite(label.y)], off=9)
    return sheet


def draw_curves(axes: Axes, result: TermCounts, measure: int) -> None:
    """The lines of one measure."""
    for method in range(len(result.methods)):
        look = get_look(method)
        curve = result.scores[measure, method]
        axes.plot(result.at, curve, color=look.colour, ls=look.line, lw=1.1)
        if np.isfinite(curve).any():
            best = int(np.nanargmax(curve))
            axes.plot(result.at[best], curve[best], color=look.colour, marker=look.marker, ms=3.8 * look.scale)
    set_value_ticks(axes, result.at)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")
