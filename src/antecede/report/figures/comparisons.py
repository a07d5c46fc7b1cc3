"""Systems and measures side by side: differences from a baseline, all pairs, and how measures agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.patches import Patch

from antecede.comparison.effect_sizes import bootstrap
from antecede.report.display_text import count_noun, make_labels
from antecede.report.figures import layout
from antecede.report.figures.paper import (
    COLUMN,
    INK,
    MAX_HEIGHT,
    PAGE,
    SMALL,
    TEXT,
    TINY,
    FigureDefinition,
    figure,
    new_figure,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.comparison import Comparison, Differences
    from antecede.comparison.agreement import Agreement
    from antecede.comparison.correlation import Correlations
    from antecede.evaluation.scores import Scores
    from antecede.report.figures.paper import PaperFigure

MAX_COLUMNS, ROOMY_COLUMNS = 6, 3
"""Panels side by side: the maximum, and the number that leaves room for several tick labels below each."""
PRINTED_CELL, MAX_CELL, MIN_CELL = 0.29, 0.12, 0.05
"""Inches: a cell of a matrix with a p-value in it, and the largest and smallest without."""
NAME_HEIGHT, NAME_MARGIN = 0.86, 0.15
"""The font size of a run's name relative to its cell, and inches beside the names."""
MAX_PRINTED_RUNS = 14
"""Up to so many runs, the p-values are printed in the cells of the matrix."""
MATRIX_LABEL_LENGTH = 20
BOLD = 1.15
"""How much wider a bold text is."""
MEANS_WIDTH = 4.4
"""Inches: what the text of the page leaves room for."""
BETTER, WORSE, NEITHER, ITSELF = layout.BLUE, "#F3C98B", "white", layout.PALE
"""Blue and a light orange, far apart both in colour and in grey."""
SHADES = ListedColormap([WORSE, NEITHER, BETTER, ITSELF])


@figure("compare", result="Comparison")
def compare(result: Comparison) -> PaperFigure:
    """Differences from a baseline with their intervals, or without a baseline a matrix of all pairs.

    One panel per measure.
    """
    return _draw_matrices(result) if result.baseline is None else _draw_forest(result)


# Differences from a baseline


def _draw_forest(result: Comparison) -> PaperFigure:
    """One row per run, best first by the first measure: its difference from the baseline, filled where significant."""
    first = result.by_measure[result.measures[0]]
    sign = -1 if result.better[result.measures[0]] == "lower" else 1
    order = np.argsort(-sign * first.difference, kind="stable")
    names = [result.runs[int(run)] for run in result.pairs.first[order]]
    name_width = layout.text_width(make_labels(names), layout.row_font_size(len(names))) + 0.1
    height = 0.5 + layout.row_height(len(names)) * max(len(names), 3)
    columns = layout.balance_columns(len(result.measures), ROOMY_COLUMNS)
    if layout.count_rows(len(result.measures), columns) * height > MAX_HEIGHT:
        columns = layout.balance_columns(len(result.measures), MAX_COLUMNS)
    rows = layout.count_rows(len(result.measures), columns)
    width = COLUMN if name_width + columns * 1.0 <= COLUMN else PAGE
    level = layout.format_percent(1 - result.plan.alpha)
    notes = [
        f"Mark: mean difference from {make_labels([result.baseline or ''])[0]} over topics",
        f"line: its {level} bootstrap interval, not corrected for the number of runs",
        f"filled: significantly better (blue) or worse (orange; {result.plan})",
    ]
    sheet = layout.new_noted_figure(width, rows * height + 0.1, notes)
    panels = layout.draw_panels(sheet, len(result.measures), columns, sharey=True)
    for axes, measure in zip(panels, result.measures, strict=True):
        _draw_differences(axes, result.by_measure[measure], order, lower=result.better[measure] == "lower")
        layout.set_round_ticks(axes.xaxis, 5 if columns <= ROOMY_COLUMNS else 3)
        axes.set_title(measure)
    for start in range(0, len(panels), columns):
        layout.name_rows(panels[start], names)
        layout.stripe_rows(panels[start : start + columns], len(names))
    return sheet


