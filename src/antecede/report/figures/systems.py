"""The systems of an evaluation: their scores, how their ranks change, and topic by topic."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.inputs import average_ranks
from antecede.errors import UsageError
from antecede.evaluation import evaluate
from antecede.measures.definition import mean
from antecede.report.display_text import count_noun, make_labels
from antecede.report.figures import layout
from antecede.report.figures.paper import COLUMN, INK, PAGE, SMALL, TINY, PaperFigure, figure, new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.corpus.topics import Topics
    from antecede.evaluation.rank_table import RankTable
    from antecede.evaluation.scores import Scores

MAX_NARROW = 4
"""Up to so many measures remain readable in one column's width."""


@figure("systems", result="Scores")
def systems(scores: Scores, *, sort: str | None = None, highlight: Sequence[str] | None = None) -> PaperFigure:
    """Systems sorted by one measure (by default the first), with the others beside it (PRES, figure 5).

    One row per run, the best at the top; one mark per measure. A measure whose range is unbounded has its own panel.
    The names of the runs of `highlight` are bold.
    """
    names = [str(measure) for measure in scores.measures]
    if sort is not None and sort not in names:
        raise UsageError(f"cannot sort by {sort}: it is not among the measures, {', '.join(names)}")
    chosen = 0 if sort is None else names.index(sort)
    rising = scores.measures[chosen].definition.better == "lower"
    order = np.argsort(scores.totals[chosen] if rising else -scores.totals[chosen], kind="stable")
    panels = _group_panels(scores)
    texts = [f"{name} (sorted)" if m == chosen else name for m, name in enumerate(names)]
    width = PAGE if len(panels) > 1 or len(names) > MAX_NARROW else COLUMN
    sheet = new_figure(
        width, 0.5 + layout.legend_height(texts, width) + layout.row_height(len(order)) * max(len(order), 3)
    )
    ratios = [2 if len(panel) > 1 else 1 for panel in panels]
    grid = sheet.subplots(1, len(panels), sharey=True, squeeze=False, width_ratios=ratios)[0]
    for axes, panel in zip(grid, panels, strict=True):
        for measure in panel:
            totals = scores.totals[measure, order]
            _draw_measure(axes, totals, measure, texts[measure], sorts=measure == chosen)
            _mark_never(axes, scores.never()[measure, order] * np.isinf(totals), layout.get_look(measure).label)
        axes.set_xlabel(names[panel[0]] if _is_unbounded(scores, panel[0]) else "Score")
    layout.name_rows(grid[0], [scores.runs[run] for run in order])
    bold = layout.choose_highlights(highlight, scores.runs, ())
    for row, run in enumerate(order.tolist()):
        if run in bold:
            grid[0].get_yticklabels()[row].set(weight="bold", color=layout.get_look(chosen).label)
    layout.stripe_rows(grid, len(order))
    handles = {text: line for axes in grid for line, text in zip(*axes.get_legend_handles_labels(), strict=True)}
    layout.add_legend(sheet, {text: handles[text] for text in texts})
    return sheet


def _is_unbounded(scores: Scores, measure: int) -> bool:
    return bool(np.isinf(scores.measures[measure].definition.bounds).any())


def _group_panels(scores: Scores) -> list[list[int]]:
    places = range(len(scores.measures))
    bounded = [m for m in places if not _is_unbounded(scores, m)]
    return [*([bounded] if bounded else []), *([m] for m in places if _is_unbounded(scores, m))]


def _draw_measure(axes: Axes, totals: NDArray[np.float64], measure: int, text: str, *, sorts: bool) -> None:
    """The marks of one measure, one per row; those of the sorting measure are joined by a line below the others."""
    marks = layout.get_look(measure).marks(min(4.2, 72 * layout.row_height(len(totals)) * 0.5)) | (
        {"ls": "solid"} if sorts else {}
    )
    known = np.where(np.isfinite(totals), totals, np.nan)
    axes.plot(known, range(len(totals)), mec="white", mew=0.3, lw=1.0, label=text, zorder=2 if sorts else 3, **marks)


