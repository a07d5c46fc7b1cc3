"""How well measures preserve the order of the systems when judgements are missing, and the published results."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, NullLocator

from antecede.comparison.correlation import kendall_many
from antecede.measures.definition import Measure
from antecede.measures.names import parse_measure
from antecede.report.display_text import count_noun, make_labels
from antecede.report.figures import layout
from antecede.report.figures.paper import COLUMN, PAGE, SMALL, TEXT, TINY, PaperFigure, figure, new_figure
from antecede.study.robustness import BAND

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.study.meta_evaluation import MetaEvaluation
    from antecede.study.published import Published
    from antecede.study.robustness import Robustness

MIN_BAND_SAMPLES = 10
"""From so many samples on, a band is drawn."""
SHARE_TOLERANCE = 0.02
"""The share left is shown below a level where it differs from the requested share by at least so much."""
MAX_COLUMNS = 3
"""Panels side by side."""
GROUP_ROW_HEIGHT = 0.3
"""Inches per measure: a row of dots, and above it the name of the most influential group."""
MAX_NAMED_GROUPS = 2
"""Up to so many equally influential groups are named."""
WORST_LINE = (0, (1, 1.5))


@dataclass(frozen=True)
class Panel:
    """A panel of the figure: the indices of its measures, each with its label."""

    title: str
    names: dict[int, str]


@figure("robustness", result="Robustness")
def robustness(result: Robustness) -> PaperFigure:
    """How well measures preserve the order of the systems when judgements are missing (Robustness, figures 3 and 4).

    Kendall's τ against the share of judgements kept: the mean as a line, a band, and the worst sample; one panel per
    cut-off. Where groups are left out one at a time, a dot per group instead.
    """
    return _draw_groups(result) if result.remove == "group" else _draw_levels(result)


# Judgements lost in steps


def _draw_levels(result: Robustness) -> PaperFigure:
    panels, looks = _group_panels(result.measures), _group_looks(result.measures)
    columns = min(MAX_COLUMNS, len(panels))
    sheet = new_figure(COLUMN if columns == 1 else PAGE, 2.45 * layout.count_rows(len(panels), columns) + 0.15)
    grid = layout.draw_panels(sheet, len(panels), columns, sharex=True, sharey=True)
    for place, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
        _draw_panel(axes, result, panel, looks)
        axes.set_title(panel.title)
        axes.tick_params(labelbottom=place + columns >= len(panels))
        if place % columns == 0:
            axes.set_ylabel("Kendall’s τ")
    sheet.supxlabel(_name_axis(result), size=TEXT)
    _add_line_legend(sheet, result)
    sheet.lay_out()
    _make_room(grid[0], result, [name for panel in panels for name in panel.names.values()])
    for axes, panel in zip(grid, panels, strict=True):
        _label_lines(axes, result, panel, looks)
    return sheet


def _split_cutoff(measure: str) -> tuple[str, int | None]:
    parsed = parse_measure(measure)
    given = dict(parsed.arguments)
    if parsed.definition.at != "cutoff" or "cutoff" not in given:
        return str(parsed), None
    rest = tuple((name, value) for name, value in parsed.arguments if name != "cutoff")
    return str(Measure(parsed.definition, rest)), int(given["cutoff"])


def _group_looks(measures: tuple[str, ...]) -> list[int]:
    names = [_split_cutoff(measure)[0] for measure in measures]
    distinct = list(dict.fromkeys(names))
    return [distinct.index(name) for name in names]


def _group_panels(measures: tuple[str, ...]) -> list[Panel]:
    split = [_split_cutoff(measure) for measure in measures]
    shared = Counter(cutoff for _, cutoff in split)
    cutoffs = [cutoff for cutoff, count in shared.items() if cutoff is not None and count > 1]
    panels = [
        Panel(f"Cut-off {cutoff:,}", {m: name for m, (name, at) in enumerate(split) if at == cutoff})
        for cutoff in cutoffs
    ]
    rest = {m: measure for m, measure in enumerate(measures) if split[m][1] not in cutoffs}
    return [*panels, *([Panel("Other measures" if panels else "", rest)] if rest else [])]


def _draw_panel(axes: Axes, result: Robustness, panel: Panel, looks: list[int]) -> None:
    """The lines of one panel: worst sample, band and mean of each measure."""
    x = np.array(result.keep)
    for measure in panel.names:
        look = layout.get_look(looks[measure])
        style: dict[str, Any] = {"color": look.colour, "marker": look.marker}
        if result.samples >= MIN_BAND_SAMPLES:
            axes.fill_between(x, result.low[measure], result.high[measure], color=look.colour, alpha=0.14, lw=0)
        if result.samples > 1:
            hollow: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 0.6, "ms": 2.6 * look.scale}
            axes.plot(x, result.worst[measure], lw=0.7, ls=WORST_LINE, **hollow, **style)
        axes.plot(x, result.mean[measure], lw=1.3, ls=look.line, ms=3.6 * look.scale, **style)
    if result.remove == "depth":
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(x, _label_levels(result))
    layout.set_round_ticks(axes.yaxis, 6)
    axes.grid(axis="y")


def _shows_share(result: Robustness) -> bool:
    """Whether the share of relevant documents left is shown below each level, because it differs from the level."""
    return result.remove == "depth" or bool(np.abs(result.share - result.keep).max() >= SHARE_TOLERANCE)


def _label_levels(result: Robustness) -> list[str]:
    names = [f"{level:,.0f}" if result.remove == "depth" else layout.format_percent(level) for level in result.keep]
    shares = [f"\n({layout.format_percent(share)})" if _shows_share(result) else "" for share in result.share]
    return [name + share for name, share in zip(names, shares, strict=True)]


def _name_axis(result: Robustness) -> str:
    if result.remove == "depth":
        return "Depth of the pool (relevant documents left)"
    return "Relevant documents kept: requested (actual)" if _shows_share(result) else "Relevant documents kept"


def _label_lines(axes: Axes, result: Robustness, panel: Panel, looks: list[int]) -> None:
    first = int(np.argmin(result.keep))
    labels = [
        layout.Label(
            name, result.keep[first], float(result.mean[measure, first]), layout.get_look(looks[measure]).label
        )
        for measure, name in panel.names.items()
        if np.isfinite(result.mean[measure, first])
    ]
    layout.label_ends(axes, labels, side="left")


def _make_room(axes: Axes, result: Robustness, names: list[str]) -> None:
    room = layout.label_room(axes, names, SMALL, 0.14)
    ends = np.array([min(result.keep), max(result.keep)])
    flat = np.log(ends) if result.remove == "depth" else ends
    span = max(float(flat[1] - flat[0]), 0.1)
    limits = np.array([flat[1] - span - span * 1.08 * room / (1 - room), flat[1] + 0.08 * span])
    axes.set_xlim(*(np.exp(limits) if result.remove == "depth" else limits))


def _add_line_legend(sheet: PaperFigure, result: Robustness) -> None:
    if result.samples < 2:
        return
    handles: dict[str, Artist] = {f"mean of {result.samples:,} samples": Line2D([], [], color=layout.GREY, lw=1.3)}
    if result.samples >= MIN_BAND_SAMPLES:
        handles[f"{layout.format_percent(BAND)} of them"] = Patch(color=layout.GREY, alpha=0.25, lw=0)
    handles["worst"] = Line2D([], [], color=layout.GREY, lw=0.7, ls=WORST_LINE, marker="o", ms=2.6, mfc="white")
    layout.add_legend(sheet, handles)


# One group left out at a time


def _draw_groups(result: Robustness) -> PaperFigure:
    """One row per measure, one dot per group left out; the most influential group is named."""
    count = len(result.measures)
    groups = make_labels(result.sample_names)
    sheet = new_figure(PAGE, 0.5 + GROUP_ROW_HEIGHT * max(count, 2))
    left, right = sheet.subplots(1, 2, sharey=True)
    for row in range(count):
        _draw_dots(left, result.tau[row, 0], row, groups, lowest=True)
        _draw_dots(right, result.falls[row].astype(np.float64), row, groups, lowest=False)
    left.set_yticks(range(count), make_labels(result.measures))
    left.set_ylim(count - 0.5, -0.7)
    left.set_xlabel(f"Kendall’s τ without one group’s unique documents ({count_noun(len(groups), 'group')})")
    right.set_xlabel("Places lost by that group’s worst-hit run")
    right.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in (left, right):
        axes.margins(x=0.06)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    return sheet


def _draw_dots(axes: Axes, values: NDArray[np.float64], row: int, groups: list[str], *, lowest: bool) -> None:
    """One measure: one dot per group on a thin line, the most influential group highlighted and named."""
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return
    extreme = values[known].min() if lowest else values[known].max()
    axes.plot([values[known].min(), values[known].max()], [row, row], color=layout.BLUE, lw=0.5, alpha=0.6)
    axes.plot(values[known], np.full(len(known), row), "o", color=layout.BLUE, ms=3.2, alpha=0.4, markeredgewidth=0)
    worst = np.flatnonzero(values == extreme)
    if len(worst) > MAX_NAMED_GROUPS or len(worst) == len(known):
        return  # no group stands out
    axes.plot([extreme], [row], "D", color=layout.VERMILLION, ms=3.6)
    names, across = ", ".join(groups[group] for group in worst), "left" if lowest else "right"
    layout.put_text(axes, names, (float(extreme), row), (0, 3.5), ha=across, size=TINY, color=layout.DARK_VERMILLION)


NEAR_AXIS = 0.05
"""A dot below this share of the height has its name above the axis."""
MAX_OUTLIERS = 3
"""Runs named in a scatter plot: those furthest from the trend."""


@figure("published", result="Published")
def published(result: Published) -> PaperFigure:
    """The papers' results: table 4 of PRES, and the robustness study beside simulated runs.

    Above, the scores of table 4 against each other; below, τ as printed (marks) and on simulated runs (lines).
    """
    sheet = new_figure(PAGE, 5.2)
    parts: Any = sheet.subfigures(2, 1, height_ratios=[1, 1.2])
    above, below = parts
    pairs = list(combinations(result.table_4, 2))
    for axes, (first, second) in zip(above.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        _draw_scatter(axes, result.table_4[first], result.table_4[second])
        axes.set(xlabel=first, ylabel=second)
    count = len(next(iter(result.table_4.values())))
    panels, looks = _group_panels(result.robustness.measures), _group_looks(result.robustness.measures)
    grid = below.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for axes, panel in zip(grid, panels, strict=True):
        _draw_printed(axes, result, panel, looks)
    grid[0].set_ylabel("Kendall’s τ")
    grid[-1].legend(handles=_printed_legend(result.robustness.samples), loc="lower right")
    below.supxlabel(_name_axis(result.robustness), size=TEXT)
    titles = (
        f"The {count} runs of CLEF-IP 2009, as printed",
        "Missing judgements: τ as printed, and on simulated runs",
    )
    for part, title in zip(parts, titles, strict=True):
        part.suptitle(title, x=0.01, ha="left", size=TEXT, weight="bold")
    sheet.lay_out()
    _make_room(grid[0], result.robustness, [name for panel in panels for name in panel.names.values()])
    for axes, panel in zip(grid, panels, strict=True):
        _label_lines(axes, result.robustness, panel, looks)
    return sheet


def _draw_scatter(axes: Axes, first: NDArray[np.float64], second: NDArray[np.float64]) -> None:
    """One dot per run; the runs furthest from the regression line are named."""
    axes.plot(first, second, "o", color=layout.BLUE, ms=3, alpha=0.6, markeredgewidth=0)
    away = np.abs(second - np.polyval(np.polyfit(first, second, 1), first))
    axes.set(xlim=(0, None), ylim=(0, None))
    across, up = first / axes.get_xlim()[1], second / axes.get_ylim()[1]
    for run in np.argsort(-away, kind="stable")[:MAX_OUTLIERS].tolist():
        right = _is_free_right(across - across[run], np.abs(up - up[run]) < 0.04, float(across[run]))
        point, offset = (float(first[run]), float(second[run])), (4 if right else -4, 0)
        along = "bottom" if up[run] < NEAR_AXIS else "center_baseline"
        layout.put_text(axes, f"R{run + 1:02d}", point, offset, ha="left" if right else "right", va=along)
    tau = float(kendall_many(first, second[None, :])[0])
    axes.set_title(f"τ = {layout.format_signed(tau, 3)}")
    for axis in (axes.xaxis, axes.yaxis):
        layout.set_round_ticks(axis, 4)
    axes.grid()


def _is_free_right(way: NDArray[np.float64], level: NDArray[np.bool_], across: float) -> bool:
    """Whether a name fits better to the right of its dot: fewer dots are there, and the frame leaves room."""
    right, left = (np.count_nonzero(level & (side > 0) & (side < 0.14)) for side in (way, -way))
    return across < 0.86 and bool(right <= left or across < 0.14)


def _draw_printed(axes: Axes, result: Published, panel: Panel, looks: list[int]) -> None:
    """One cut-off: the printed samples as hollow marks, the simulated mean and band as lines."""
    robustness = result.robustness
    x = np.array(robustness.keep)
    for measure in panel.names:
        look = layout.get_look(looks[measure])
        axes.fill_between(x, robustness.low[measure], robustness.high[measure], color=look.colour, alpha=0.14, lw=0)
        axes.plot(x, robustness.mean[measure], color=look.colour, ls=look.line, lw=1.2)
        for printed in result.printed_tau[robustness.measures[measure]].T:
            _hollow_marks(axes.plot(x, printed, color=look.colour, ls="none", marker=look.marker)[0], look.scale)
    axes.set_title(panel.title)
    axes.set_xticks(x, _label_levels(robustness))
    layout.set_round_ticks(axes.yaxis, 6)
    axes.grid(axis="y")


def _hollow_marks(line: Line2D, scale: float = 1.0) -> Line2D:
    """Make the markers of a line hollow, so that overlapping ones remain visible."""
    line.set(markerfacecolor="none", markersize=3.8 * scale, markeredgewidth=0.8)
    return line


def _printed_legend(samples: int) -> list[Artist]:
    return [
        _hollow_marks(Line2D([], [], color=layout.GREY, ls="none", marker="o", label="printed samples")),
        Line2D([], [], color=layout.GREY, lw=1.2, label=f"simulated runs, mean of {samples:,}"),
        Patch(color=layout.GREY, alpha=0.25, lw=0, label=f"{layout.format_percent(BAND)} of samples"),
    ]


@figure("meta", result="MetaEvaluation")
def meta(result: MetaEvaluation) -> PaperFigure:
    """Which measures are both robust and discriminating: one row per measure, the most robust first.

    On the left the mean of Kendall's τ over the samples and the range of 95 % of them, on the right the share of the
    pairs of runs that a test tells apart. Bold: no other measure is at least as good in both and better in one.
    """
    order, study = result.order(), result.robustness
    best = result.best[order]
    notes = [
        f"{len(study.runs)} runs, {study.topics} topics, {study.samples:,} samples",
        "bold: no other measure is superior in both respects",
    ]
    sheet = layout.new_noted_figure(PAGE, 0.75 + layout.row_height(len(order)) * max(len(order), 4), notes)
    left, right = sheet.subplots(1, 2, sharey=True)
    rows = np.arange(len(order))
    layout.stripe_rows((left, right), len(order))
    tau, low, high = result.tau[order], study.low[order, 0], study.high[order, 0]
    left.hlines(rows, low, high, color=layout.BLUE, lw=1.6, alpha=0.35)
    left.plot(tau, rows, "o", color=layout.BLUE, ms=3.2)
    left.set_xlabel(f"Kendall’s τ with {layout.format_percent(study.keep[0])} of the relevant documents")
    power = result.power[order]
    right.hlines(rows, 0, np.nan_to_num(power), color=layout.VERMILLION, lw=1.0, alpha=0.35)
    right.plot(power, rows, "s", color=layout.VERMILLION, ms=3.0)
    right.set_xlabel(f"Pairs of runs told apart ({result.test} test, α = {result.alpha:g})")
    layout.set_percent_ticks(right.xaxis)
    right.set_xlim(left=0)
    layout.name_rows(left, [result.measures[m] for m in order])
    for label, bold in zip(left.get_yticklabels(), best, strict=True):
        label.set_weight("bold" if bold else "normal")
        label.set_size(layout.row_font_size(len(order)))
    return sheet
