"""Judgements and collections: how two judges agree, and how evenly documents can be found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.lines import Line2D

from antecede.report.display_text import make_labels
from antecede.report.figures import layout
from antecede.report.figures.paper import COLUMN, PAGE, SMALL, TINY, PaperFigure, figure
from antecede.study.retrievability import lorenz

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from antecede.study.judges import JudgeComparison, RankingChange
    from antecede.study.retrievability import Retrievability

MAX_PANELS = 5
"""Measures that are drawn: with the grades, two rows of three panels."""
COLUMNS = 3
MAX_GROUPS = 10
"""Groups that can be told apart by marker and colour."""
PANEL = 2.15
"""Inches: the height of a panel."""
MAX_GRADES = 8
"""Grades up to which each cell holds a number."""


@figure("judges", result="JudgeComparison")
def judges(result: JudgeComparison) -> PaperFigure:
    """How the grades of two judges agree, and how far the totals of the runs move from one to the other.

    The documents by the grades of both; then a Bland–Altman plot per measure: the difference of a run's totals against
    their mean, the mean difference, and the limits within which 95 % of the differences are expected.
    """
    changes = result.changes[:MAX_PANELS]
    panels = 1 + len(changes)
    columns = min(COLUMNS, panels)
    width = COLUMN if panels == 1 else PAGE
    legend = _make_legend(result)
    height = (
        PANEL * layout.count_rows(panels, columns) + 0.1 + (layout.legend_height(list(legend), width) if legend else 0)
    )
    sheet = layout.new_noted_figure(width, height, _list_notes(result))
    grid = layout.draw_panels(sheet, panels, columns)
    _draw_grades(grid[0], result)
    for place, (axes, change) in enumerate(zip(grid[1:], changes, strict=True), 1):
        _draw_differences(axes, result, change)
        if place == 1 or place % columns == 0:
            axes.set_ylabel("Difference of totals")
    if legend:
        layout.add_legend(sheet, legend)
    return sheet


def _list_notes(result: JudgeComparison) -> list[str]:
    coefficients = result.agreement.coefficients()
    kappa, alpha = coefficients["Cohen's κ"], coefficients["Krippendorff's α"]
    notes = [f"Cohen’s κ {layout.format_signed(kappa, 3)}, Krippendorff’s α {layout.format_signed(alpha, 3)}"]
    if result.changes:
        notes.append(f"difference: {result.names[1]} minus {result.names[0]}; dashed: limits of agreement")
    if len(result.changes) > MAX_PANELS:
        notes.append(f"{len(result.changes) - MAX_PANELS} further measures are not drawn")
    return notes


def _draw_grades(axes: Axes, result: JudgeComparison) -> None:
    """The documents by both grades; each cell shows its share of the row, and their number."""
    grades, counts = result.agreement.grades, result.agreement.counts
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    norm = LogNorm(0.5, max(int(counts.max()), 1))
    axes.imshow(np.maximum(counts, 0.5), cmap=layout.SEQUENTIAL, norm=norm, aspect="auto")
    first, second = make_labels(result.names, 22)
    axes.set_xticks(range(len(grades)), list(map(str, grades)))
    axes.set_yticks(range(len(grades)), list(map(str, grades)))
    axes.set(title="Grades", xlabel=f"Grade by {second}", ylabel=f"Grade by {first}")
    layout.clear_frame(axes)
    if len(grades) > MAX_GRADES:
        return
    for (row, column), count in np.ndenumerate(counts):
        shade = layout.SEQUENTIAL(norm(max(int(count), 0.5)))
        text = f"{int(count):,}" + (
            f"\n{layout.format_percent(float(shares[row, column]), 1)}" if len(grades) <= 4 else ""
        )
        size = SMALL if len(grades) <= 4 else TINY
        axes.text(
            column, row, text, ha="center", va="center", size=size, color=layout.choose_ink(shade), in_layout=False
        )


def _draw_differences(axes: Axes, result: JudgeComparison, change: RankingChange) -> None:
    mean, differences = change.totals.mean(axis=0), change.differences
    groups = list(dict.fromkeys(result.groups))
    if groups and len(groups) <= MAX_GROUPS:
        for number, group in enumerate(groups):
            own = np.array([name == group for name in result.groups])
            axes.plot(mean[own], differences[own], alpha=0.8, mew=0, **layout.get_look(number).marks(3.4))
    else:
        axes.plot(mean, differences, "o", color=layout.BLUE, ms=3.4, alpha=0.6, mew=0)
    axes.axhline(0, color=layout.GREY, lw=0.5)
    axes.axhline(change.bias, color=layout.BLACK, lw=1.0)
    for end in filter(np.isfinite, change.limits):
        axes.axhline(end, color=layout.BLACK, lw=0.8, ls=(0, (4, 2)))
    axes.set(title=f"{change.measure}: τ {layout.format_signed(change.tau, 3)}", xlabel="Mean of both totals")
    axes.margins(0.08)


def _make_legend(result: JudgeComparison) -> dict[str, Artist]:
    """The groups of the runs, where they can be told apart."""
    groups = list(dict.fromkeys(result.groups))
    if not result.changes or not groups or len(groups) > MAX_GROUPS:
        return {}
    return {
        label: Line2D([], [], **layout.get_look(number).marks(4)) for number, label in enumerate(make_labels(groups))
    }


CELL_HEIGHT = 0.2
"""Inches per row of the matrix."""
MAX_CELLS = 16
"""Methods or models up to which a cell holds a number."""


@figure("retrievability", result="Retrievability")
def retrievability(result: Retrievability) -> PaperFigure:
    """How evenly documents can be found: Lorenz curves, Gini coefficients, and the influence of document length.

    The Lorenz curves of all systems, the most and the least even one highlighted; the Gini coefficient of each method
    and model; and how often documents of each length are found, relative to the mean, for each ranking model.
    """
    methods = list(dict.fromkeys(method for method, _ in result.systems))
    models = list(dict.fromkeys(model for _, model in result.systems))
    last = result.cutoffs[-1]
    notes = [f"within the first {last}; {result.topics:,} topics", "Gini: 0 if all documents are found equally often"]
    sheet = layout.new_noted_figure(PAGE, max(2.5, CELL_HEIGHT * len(methods) + 1.1), notes)
    left, middle, right = sheet.subplots(1, 3, width_ratios=[1.15, 1.15, 1.2])
    _draw_lorenz(left, result)
    _draw_gini(middle, result, methods, models)
    sheet.lay_out()
    _draw_lengths(right, result, models)
    return sheet


def _draw_lorenz(axes: Axes, result: Retrievability) -> None:
    """All curves in grey, the most and the least even one in colour."""
    known = np.nan_to_num(result.gini[:, -1], nan=1.0)
    best, worst = int(known.argmin()), int(known.argmax())
    for system in set(range(len(result.systems))) - {best, worst}:
        x, y = lorenz(result.weights[system, -1])
        step = max(1, len(x) // 400)
        axes.plot(x[::step], y[::step], color=layout.PALE, lw=0.5)
    looks: list[tuple[int, str, Any, str, float]] = [
        (best, layout.BLUE, "-", layout.BLUE, 0.93),
        (worst, layout.VERMILLION, (0, (4, 1.6)), layout.DARK_VERMILLION, 0.85),
    ]
    for system, colour, line, text_colour, height in looks[: 1 if worst == best else 2]:
        x, y = lorenz(result.weights[system, -1])
        axes.plot(x, y, color=colour, lw=1.4, ls=line)
        text = f"{make_labels([result.name(system)], 26)[0]}: {known[system]:.2f}"
        axes.text(0.03, height, text, transform=axes.transAxes, size=TINY, color=text_colour)
    axes.plot([0, 1], [0, 1], color=layout.GREY, lw=0.6, ls=":")
    axes.set(title="Lorenz curves", xlabel="Documents, least found first", ylabel="Share of all retrievals")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    for axis in (axes.xaxis, axes.yaxis):
        layout.set_percent_ticks(axis)


def _draw_gini(axes: Axes, result: Retrievability, methods: list[str], models: list[str]) -> None:
    values = np.full((len(methods), len(models)), np.nan)
    for at, (method, model) in enumerate(result.systems):
        values[methods.index(method), models.index(model)] = result.gini[at, -1]
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    norm = Normalize(low - 0.3 * (high - low) - 1e-9, high + 1e-9)
    axes.imshow(values, cmap=layout.SEQUENTIAL, norm=norm, aspect="auto")
    axes.set_xticks(range(len(models)), make_labels(models, 18), rotation=90, size=TINY)
    axes.set_yticks(range(len(methods)), make_labels(methods, 18), size=TINY)
    layout.clear_frame(axes)
    if max(values.shape) <= MAX_CELLS:
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                ink = layout.choose_ink(layout.SEQUENTIAL(norm(float(value))))
                axes.text(
                    column, row, f"{value:.2f}"[1:], ha="center", va="center", size=TINY, color=ink, in_layout=False
                )
    axes.set_title("Gini coefficient")


def _draw_lengths(axes: Axes, result: Retrievability, models: list[str]) -> None:
    """For each model, the mean over methods of r(d) by length, relative to the mean of all documents."""
    groups = [group for group in result.groups if group.attribute == "length"]
    x = np.arange(len(groups))
    labels = []
    for number, model in enumerate(models):
        own = [at for at, (_, other) in enumerate(result.systems) if other == model]
        weights = result.weights[own, -1]
        mean = weights.mean(axis=1, keepdims=True)
        relative = weights / np.where(mean > 0, mean, 1.0)
        y = [float(relative[:, group.members].mean()) for group in groups]
        axes.plot(x, y, **layout.get_look(number).marked_line(3, 1.1))
        labels.append(layout.Label(make_labels([model], 18)[0], float(x[-1]), y[-1], layout.get_look(number).label))
    axes.axhline(1, color=layout.GREY, lw=0.5)
    axes.set_xticks(x, [group.name for group in groups], rotation=90, size=TINY)
    axes.set(title="By length", xlabel="Tokens of the document", ylabel="r(d), relative to the mean")
    room = layout.label_room(axes, [label.text for label in labels], TINY, 0.12)
    span = max(float(x[-1]), 0.5)
    axes.set_xlim(-0.15 * span, span + span * 1.15 * room / (1 - room))
    layout.label_ends(axes, labels, size=TINY)