def _draw_differences(axes: Axes, differences: Differences, order: NDArray[np.int64], *, lower: bool) -> None:
    """One panel: a mark and an interval per row, blue where the run is better, vermillion where it is worse."""
    axes.axvline(0, color=INK, lw=0.8, zorder=1)
    for row, pair in enumerate(order):
        difference = differences.difference[pair]
        better = (difference < 0) if lower else (difference > 0)
        significant = bool(differences.significant[pair])
        colour = layout.GREY if not significant else layout.BLUE if better else layout.VERMILLION
        marker = "o" if not significant else ">" if difference > 0 else "<"
        ends = differences.low[pair], differences.high[pair]
        _draw_interval(axes, row, len(order), difference, ends, colour, marker, filled=significant)


def _draw_interval(
    axes: Axes, row: int, rows: int, value: float, ends: Sequence[float], colour: str, marker: str, *, filled: bool
) -> None:
    """A mark in one of so many rows, and the line of its interval, which is stronger where the mark is filled."""
    axes.plot(ends, [row, row], color=colour, lw=1.3 if filled else 0.8, solid_capstyle="butt", zorder=2)
    size = min(3.6, 72 * layout.row_height(rows) * 0.42) * (1.0 if marker == "o" else 1.25)
    face = colour if filled else "white"
    axes.plot([value], [row], marker=marker, ms=size, color=colour, mfc=face, mew=0.8, zorder=3)


def _draw_means(scores: Scores, measure: int, baseline: int | None) -> PaperFigure:
    """Means over topics with their bootstrap intervals, best first; the mark of the baseline is hollow."""
    totals, ends = scores.totals[measure], bootstrap(scores.values[measure][:, scores.evaluated])
    lower = scores.measures[measure].definition.better == "lower"
    order = np.argsort(totals if lower else -totals, kind="stable").tolist()
    sheet = new_figure(MEANS_WIDTH, 0.45 + layout.row_height(len(order)) * max(len(order), 3))
    axes = sheet.subplots()
    for row, run in enumerate(order):
        colour, interval = (
            layout.VERMILLION if run == baseline else layout.BLUE,
            (float(ends.low[run]), float(ends.high[run])),
        )
        _draw_interval(axes, row, len(order), totals[run], interval, colour, "o", filled=run != baseline)
    layout.name_rows(axes, [scores.runs[run] for run in order])
    if baseline is not None:
        axes.get_yticklabels()[order.index(baseline)].set_weight("bold")
    layout.stripe_rows([axes], len(order))
    layout.set_round_ticks(axes.xaxis, 5)
    axes.set_xlabel(f"Mean of {scores.measures[measure]}")
    return sheet


means = FigureDefinition("means", _draw_means, ())
"""Only the report shows it, so it is not registered: no verb draws it."""


# All pairs


def _draw_matrices(result: Comparison) -> PaperFigure:
    count, measures = len(result.runs), len(result.measures)
    printed = count <= MAX_PRINTED_RUNS
    names = make_labels(result.runs, MATRIX_LABEL_LENGTH)
    cell = PRINTED_CELL if printed else _fit_cells(count, measures, layout.text_width(names, 1.0))
    size = SMALL if printed else min(SMALL, 72 * cell * NAME_HEIGHT)
    name_width = layout.text_width(names, size) + NAME_MARGIN
    across = max(cell * count, layout.text_width(result.measures, TEXT) * BOLD)
    columns = layout.balance_columns(measures, int((PAGE + 0.001) / (name_width + across)))
    rows = layout.count_rows(measures, columns)
    below = name_width if printed and rows * (cell * count + name_width + 0.25) + 0.75 <= MAX_HEIGHT else 0.0
    height = rows * (cell * count + below + 0.25) + 0.75
    sheet = new_figure(max(columns * (name_width + across), COLUMN), height, square_cells=True)
    for axes, measure in zip(layout.draw_panels(sheet, measures, columns), result.measures, strict=True):
        _draw_matrix(axes, result, measure, size=size, printed=printed)
        if not below:
            axes.set_xticks([])
        axes.set_title(measure)
    verdicts = {"row better": BETTER, "row worse": WORSE, "neither": NEITHER}
    handles = [Patch(facecolor=colour, edgecolor="black", lw=0.4, label=text) for text, colour in verdicts.items()]
    sheet.legend(handles=handles, loc="outside upper center", ncols=3, handlelength=1.2)
    notes = [f"Significance: {result.plan}", *(["corrected p in the cells"] if printed else [])]
    notes += [] if below else ["columns in the order of the rows"]
    sheet.supxlabel(layout.wrap_notes(notes, sheet.get_figwidth()), size=SMALL)
    return sheet


