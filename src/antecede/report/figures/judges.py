"""Two judges: how their grades agree, and how far the runs move from one to the other (Bland & Altman)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.lines import Line2D

from antecede.report.display_text import make_labels
from antecede.report.figures.correlation import SHADES
from antecede.report.figures.layout import add_legend, count_rows, draw_panels, legend_height, notes_height, wrap_notes
from antecede.report.figures.paper import COLUMN, PAGE, SMALL, TINY, figure, new_figure
from antecede.report.figures.style import BLACK, BLUE, GREY, choose_ink, format_percent, format_signed, get_look

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from antecede.report.figures.paper import PaperFigure
    from antecede.study.judges import JudgeComparison
    from antecede.study.ranking_change import RankingChange

MOST_PANELS = 5
"""Measures that are drawn: with the grades, two rows of three panels."""
COLUMNS = 3
MOST_GROUPS = 10
"""Groups that can be told apart by marker and colour."""
PANEL = 2.15
"""Inches: the height of a panel."""
MOST_GRADES = 8
"""Grades up to which each cell holds a number."""


@figure("judges", result="JudgeComparison")
def judges(result: JudgeComparison) -> PaperFigure:
    """How the grades of two judges agree, and how far the totals of the runs move from one to the other.

    The documents by the grades of both; then a Bland–Altman plot per measure: the difference of a run's totals against
    their mean, the mean difference, and the limits within which 95 % of the differences are expected.
    """
    changes = result.changes[:MOST_PANELS]
    panels = 1 + len(changes)
    columns = min(COLUMNS, panels)
    width = COLUMN if panels == 1 else PAGE
    legend = make_legend(result)
    notes = wrap_notes(list_notes(result), width)
    height = PANEL * count_rows(panels, columns) + 0.1 + notes_height(notes)
    sheet = new_figure(width, height + (legend_height(list(legend), width) if legend else 0))
    grid = draw_panels(sheet, panels, columns)
    draw_grades(grid[0], result)
    for place, (axes, change) in enumerate(zip(grid[1:], changes, strict=True), 1):
        draw_differences(axes, result, change)
        if place == 1 or place % columns == 0:
            axes.set_ylabel("Difference of totals")
    if legend:
        add_legend(sheet, legend)
    sheet.supxlabel(notes, size=SMALL)
    return sheet


def list_notes(result: JudgeComparison) -> list[str]:
    """What the panels show, below them."""
    found = result.agreement.coefficients()
    kappa, alpha = found["Cohen's κ"], found["Krippendorff's α"]
    notes = [f"Cohen’s κ {format_signed(kappa, 3)}, Krippendorff’s α {format_signed(alpha, 3)}"]
    if result.changes:
        notes.append(f"difference: {result.names[1]} minus {result.names[0]}; dashed: limits of agreement")
    if len(result.changes) > MOST_PANELS:
        notes.append(f"{len(result.changes) - MOST_PANELS} further measures are not drawn")
    return notes


def draw_grades(axes: Axes, result: JudgeComparison) -> None:
    """The documents by both grades; each cell shows its share of the row, and their number."""
    grades, counts = result.agreement.grades, result.agreement.counts
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(np.maximum(counts, 0.5), cmap=SHADES, norm=LogNorm(0.5, max(int(counts.max()), 1)), aspect="auto")
    names = make_labels(result.names, 22)
    axes.set_xticks(range(len(grades)), list(map(str, grades)))
    axes.set_yticks(range(len(grades)), list(map(str, grades)))
    axes.set_xlabel(f"Grade by {names[1]}")
    axes.set_ylabel(f"Grade by {names[0]}")
    axes.set_title("Grades")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if len(grades) > MOST_GRADES:
        return
    largest = max(int(counts.max()), 1)
    for (row, column), count in np.ndenumerate(counts):
        shade = SHADES(LogNorm(0.5, largest)(max(int(count), 0.5)))
        text = f"{int(count):,}" + (f"\n{format_percent(float(shares[row, column]), 1)}" if len(grades) <= 4 else "")
        size = SMALL if len(grades) <= 4 else TINY
        axes.text(column, row, text, ha="center", va="center", size=size, color=choose_ink(shade))


def draw_differences(axes: Axes, result: JudgeComparison, change: RankingChange) -> None:
    """One dot per run: the mean of its totals, and their difference."""
    mean, differences = change.totals.mean(axis=0), change.differences
    groups = list(dict.fromkeys(result.groups))
    if groups and len(groups) <= MOST_GROUPS:
        for number, group in enumerate(groups):
            look = get_look(number)
            own = np.array([each == group for each in result.groups])
            axes.plot(
                mean[own], differences[own], look.marker, color=look.colour, ms=3.4 * look.scale, alpha=0.8, mew=0
            )
    else:
        axes.plot(mean, differences, "o", color=BLUE, ms=3.4, alpha=0.6, mew=0)
    low, high = change.limits
    axes.axhline(0, color=GREY, lw=0.5)
    axes.axhline(change.bias, color=BLACK, lw=1.0)
    for end in (low, high):
        if np.isfinite(end):
            axes.axhline(end, color=BLACK, lw=0.8, ls=(0, (4, 2)))
    axes.set_title(f"{change.measure}: τ {format_signed(change.tau, 3)}")
    axes.set_xlabel("Mean of both totals")
    axes.margins(0.08)


def make_legend(result: JudgeComparison) -> dict[str, Artist]:
    """The groups of the runs, where they can be told apart."""
    groups = list(dict.fromkeys(result.groups))
    if not result.changes or not groups or len(groups) > MOST_GROUPS:
        return {}
    handles: dict[str, Artist] = {}
    for number, (group, label) in enumerate(zip(groups, make_labels(groups), strict=True)):
        look = get_look(number)
        handles[label or group] = Line2D([], [], color=look.colour, marker=look.marker, ls="", ms=4 * look.scale)
    return handles
