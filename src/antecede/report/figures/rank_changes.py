"""How the ranks of the systems change from measure to measure (PRES, figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.inputs import average_ranks
from antecede.errors import UsageError
from antecede.report.display_text import make_labels
from antecede.report.figures.highlights import choose_highlights
from antecede.report.figures.layout import Label, hide_spines, label_ends, row_font_size, row_height, text_width
from antecede.report.figures.paper import COLUMN, PAGE, SMALL, figure, new_figure
from antecede.report.figures.style import GREY, PALE, get_look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.evaluation.scores import Scores
    from antecede.report.figures.paper import PaperFigure

MAX_HIGHLIGHTED = 6
"""Runs that are highlighted; more colours are hard to distinguish."""
FIGURE_SPACE = "\u2007"
"""A space as wide as a digit."""


@figure("rank_changes")
def rank_changes(
    scores: Scores, *, measures: Sequence[str] | None = None, highlight: Sequence[str] | None = None
) -> PaperFigure:
    """How the ranks of the systems change from measure to measure (PRES, figure 6).

    One line per run, rank 1 at the top; the runs that move the most are highlighted, or those of `highlight`.
    """
    chosen = find_measures(scores, measures)
    ranks = rank_runs(scores, chosen)
    movers = choose_highlights(highlight, scores.runs, find_movers(ranks))
    count = len(scores.runs)
    names, heads = make_labels(scores.runs), [str(scores.measures[m]) for m in chosen]
    width = 2 * text_width([f"{name} 100" for name in names], row_font_size(count)) + 0.3
    width += len(chosen) * (text_width(heads, SMALL) + 0.15)
    sheet = new_figure(min(max(width, COLUMN), PAGE), 0.55 + row_height(count) * max(count, 3))
    axes = sheet.subplots()
    for run in range(count):
        draw_run(axes, ranks[:, run], movers.index(run) if run in movers else None)
    axes.set_xticks(range(len(chosen)), heads)
    axes.xaxis.tick_top()
    axes.set_xlim(-0.04, max(len(chosen) - 1, 0.1) + 0.04)
    axes.set_ylim(count + 0.5, 0.5)
    for column in np.flatnonzero(np.isnan(ranks).all(axis=1)).tolist():
        axes.text(column, (count + 1) / 2, "all equal", rotation=90, ha="center", va="center", color=GREY, size=SMALL)
    axes.set_yticks([])
    hide_spines(axes, "left", "bottom", "top")
    axes.tick_params(axis="x", top=False, pad=2)
    sheet.draw_without_rendering()
    for side, column in (("left", 0), ("right", len(chosen) - 1)):
        if side == "right" and len(chosen) == 1:
            continue
        labels = make_end_labels(names, ranks[column], movers, column, side)
        label_ends(axes, labels, size=row_font_size(count), side=side, off=8)
    return sheet


def find_measures(scores: Scores, measures: Sequence[str] | None) -> list[int]:
    """The indices of the measures, in the order requested."""
    names = [str(measure) for measure in scores.measures]
    unknown = [name for name in measures or () if name not in names]
    if unknown:
        raise UsageError(f"{unknown[0]} was not evaluated; choose from {', '.join(names)}")
    return [names.index(name) for name in measures or names]


def rank_runs(scores: Scores, chosen: list[int]) -> NDArray[np.float64]:
    """float64[measures, runs]: 1 is best, equal scores share the mean of their ranks.

    NaN for a run without a score, and for all runs where all scores are equal.
    """
    falling = np.array([scores.measures[m].definition.better != "lower" for m in chosen])
    values = np.where(falling[:, None], -scores.totals[chosen], scores.totals[chosen])
    ranks, equal = average_ranks(values)
    no_order = np.isnan(values) | ((equal == values.shape[1]) & (values.shape[1] > 1))
    return np.where(no_order, np.nan, ranks)


def find_movers(ranks: NDArray[np.float64]) -> list[int]:
    """The runs whose rank changes the most, in descending order; only those that move by at least 2."""
    ranked = np.isfinite(ranks)
    worst, best = np.where(ranked, ranks, -np.inf).max(axis=0), np.where(ranked, ranks, np.inf).min(axis=0)
    moves = np.where(ranked.any(axis=0), worst - best, 0.0)
    return [int(run) for run in np.argsort(-moves, kind="stable")[:MAX_HIGHLIGHTED] if moves[run] >= 2]


def draw_run(axes: Axes, ranks: NDArray[np.float64], place: int | None) -> None:
    """One run; `place` is its index among the highlighted runs."""
    columns = np.arange(len(ranks))
    if place is None:
        axes.plot(columns, ranks, color=PALE, lw=0.7, marker="o", ms=2, zorder=1, clip_on=False)
        return
    look = get_look(place)
    axes.plot(columns, ranks, color="white", lw=3, zorder=2 + place / 10, clip_on=False)
    axes.plot(
        columns,
        ranks,
        color=look.colour,
        ls=look.line,
        lw=1.5,
        marker=look.marker,
        ms=4 * look.scale,
        zorder=2.05 + place / 10,
        clip_on=False,
    )


def make_end_labels(
    names: list[str], ranks: NDArray[np.float64], movers: list[int], column: int, side: str
) -> list[Label]:
    """The names at one end of the lines, each with its rank; an equals sign marks a shared rank."""
    labels = []
    for run, name in enumerate(names):
        if np.isnan(ranks[run]):
            continue
        shared = np.count_nonzero(ranks == ranks[run])
        rank = f"{'=' if shared > 1 else ''}{ranks[run] - (shared - 1) / 2:.0f}"
        rank = rank.rjust(len(str(len(names))), FIGURE_SPACE)
        text = f"{name}  {rank}" if side == "left" else f"{rank}  {name}"
        colour = get_look(movers.index(run)).label if run in movers else GREY
        labels.append(Label(text, float(column), float(ranks[run]), colour, "bold" if run in movers else "normal"))
    return labels
