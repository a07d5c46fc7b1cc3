"""Which measures are both robust and discriminating: one row per measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import PercentFormatter

from antecede.report.figures.layout import (
    name_rows,
    notes_height,
    row_font_size,
    row_height,
    stripe_rows,
    wrap_notes,
)
from antecede.report.figures.paper import PAGE, SMALL, figure, new_figure
from antecede.report.figures.style import BLUE, VERMILLION, format_percent

if TYPE_CHECKING:
    from antecede.report.figures.paper import PaperFigure
    from antecede.study.meta_evaluation import MetaEvaluation


@figure("meta", result="MetaEvaluation")
def meta(result: MetaEvaluation) -> PaperFigure:
    """Which measures are both robust and discriminating: one row per measure, the most robust first.

    On the left the mean of Kendall's τ over the samples and the range of 95 % of them, on the right the share of the
    pairs of runs that a test tells apart. Bold: no other measure is at least as good in both and better in one.
    """
    order, study = result.order(), result.robustness
    best = result.best[order]
    notes = wrap_notes(
        [
            f"{len(study.runs)} runs, {study.topics} topics, {study.samples:,} samples",
            "bold: no other measure is superior in both respects",
        ],
        PAGE,
    )
    sheet = new_figure(PAGE, 0.75 + row_height(len(order)) * max(len(order), 4) + notes_height(notes))
    left, right = sheet.subplots(1, 2, sharey=True)
    rows = np.arange(len(order))
    stripe_rows((left, right), len(order))
    tau, low, high = result.tau[order], study.low[order, 0], study.high[order, 0]
    left.hlines(rows, low, high, color=BLUE, lw=1.6, alpha=0.35)
    left.plot(tau, rows, "o", color=BLUE, ms=3.2)
    left.set_xlabel(f"Kendall’s τ with {format_percent(study.keep[0])} of the relevant documents")
    power = result.power[order]
    right.hlines(rows, 0, np.nan_to_num(power), color=VERMILLION, lw=1.0, alpha=0.35)
    right.plot(power, rows, "s", color=VERMILLION, ms=3.0)
    right.set_xlabel(f"Pairs of runs told apart ({result.test} test, α = {result.alpha:g})")
    right.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol="\u202f%"))
    right.set_xlim(left=0)
    name_rows(left, [result.measures[m] for m in order])
    for label, bold in zip(left.get_yticklabels(), best, strict=True):
        label.set_weight("bold" if bold else "normal")
        label.set_size(row_font_size(len(order)))
    for axes in (left, right):
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
    sheet.supxlabel(notes, size=SMALL)
    return sheet
