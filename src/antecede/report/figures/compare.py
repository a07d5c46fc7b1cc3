"""Systems side by side: their differences from a baseline with intervals, or all pairs without a baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from antecede.report.display_text import make_labels
from antecede.report.figures.layout import (
    balance_columns,
    count_rows,
    draw_panels,
    name_rows,
    notes_height,
    row_font_size,
    row_height,
    stripe_rows,
    text_width,
    wrap_notes,
)
from antecede.report.figures.paper import COLUMN, INK, MAX_HEIGHT, PAGE, SMALL, TINY, figure, new_figure
from antecede.report.figures.style import BLUE, FAINT, GREY, PALE, VERMILLION, choose_ink, format_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.comparison.comparison import Comparison, Differences
    from antecede.report.figures.paper import PaperFigure

MAX_COLUMNS, ROOMY_COLUMNS = 6, 3
"""Panels side by side: the maximum, and the number that leaves room for several tick labels below each."""
PRINTED_CELL, MAX_CELL, MIN_CELL = 0.29, 0.12, 0.05
"""Inches: a cell of a matrix with a p-value in it, and the largest and smallest without."""
NAME_HEIGHT, NAME_MARGIN = 0.86, 0.15
"""The font size of a run's name relative to its cell, and inches beside the names."""
MAX_PRINTED_RUNS = 14
"""Up to so many runs, the p-values are printed in the cells of the matrix."""
MATRIX_LABEL_LENGTH = 20
BETTER, WORSE, NEITHER, ITSELF = BLUE, "#F3C98B", "white", PALE
"""Blue and a light orange, far apart both in colour and in grey."""
SHADES = ListedColormap([WORSE, NEITHER, BETTER, ITSELF])


@figure("compare", result="Comparison")
def compare(result: Comparison) -> PaperFigure:
    """Differences from a baseline with their intervals, or without a baseline a matrix of all pairs.

    One panel per measure.
    """
    return draw_matrices(result) if result.baseline is None else draw_forest(result)


# Differences from a baseline


def draw_forest(result: Comparison) -> PaperFigure:
    """One row per run, best first by the first measure: its difference from the baseline, filled where significant."""
    first = result.by_measure[result.measures[0]]
    sign = -1 if result.better[result.measures[0]] == "lower" else 1
    order = np.argsort(-sign * first.difference, kind="stable")
    names = [result.runs[int(run)] for run in result.pairs.first[order]]
    name_width = text_width(make_labels(names), row_font_size(len(names))) + 0.1
    height = 0.5 + row_height(len(names)) * max(len(names), 3)
    columns = choose_columns(len(result.measures), height)
    rows = count_rows(len(result.measures), columns)
    width = COLUMN if name_width + columns * 1.0 <= COLUMN else PAGE
    notes = wrap_notes(explain_forest(result), width)
    sheet = new_figure(width, rows * height + notes_height(notes) + 0.1)
    panels = draw_panels(sheet, len(result.measures), columns, sharey=True)
    for axes, measure in zip(panels, result.measures, strict=True):
        draw_differences(axes, result.by_measure[measure], order, lower=result.better[measure] == "lower")
        axes.xaxis.set_major_locator(MaxNLocator(5 if columns <= ROOMY_COLUMNS else 3, steps=[1, 2, 5, 10]))
        axes.set_title(measure)
    for start in range(0, len(panels), columns):
        name_rows(panels[start], names)
        stripe_rows(panels[start : start + columns], len(names))
    sheet.supxlabel(notes, size=SMALL)
    return sheet


def choose_columns(measures: int, height: float) -> int:
    """Up to three panels side by side; more where the rows would not fit on a page."""
    roomy = balance_columns(measures, ROOMY_COLUMNS)
    fits = count_rows(measures, roomy) * height <= MAX_HEIGHT
    return roomy if fits else balance_columns(measures, MAX_COLUMNS)


def explain_forest(result: Comparison) -> list[str]:
    """The meaning of marks, lines and colours."""
    baseline = make_labels([result.baseline or ""])[0]
    return [
        f"Mark: mean difference from {baseline} over topics",
        f"line: its {format_percent(1 - result.plan.alpha)} bootstrap interval, not corrected for the number of runs",
        f"filled: significantly better (blue) or worse (orange; {result.plan})",
    ]


def draw_differences(axes: Axes, found: Differences, order: NDArray[np.int64], *, lower: bool) -> None:
    """One panel: a mark and an interval per row, blue where the run is better, vermillion where it is worse."""
    axes.axvline(0, color=INK, lw=0.8, zorder=1)
    size = min(3.6, 72 * row_height(len(order)) * 0.42)
    for row, pair in enumerate(order):
        difference = found.difference[pair]
        better = (difference < 0) if lower else (difference > 0)
        significant = bool(found.significant[pair])
        colour = GREY if not significant else BLUE if better else VERMILLION
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


