"""Interpolated precision against recall, averaged over topics: the curve of the early TREC reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.evaluation import evaluate
from antecede.report.display_text import make_labels
from antecede.report.figures.highlights import choose_highlights
from antecede.report.figures.layout import CURVE_LABEL_LENGTH, text_width
from antecede.report.figures.paper import COLUMN, SMALL, figure, new_figure
from antecede.report.figures.style import PALE, get_look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.evaluation.scores import Scores
    from antecede.report.figures.paper import PaperFigure

MAX_HIGHLIGHTED = 6
LEVELS = tuple(level / 10 for level in range(11))
"""The eleven standard levels of recall."""


@figure("precision_recall")
def precision_recall(scores: Scores, *, highlight: Sequence[str] | None = None) -> PaperFigure:
    """Interpolated precision at the eleven standard levels of recall, averaged over topics (as `IPrec`).

    One line per run. Of many runs, those with the largest area below the curve are highlighted, or those of
    `highlight`; the others are pale.
    """
    at_levels = evaluate(
        scores.rank_table,
        [f"IPrec@{level:g}" for level in LEVELS],
        missing=scores.missing,
        no_relevant=scores.no_relevant,
    )
    curves = at_levels.totals.T
    best = np.argsort(-curves.mean(axis=1), kind="stable")[:MAX_HIGHLIGHTED].tolist()
    chosen = choose_highlights(highlight, scores.runs, best)
    names = make_labels([scores.runs[run] for run in chosen], CURVE_LABEL_LENGTH)
    sheet = new_figure(max(COLUMN, 2.2 + text_width(names, SMALL) + 0.6), 2.6)
    axes = sheet.subplots()
    for run in set(range(len(scores.runs))) - set(chosen):
        axes.plot(LEVELS, curves[run], color=PALE, lw=0.6, zorder=1)
    for number, run in enumerate(chosen):
        look = get_look(number)
        style = {"color": look.colour, "ls": look.line, "marker": look.marker, "ms": 3.2 * look.scale, "lw": 1.1}
        axes.plot(LEVELS, curves[run], zorder=2, label=names[number], **style)
    axes.set_xlabel("Recall")
    axes.set_ylabel("Interpolated precision")
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(0, max(0.05, float(np.nanmax(curves)) * 1.05))
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.grid(axis="y")
    axes.legend(loc="upper right", handlelength=3.2, frameon=False)  # curves fall, so this corner is free
    return sheet
