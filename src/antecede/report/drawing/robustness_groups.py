"""What a group's absence does to the order of the systems: τ without each group, and how far its own runs fall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from antecede.report.drawing.names import labels
from antecede.report.drawing.style import BLUE, PAGE, TINY, VERMILLION, Drawing, counted, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.study.robustness import Robustness

NAMED = 2
"""So many groups that matter equally are named."""
ROW = 0.3
"""Inches for a measure: a line of dots, and above it the name of the group that matters most."""


def without_groups(result: Robustness) -> Drawing:
    """A row a measure, a dot a group that is left out; the group that matters most is named."""
    count = len(result.measures)
    groups = labels(result.sample_names)
    figure = sheet(PAGE, 0.5 + ROW * max(count, 2))
    left, right = figure.subplots(1, 2, sharey=True)
    for row in range(count):
        draw_dots(left, result.tau[row, 0], row, groups, lowest=True)
        draw_dots(right, result.falls[row].astype(np.float64), row, groups, lowest=False)
    left.set_yticks(range(count), labels(result.measures))
    left.set_ylim(count - 0.5, -0.7)
    left.set_xlabel(f"Kendall’s τ without what only one group found ({counted(len(groups), 'group')})")
    right.set_xlabel("Places lost by that group’s worst hit run")
    right.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (left, right):
        axes.margins(x=0.06)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return figure


def draw_dots(axes: Axes, values: NDArray[np.float64], row: int, groups: list[str], *, lowest: bool) -> None:
    """One measure: a dot a group on a thin line, the worst set off and named."""
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return
    extreme = values[known].min() if lowest else values[known].max()
    axes.plot([values[known].min(), values[known].max()], [row, row], color=BLUE, lw=0.5, alpha=0.6)
    axes.plot(values[known], np.full(len(known), row), "o", color=BLUE, ms=3.2, alpha=0.4, markeredgewidth=0)
    worst = np.flatnonzero(values == extreme)
    if len(worst) > NAMED or len(worst) == len(known):
        return  # so many are no news
    axes.plot([extreme], [row], "D", color=VERMILLION, ms=3.6)
    axes.annotate(
        ", ".join(groups[group] for group in worst),
        (float(extreme), row),
        xytext=(0, 3.5),
        textcoords="offset points",
        ha="left" if lowest else "right",
        size=TINY,
        color="#B04D00",
    )
