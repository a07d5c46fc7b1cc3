"""The difference of each topic between a run and a baseline: on how many topics one is better, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from antecede.errors import UsageError
from antecede.report.display_text import make_labels
from antecede.report.figures.highlights import choose_highlights
from antecede.report.figures.layout import count_rows, draw_panels, text_width
from antecede.report.figures.paper import COLUMN, INK, PAGE, SMALL, TINY, figure, new_figure
from antecede.report.figures.style import BLUE, GREY, VERMILLION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.evaluation.scores import Scores
    from antecede.report.figures.paper import PaperFigure

MAX_RUNS = 6
MAX_COLUMNS = 3
MAX_NAMED = 3
"""Topics named at each end of a panel: those that differ the most."""
TITLE_LENGTH, NAME_LENGTH = 26, 14
MARGIN = 0.6
"""Inches of a panel that its tick labels and the gap to the next one take."""
ROUNDING = 1e-12


@figure("topic_differences")
def topic_differences(
    scores: Scores,
    *,
    baseline: str | None = None,
    measure: str | None = None,
    highlight: Sequence[str] | None = None,
) -> PaperFigure:
    """The difference of each topic from a baseline, sorted, one panel per run.

    The baseline is the first run unless one is named; the measure the first of the evaluation. Of many runs, those that
    differ the most are drawn, or those of `highlight`. The topics at both ends are named.
    """
    if len(scores.runs) < 2:
        raise UsageError("differences need at least two runs; add another run")
    base = 0 if baseline is None else scores.runs.index(scores.rank_table.find_run(baseline, "baseline"))
    name = str(scores.measures[0]) if measure is None else measure
    values = scores.of(name)
    lower = next(m.definition.better for m in scores.measures if str(m) == name) == "lower"
    differences = values - values[base]
    if not np.isfinite(differences[~np.isnan(differences)]).all():
        raise UsageError(f"{name}: a run never reaches this recall on a topic, so it has no difference; set docs=")
    mean = np.abs(np.nan_to_num(differences)).mean(axis=1)
    default = [int(run) for run in np.argsort(-mean, kind="stable") if run != base][:MAX_RUNS]
    chosen = [run for run in choose_highlights(highlight, scores.runs, sorted(default)) if run != base]
    if not chosen:
        raise UsageError("the baseline is the only run to draw; highlight another one")
    columns = min(MAX_COLUMNS, len(chosen))
    height = 1.9 * count_rows(len(chosen), columns) + 0.45
    width = COLUMN if columns == 1 else PAGE
    sheet = new_figure(width, height)
    panels = draw_panels(sheet, len(chosen), columns, sharey=True)
    titles = make_labels([scores.runs[run] for run in chosen], TITLE_LENGTH)
    for axes, run, title in zip(panels, chosen, titles, strict=True):
        draw_run(axes, differences[run], scores.topics, lower=lower, room=width / columns - MARGIN)
        axes.set_title(title)
    against = make_labels([scores.runs[base]])[0]
    sheet.supylabel(f"Difference in {name}", size=SMALL)
    sheet.supxlabel(f"Topics, sorted by their difference from {against}", size=SMALL)
    return sheet


def draw_run(axes: Axes, differences: NDArray[np.float64], topics: Sequence[str], *, lower: bool, room: float) -> None:
    """One bar per topic, blue where the run is better, vermillion where it is worse; `room` is the width in inches."""
    known = np.flatnonzero(~np.isnan(differences))
    order = known[np.argsort(-differences[known], kind="stable")]
    values = differences[order]
    places = np.arange(1, len(order) + 1)
    better = values < -ROUNDING if lower else values > ROUNDING
    worse = values > ROUNDING if lower else values < -ROUNDING
    for which, colour in ((better, BLUE), (worse, VERMILLION)):
        axes.bar(places[which], values[which], width=0.9, color=colour, lw=0)
    axes.axhline(0, color=INK, lw=0.6)
    same = len(values) - int(better.sum()) - int(worse.sum())
    counts = f"better {int(better.sum())}, worse {int(worse.sum())}, equal {same}"
    axes.set_xlabel(counts, size=TINY, color=GREY)
    axes.set_xlim(0, max(len(order), 1) + 1)
    axes.set_xticks([])
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.grid(axis="y")
    axes.margins(y=0.12)
    name_extremes(axes, values, [topics[topic] for topic in order], room)


def name_extremes(axes: Axes, values: NDArray[np.float64], names: Sequence[str], room: float) -> None:
    """The topics with the largest differences, as many as there is room for, in the free corner beside each end."""
    gains = [name for name, value in list(zip(names, values, strict=True))[:MAX_NAMED] if value > ROUNDING]
    losses = [name for name, value in list(zip(names, values, strict=True))[: -MAX_NAMED - 1 : -1] if value < -ROUNDING]
    for listed, x, y, across, along in ((gains, 0.98, 0.97, "right", "top"), (losses, 0.02, 0.03, "left", "bottom")):
        labels = make_labels(listed, NAME_LENGTH)
        sign = "+" if listed is gains else "−"
        texts = [f"{sign} {', '.join(labels[:count])}" for count in range(1, len(labels) + 1)]
        fitting = [text for text in texts if text_width([text], TINY) <= room]
        if fitting:
            axes.text(x, y, fitting[-1], transform=axes.transAxes, ha=across, va=along, size=TINY, color=GREY)
