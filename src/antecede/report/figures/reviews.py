"""Reviews: the relevant documents found, recall against effort, and the reliability of stopping rules."""

from __future__ import annotations

from itertools import combinations
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from antecede.report.display_text import count_noun, make_labels
from antecede.report.figures import layout
from antecede.report.figures.paper import COLUMN, INK, PAGE, SMALL, PaperFigure, figure, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.review.assessment import EstimatorAssessment, Reliability, RuleAssessment
    from antecede.review.screening import ScreeningSimulation
    from antecede.review.simulation import ReviewSimulation
    from antecede.review.status import ReviewStatus

    Floats = NDArray[np.float64]

MAX_LENGTH = 26
"""Characters of an estimator beside its interval; a longer label, such as one with a path, would leave no room."""


def _label_estimator(name: str) -> str:
    """The estimator with its parameters, or without them where they are long.

    >>> _label_estimator("poisson(rate=power)"), _label_estimator("calibrated(file=/home/me/clefip.calibration.json)")
    ('poisson(rate=power)', 'calibrated(…)')
    """
    return name if len(name) <= MAX_LENGTH else f"{name.partition('(')[0][:MAX_LENGTH]}(…)"


@figure("discovery", result="ReviewStatus")
def discovery(status: ReviewStatus) -> PaperFigure:
    """The relevant documents found so far against the documents read, with the interval of each estimate at the right.

    A curve that has become flat says that little is found any more; the intervals say how much may be left.
    """
    sheet = new_figure(COLUMN * 1.25, 2.6)
    axes = sheet.subplots()
    curve = status.discovery()
    axes.step(np.arange(len(curve)), curve, where="post", color=layout.BLUE, lw=1.2)
    read, most = len(curve) - 1, max(int(curve[-1]), 1)
    width = max(read, 1)
    for number, (name, estimate) in enumerate(status.estimates.items(), 1):
        at = width * (1 + 0.12 * number)
        top = min(estimate.high, 4 * most)
        axes.plot([at, at], [estimate.low, top], color=layout.VERMILLION, lw=1.4)
        axes.plot([at], [min(estimate.total, top)], "o", color=layout.VERMILLION, ms=3.5, clip_on=False)
        over = " ↑" if estimate.high > top else ""
        label = f"{_label_estimator(name)}{over}"
        layout.put_text(axes, label, (at, estimate.low), (-3, 0), ha="right", va="bottom", rotation=90)
    if status.estimates:
        axes.axvline(width * 1.04, color=layout.PALE, lw=0.8)
    axes.set(xlim=(0, width * (1.1 + 0.12 * len(status.estimates))), ylim=(0, None))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True))
    axes.set(xlabel="Documents read", ylabel="Relevant documents")
    axes.grid(axis="y")
    return sheet


POINTS = 400
LEAST = 1e-3
"""The smallest share that is shown, unless a collection is smaller."""
LINE = 62
"""Characters of a line that lists the rules."""
NUMBER_GAP, LIFT = 3.0, 4.0
"""Points between the numbers of two rules, and by which one is raised that does not stand beside its mark."""
TICKS = (0.0001, 0.001, 0.01, 0.1, 1.0)


@figure("recall_read", result="ReviewSimulation")
def recall_read(simulation: ReviewSimulation) -> PaperFigure:
    """Mean recall over topics against the share of the documents read, one line per kind of feedback.

    The share is on a logarithmic scale, since most is found at the beginning. Markers show the mean
    recall and the mean share at which each stopping rule stops; the dotted line is the target.
    """
    least = min(LEAST, 1 / float(simulation.documents.max()))
    shares = np.geomspace(least, 1.0, POINTS)
    sheet = new_figure(COLUMN * 1.25, 2.7)
    axes = sheet.subplots()
    labels = make_labels(simulation.feedback, layout.CURVE_LABEL_LENGTH)
    for number, (name, label) in enumerate(zip(simulation.feedback, labels, strict=True)):
        look = layout.get_look(number)
        curve = simulation.recall_curve(name, shares)
        axes.plot(shares, curve, color=look.colour, ls=look.line, lw=1.2, drawstyle="steps-post", label=label)
    rows = simulation.rule_rows()
    for row in rows:
        look = layout.get_look(simulation.feedback.index(row["feedback"]))
        place = max(row["effort"], least), row["recall"]
        axes.plot(*place, mec="white", mew=0.5, **look.marks(4))
    corners = {}
    for number, name in enumerate(simulation.rules, 1):
        stops = [row for row in rows if row["rule"] == name]
        corners[str(number)] = max(min(row["effort"] for row in stops), least), max(row["recall"] for row in stops)
    if simulation.rules:
        axes.axhline(simulation.target, color=layout.GREY, lw=0.8, ls=(0, (1, 1.3)))
        names = make_labels(simulation.rules, layout.CURVE_LABEL_LENGTH)
        listed = "   ".join(f"{number}\u00a0{name}" for number, name in enumerate(names, 1))
        axes.set_title(fill(listed, LINE, break_long_words=False), fontsize=SMALL, fontweight="normal")
    axes.set_xscale("log")
    ticks = [tick for tick in TICKS if tick >= least * 0.999]
    axes.set_xticks(
        ticks, [layout.format_percent(tick, 0 if tick >= 0.01 else 2 if tick < 0.001 else 1) for tick in ticks]
    )
    axes.minorticks_off()
    axes.set(xlim=(least, 1.05), ylim=(0, 1.08), xlabel="Share of the documents read", ylabel="Recall")
    axes.grid(axis="y")
    axes.legend(loc="lower right", handlelength=3.2, frameon=False)
    sheet.lay_out()
    _number_rules(axes, corners)
    return sheet