def _fit_cells(count: int, measures: int, name_width: float) -> float:
    """The largest cell, in inches, with which all matrices fit on a page; `name_width` is that of the names at 1 pt."""
    fits = []
    for columns in range(1, measures + 1):
        across = (PAGE / columns - NAME_MARGIN) / (count + name_width * 72 * NAME_HEIGHT)
        down = ((MAX_HEIGHT - 0.75) / layout.count_rows(measures, columns) - 0.25) / count
        fits.append(min(across, down))
    return min(MAX_CELL, max(MIN_CELL, *fits))


def _draw_matrix(axes: Axes, result: Comparison, measure: str, *, size: float, printed: bool) -> None:
    count = len(result.runs)
    scores = result.scores[measure]
    order = np.argsort(scores if result.better[measure] == "lower" else -scores, kind="stable")
    verdicts, p = (matrix[np.ix_(order, order)] for matrix in _make_matrices(result, measure))
    np.fill_diagonal(verdicts, 2)
    axes.pcolormesh(
        verdicts,
        cmap=SHADES,
        vmin=-1.5,
        vmax=2.5,
        edgecolor=layout.FAINT if printed or count <= 60 else "none",
        linewidth=0.4,
    )
    for row, column in zip(*np.nonzero(~np.eye(count, dtype=bool)), strict=True) if printed else ():
        ink = layout.choose_ink(SHADES(int(verdicts[row, column]) + 1))
        text = format_p(p[row, column])
        axes.text(
            column + 0.5,
            row + 0.5,
            text,
            ha="center",
            va="center_baseline",
            size=TINY - 0.5,
            color=ink,
            in_layout=False,
        )
    names = make_labels([result.runs[run] for run in order], MATRIX_LABEL_LENGTH)
    axes.set_yticks(np.arange(count) + 0.5, names, size=size)
    axes.set_xticks(np.arange(count) + 0.5, names, size=size, rotation=90)
    axes.set(ylim=(count, 0), aspect="equal")
    layout.clear_frame(axes, pad=1.5)


def _make_matrices(result: Comparison, measure: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """runs × runs: the verdict on the row's run against the column's, and the corrected p."""
    differences, pairs, count = result.by_measure[measure], result.pairs, len(result.runs)
    verdicts, p = np.zeros((count, count), np.int64), np.full((count, count), np.nan)
    verdicts[pairs.first, pairs.second] = differences.verdicts
    verdicts[pairs.second, pairs.first] = -differences.verdicts
    p[pairs.first, pairs.second] = p[pairs.second, pairs.first] = differences.adjusted
    return verdicts, p


def format_p(p: float) -> str:
    """At most three decimals, without the leading zero."""
    if np.isnan(p):
        return "–"
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}"[1:] if p < 0.0995 else f"{p:.2f}"[1:] if p < 0.995 else "1"


TITLES = {"kendall": "Kendall’s τ-b", "tau_ap": "τ-AP", "spearman": "Spearman’s ρ", "pearson": "Pearson’s r"}
"""The coefficients as papers write them."""
DARKER = "Darker: the two measures order the runs more similarly"
REFERENCE = "τ-AP: the measure of the column is the reference"
CELL = 0.28
"""Inches: the smallest cell that holds a number."""


@figure("correlation", result="Correlations")
def correlation(result: Correlations) -> PaperFigure:
    """How similarly measures order the systems: one matrix per coefficient.

    The lower triangle of the matrix, a number in each cell; darker cells are more similar.
    """
    names = make_labels(result.measures)
    side, name_width = max(CELL * (len(names) - 1), 0.75), layout.text_width(names, SMALL) + 0.15
    columns = layout.balance_columns(len(result.values), int((PAGE - name_width) / (side + 0.2)))
    rows = layout.count_rows(len(result.values), columns)
    below = name_width if _is_rotated(names) else 0.3
    width = max(name_width + columns * (side + 0.2), 2.0)
    notes = [DARKER, *([REFERENCE] if "tau_ap" in result.values else [])]
    sheet = layout.new_noted_figure(width, rows * (side + below + 0.35), notes, square_cells=True)
    panels = layout.draw_panels(sheet, len(result.values), columns)
    # Rows are the second measure of a pair, columns the first; NaN above the diagonal.
    first, second = result.measures[:-1], result.measures[1:]
    matrices = {
        name: np.array([[by_pair.get((a, b), np.nan) for a in first] for b in second])
        for name, by_pair in result.values.items()
    }
    lowest = min((np.min(matrix[np.isfinite(matrix)], initial=0.5) for matrix in matrices.values()), default=0.0)
    for place, (axes, (name, values)) in enumerate(zip(panels, matrices.items(), strict=True)):
        _draw_triangle(axes, values, names, Normalize(np.floor(10 * max(lowest, 0)) / 10, 1))
        axes.set_title(TITLES.get(name, name))
        if place % columns:
            axes.tick_params(labelleft=False)
    return sheet