def _mark_never(axes: Axes, counts: NDArray[np.int64], colour: str) -> None:
    """Where a mean is infinite, write the number of topics that cause it at the edge, as the table does."""
    if not axes.lines or not np.isfinite(np.concatenate([line.get_xdata() for line in axes.lines])).any():
        axes.set_xticks([])
    for row in np.flatnonzero(counts):
        axes.annotate(
            f"never: {counts[row]}",
            xy=(1.0, float(row)),
            xycoords=axes.get_yaxis_transform(),
            ha="right",
            va="center",
            size=min(SMALL, 72 * layout.row_height(len(counts)) * 0.8),
            color=colour,
        )


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
    evaluated = [str(measure) for measure in scores.measures]
    unknown = [name for name in measures or () if name not in evaluated]
    if unknown:
        raise UsageError(f"{unknown[0]} was not evaluated; choose from {', '.join(evaluated)}")
    chosen = [evaluated.index(name) for name in measures or evaluated]
    ranks = _rank_runs(scores, chosen)
    movers = layout.choose_highlights(highlight, scores.runs, _find_movers(ranks))
    count = len(scores.runs)
    names, heads = make_labels(scores.runs), [str(scores.measures[m]) for m in chosen]
    beside = 2 * layout.text_width([f"{name} 100" for name in names], layout.row_font_size(count)) + 0.3
    width = beside + len(chosen) * (layout.text_width(heads, SMALL) + 0.15)
    width = min(max(width, COLUMN), PAGE)
    upright = len(chosen) > 1 and _are_crowded(heads, width - beside)
    above = layout.text_width(heads, SMALL) if upright else 0.0
    sheet = new_figure(width, 0.55 + above + layout.row_height(count) * max(count, 3))
    axes = sheet.subplots()
    for run in range(count):
        _draw_run(axes, ranks[:, run], movers.index(run) if run in movers else None)
    axes.set_xticks(range(len(chosen)), heads, rotation=90 if upright else 0)
    axes.xaxis.tick_top()
    axes.set(xlim=(-0.04, max(len(chosen) - 1, 0.1) + 0.04), ylim=(count + 0.5, 0.5))
    for column in np.flatnonzero(np.isnan(ranks).all(axis=1)).tolist():
        axes.text(
            column, (count + 1) / 2, "all equal", rotation=90, ha="center", va="center", color=layout.GREY, size=SMALL
        )
    axes.set_yticks([])
    axes.spines[["left", "bottom", "top"]].set_visible(False)
    axes.tick_params(axis="x", bottom=False, top=False, pad=2)
    sheet.lay_out()
    for side, column in (("left", 0), ("right", len(chosen) - 1))[: len(chosen)]:
        labels = _make_end_labels(names, ranks[column], movers, column, side)
        layout.label_ends(axes, labels, size=layout.row_font_size(count), side=side, off=8)
    return sheet


def _are_crowded(heads: Sequence[str], room: float) -> bool:
    """Whether heads side by side, evenly in so many inches, would touch."""
    widths = [layout.text_width([head], SMALL) for head in heads]
    return max(map(sum, pairwise(widths))) / 2 + layout.TICK_GAP > room / (len(heads) - 1)


def _rank_runs(scores: Scores, chosen: list[int]) -> NDArray[np.float64]:
    """float64[measures, runs]: 1 is best, equal scores share the mean of their ranks.

    NaN for a run without a score, and for all runs where all scores are equal.
    """
    falling = np.array([scores.measures[m].definition.better != "lower" for m in chosen])
    values = np.where(falling[:, None], -scores.totals[chosen], scores.totals[chosen])
    ranks, equal = average_ranks(values)
    no_order = np.isnan(values) | ((equal == values.shape[1]) & (values.shape[1] > 1))
    return np.where(no_order, np.nan, ranks)


def _find_movers(ranks: NDArray[np.float64]) -> list[int]:
    """The runs whose rank changes the most, in descending order; only those that move by at least 2."""
    ranked = np.isfinite(ranks)
    worst, best = np.where(ranked, ranks, -np.inf).max(axis=0), np.where(ranked, ranks, np.inf).min(axis=0)
    moves = np.where(ranked.any(axis=0), worst - best, 0.0)
    return [int(run) for run in np.argsort(-moves, kind="stable")[:MAX_HIGHLIGHTED] if moves[run] >= 2]


def _draw_run(axes: Axes, ranks: NDArray[np.float64], place: int | None) -> None:
    """One run; `place` is its index among the highlighted runs."""
    columns = np.arange(len(ranks))
    if place is None:
        axes.plot(columns, ranks, color=layout.PALE, lw=0.7, marker="o", ms=2, zorder=1, clip_on=False)
        return
    axes.plot(columns, ranks, color="white", lw=3, zorder=2 + place / 10, clip_on=False)
    axes.plot(columns, ranks, zorder=2.05 + place / 10, clip_on=False, **layout.get_look(place).marked_line(4, 1.5))


def _make_end_labels(
    names: list[str], ranks: NDArray[np.float64], movers: list[int], column: int, side: str
) -> list[layout.Label]:
    """The names at one end of the lines, each with its rank; an equals sign marks a shared rank."""
    labels = []
    for run, name in enumerate(names):
        if np.isnan(ranks[run]):
            continue
        shared = np.count_nonzero(ranks == ranks[run])
        rank = f"{'=' if shared > 1 else ''}{ranks[run] - (shared - 1) / 2:.0f}"
        rank = rank.rjust(len(str(len(names))), FIGURE_SPACE)
        text = f"{name}  {rank}" if side == "left" else f"{rank}  {name}"
        colour = layout.get_look(movers.index(run)).label if run in movers else layout.GREY
        labels.append(
            layout.Label(text, float(column), float(ranks[run]), colour, "bold" if run in movers else "normal")
        )
    return labels