@figure("screening_recall", result="ScreeningSimulation")
def screening_recall(simulation: ScreeningSimulation) -> PaperFigure:
    """Recall against the share of the records read: one line per review, and their mean as a thick one.

    Each line is the mean over seeds. The dotted line reads in random order.
    """
    shares = np.linspace(0, 1, POINTS)
    sheet = new_figure(COLUMN * 1.25, 2.7)
    axes = sheet.subplots()
    curves = [review.recall_curve(shares) for review in simulation.reviews]
    labels = make_labels([review.name for review in simulation.reviews], layout.CURVE_LABEL_LENGTH)
    many = len(curves) > len(layout.LOOKS)
    for number, (curve, label) in enumerate(zip(curves, labels, strict=True)):
        look = layout.get_look(number)
        drawn = {"color": layout.GREY, "ls": "-"} if many else {"color": look.colour, "ls": look.line, "label": label}
        axes.plot(shares, curve, lw=0.9, drawstyle="steps-post", **drawn)
    if len(curves) > 1:
        label = f"mean of {len(curves)} reviews"
        axes.plot(shares, np.mean(curves, axis=0), color=INK, lw=2.4, drawstyle="steps-post", label=label)
    axes.plot([0, 1], [0, 1], color=layout.GREY, lw=0.8, ls=(0, (1, 1.3)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _at: layout.format_percent(value)))
    axes.set(xlim=(0, 1), ylim=(0, 1.03), xlabel="Share of the records read", ylabel="Recall")
    axes.grid(axis="y")
    axes.legend(loc="lower right", handlelength=3.2, frameon=False, fontsize=SMALL)
    return sheet


def _number_rules(axes: Axes, corners: Mapping[str, tuple[float, float]]) -> None:
    """Write the number of each rule above and left of its marks; those that would touch stand in a row, with lines.

    Call it once the axes have their limits and their place.
    """
    to_points = 72 / axes.figure.dpi
    frame = axes.get_window_extent()
    ends = frame.x0 * to_points + NUMBER_GAP, frame.x1 * to_points
    points = axes.transData.transform([*corners.values()]).reshape(-1, 2) * to_points - (4, 0)
    wide = layout.text_width([*corners], SMALL) * 72
    rows: list[list[int]] = [[at] for at in range(len(corners))]
    while True:
        places = [_stand_in_row(points[row], wide, ends) for row in rows]
        touching = (
            pair for pair in combinations(range(len(rows)), 2) if _touch(places[pair[0]], places[pair[1]], wide)
        )
        one, other = next(touching, (0, 0))
        if one == other:
            break
        rows[one] = sorted(rows[one] + rows.pop(other))
    texts = [*corners]
    for row, where in zip(rows, places, strict=True):
        for at, place in zip(row, where, strict=True):
            moved = bool(np.abs(place - points[at]).max() > 1)
            axes.annotate(
                texts[at],
                corners[texts[at]],
                xytext=tuple(place - points[at] + (-4, 4 + LIFT * moved)),
                textcoords="offset points",
                ha="right",
                size=SMALL,
                color=INK,
                arrowprops={**layout.LEADER, "relpos": (0.5, 0.0)} if moved else None,
            )


def _stand_in_row(points: Floats, wide: float, ends: tuple[float, float]) -> Floats:
    """Where the right ends of texts stand that are so wide: at the height of the highest, each near its point."""
    across = layout.spread(points[:, 0], wide + NUMBER_GAP, ends[0] + wide, ends[1])
    return np.column_stack([across, np.full(len(points), points[:, 1].max())])


def _touch(one: Floats, other: Floats, wide: float) -> bool:
    """Whether a text of one row and one of the other overlap, by their right ends."""
    across, up = np.abs(one[:, None] - other[None]).transpose(2, 0, 1)
    return bool(((across < wide + NUMBER_GAP) & (up < SMALL * layout.LINE_HEIGHT + LIFT)).any())


RULE_LENGTH = 30
"""Characters of the name of a rule or an estimator."""


