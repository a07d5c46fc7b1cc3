"""All pairs of runs: which of two is significantly better, a square of cells for each measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from antecede.report.drawing.labelling import text_width
from antecede.report.drawing.names import labels
from antecede.report.drawing.style import BLUE, COLUMN, FAINT, PAGE, PALE, SMALL, TALLEST, TINY, Drawing, ink_on, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.comparison.comparison import Comparison

PRINTED = 14
"""Up to so many runs, the p-values are printed into the cells."""
WORSE = "#F3C98B"
"""A light orange: far from the blue in colour and in grey."""
ITSELF, NEITHER = PALE, "white"
SHADES = ListedColormap([WORSE, NEITHER, BLUE, ITSELF])
LONGEST = 20


def pair_matrix(result: Comparison) -> Drawing:
    """The row's run against the column's, the best runs first; with few runs, with the p-values."""
    count, panels = len(result.runs), len(result.measures)
    printed = count <= PRINTED
    cell = 0.29 if printed else min(0.12, max(0.065, ((TALLEST - 0.75) / panels - 0.3) / count))
    size = SMALL if printed else min(SMALL, 72 * cell * 0.86)
    named = text_width(labels(result.runs, LONGEST), size) + 0.15
    columns = max(1, min(panels, int(PAGE / (named + cell * count))))
    rows = -(-panels // columns)
    below = named if printed and rows * (cell * count + named + 0.25) + 0.75 <= TALLEST else 0.0
    height = rows * (cell * count + below + 0.25) + 0.75
    figure = sheet(max(columns * (named + cell * count), COLUMN), height, squares=True)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(result.measures) :]:
        axes.set_axis_off()
    for axes, measure in zip(grid.flat, result.measures, strict=False):
        draw_square(axes, result, measure, size=size, printed=printed)
        if not below:
            axes.set_xticks([])
        axes.set_title(measure)
    says = {"row better": BLUE, "row worse": WORSE, "neither": NEITHER}
    keys = [Patch(facecolor=colour, edgecolor="black", linewidth=0.4, label=text) for text, colour in says.items()]
    figure.legend(handles=keys, loc="outside upper center", ncols=3, handlelength=1.2)
    notes = [str(result.plan), *(["corrected p in the cells"] if printed else [])]
    notes += [] if below else ["columns in the order of the rows"]
    figure.supxlabel("\n".join(notes), size=SMALL)
    return figure


def draw_square(axes: Axes, result: Comparison, measure: str, *, size: float, printed: bool) -> None:
    """One measure: the cells, their p-values, and the names on two sides."""
    count = len(result.runs)
    scores = result.scores[measure]
    order = np.argsort(scores if result.better[measure] == "lower" else -scores, kind="stable")
    verdicts, p = squares(result, measure)
    verdicts, p = verdicts[np.ix_(order, order)], p[np.ix_(order, order)]
    np.fill_diagonal(verdicts, 2)
    axes.pcolormesh(
        verdicts, cmap=SHADES, vmin=-1.5, vmax=2.5, edgecolor=FAINT if printed or count <= 60 else "none", linewidth=0.4
    )
    for row, column in zip(*np.nonzero(~np.eye(count, dtype=bool)), strict=True) if printed else ():
        ink = ink_on(SHADES(int(verdicts[row, column]) + 1))
        text = p_value(p[row, column])
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center_baseline", size=TINY - 0.5, color=ink)
    names = labels([result.runs[run] for run in order], LONGEST)
    axes.set_yticks(np.arange(count) + 0.5, names, size=size)
    axes.set_xticks(np.arange(count) + 0.5, names, size=size, rotation=90)
    axes.set_ylim(count, 0)
    axes.set_aspect("equal")
    axes.tick_params(length=0, pad=1.5)
    axes.spines[:].set_visible(False)


def squares(result: Comparison, measure: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """runs × runs: the verdict on the row's run against the column's, and the corrected p."""
    found, pairs, count = result.by_measure[measure], result.pairs, len(result.runs)
    verdicts, p = np.zeros((count, count), np.int64), np.full((count, count), np.nan)
    verdicts[pairs.first, pairs.second], verdicts[pairs.second, pairs.first] = found.verdicts, -found.verdicts
    p[pairs.first, pairs.second] = p[pairs.second, pairs.first] = found.adjusted
    return verdicts, p


def p_value(p: float) -> str:
    """Three digits at most, without the leading zero."""
    if np.isnan(p):
        return "–"
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}"[1:] if p < 0.0995 else f"{p:.2f}"[1:] if p < 0.995 else "1"
