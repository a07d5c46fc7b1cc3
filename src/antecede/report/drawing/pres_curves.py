"""What PRES rewards: against recall and rank (PRES, figure 4a), and against the reciprocal rank (figure 4b)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.measures.parse import parse_measure
from antecede.measures.ranks import Ranks
from antecede.report.drawing.labelling import Label, beside
from antecede.report.drawing.style import (
    BLUE,
    COLUMN,
    DASH_DOT,
    DASHED,
    DOTTED,
    GREY,
    INK,
    SKY,
    SMALL,
    SOLID,
    Drawing,
    look,
    sheet,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 100_000
"""The longest list that is drawn."""
POINTS = 400
"""Ranks drawn of a long list: more cannot be seen."""
MARKED = 20
"""So many points are marked one by one."""
STEPS = {
    0.0: ("first places", SOLID),
    0.25: ("¼ down the list", DASHED),
    0.5: ("half-way", DOTTED),
    0.75: ("¾ down the list", DASH_DOT),
    1.0: ("last places", SOLID),
}
"""Where the documents stand that were found, between the first places and the last."""


def pres_recall(n: int, cutoff: int) -> Drawing:
    """PRES against recall for n relevant documents, found at the first, the last, or places in between."""
    check("n", n)
    check("the cut-off", cutoff)
    found = np.arange(min(n, cutoff) + 1)
    best = found_at(f"PRES@{cutoff}", n, [np.arange(1, k + 1) for k in found])
    worst = found_at(f"PRES@{cutoff}", n, [np.arange(cutoff - k + 1, cutoff + 1) for k in found])
    figure = sheet(COLUMN, 2.6)
    axes = figure.subplots()
    recall = found / n
    top = float(recall[-1])
    # With as many relevant documents as places the curves meet at the end, and are told apart in their middle.
    at = -1 if best[-1] - worst[-1] > 0.3 * top else int(np.argmax(best - worst))
    axes.fill_between(recall, worst, best, color=SKY, alpha=0.15, lw=0)
    ends = []
    for share, (text, line) in STEPS.items():
        # PRES falls evenly with the sum of the ranks, so in between the two it lies in between.
        values = (1 - share) * best + share * worst
        edge = line == SOLID
        marker = "o" if edge and n <= MARKED else ""
        style: dict[str, Any] = {"color": BLUE if edge else GREY, "lw": 1.4 if edge else 0.9, "ls": line}
        axes.plot(recall, values, marker=marker, ms=3, clip_on=False, **style)
        ends.append(Label(text, float(recall[at]), float(values[at]), BLUE if edge else INK))
    axes.set(xlim=(0, top), ylim=(0, top), ylabel=f"PRES@{cutoff}")
    axes.set_xlabel(f"Recall in the first {cutoff:,} (n = {n:,} relevant)")
    axes.grid()
    figure.draw_without_rendering()
    if at == -1:
        beside(axes, ends)
    else:
        first, last = ends[0], ends[-1]
        at_curve: dict[str, Any] = {"textcoords": "offset points", "size": SMALL, "color": BLUE}
        axes.annotate(first.text, (first.x, first.y), xytext=(-4, 4), ha="right", va="bottom", **at_curve)
        axes.annotate(last.text, (last.x, last.y), xytext=(4, -4), ha="left", va="top", **at_curve)
    return figure


def pres_rr(cutoff: int) -> Drawing:
    """PRES and reciprocal rank of the only relevant document, against the rank at which it is found."""
    check("the cut-off", cutoff)
    last = cutoff + max(1, cutoff // 10)
    ranks = np.arange(1, last + 1) if last <= POINTS else np.unique(np.geomspace(1, last, POINTS).round().astype(int))
    ranks = np.unique([*ranks, cutoff, cutoff + 1])
    figure = sheet(COLUMN, 2.3)
    axes = figure.subplots()
    inside = ranks <= cutoff
    for number, (name, at) in enumerate({f"PRES@{cutoff}": 0.45, f"RR@{cutoff}": 0.3}.items()):
        here = look(number)
        values = found_at(name, 1, [np.array([rank]) for rank in ranks])
        marker = here.marker if cutoff <= MARKED else ""
        for part in (inside, ~inside):
            axes.plot(
                ranks[part],
                values[part],
                color=here.colour,
                ls=here.line,
                marker=marker,
                ms=3.5 * here.scale,
                clip_on=False,
            )
        near = int(np.argmin(np.abs(ranks - at * cutoff)))
        where = (float(ranks[near]), float(values[near]))
        axes.annotate(name, where, xytext=(4, 4), textcoords="offset points", color=here.label, size=SMALL)
    axes.axvline(cutoff + 0.5, color=GREY, lw=0.6, ls=(0, (2, 2)))
    beyond: dict[str, Any] = {"xytext": (-3, 0), "textcoords": "offset points", "ha": "right", "va": "top"}
    axes.annotate("cut-off", (cutoff + 0.5, 1.03), color=GREY, size=SMALL, **beyond)
    axes.set(xlabel="Rank of the only relevant document", ylabel="Score", xlim=(0, last + 0.5), ylim=(0, 1.03))
    axes.grid()
    return figure


def check(what: str, value: int) -> None:
    if not 1 <= value <= MOST:
        raise UsageError(f"{what} must be between 1 and {MOST:,}, not {value}")


def found_at(measure: str, n: int, places: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """The measure for one topic with n relevant documents, found at these places by a run each."""
    table = np.zeros((len(places), n), np.int32)
    for run, found in enumerate(places):
        table[run, : len(found)] = found
    ranks = Ranks(table, np.ones(n, np.int32), np.array([0, n]), table.max(axis=1, keepdims=True))
    return parse_measure(measure).score(ranks)[:, 0]
