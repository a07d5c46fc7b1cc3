"""PRES against the reciprocal rank for a single relevant document (PRES, figure 4b)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.report.figures.paper import COLUMN, SMALL, figure, new_figure
from antecede.report.figures.pres_recall import MAX_MARKED, check_length, score_at
from antecede.report.figures.style import GREY, get_look

if TYPE_CHECKING:
    from antecede.report.figures.paper import PaperFigure

MAX_POINTS = 400
"""Ranks drawn of a long list; more would be indistinguishable."""


@figure("pres_rr")
def pres_rr(*, cutoff: int = 10) -> PaperFigure:
    """PRES and the reciprocal rank of the only relevant document (PRES, figure 4b).

    Both scores against the rank at which the document is retrieved.
    """
    check_length("the cut-off", cutoff)
    last = cutoff + max(1, cutoff // 10)
    few = last <= MAX_POINTS
    ranks = np.arange(1, last + 1) if few else np.unique(np.geomspace(1, last, MAX_POINTS).round().astype(int))
    ranks = np.unique([*ranks, cutoff, cutoff + 1])
    sheet = new_figure(COLUMN, 2.3)
    axes = sheet.subplots()
    inside = ranks <= cutoff
    for number, (name, at) in enumerate({f"PRES@{cutoff}": 0.45, f"RR@{cutoff}": 0.3}.items()):
        look = get_look(number)
        values = score_at(name, 1, [np.array([rank]) for rank in ranks])
        marker = look.marker if cutoff <= MAX_MARKED else ""
        style: dict[str, Any] = {"color": look.colour, "ls": look.line, "marker": marker, "ms": 3.5 * look.scale}
        for part in (inside, ~inside):
            axes.plot(ranks[part], values[part], clip_on=False, **style)
        near = int(np.argmin(np.abs(ranks - at * cutoff)))
        where = (float(ranks[near]), float(values[near]))
        axes.annotate(name, where, xytext=(4, 4), textcoords="offset points", color=look.label, size=SMALL)
    axes.axvline(cutoff + 0.5, color=GREY, lw=0.6, ls=(0, (2, 2)))
    beside: dict[str, Any] = {"xytext": (-3, 0), "textcoords": "offset points", "ha": "right", "va": "top"}
    axes.annotate("cut-off", (cutoff + 0.5, 1.03), color=GREY, size=SMALL, **beside)
    axes.set(xlabel="Rank of the only relevant document", ylabel="Score", xlim=(0, last + 0.5), ylim=(0, 1.03))
    axes.grid()
    return sheet
