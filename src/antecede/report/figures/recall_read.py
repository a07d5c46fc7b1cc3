"""Recall against the share of the documents that is read, averaged over simulated reviews."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from antecede.report.display_text import make_labels
from antecede.report.figures.layout import CURVE_LABEL_LENGTH
from antecede.report.figures.paper import COLUMN, INK, SMALL, figure, new_figure
from antecede.report.figures.style import GREY, format_percent, get_look

if TYPE_CHECKING:
    from antecede.report.figures.paper import PaperFigure
    from antecede.review.simulation import ReviewSimulation

POINTS = 400
LEAST = 1e-3
"""The smallest share that is shown, unless a collection is smaller."""
LINE = 62
"""Characters of a line that lists the rules."""
TICKS = (0.0001, 0.001, 0.01, 0.1, 1.0)


@figure("recall_read", result="ReviewSimulation")
def recall_read(found: ReviewSimulation) -> PaperFigure:
    """Mean recall over topics against the share of the documents read, one line per kind of feedback.

    The share is on a logarithmic scale, since most is found at the beginning. Markers show the mean
    recall and the mean share at which each stopping rule stops; the dotted line is the target.
    """
    least = min(LEAST, 1 / float(found.documents.max()))
    shares = np.geomspace(least, 1.0, POINTS)
    sheet = new_figure(COLUMN * 1.25, 2.7)
    axes = sheet.subplots()
    labels = make_labels(found.feedback, CURVE_LABEL_LENGTH)
    for number, (name, label) in enumerate(zip(found.feedback, labels, strict=True)):
        look = get_look(number)
        curve = found.recall_curve(name, shares)
        axes.plot(shares, curve, color=look.colour, ls=look.line, lw=1.2, drawstyle="steps-post", label=label)
    rows = found.rule_rows()
    for row in rows:
        look = get_look(found.feedback.index(row["feedback"]))
        place = max(row["effort"], least), row["recall"]
        axes.plot(*place, color=look.colour, marker=look.marker, ls="none", ms=4 * look.scale, mec="white", mew=0.5)
    for number, name in enumerate(found.rules, 1):
        stops = [row for row in rows if row["rule"] == name]
        corner = max(min(row["effort"] for row in stops), least), max(row["recall"] for row in stops)
        axes.annotate(
            str(number), corner, xytext=(-4, 4), textcoords="offset points", ha="right", color=INK, fontsize=SMALL
        )
    if found.rules:
        axes.axhline(found.target, color=GREY, lw=0.8, ls=(0, (1, 1.3)))
        names = make_labels(found.rules, CURVE_LABEL_LENGTH)
        listed = "   ".join(f"{number}\u00a0{name}" for number, name in enumerate(names, 1))
        axes.set_title(fill(listed, LINE, break_long_words=False), fontsize=SMALL, fontweight="normal")
    axes.set_xscale("log")
    ticks = [each for each in TICKS if each >= least * 0.999]
    axes.set_xticks(ticks, [format_percent(each, 0 if each >= 0.01 else 2 if each < 0.001 else 1) for each in ticks])
    axes.minorticks_off()
    axes.set_xlim(least, 1.05)
    axes.set_ylim(0, 1.08)
    axes.set_xlabel("Share of the documents read")
    axes.set_ylabel("Recall")
    axes.grid(axis="y")
    axes.legend(loc="lower right", handlelength=3.2, frameon=False)
    return sheet