@figure("reliability", result="Reliability")
def reliability(result: Reliability) -> PaperFigure:
    """The observed reliability of the calibrated rule against the stated one, and the share of the list that it reads.

    On the diagonal, a review reaches its target as often as it claims. Bars are exact binomial intervals (95 %). Every
    topic is decided by a calibration that has not seen it.
    """
    sheet = new_figure(COLUMN, 3.4)
    upper, lower = sheet.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
    stated, observed, low, high, effort = (
        np.array([row[name] for row in result.rows]) for name in ("stated", "observed", "low", "high", "effort")
    )
    upper.plot([0, 1], [0, 1], color=layout.GREY, lw=0.8, ls=(0, (1, 1.3)))
    errors = np.array([observed - low, high - observed])
    upper.errorbar(
        stated, observed, yerr=errors, color=layout.BLUE, marker="o", ms=4, lw=1.2, elinewidth=0.8, capsize=2
    )
    start = max(float(min(stated.min(), low.min())) - 0.03, 0.0)
    upper.set(xlim=(start, 1.02), ylim=(start, 1.02), ylabel="Observed reliability")
    upper.grid(axis="y")
    title = f"{count_noun(result.topics, 'topic')}, target {layout.format_percent(result.target)} recall"
    upper.set_title(title, size=SMALL, weight="normal")
    lower.plot(stated, effort, color=layout.VERMILLION, marker="s", ms=3.5, lw=1.2, ls=(0, (4, 1.6)))
    top = min(1.05, float(effort.max()) * 1.25 + 0.01)
    lower.set(ylim=(0, top), ylabel="Share read", xlabel="Stated reliability")
    lower.grid(axis="y")
    return sheet


@figure("reliability_cost", result="RuleAssessment")
def reliability_cost(result: RuleAssessment) -> PaperFigure:
    """The reliability of each stopping rule against the share of the list that it reads.

    Up and to the left is better. The dotted line is the effort of someone who knows when the target is reached.
    """
    sheet = new_figure(COLUMN * 1.6, 3.0)
    axes = sheet.subplots()
    labels = make_labels([row["rule"] for row in result.rows], RULE_LENGTH)
    for number, (row, label) in enumerate(zip(result.rows, labels, strict=True)):
        look = layout.get_look(number)
        face = "white" if number >= len(layout.LOOKS) else look.colour  # the looks repeat
        axes.plot(row["effort"], row["reliability"], mfc=face, label=label, **look.marks(5.5))
    axes.axvline(result.ideal, color=layout.GREY, lw=0.8, ls=(0, (1, 1.3)))
    axes.axhline(0.95, color=layout.GREY, lw=0.8, ls=(0, (4, 1.6)))
    axes.set(xlim=(-0.02, 1.03), ylim=(min(0.9, *(row["reliability"] for row in result.rows)) - 0.04, 1.02))
    axes.set(
        xlabel="Share of the list read",
        ylabel=f"Share of topics that reach {layout.format_percent(result.target)} recall",
    )
    axes.grid(axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=SMALL)
    return sheet


@figure("estimates_truth", result="EstimatorAssessment")
def estimates_truth(result: EstimatorAssessment) -> PaperFigure:
    """The estimated number of relevant documents against the true one, one panel per estimator.

    One mark per topic and share of the list read; on the diagonal, the estimate is right. Both axes are logarithmic.
    """
    names = [name for name, points in result.points.items() if points]
    columns = min(len(names), 3)
    rows = -(-len(names) // columns)
    sheet = new_figure(min(COLUMN * (0.75 * columns + 0.25), PAGE), 1.75 * rows + 0.4)
    panels = np.atleast_1d(sheet.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)).ravel()
    every = np.array([point[:2] for name in names for point in result.points[name]])
    low, high = 0.8, max(float(every.max()) * 1.3, 10.0)
    shares = sorted({point[2] for name in names for point in result.points[name]})
    for axes, name, label in zip(panels, names, make_labels(names, RULE_LENGTH), strict=False):
        axes.plot([low, high], [low, high], color=layout.GREY, lw=0.8, ls=(0, (1, 1.3)))
        for number, share in enumerate(shares):
            points = np.array([point[:2] for point in result.points[name] if point[2] == share]).reshape(-1, 2)
            estimates, style = np.maximum(points[:, 0], low), layout.get_look(number).marks(2.5)
            axes.plot(points[:, 1], estimates, alpha=0.6, label=f"{layout.format_percent(share)} read", **style)
        axes.set(xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _at: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
        axes.set(xlim=(low, high), ylim=(low, high))
        axes.set_title(label, size=SMALL, weight="normal")
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    panels[0].legend(loc="upper left", frameon=False, fontsize=SMALL, handletextpad=0.2)
    sheet.supxlabel("Relevant documents", fontsize=SMALL)
    sheet.supylabel("Estimate", fontsize=SMALL)
    return sheet