# All pairs


def draw_matrices(result: Comparison) -> PaperFigure:
    """The row's run against the column's, the best runs first; with few runs, the p-values too."""
    count, measures = len(result.runs), len(result.measures)
    printed = count <= MAX_PRINTED_RUNS
    names = make_labels(result.runs, MATRIX_LABEL_LENGTH)
    cell = PRINTED_CELL if printed else fit_cells(count, measures, text_width(names, 1.0))
    size = SMALL if printed else min(SMALL, 72 * cell * NAME_HEIGHT)
    name_width = text_width(names, size) + NAME_MARGIN
    columns = balance_columns(measures, int((PAGE + 0.001) / (name_width + cell * count)))
    rows = count_rows(measures, columns)
    below = name_width if printed and rows * (cell * count + name_width + 0.25) + 0.75 <= MAX_HEIGHT else 0.0
    height = rows * (cell * count + below + 0.25) + 0.75
    sheet = new_figure(max(columns * (name_width + cell * count), COLUMN), height, square_cells=True)
    for axes, measure in zip(draw_panels(sheet, measures, columns), result.measures, strict=True):
        draw_matrix(axes, result, measure, size=size, printed=printed)
        if not below:
            axes.set_xticks([])
        axes.set_title(measure)
    verdicts = {"row better": BETTER, "row worse": WORSE, "neither": NEITHER}
    handles = [
        Patch(facecolor=colour, edgecolor="black", linewidth=0.4, label=text) for text, colour in verdicts.items()
    ]
    sheet.legend(handles=handles, loc="outside upper center", ncols=3, handlelength=1.2)
    notes = [f"Significance: {result.plan}", *(["corrected p in the cells"] if printed else [])]
    notes += [] if below else ["columns in the order of the rows"]
    sheet.supxlabel(wrap_notes(notes, sheet.get_figwidth()), size=SMALL)
    return sheet


def fit_cells(count: int, measures: int, name_width: float) -> float:
    """The largest cell, in inches, with which all matrices fit on a page; `name_width` is that of the names at 1 pt."""
    fits = []
    for columns in range(1, measures + 1):
        across = (PAGE / columns - NAME_MARGIN) / (count + name_width * 72 * NAME_HEIGHT)
        down = ((MAX_HEIGHT - 0.75) / count_rows(measures, columns) - 0.25) / count
        fits.append(min(across, down))
    return min(MAX_CELL, max(MIN_CELL, *fits))


def draw_matrix(axes: Axes, result: Comparison, measure: str, *, size: float, printed: bool) -> None:
    """One measure: the cells, their p-values, and the names on two sides."""
    count = len(result.runs)
    scores = result.scores[measure]
    order = np.argsort(scores if result.better[measure] == "lower" else -scores, kind="stable")
    verdicts, p = make_matrices(result, measure)
    verdicts, p = verdicts[np.ix_(order, order)], p[np.ix_(order, order)]
    np.fill_diagonal(verdicts, 2)
    axes.pcolormesh(
        verdicts, cmap=SHADES, vmin=-1.5, vmax=2.5, edgecolor=FAINT if printed or count <= 60 else "none", linewidth=0.4
    )
    for row, column in zip(*np.nonzero(~np.eye(count, dtype=bool)), strict=True) if printed else ():
        ink = choose_ink(SHADES(int(verdicts[row, column]) + 1))
        text = format_p(p[row, column])
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center_baseline", size=TINY - 0.5, color=ink)
    names = make_labels([result.runs[run] for run in order], MATRIX_LABEL_LENGTH)
    axes.set_yticks(np.arange(count) + 0.5, names, size=size)
    axes.set_xticks(np.arange(count) + 0.5, names, size=size, rotation=90)
    axes.set_ylim(count, 0)
    axes.set_aspect("equal")
    axes.tick_params(length=0, pad=1.5)
    axes.spines[:].set_visible(False)


def make_matrices(result: Comparison, measure: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """runs × runs: the verdict on the row's run against the column's, and the corrected p."""
    found, pairs, count = result.by_measure[measure], result.pairs, len(result.runs)
    verdicts, p = np.zeros((count, count), np.int64), np.full((count, count), np.nan)
    verdicts[pairs.first, pairs.second], verdicts[pairs.second, pairs.first] = found.verdicts, -found.verdicts
    p[pairs.first, pairs.second] = p[pairs.second, pairs.first] = found.adjusted
    return verdicts, p


def format_p(p: float) -> str:
    """At most three decimals, without the leading zero."""
    if np.isnan(p):
        return "–"
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}"[1:] if p < 0.0995 else f"{p:.2f}"[1:] if p < 0.995 else "1"
