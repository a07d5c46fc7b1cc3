"""The papers’ own figures again: table 4 of PRES, and the robustness study beside what comes out on simulated runs."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from antecede.comparison.correlation import kendall_many
from antecede.report.drawing.robustness import (
    families,
    label_lines,
    level_names,
    make_room,
    panels_of,
    what_is_kept,
)
from antecede.report.drawing.style import BLUE, GREY, PAGE, SMALL, TEXT, Drawing, look, percent, sheet, signed
from antecede.study.robustness import BAND

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.report.drawing.robustness import Panel
    from antecede.study.published_tables import Published

APART = 3
"""Runs named in a scatter: those that lie apart."""


def published(result: Published) -> Drawing:
    """Above, the scores of table 4 against each other; below, τ as printed (marks) and on simulated runs (lines)."""
    figure = sheet(PAGE, 5.2)
    parts: Any = figure.subfigures(2, 1, height_ratios=[1, 1.2])
    above, below = parts
    pairs = list(combinations(result.table_4, 2))
    for axes, (first, second) in zip(above.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        scatter(axes, result.table_4[first], result.table_4[second])
        axes.set(xlabel=first, ylabel=second)
    count = len(next(iter(result.table_4.values())))
    panels, looks = panels_of(result.robustness.measures), families(result.robustness.measures)
    grid = below.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels, strict=True):
        beside_printed(axes, result, panel, looks)
    grid[0].set_ylabel("Kendall’s τ")
    grid[-1].legend(handles=explained(result.robustness.samples), loc="lower right")
    below.supxlabel(what_is_kept(result.robustness), size=TEXT)
    titles = {
        above: f"The {count} runs of CLEF-IP 2009, as printed",
        below: "Losing judgements: τ as printed, and on simulated runs",
    }
    for part, title in titles.items():
        part.suptitle(title, x=0.01, ha="left", size=TEXT, weight="bold")
    figure.draw_without_rendering()
    make_room(grid[0], result.robustness, [name for panel in panels for name in panel.names.values()])
    for axes, panel in zip(grid, panels, strict=True):
        label_lines(axes, result.robustness, panel, looks)
    return figure


def scatter(axes: Axes, first: NDArray[np.float64], second: NDArray[np.float64]) -> None:
    """A dot a run; the runs furthest from the line through the cloud are named."""
    axes.plot(first, second, "o", color=BLUE, ms=3, alpha=0.6, markeredgewidth=0)
    away = np.abs(second - np.polyval(np.polyfit(first, second, 1), first))
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    across, up = first / axes.get_xlim()[1], second / axes.get_ylim()[1]
    for run in np.argsort(-away, kind="stable")[:APART].tolist():
        right = is_free_right(across - across[run], np.abs(up - up[run]) < 0.04, float(across[run]))
        axes.annotate(
            f"R{run + 1:02d}",
            (float(first[run]), float(second[run])),
            xytext=(4 if right else -4, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center_baseline",
            size=SMALL,
        )
    tau = float(kendall_many(first, second[None, :])[0])
    axes.text(0.96, 0.06, f"τ = {signed(tau, 3)}", transform=axes.transAxes, ha="right", size=TEXT, weight="bold")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.grid()


def is_free_right(way: NDArray[np.float64], level: NDArray[np.bool_], across: float) -> bool:
    """Whether a name stands better to the right of its dot: fewer dots lie there, and the frame leaves room."""
    ahead, behind = (np.count_nonzero(level & (side > 0) & (side < 0.14)) for side in (way, -way))
    return across < 0.86 and bool(ahead <= behind or across < 0.14)


def beside_printed(axes: Axes, result: Published, panel: Panel, looks: list[int]) -> None:
    """One cut-off: the printed samples as open marks, the simulated mean and band as lines."""
    robustness = result.robustness
    x = np.array(robustness.keep)
    for measure in panel.names:
        here = look(looks[measure])
        axes.fill_between(x, robustness.low[measure], robustness.high[measure], color=here.colour, alpha=0.14, lw=0)
        axes.plot(x, robustness.mean[measure], color=here.colour, ls=here.line, lw=1.2)
        for printed in result.printed_tau[robustness.measures[measure]].T:
            open_marks(axes.plot(x, printed, color=here.colour, ls="none", marker=here.marker)[0], here.scale)
    axes.set_title(panel.title)
    axes.set_xticks(x, level_names(robustness))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")


def open_marks(line: Line2D, scale: float = 1.0) -> Line2D:
    """The same line with hollow markers, so that those on top of each other are all seen."""
    line.set(markerfacecolor="none", markersize=3.8 * scale, markeredgewidth=0.8)
    return line


def explained(samples: int) -> list[Artist]:
    """The keys of the lower row."""
    return [
        open_marks(Line2D([], [], color=GREY, ls="none", marker="o", label="printed samples")),
        Line2D([], [], color=GREY, lw=1.2, label=f"simulated runs, mean of {samples:,}"),
        Patch(color=GREY, alpha=0.25, lw=0, label=f"{percent(BAND)} of them"),
    ]
