"""The figures of the PRES and robustness papers: table 4 of PRES, and the robustness study beside simulated runs."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from antecede.comparison.correlation import kendall_many
from antecede.report.figures.paper import PAGE, SMALL, TEXT, figure, new_figure
from antecede.report.figures.robustness import (
    group_looks,
    group_panels,
    label_levels,
    label_lines,
    make_room,
    name_axis,
)
from antecede.report.figures.style import BLUE, GREY, format_percent, format_signed, get_look
from antecede.study.robustness import BAND

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.report.figures.paper import PaperFigure
    from antecede.report.figures.robustness import Panel
    from antecede.study.published_tables import Published

NEAR_AXIS = 0.05
"""A dot below this share of the height has its name above the axis."""
MAX_OUTLIERS = 3
"""Runs named in a scatter plot: those furthest from the trend."""


@figure("published", result="Published")
def published(result: Published) -> PaperFigure:
    """The papers' results: table 4 of PRES, and the robustness study beside simulated runs.

    Above, the scores of table 4 against each other; below, τ as printed (marks) and on simulated runs (lines).
    """
    sheet = new_figure(PAGE, 5.2)
    parts: Any = sheet.subfigures(2, 1, height_ratios=[1, 1.2])
    above, below = parts
    pairs = list(combinations(result.table_4, 2))
    for axes, (first, second) in zip(above.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        draw_scatter(axes, result.table_4[first], result.table_4[second])
        axes.set(xlabel=first, ylabel=second)
    count = len(next(iter(result.table_4.values())))
    panels, looks = group_panels(result.robustness.measures), group_looks(result.robustness.measures)
    grid = below.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels, strict=True):
        draw_panel(axes, result, panel, looks)
    grid[0].set_ylabel("Kendall’s τ")
    grid[-1].legend(handles=legend_handles(result.robustness.samples), loc="lower right")
    below.supxlabel(name_axis(result.robustness), size=TEXT)
    titles = {
        above: f"The {count} runs of CLEF-IP 2009, as printed",
        below: "Missing judgements: τ as printed, and on simulated runs",
    }
    for part, title in titles.items():
        part.suptitle(title, x=0.01, ha="left", size=TEXT, weight="bold")
    sheet.draw_without_rendering()
    make_room(grid[0], result.robustness, [name for panel in panels for name in panel.names.values()])
    for axes, panel in zip(grid, panels, strict=True):
        label_lines(axes, result.robustness, panel, looks)
    return sheet


def draw_scatter(axes: Axes, first: NDArray[np.float64], second: NDArray[np.float64]) -> None:
    """One dot per run; the runs furthest from the regression line are named."""
    axes.plot(first, second, "o", color=BLUE, ms=3, alpha=0.6, markeredgewidth=0)
    away = np.abs(second - np.polyval(np.polyfit(first, second, 1), first))
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    across, up = first / axes.get_xlim()[1], second / axes.get_ylim()[1]
    for run in np.argsort(-away, kind="stable")[:MAX_OUTLIERS].tolist():
        right = is_free_right(across - across[run], np.abs(up - up[run]) < 0.04, float(across[run]))
        axes.annotate(
            f"R{run + 1:02d}",
            (float(first[run]), float(second[run])),
            xytext=(4 if right else -4, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="bottom" if up[run] < NEAR_AXIS else "center_baseline",
            size=SMALL,
        )
    tau = float(kendall_many(first, second[None, :])[0])
    axes.set_title(f"τ = {format_signed(tau, 3)}")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.grid()


def is_free_right(way: NDArray[np.float64], level: NDArray[np.bool_], across: float) -> bool:
    """Whether a name fits better to the right of its dot: fewer dots are there, and the frame leaves room."""
    right, left = (np.count_nonzero(level & (side > 0) & (side < 0.14)) for side in (way, -way))
    return across < 0.86 and bool(right <= left or across < 0.14)


def draw_panel(axes: Axes, result: Published, panel: Panel, looks: list[int]) -> None:
    """One cut-off: the printed samples as hollow marks, the simulated mean and band as lines."""
    robustness = result.robustness
    x = np.array(robustness.keep)
    for measure in panel.names:
        look = get_look(looks[measure])
        axes.fill_between(x, robustness.low[measure], robustness.high[measure], color=look.colour, alpha=0.14, lw=0)
        axes.plot(x, robustness.mean[measure], color=look.colour, ls=look.line, lw=1.2)
        for printed in result.printed_tau[robustness.measures[measure]].T:
            hollow_marks(axes.plot(x, printed, color=look.colour, ls="none", marker=look.marker)[0], look.scale)
    axes.set_title(panel.title)
    axes.set_xticks(x, label_levels(robustness))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")


def hollow_marks(line: Line2D, scale: float = 1.0) -> Line2D:
    """Make the markers of a line hollow, so that overlapping ones remain visible."""
    line.set(markerfacecolor="none", markersize=3.8 * scale, markeredgewidth=0.8)
    return line


def legend_handles(samples: int) -> list[Artist]:
    """The legend of the lower row."""
    return [
        hollow_marks(Line2D([], [], color=GREY, ls="none", marker="o", label="printed samples")),
        Line2D([], [], color=GREY, lw=1.2, label=f"simulated runs, mean of {samples:,}"),
        Patch(color=GREY, alpha=0.25, lw=0, label=f"{format_percent(BAND)} of samples"),
    ]
