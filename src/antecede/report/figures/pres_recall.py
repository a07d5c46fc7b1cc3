"""PRES against recall and rank (PRES, figure 4a)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.measures.names import parse_measure
from antecede.measures.ranks import Ranks
from antecede.report.figures.layout import Label, label_ends
from antecede.report.figures.paper import COLUMN, INK, SMALL, figure, new_figure
from antecede.report.figures.style import BLUE, DASH_DOT, DASHED, DOTTED, GREY, SKY, SOLID

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.report.figures.paper import PaperFigure

MAX_LENGTH = 100_000
"""The longest list that can be drawn."""
MAX_MARKED = 20
"""Up to so many points are marked one by one."""
POSITIONS = {
    0.0: ("first ranks", SOLID),
    0.25: ("¼ down the list", DASHED),
    0.5: ("halfway down", DOTTED),
    0.75: ("¾ down the list", DASH_DOT),
    1.0: ("last ranks", SOLID),
}
"""Positions of the retrieved documents, from the first ranks of the list (0) to the last (1)."""


@figure("pres_recall")
def pres_recall(*, n: int = 10, cutoff: int = 100) -> PaperFigure:
    """PRES against recall and rank: between n·R²/N and R (PRES, figure 4a).

    n relevant documents, retrieved at the first ranks, at the last, and in between.
    """
    check_length("n", n)
    check_length("the cut-off", cutoff)
    found = np.arange(min(n, cutoff) + 1)
    best = score_at(f"PRES@{cutoff}", n, [np.arange(1, k + 1) for k in found])
    worst = score_at(f"PRES@{cutoff}", n, [np.arange(cutoff - k + 1, cutoff + 1) for k in found])
    sheet = new_figure(COLUMN, 2.6)
    axes = sheet.subplots()
    recall = found / n
    top = float(recall[-1])
    # With as many relevant documents as ranks the curves meet at the end, so they are labelled at the widest gap.
    at = -1 if best[-1] - worst[-1] > 0.3 * top else int(np.argmax(best - worst))
    axes.fill_between(recall, worst, best, color=SKY, alpha=0.15, lw=0)
    labels = []
    for share, (text, line) in POSITIONS.items():
        # PRES is linear in the sum of the ranks, so it can be interpolated between the two extremes.
        values = (1 - share) * best + share * worst
        edge = line == SOLID
        marker = "o" if edge and n <= MAX_MARKED else ""
        style: dict[str, Any] = {"color": BLUE if edge else GREY, "lw": 1.4 if edge else 0.9, "ls": line}
        axes.plot(recall, values, marker=marker, ms=3, clip_on=False, **style)
        labels.append(Label(text, float(recall[at]), float(values[at]), BLUE if edge else INK))
    axes.set(xlim=(0, top), ylim=(0, top), ylabel=f"PRES@{cutoff}")
    axes.set_xlabel(f"Recall at {cutoff:,} (n = {n:,} relevant)")
    axes.grid()
    sheet.draw_without_rendering()
    if at == -1:
        label_ends(axes, labels)
    else:
        first, last = labels[0], labels[-1]
        on_curve: dict[str, Any] = {"textcoords": "offset points", "size": SMALL, "color": BLUE}
        axes.annotate(first.text, (first.x, first.y), xytext=(-4, 4), ha="right", va="bottom", **on_curve)
        axes.annotate(last.text, (last.x, last.y), xytext=(4, -4), ha="left", va="top", **on_curve)
    return sheet


def check_length(what: str, value: int) -> None:
    """Refuse a number of documents outside the allowed range."""
    if not 1 <= value <= MAX_LENGTH:
        raise UsageError(f"{what} must be between 1 and {MAX_LENGTH:,}, not {value}")


def score_at(measure: str, n: int, places: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Scores for one topic with n relevant documents; each element of `places` holds the ranks in one run."""
    table = np.zeros((len(places), n), np.int32)
    for run, found in enumerate(places):
        table[run, : len(found)] = found
    ranks = Ranks(table, np.ones(n, np.int32), np.array([0, n]), table.max(axis=1, keepdims=True))
    return parse_measure(measure).score(ranks)[:, 0]
