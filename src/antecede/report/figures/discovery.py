"""The relevant documents found in a review, against the documents read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from antecede.report.figures.paper import COLUMN, SMALL, figure, new_figure
from antecede.report.figures.style import BLUE, PALE, VERMILLION

if TYPE_CHECKING:
    from antecede.report.figures.paper import PaperFigure
    from antecede.review.status import ReviewStatus


LONGEST = 26
"""Characters of an estimator beside its interval; a longer label, such as one with a path, would leave no room."""


def label_estimator(name: str) -> str:
    """The estimator with its parameters, or without them where they are long.

    >>> label_estimator("poisson(rate=power)"), label_estimator("calibrated(file=/home/me/clefip.calibration.json)")
    ('poisson(rate=power)', 'calibrated(…)')
    """
    return name if len(name) <= LONGEST else f"{name.partition('(')[0][:LONGEST]}(…)"


@figure("discovery", result="ReviewStatus")
def discovery(status: ReviewStatus) -> PaperFigure:
    """The relevant documents found so far against the documents read, with the interval of each estimate at the right.

    A curve that has become flat says that little is found any more; the intervals say how much may be left.
    """
    sheet = new_figure(COLUMN * 1.25, 2.6)
    axes = sheet.subplots()
    found = status.discovery()
    axes.step(np.arange(len(found)), found, where="post", color=BLUE, lw=1.2)
    read, most = len(found) - 1, max(int(found[-1]), 1)
    width = max(read, 1)
    for number, (name, each) in enumerate(status.estimates.items(), 1):
        at = width * (1 + 0.12 * number)
        top = min(each.high, 4 * most)
        axes.plot([at, at], [each.low, top], color=VERMILLION, lw=1.4)
        axes.plot([at], [min(each.total, top)], "o", color=VERMILLION, ms=3.5, clip_on=False)
        over = " ↑" if each.high > top else ""
        axes.annotate(
            f"{label_estimator(name)}{over}",
            (at, each.low),
            xytext=(-3, 0),
            textcoords="offset points",
            ha="right",
            va="bottom",
            rotation=90,
            fontsize=SMALL,
        )
    if status.estimates:
        axes.axvline(width * 1.04, color=PALE, lw=0.8)
    axes.set_xlim(0, width * (1.1 + 0.12 * len(status.estimates)))
    axes.set_ylim(0, None)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.set_xlabel("Documents read")
    axes.set_ylabel("Relevant documents")
    axes.grid(axis="y")
    return sheet
