"""The reliability of stopping rules: as stated against as observed, and against what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter, NullFormatter

from antecede.report.display_text import count_noun, make_labels
from antecede.report.figures.paper import COLUMN, PAGE, SMALL, figure, new_figure
from antecede.report.figures.style import BLUE, GREY, VERMILLION, format_percent, get_look

if TYPE_CHECKING:
    from antecede.report.figures.paper import PaperFigure
    from antecede.review.assessment import EstimatorAssessment, Reliability, RuleAssessment

LABEL_LENGTH = 30
"""Characters of the name of a rule or an estimator."""


@figure("reliability", result="Reliability")
def reliability(found: Reliability) -> PaperFigure:
    """The observed reliability of the calibrated rule against the stated one, and the share of the list that it reads.

    On the diagonal, a review reaches its target as often as it claims. Bars are exact binomial intervals (95 %). Every
    topic is decided by a calibration that has not seen it.
    """
    sheet = new_figure(COLUMN, 3.4)
    upper, lower = sheet.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
    stated, observed, low, high, effort = (
        np.array([row[name] for row in found.rows]) for name in ("stated", "observed", "low", "high", "effort")
    )
    upper.plot([0, 1], [0, 1], color=GREY, lw=0.8, ls=(0, (1, 1.3)))
    errors = np.array([observed - low, high - observed])
    upper.errorbar(stated, observed, yerr=errors, color=BLUE, marker="o", ms=4, lw=1.2, elinewidth=0.8, capsize=2)
    start = max(float(min(stated.min(), low.min())) - 0.03, 0.0)
    upper.set_xlim(start, 1.02)
    upper.set_ylim(start, 1.02)
    upper.set_ylabel("Observed reliability")
    upper.grid(axis="y")
    title = f"{count_noun(found.topics, 'topic')}, target {format_percent(found.target)} recall"
    upper.set_title(title, size=SMALL, weight="normal")
    lower.plot(stated, effort, color=VERMILLION, marker="s", ms=3.5, lw=1.2, ls=(0, (4, 1.6)))
    lower.set_ylim(0, min(1.05, float(effort.max()) * 1.25 + 0.01))
    lower.set_ylabel("Share read")
    lower.set_xlabel("Stated reliability")
    lower.grid(axis="y")
    return sheet


@figure("reliability_cost", result="RuleAssessment")
def reliability_cost(found: RuleAssessment) -> PaperFigure:
    """The reliability of each stopping rule against the share of the list that it reads.

    Up and to the left is better. The dotted line is the effort of someone who knows when the target is reached.
    """
    sheet = new_figure(COLUMN * 1.6, 3.0)
    axes = sheet.subplots()
    labels = make_labels([row["rule"] for row in found.rows], LABEL_LENGTH)
    for number, (row, label) in enumerate(zip(found.rows, labels, strict=True)):
        look = get_look(number)
        hollow = number >= 10  # the looks repeat
        axes.plot(
            row["effort"],
            row["reliability"],
            color=look.colour,
            marker=look.marker,
            ls="none",
            ms=5.5 * look.scale,
            mfc="white" if hollow else look.colour,
            label=label,
        )
    axes.axvline(found.ideal, color=GREY, lw=0.8, ls=(0, (1, 1.3)))
    axes.axhline(0.95, color=GREY, lw=0.8, ls=(0, (4, 1.6)))
    axes.set_xlim(-0.02, 1.03)
    axes.set_ylim(min(min(row["reliability"] for row in found.rows), 0.9) - 0.04, 1.02)
    axes.set_xlabel("Share of the list read")
    axes.set_ylabel(f"Share of topics that reach {format_percent(found.target)} recall")
    axes.grid(axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=SMALL)
    return sheet


@figure("estimates_truth", result="EstimatorAssessment")
def estimates_truth(found: EstimatorAssessment) -> PaperFigure:
    """The estimated number of relevant documents against the true one, one panel per estimator.

    One mark per topic and share of the list read; on the diagonal, the estimate is right. Both axes are logarithmic.
    """
    names = [name for name, points in found.points.items() if points]
    columns = min(len(names), 3)
    rows = -(-len(names) // columns)
    sheet = new_figure(min(COLUMN * (0.75 * columns + 0.25), PAGE), 1.75 * rows + 0.4)
    panels = np.atleast_1d(sheet.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)).ravel()
    every = np.array([point[:2] for name in names for point in found.points[name]])
    low, high = 0.8, max(float(every.max()) * 1.3, 10.0)
    shares = sorted({point[2] for name in names for point in found.points[name]})
    for axes, name, label in zip(panels, names, make_labels(names, LABEL_LENGTH), strict=False):
        axes.plot([low, high], [low, high], color=GREY, lw=0.8, ls=(0, (1, 1.3)))
        for number, share in enumerate(shares):
            look = get_look(number)
            points = np.array([point[:2] for point in found.points[name] if point[2] == share]).reshape(-1, 2)
            axes.plot(
                points[:, 1], np.maximum(points[:, 0], low), color=look.colour, marker=look.marker, ls="none",
                ms=2.5 * look.scale, alpha=0.6, label=f"{format_percent(share)} read",
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _at: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
        axes.set_xlim(low, high)
        axes.set_ylim(low, high)
        axes.set_title(label, size=SMALL, weight="normal")
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    panels[0].legend(loc="upper left", frameon=False, fontsize=SMALL, handletextpad=0.2)
    sheet.supxlabel("Relevant documents", fontsize=SMALL)
    sheet.supylabel("Estimate", fontsize=SMALL)
    return sheet
