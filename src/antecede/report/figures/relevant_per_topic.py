"""The number of relevant documents per topic (Robustness, figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from antecede.report.display_text import count_noun, make_labels
from antecede.report.figures.paper import COLUMN, PAGE, SMALL, TINY, figure, new_figure
from antecede.report.figures.style import BLUE, DARK_VERMILLION, VERMILLION, format_percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.corpus.topics import Topics
    from antecede.evaluation.rank_table import RankTable
    from antecede.report.figures.paper import PaperFigure

MAX_NAMED = 60
"""Up to so many topics are named below their bars."""


@figure("relevant_per_topic", result=("RankTable", "Topics"))
def relevant_per_topic(result: RankTable | Topics) -> PaperFigure:
    """The number of relevant documents per topic (Robustness, figure 2).

    One bar per topic in ascending order, with mean and median.
    """
    topics, n = result.relevant_per_topic()
    order = np.argsort(n, kind="stable")
    counts = n[order]
    named = len(counts) <= MAX_NAMED
    sheet = new_figure(PAGE if 25 < len(counts) <= MAX_NAMED else COLUMN, 2.3)
    axes = sheet.subplots()
    if named:
        axes.bar(np.arange(len(counts)), counts, width=0.8, color=BLUE)
        axes.set_xticks(np.arange(len(counts)), make_labels([topics[t] for t in order], 14), rotation=90, size=TINY)
        axes.tick_params(axis="x", length=0, pad=1.5)
        axes.set_xlabel("Topic, by number of relevant documents")
    else:
        axes.stairs(counts, np.arange(len(counts) + 1), fill=True, color=BLUE, lw=0)
        axes.set_xlabel("Topics, sorted by number of relevant documents")
    axes.set_xlim(-0.6 if named else 0, len(counts) - 0.4 if named else len(counts))
    axes.set_ylabel("Relevant documents")
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10], integer=True))
    axes.set_title(describe(counts), size=SMALL, weight="normal", linespacing=1.3)
    axes.axhline(counts.mean(), color=VERMILLION, lw=1, ls=(0, (4, 1.6)))
    axes.annotate(
        "mean",
        (1, counts.mean()),
        xycoords=axes.get_yaxis_transform(),
        xytext=(3, 0),
        textcoords="offset points",
        va="center_baseline",
        size=SMALL,
        color=DARK_VERMILLION,
    )
    return sheet


def describe(counts: NDArray[np.int64]) -> str:
    """The text above the bars."""
    fewest = int(counts.min())
    share = format_percent(float(np.mean(counts == fewest)))
    return (
        f"{count_noun(len(counts), 'topic')}, {count_noun(int(counts.sum()), 'relevant document')}\n"
        f"mean {counts.mean():.1f}, median {np.median(counts):g}, fewest {fewest} ({share}), most {counts.max():,}"
    )
