"""Scores against the number of documents that are read, and where two systems change places (PRES, figure 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator, NullLocator

from antecede.comparison.arrays import average_ranks
from antecede.report.drawing.labelling import Label, beside, text_width
from antecede.report.drawing.names import labels
from antecede.report.drawing.style import COLUMN, INK, PAGE, PALE, SMALL, TEXT, TINY, Drawing, look, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from antecede.study.cutoffs import Crossing, Cutoffs

STAND_OUT = 6
"""Runs that are set off and named."""
LONGEST = 18
"""Signs of a run's name."""
NARROWEST = 1.1
"""Inches that a panel needs for its lines."""
NUMBERED, CROWDED = 3, 15
"""So many crossings in a panel have their cut-off printed; more than these are drawn small."""

SIDES = (
    {"xytext": (-3, 4), "ha": "right", "va": "bottom"},
    {"xytext": (4, -4), "ha": "left", "va": "top"},
)
"""Where the number of a crossing stands beside its circle."""


def cutoffs(result: Cutoffs) -> Drawing:
    """A panel a measure, a line a run; circles where two of the runs that are named change places."""
    chosen = chosen_runs(result)
    names = labels([result.runs[run] for run in chosen], LONGEST)
    needed = NARROWEST + text_width(names, SMALL) + 0.3
    columns = max(1, min(len(result.measures), int(PAGE / needed)))
    rows = -(-len(result.measures) // columns)
    figure = sheet(COLUMN if columns == 1 else PAGE, 2.1 * rows + 0.2)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(result.measures) :]:
        axes.set_axis_off()
    for m, axes in enumerate(grid.flat[: len(result.measures)]):
        draw_curves(axes, result, m, chosen)
        axes.set_title(result.measures[m])
        if m % columns == 0:
            axes.set_ylabel("Score")
    figure.supxlabel("Documents read, N (circles: two runs change places)", size=TEXT)
    figure.draw_without_rendering()
    for m, axes in enumerate(grid.flat[: len(result.measures)]):
        mark_crossings(axes, result, m, chosen)
        ends = [(name, float(result.curves[m, run, -1])) for name, run in zip(names, chosen, strict=True)]
        x = float(result.grid[-1])
        beside(axes, [Label(name, x, y, look(i).label) for i, (name, y) in enumerate(ends) if np.isfinite(y)], off=9)
    return figure


def chosen_runs(result: Cutoffs) -> list[int]:
    """The runs to name: all, or of many those whose rank changes the most from the first cut-off to the last."""
    if len(result.runs) <= STAND_OUT:
        return list(range(len(result.runs)))
    first, _ = average_ranks(result.curves[:, :, 0])
    last, _ = average_ranks(result.curves[:, :, -1])
    moves = np.abs(last - first).max(axis=0)
    return sorted(np.argsort(-moves, kind="stable")[:STAND_OUT].tolist())


def draw_curves(axes: Axes, result: Cutoffs, measure: int, chosen: list[int]) -> None:
    """The lines of one measure; the scores asked for are marked on those that stand out."""
    for run in set(range(len(result.runs))) - set(chosen):
        axes.plot(result.grid, result.curves[measure, run], color=PALE, lw=0.6, zorder=1)
    for number, run in enumerate(chosen):
        here = look(number)
        axes.plot(result.grid, result.curves[measure, run], color=here.colour, ls=here.line, lw=1.1, zorder=2)
        marks: dict[str, Any] = {"color": here.colour, "marker": here.marker, "ms": 3.4 * here.scale, "ls": "none"}
        axes.plot(result.at, result.scores[measure, run], zorder=3, **marks)
    if result.at[-1] > 8 * result.at[0]:
        axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(*ticks(result.at, log=axes.get_xscale() == "log"))
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")


def ticks(at: tuple[int, ...], *, log: bool) -> tuple[list[int], list[str]]:
    """The cut-offs, with a number where there is room for one; the first and the last have it always."""
    places = np.log(at) if log else np.array(at, dtype=np.float64)
    room = 0.19 * max(float(places[-1] - places[0]), 1e-9)
    shown = [len(at) - 1]
    for i in range(len(at)):
        if min(abs(places[i] - places[other]) for other in shown) >= room:
            shown.append(i)
    return list(at), [f"{cutoff:,}" if i in shown else "" for i, cutoff in enumerate(at)]


def mark_crossings(axes: Axes, result: Cutoffs, measure: int, chosen: list[int]) -> None:
    """A circle where two of the named runs change places, with the cut-off where there are few of them."""
    named = {result.runs[run]: run for run in chosen}
    here = [c for c in result.crossings if c.measure == result.measures[measure] and {c.first, c.second} <= set(named)]
    few = len(here) <= NUMBERED
    size = 6 if few else 4 if len(here) <= CROWDED else 2
    points = {crossing.at: place_of(result, measure, crossing, named) for crossing in here}
    for crossing in here:
        axes.plot(*place_of(result, measure, crossing, named), "o", ms=size, mfc="none", mec=INK, mew=0.6, zorder=4)
    for number, (cutoff, point) in enumerate(sorted(points.items()) if few else ()):
        # Neighbours to either side of their circles, so that the numbers do not meet.
        side: dict[str, Any] = SIDES[number % len(SIDES)]
        axes.annotate(f"{cutoff:,}", point, textcoords="offset points", size=TINY, color=INK, **side)


def place_of(result: Cutoffs, measure: int, crossing: Crossing, runs: dict[str, int]) -> tuple[float, float]:
    """Where the circle stands: between the two scores at the cut-off from which on the order is another."""
    at = int(np.argmin(np.abs(result.grid - crossing.at)))
    both = [result.curves[measure, runs[run], at] for run in (crossing.first, crossing.second)]
    return float(crossing.at), float(np.mean(both))
