"""Scores against the number of documents read or of query terms, and PRES against recall and rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.measures.names import parse_measure
from antecede.measures.ranks import Ranks
from antecede.report.display_text import make_labels
from antecede.report.figures import layout
from antecede.report.figures.paper import COLUMN, INK, TINY, PaperFigure, figure, new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.study.cutoffs import Cutoffs
    from antecede.study.term_counts import TermCounts

MAX_HIGHLIGHTED = 6
"""Runs that are highlighted and labelled."""
MAX_NUMBERED, MAX_LARGE = 3, 15
"""Crossings in a panel: up to so many have their cut-off printed, and up to so many have a larger circle."""
NUMBER_SIDES = (
    {"offset": (-3, 4), "ha": "right", "va": "bottom"},
    {"offset": (4, -4), "ha": "left", "va": "top"},
)
"""Positions of a crossing's number beside its circle."""


@figure("cutoffs", result="Cutoffs")
def cutoffs(result: Cutoffs, *, highlight: Sequence[str] | None = None) -> PaperFigure:
    """Scores against the number of documents read, and where two systems change places (PRES, figure 8).

    One panel per measure, one line per run; the best runs, or those of `highlight`, are labelled, and circles are where
    two of them change places.
    """
    chosen = layout.choose_highlights(highlight, result.runs, _choose_runs(result))
    names = make_labels([result.runs[run] for run in chosen], layout.CURVE_LABEL_LENGTH)
    notes = ["circles: two of the labelled runs change places"]
    if highlight is None and len(chosen) < len(result.runs):
        notes.insert(0, f"labelled: the {len(chosen)} best runs by {result.measures[0]} at {result.at[-1]:,}")
    sheet, panels = layout.draw_curve_panels(result.measures, names, "Documents read, N", notes)
    for measure, axes in enumerate(panels):
        _draw_curves(axes, result, measure, chosen)
    sheet.lay_out()
    for measure, axes in enumerate(panels):
        _mark_crossings(axes, result, measure, chosen)
        layout.label_curves(axes, names, float(result.grid[-1]), result.curves[measure, chosen, -1])
    return sheet


def _choose_runs(result: Cutoffs) -> list[int]:
    """The runs to label: all, or of many the best by the first measure at the last cut-off, best first."""
    if len(result.runs) <= MAX_HIGHLIGHTED:
        return list(range(len(result.runs)))
    lower = result.better[:1] == ("lower",)
    last = result.curves[0, :, -1]
    return [int(run) for run in np.argsort(last if lower else -last, kind="stable")[:MAX_HIGHLIGHTED]]


def _draw_curves(axes: Axes, result: Cutoffs, measure: int, chosen: list[int]) -> None:
    """The lines of one measure; on the highlighted ones, the scores at the requested cut-offs are marked."""
    for run in set(range(len(result.runs))) - set(chosen):
        axes.plot(result.grid, result.curves[measure, run], color=layout.PALE, lw=0.6, zorder=1)
    for number, run in enumerate(chosen):
        look = layout.get_look(number)
        axes.plot(result.grid, result.curves[measure, run], color=look.colour, ls=look.line, lw=1.1, zorder=2)
        axes.plot(result.at, result.scores[measure, run], zorder=3, **look.marks(3.4))
    layout.set_score_axes(axes, result.at)


def _mark_crossings(axes: Axes, result: Cutoffs, measure: int, chosen: list[int]) -> None:
    """A circle where two of the labelled runs change places, with the cut-off where there are few of them."""
    runs = {result.runs[run]: run for run in chosen}
    here = [c for c in result.crossings if c.measure == result.measures[measure] and {c.first, c.second} <= set(runs)]
    few = len(here) <= MAX_NUMBERED
    size = 6 if few else 4 if len(here) <= MAX_LARGE else 2
    points: dict[int, tuple[float, float]] = {}
    for crossing in here:  # halfway between the two scores at the first cut-off with the new order
        at = int(np.argmin(np.abs(result.grid - crossing.at)))
        scores = result.curves[measure, [runs[crossing.first], runs[crossing.second]], at]
        points[crossing.at] = float(crossing.at), float(np.mean(scores))
        axes.plot(*points[crossing.at], "o", ms=size, mfc="none", mec=INK, mew=0.6, zorder=4)
    for number, (cutoff, point) in enumerate(sorted(points.items()) if few else ()):
        # Neighbours on alternate sides of their circles, so that the numbers do not overlap.
        side: dict[str, Any] = NUMBER_SIDES[number % len(NUMBER_SIDES)]
        layout.put_text(axes, f"{cutoff:,}", point, size=TINY, color=INK, **side)


@figure("term_counts", result="TermCounts")
def term_counts(result: TermCounts) -> PaperFigure:
    """Scores against the number of terms in the queries (Queries, figures 1–3).

    One panel per measure, one line per method; a mark where a method scores best.
    """
    names = make_labels(result.methods, layout.CURVE_LABEL_LENGTH)
    notes = ["marked: the best score of each method"]
    sheet, panels = layout.draw_curve_panels(result.measures, names, "Terms in the query", notes)
    for measure, axes in enumerate(panels):
        _draw_method_curves(axes, result, measure)
    sheet.lay_out()
    for measure, axes in enumerate(panels):
        layout.label_curves(axes, names, float(result.at[-1]), result.scores[measure, :, -1])
    return sheet


def _draw_method_curves(axes: Axes, result: TermCounts, measure: int) -> None:
    for method in range(len(result.methods)):
        look = layout.get_look(method)
        curve = result.scores[measure, method]
        axes.plot(result.at, curve, color=look.colour, ls=look.line, lw=1.1)
        if np.isfinite(curve).any():
            best = int(np.nanargmax(curve))
            axes.plot(result.at[best], curve[best], color=look.colour, marker=look.marker, ms=3.8 * look.scale)
    layout.set_score_axes(axes, result.at)


