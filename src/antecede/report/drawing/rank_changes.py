"""How the ranks of the systems change from measure to measure (PRES, figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.arrays import average_ranks
from antecede.errors import UsageError
from antecede.report.drawing.labelling import Label, beside, text_width
from antecede.report.drawing.names import labels
from antecede.report.drawing.rows import pitch, type_size
from antecede.report.drawing.style import COLUMN, GREY, PAGE, PALE, SMALL, Drawing, bare, look, sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.evaluation.scores import Scores

STAND_OUT = 6
"""Runs that are set off from the rest: more colours than that nobody keeps apart."""
FIGURE_SPACE = "\u2007"
"""As wide as a digit."""


def rank_changes(scores: Scores, measures: Sequence[str] | None) -> Drawing:
    """A line a run from measure to measure, rank 1 on top; those that move the most stand out."""
    chosen = places_of(scores, measures)
    ranks = ranks_of(scores, chosen)
    order = movers(ranks)
    count = len(scores.runs)
    names, heads = labels(scores.runs), [str(scores.measures[m]) for m in chosen]
    width = 2 * text_width([f"{name} 100" for name in names], type_size(count)) + 0.3
    width += len(chosen) * (text_width(heads, SMALL) + 0.15)
    figure = sheet(min(max(width, COLUMN), PAGE), 0.55 + pitch(count) * max(count, 3))
    axes = figure.subplots()
    for run in range(count):
        draw_run(axes, ranks[:, run], order.index(run) if run in order else None)
    axes.set_xticks(range(len(chosen)), heads)
    axes.xaxis.tick_top()
    axes.set_xlim(-0.04, max(len(chosen) - 1, 0.1) + 0.04)
    axes.set_ylim(count + 0.5, 0.5)
    for column in np.flatnonzero(np.isnan(ranks).all(axis=1)).tolist():
        axes.text(column, (count + 1) / 2, "all equal", rotation=90, ha="center", va="center", color=GREY, size=SMALL)
    axes.set_yticks([])
    bare(axes, "left", "bottom", "top")
    axes.tick_params(axis="x", top=False, pad=2)
    figure.draw_without_rendering()
    for side, column in (("left", 0), ("right", len(chosen) - 1)):
        if side == "right" and len(chosen) == 1:
            continue
        beside(axes, ends(names, ranks[column], order, column, side), size=type_size(count), side=side, off=8)
    return figure


def places_of(scores: Scores, measures: Sequence[str] | None) -> list[int]:
    """Which measures, by place, in the order asked for."""
    names = [str(measure) for measure in scores.measures]
    unknown = [name for name in measures or () if name not in names]
    if unknown:
        raise UsageError(f"{unknown[0]} was not evaluated; there are {', '.join(names)}")
    return [names.index(name) for name in measures or names]


def ranks_of(scores: Scores, chosen: list[int]) -> NDArray[np.float64]:
    """float64[measures, runs]: 1 is best, equal scores share the mean of their ranks.

    NaN for a run without a score, and for all where all scores are the same.
    """
    falling = np.array([scores.measures[m].definition.better != "lower" for m in chosen])
    values = np.where(falling[:, None], -scores.totals[chosen], scores.totals[chosen])
    ranks, equal = average_ranks(values)
    no_order = np.isnan(values) | ((equal == values.shape[1]) & (values.shape[1] > 1))
    return np.where(no_order, np.nan, ranks)


def movers(ranks: NDArray[np.float64]) -> list[int]:
    """The runs whose rank changes the most, those first that do so by more; none that hardly moves."""
    ranked = np.isfinite(ranks)
    worst, best = np.where(ranked, ranks, -np.inf).max(axis=0), np.where(ranked, ranks, np.inf).min(axis=0)
    moves = np.where(ranked.any(axis=0), worst - best, 0.0)
    return [int(run) for run in np.argsort(-moves, kind="stable")[:STAND_OUT] if moves[run] >= 2]


def draw_run(axes: Axes, ranks: NDArray[np.float64], place: int | None) -> None:
    """One run; `place` is its number among those that stand out."""
    columns = np.arange(len(ranks))
    if place is None:
        axes.plot(columns, ranks, color=PALE, lw=0.7, marker="o", ms=2, zorder=1, clip_on=False)
        return
    here = look(place)
    axes.plot(columns, ranks, color="white", lw=3, zorder=2 + place / 10, clip_on=False)
    axes.plot(
        columns,
        ranks,
        color=here.colour,
        ls=here.line,
        lw=1.5,
        marker=here.marker,
        ms=4 * here.scale,
        zorder=2.05 + place / 10,
        clip_on=False,
    )


def ends(names: list[str], ranks: NDArray[np.float64], order: list[int], column: int, side: str) -> list[Label]:
    """The names at one end of the lines, each with its rank; an equals sign where it is shared."""
    found = []
    for run, name in enumerate(names):
        if np.isnan(ranks[run]):
            continue
        shared = np.count_nonzero(ranks == ranks[run])
        rank = f"{'=' if shared > 1 else ''}{ranks[run] - (shared - 1) / 2:.0f}".rjust(
            len(str(len(names))), FIGURE_SPACE
        )
        text = f"{name}  {rank}" if side == "left" else f"{rank}  {name}"
        colour = look(order.index(run)).label if run in order else GREY
        found.append(Label(text, float(column), float(ranks[run]), colour, "bold" if run in order else "normal"))
    return found