def _is_rotated(names: Sequence[str]) -> bool:
    return layout.text_width(names, SMALL) > max(CELL, 0.75 / max(len(names) - 1, 1))


def _draw_triangle(axes: Axes, values: NDArray[np.float64], names: Sequence[str], norm: Normalize) -> None:
    count = len(values)
    axes.pcolormesh(np.ma.masked_invalid(values), cmap=layout.SEQUENTIAL, norm=norm, edgecolor="white", linewidth=1.2)
    for row, column in zip(*np.tril_indices(count), strict=True):
        text, ink = (
            format_coefficient(values[row, column]),
            layout.choose_ink(layout.SEQUENTIAL(norm(values[row, column]))),
        )
        axes.text(
            column + 0.5, row + 0.5, text, ha="center", va="center_baseline", size=TINY, color=ink, in_layout=False
        )
    axes.set_yticks(np.arange(count) + 0.5, names[1:])
    axes.set_xticks(np.arange(count) + 0.5, names[:-1], rotation=90 if _is_rotated(names) else 0)
    axes.set(ylim=(count, 0), xlim=(0, count), aspect="equal")
    layout.clear_frame(axes, pad=1.5)


def format_coefficient(value: float) -> str:
    """Two decimals without the leading zero; 1.00 only for exactly 1."""
    if np.isnan(value):
        return "–"
    if 0.995 <= value < 1 - 1e-12:
        return ">.99"
    return layout.format_signed(value, 2).replace("0.", ".", 1)


BAR_HEIGHT = 0.19
"""Inches per bar."""


@figure("agreement", result="Agreement")
def agreement(result: Agreement) -> PaperFigure:
    """How often measures agree on pairs of systems, and how many pairs each distinguishes (PRES, figure 7).

    Above, the pairs by the verdict of the measures; below, the pairs that each measure distinguishes.
    """
    said, told = result.categories(), result.count_told_apart()
    sheet = new_figure(COLUMN, 0.95 + BAR_HEIGHT * (len(said) + len(told)))
    upper, lower = sheet.subplots(2, 1, sharex=True, height_ratios=[len(said), len(told)])
    colours = [layout.BLUE, *[layout.SKY] * len(result.stands_apart), layout.ORANGE]
    _draw_bars(upper, result, said, colours, ["", *[""] * len(result.stands_apart), "////"])
    _draw_bars(lower, result, told, [layout.PALE] * len(told), [""] * len(told))
    layout.set_wide_title(
        upper, f"Verdicts of {count_noun(len(told), 'measure')} on {count_noun(result.pairs, 'pair')} of runs"
    )
    layout.set_wide_title(
        lower, f"Pairs that each distinguishes; {count_noun(len(result.contradictions), 'contradiction')}"
    )
    upper.tick_params(axis="x", bottom=False, labelbottom=False)
    upper.spines["bottom"].set_visible(False)
    sheet.supxlabel(f"Share of pairs ({result.plan})", size=SMALL)
    layout.set_percent_ticks(lower.xaxis)
    lower.set_xlim(0, 1)
    return sheet


def _draw_bars(
    axes: Axes, result: Agreement, counts: dict[str, int], colours: Sequence[str], hatches: Sequence[str]
) -> None:
    """One bar per count, with the count and its share beside it, or inside it where there is no room."""
    shares = [result.share(count) for count in counts.values()]
    bars = axes.barh(range(len(counts)), shares, height=0.72, color=colours)
    for bar, hatch, count, share, colour in zip(bars, hatches, counts.values(), shares, colours, strict=True):
        bar.set(hatch=hatch, edgecolor="white" if hatch else colour, linewidth=0)
        inside = share > 0.6
        point, offset = (share, bar.get_y() + bar.get_height() / 2), (-3 if inside else 3, 0)
        style = {"ha": "right" if inside else "left", "color": "white" if inside and colour == layout.BLUE else "black"}
        layout.put_text(
            axes, f"{count:,} ({layout.format_percent(share, 1)})", point, offset, va="center_baseline", **style
        )
    axes.set_yticks(range(len(counts)), make_labels([*counts], 40))
    axes.set_ylim(len(counts) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_color(layout.GREY)