MAX_LENGTH = 100_000
"""The longest list that can be drawn."""
MAX_MARKED = 20
"""Up to so many points are marked one by one."""
POSITIONS = {
    0.0: ("first ranks", layout.SOLID),
    0.25: ("¼ down the list", layout.DASHED),
    0.5: ("halfway down", layout.DOTTED),
    0.75: ("¾ down the list", layout.DASH_DOT),
    1.0: ("last ranks", layout.SOLID),
}
"""Positions of the retrieved documents, from the first ranks of the list (0) to the last (1)."""


@figure("pres_recall")
def pres_recall(*, n: int = 10, cutoff: int = 100) -> PaperFigure:
    """PRES against recall and rank: between n·R²/N and R (PRES, figure 4a).

    n relevant documents, retrieved at the first ranks, at the last, and in between.
    """
    _check_length("n", n)
    _check_length("the cut-off", cutoff)
    retrieved = np.arange(min(n, cutoff) + 1)
    best = _score_at(f"PRES@{cutoff}", n, [np.arange(1, k + 1) for k in retrieved])
    worst = _score_at(f"PRES@{cutoff}", n, [np.arange(cutoff - k + 1, cutoff + 1) for k in retrieved])
    sheet = new_figure(COLUMN, 2.6)
    axes = sheet.subplots()
    recall = retrieved / n
    top = float(recall[-1])
    # With as many relevant documents as ranks the curves meet at the end, so they are labelled at the widest gap.
    at = -1 if best[-1] - worst[-1] > 0.3 * top else int(np.argmax(best - worst))
    axes.fill_between(recall, worst, best, color=layout.SKY, alpha=0.15, lw=0)
    labels = []
    for share, (text, line) in POSITIONS.items():
        # PRES is linear in the sum of the ranks, so it can be interpolated between the two extremes.
        values = (1 - share) * best + share * worst
        edge = line == layout.SOLID
        style: dict[str, Any] = {"color": layout.BLUE if edge else layout.GREY, "lw": 1.4 if edge else 0.9, "ls": line}
        axes.plot(recall, values, marker="o" if edge and n <= MAX_MARKED else "", ms=3, clip_on=False, **style)
        labels.append(layout.Label(text, float(recall[at]), float(values[at]), layout.BLUE if edge else INK))
    axes.set(xlim=(0, top), ylim=(0, top), ylabel=f"PRES@{cutoff}")
    axes.set_xlabel(f"Recall at {cutoff:,} (n = {n:,} relevant)")
    axes.grid()
    sheet.lay_out()
    if at == -1:
        layout.label_ends(axes, labels)
    else:
        first, last = labels[0], labels[-1]
        layout.put_text(axes, first.text, (first.x, first.y), (-4, 4), ha="right", va="bottom", color=layout.BLUE)
        layout.put_text(axes, last.text, (last.x, last.y), (4, -4), ha="left", va="top", color=layout.BLUE)
    return sheet


def _check_length(what: str, value: int) -> None:
    if not 1 <= value <= MAX_LENGTH:
        raise UsageError(f"{what} must be between 1 and {MAX_LENGTH:,}, not {value}")


def _score_at(measure: str, n: int, places: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Scores for one topic with n relevant documents; each element of `places` holds the ranks in one run."""
    table = np.zeros((len(places), n), np.int32)
    for run, ranked in enumerate(places):
        table[run, : len(ranked)] = ranked
    ranks = Ranks(table, np.ones(n, np.int32), np.array([0, n]), table.max(axis=1, keepdims=True))
    return parse_measure(measure).score(ranks)[:, 0]


MAX_POINTS = 400
"""Ranks drawn of a long list; more would be indistinguishable."""


@figure("pres_rr")
def pres_rr(*, cutoff: int = 10) -> PaperFigure:
    """PRES and the reciprocal rank of the only relevant document (PRES, figure 4b).

    Both scores against the rank at which the document is retrieved.
    """
    _check_length("the cut-off", cutoff)
    last = cutoff + max(1, cutoff // 10)
    few = last <= MAX_POINTS
    ranks = np.arange(1, last + 1) if few else np.unique(np.geomspace(1, last, MAX_POINTS).round().astype(int))
    ranks = np.unique([*ranks, cutoff, cutoff + 1])
    sheet = new_figure(COLUMN, 2.3)
    axes = sheet.subplots()
    inside = ranks <= cutoff
    for number, (name, at) in enumerate({f"PRES@{cutoff}": 0.45, f"RR@{cutoff}": 0.3}.items()):
        look = layout.get_look(number)
        values = _score_at(name, 1, [np.array([rank]) for rank in ranks])
        marker = look.marker if cutoff <= MAX_MARKED else ""
        style: dict[str, Any] = {"color": look.colour, "ls": look.line, "marker": marker, "ms": 3.5 * look.scale}
        for part in (inside, ~inside):
            axes.plot(ranks[part], values[part], clip_on=False, **style)
        near = int(np.argmin(np.abs(ranks - at * cutoff)))
        layout.put_text(axes, name, (float(ranks[near]), float(values[near])), (4, 4), color=look.label)
    axes.axvline(cutoff + 0.5, color=layout.GREY, lw=0.6, ls=(0, (2, 2)))
    layout.put_text(axes, "cut-off", (cutoff + 0.5, 1.03), (-3, 0), ha="right", va="top", color=layout.GREY)
    axes.set(xlabel="Rank of the only relevant document", ylabel="Score", xlim=(0, last + 0.5), ylim=(0, 1.03))
    axes.grid()
    return sheet