MAX_RUNS = 6
MAX_COLUMNS = 3
MAX_NAMED = 3
"""Topics named at each end of a panel: those that differ the most."""
TITLE_LENGTH, NAME_LENGTH = 26, 14
MARGIN = 0.6
"""Inches of a panel that its tick labels and the gap to the next one take."""
ROUNDING = 1e-12


@figure("topic_differences")
def topic_differences(
    scores: Scores,
    *,
    baseline: str | None = None,
    measure: str | None = None,
    highlight: Sequence[str] | None = None,
) -> PaperFigure:
    """The difference of each topic from a baseline, sorted, one panel per run.

    The baseline is the first run unless one is named; the measure the first of the evaluation. Of many runs, those that
    differ the most are drawn, or those of `highlight`. The topics at both ends are named.
    """
    if len(scores.runs) < 2:
        raise UsageError("differences need at least two runs; add another run")
    base = 0 if baseline is None else scores.runs.index(scores.rank_table.find_run(baseline, "baseline"))
    name = str(scores.measures[0]) if measure is None else measure
    values = scores.of(name)
    lower = next(m.definition.better for m in scores.measures if str(m) == name) == "lower"
    differences = values - values[base]
    if not np.isfinite(differences[~np.isnan(differences)]).all():
        raise UsageError(f"{name}: a run never reaches this recall on a topic, so it has no difference; set docs=")
    change = mean(np.abs(np.nan_to_num(differences)))
    default = [int(run) for run in np.argsort(-change, kind="stable") if run != base][:MAX_RUNS]
    chosen = [run for run in layout.choose_highlights(highlight, scores.runs, sorted(default)) if run != base]
    if not chosen:
        raise UsageError("the baseline is the only run to draw; highlight another one")
    columns = min(MAX_COLUMNS, len(chosen))
    width = COLUMN if columns == 1 else PAGE
    sheet = new_figure(width, 1.9 * layout.count_rows(len(chosen), columns) + 0.45)
    panels = layout.draw_panels(sheet, len(chosen), columns, sharey=True)
    titles = make_labels([scores.runs[run] for run in chosen], TITLE_LENGTH)
    for axes, run, title in zip(panels, chosen, titles, strict=True):
        _draw_topics(axes, differences[run], scores.topics, lower=lower, room=width / columns - MARGIN)
        axes.set_title(title)
    against = make_labels([scores.runs[base]])[0]
    sheet.supylabel(f"Difference in {name}", size=SMALL)
    sheet.supxlabel(f"Topics, sorted by their difference from {against}", size=SMALL)
    return sheet


def _draw_topics(
    axes: Axes, differences: NDArray[np.float64], topics: Sequence[str], *, lower: bool, room: float
) -> None:
    """One bar per topic, blue where the run is better, vermillion where it is worse; `room` is the width in inches."""
    known = np.flatnonzero(~np.isnan(differences))
    order = known[np.argsort(-differences[known], kind="stable")]
    values = differences[order]
    places = np.arange(1, len(order) + 1)
    better = values < -ROUNDING if lower else values > ROUNDING
    worse = values > ROUNDING if lower else values < -ROUNDING
    for which, colour in ((better, layout.BLUE), (worse, layout.VERMILLION)):
        axes.bar(places[which], values[which], width=0.9, color=colour, lw=0)
    axes.axhline(0, color=INK, lw=0.6)
    same = len(values) - int(better.sum()) - int(worse.sum())
    counts = f"better {int(better.sum())}, worse {int(worse.sum())}, equal {same}"
    axes.set_xlabel(counts, size=TINY, color=layout.GREY)
    axes.set(xlim=(0, max(len(order), 1) + 1), xticks=[])
    layout.set_round_ticks(axes.yaxis, 5)
    axes.grid(axis="y")
    axes.margins(y=0.12)
    _name_extremes(axes, values, [topics[topic] for topic in order], room)


