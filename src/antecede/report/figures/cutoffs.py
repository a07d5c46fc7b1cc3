"""Scores against the number of documents read, and where two systems change places (PRES, figure 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from antecede.report.display_text import make_labels
from antecede.report.figures.highlights import choose_highlights
from antecede.report.figures.layout import CURVE_LABEL_LENGTH, Label, draw_curve_panels, label_ends, set_value_ticks
from antecede.report.figures.paper import INK, TINY, figure
from antecede.report.figures.style import PALE, get_look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from antecede.report.figures.paper import PaperFigure
    from antecede.study.cutoffs import Crossing, Cutoffs

MAX_HIGHLIGHTED = 6
"""Runs that are highlighted and labelled."""
MAX_NUMBERED, MAX_LARGE = 3, 15
"""Crossings in a panel: up to so many have their cut-off printed, and up to so many have a larger circle."""
NUMBER_SIDES = (
    {"xytext": (-3, 4), "ha": "right", "va": "bottom"},
    {"xytext": (4, -4), "ha": "left", "va": "top"},
)
"""Positions of a crossing's number beside its circle."""


@figure("cutoffs", result="Cutoffs")
def cutoffs(result: Cutoffs, *, highlight: Sequence[str] | None = None) -> PaperFigure:
    """Scores against the number of documents read, and where two systems change places (PRES, figure 8).

    One panel per measure, one line per run; the best runs, or those of `highlight`, are labelled, and circles are where
    two of them change places.
    """
    chosen = choose_highlights(highlight, result.runs, choose_runs(result))
    names = make_labels([result.runs[run] for run in chosen], CURVE_LABEL_LENGTH)
    notes = explain_labels(result, len(chosen)) if highlight is None else []
    notes.append("circles: two of the labelled runs change places")
    sheet, panels = draw_curve_panels(result.measures, names, "Documents read, N", notes)
    for measure, axes in enumerate(panels):
        draw_curves(axes, result, measure, chosen)
    sheet.draw_without_rendering()
    x = float(result.grid[-1])
    for measure, axes in enumerate(panels):
        mark_crossings(axes, result, measure, chosen)
        ends = [float(result.curves[measure, run, -1]) for run in chosen]
        labels = [Label(name, x, y, get_look(i).label) for i, (name, y) in enumerate(zip(names, ends, strict=True))]
        label_ends(axes, [label for label in labels if np.isfinite(label.y)], off=9)
    return sheet


def choose_runs(result: Cutoffs) -> list[int]:
    """The runs to label: all, or of many the best by the first measure at the last cut-off, best first."""
    if len(result.runs) <= MAX_HIGHLIGHTED:
        return list(range(len(result.runs)))
    lower = result.better[:1] == ("lower",)
    last = result.curves[0, :, -1]
    return [int(run) for run in np.argsort(last if lower else -last, kind="stable")[:MAX_HIGHLIGHTED]]


def explain_labels(result: Cutoffs, chosen: int) -> list[str]:
    """Which runs are labelled; nothing where all are."""
    if chosen == len(result.runs):
        return []
    return [f"labelled: the {chosen} best runs by {result.measures[0]} at {result.at[-1]:,}"]


def draw_curves(axes: Axes, result: Cutoffs, measure: int, chosen: list[int]) -> None:
    """The lines of one measure; on the highlighted ones, the scores at the requested cut-offs are marked."""
    for run in set(range(len(result.runs))) - set(chosen):
        axes.plot(result.grid, result.curves[measure, run], color=PALE, lw=0.6, zorder=1)
    for number, run in enumerate(chosen):
        look = get_look(number)
        axes.plot(result.grid, result.curves[measure, run], color=look.colour, ls=look.line, lw=1.1, zorder=2)
        marks: dict[str, Any] = {"color": look.colour, "marker": look.marker, "ms": 3.4 * look.scale, "ls": "none"}
        axes.plot(result.at, result.scores[measure, run], zorder=3, **marks)
    set_value_ticks(axes, result.at)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")


def mark_crossings(axes: Axes, result: Cutoffs, measure: int, chosen: list[int]) -> None:
    """A circle where two of the labelled runs change places, with the cut-off where there are few of them."""
    runs = {result.runs[run]: run for run in chosen}
    here = [c for c in result.crossings if c.measure == result.measures[measure] and {c.first, c.second} <= set(runs)]
    few = len(here) <= MAX_NUMBERED
    size = 6 if few else 4 if len(here) <= MAX_LARGE else 2
    points = {crossing.at: locate_crossing(result, measure, crossing, runs) for crossing in here}
    for crossing in here:
        point = locate_crossing(result, measure, crossing, runs)
        axes.plot(*point, "o", ms=size, mfc="none", mec=INK, mew=0.6, zorder=4)
    for number, (cutoff, point) in enumerate(sorted(points.items()) if few else ()):
        # Neighbours on alternate sides of their circles, so that the numbers do not overlap.
        side: dict[str, Any] = NUMBER_SIDES[number % len(NUMBER_SIDES)]
        axes.annotate(f"{cutoff:,}", point, textcoords="offset points", size=TINY, color=INK, **side)


def locate_crossing(result: Cutoffs, measure: int, crossing: Crossing, runs: dict[str, int]) -> tuple[float, float]:
    """The centre of the circle: halfway between the two scores at the first cut-off with the new order."""
    at = int(np.argmin(np.abs(result.grid - crossing.at)))
    both = [result.curves[measure, runs[run], at] for run in (crossing.first, crossing.second)]
    return float(crossing.at), float(np.mean(both))