def _name_extremes(axes: Axes, values: NDArray[np.float64], names: Sequence[str], room: float) -> None:
    """The topics with the largest differences, as many as there is room for, in the free corner beside each end."""
    gains = [name for name, value in list(zip(names, values, strict=True))[:MAX_NAMED] if value > ROUNDING]
    losses = [name for name, value in list(zip(names, values, strict=True))[: -MAX_NAMED - 1 : -1] if value < -ROUNDING]
    for listed, x, y, across, along in ((gains, 0.98, 0.97, "right", "top"), (losses, 0.02, 0.03, "left", "bottom")):
        labels = make_labels(listed, NAME_LENGTH)
        sign = "+" if listed is gains else "−"
        texts = [f"{sign} {', '.join(labels[:count])}" for count in range(1, len(labels) + 1)]
        fitting = [text for text in texts if layout.text_width([text], TINY) <= room]
        if fitting:
            axes.text(x, y, fitting[-1], transform=axes.transAxes, ha=across, va=along, size=TINY, color=layout.GREY)


LEVELS = tuple(level / 10 for level in range(11))
"""The eleven standard levels of recall."""


@figure("precision_recall")
def precision_recall(scores: Scores, *, highlight: Sequence[str] | None = None) -> PaperFigure:
    """Interpolated precision at the eleven standard levels of recall, averaged over topics (as `IPrec`).

    One line per run. Of many runs, those with the largest area below the curve are highlighted, or those of
    `highlight`; the others are pale.
    """
    measures = [f"IPrec@{level:g}" for level in LEVELS]
    curves = evaluate(scores.rank_table, measures, missing=scores.missing, no_relevant=scores.no_relevant).totals.T
    best = np.argsort(-mean(curves), kind="stable")[:MAX_HIGHLIGHTED].tolist()
    chosen = layout.choose_highlights(highlight, scores.runs, best)
    names = make_labels([scores.runs[run] for run in chosen], layout.CURVE_LABEL_LENGTH)
    sheet = new_figure(max(COLUMN, 2.2 + layout.text_width(names, SMALL) + 0.6), 2.6)
    axes = sheet.subplots()
    for run in set(range(len(scores.runs))) - set(chosen):
        axes.plot(LEVELS, curves[run], color=layout.PALE, lw=0.6, zorder=1)
    for number, run in enumerate(chosen):
        axes.plot(LEVELS, curves[run], zorder=2, label=names[number], **layout.get_look(number).marked_line(3.2, 1.1))
    axes.set(xlabel="Recall", ylabel="Interpolated precision", xticks=[0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set(xlim=(-0.02, 1.02), ylim=(0, max(0.05, float(np.nanmax(curves)) * 1.05)))
    axes.grid(axis="y")
    axes.legend(loc="upper right", handlelength=3.2, frameon=False)  # curves fall, so this corner is free
    return sheet


MAX_TOPIC_NAMES = 60
"""Up to so many topics are named below their bars."""


@figure("relevant_per_topic", result=("RankTable", "Topics"))
def relevant_per_topic(result: RankTable | Topics) -> PaperFigure:
    """The number of relevant documents per topic (Robustness, figure 2).

    One bar per topic in ascending order, with mean and median.
    """
    topics, n = result.relevant_per_topic()
    order = np.argsort(n, kind="stable")
    counts = n[order]
    named = len(counts) <= MAX_TOPIC_NAMES
    sheet = new_figure(PAGE if 25 < len(counts) <= MAX_TOPIC_NAMES else COLUMN, 2.3)
    axes = sheet.subplots()
    if named:
        axes.bar(np.arange(len(counts)), counts, width=0.8, color=layout.BLUE)
        axes.set_xticks(np.arange(len(counts)), make_labels([topics[t] for t in order], 14), rotation=90, size=TINY)
        axes.tick_params(axis="x", length=0, pad=1.5)
        axes.set_xlabel("Topic, by number of relevant documents")
    else:
        axes.stairs(counts, np.arange(len(counts) + 1), fill=True, color=layout.BLUE, lw=0)
        axes.set_xlabel("Topics, sorted by number of relevant documents")
    axes.set_xlim(-0.6 if named else 0, len(counts) - 0.4 if named else len(counts))
    axes.set_ylabel("Relevant documents")
    layout.set_round_ticks(axes.yaxis, 6, integer=True)
    fewest = int(counts.min())
    share = layout.format_percent(float(np.mean(counts == fewest)))
    title = (
        f"{count_noun(len(counts), 'topic')}, {count_noun(int(counts.sum()), 'relevant document')}\n"
        f"mean {counts.mean():.1f}, median {np.median(counts):g}, fewest {fewest} ({share}), most {counts.max():,}"
    )
    axes.set_title(title, size=SMALL, weight="normal", linespacing=1.3)
    axes.axhline(counts.mean(), color=layout.VERMILLION, lw=1, ls=(0, (4, 1.6)))
    edge = axes.get_yaxis_transform()
    layout.put_text(
        axes, "mean", (1, counts.mean()), (3, 0), xycoords=edge, va="center_baseline", color=layout.DARK_VERMILLION
    )
    return sheet
