"""How evenly documents can be found: Lorenz curves, Gini coefficients, and the influence of length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.ticker import PercentFormatter

from antecede.report.display_text import make_labels
from antecede.report.figures.correlation import SHADES
from antecede.report.figures.layout import Label, label_ends, notes_height, text_width, wrap_notes
from antecede.report.figures.paper import PAGE, SMALL, TINY, figure, new_figure
from antecede.report.figures.style import BLUE, DARK_VERMILLION, GREY, PALE, VERMILLION, choose_ink, get_look
from antecede.study.retrievability import lorenz

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from antecede.report.figures.paper import PaperFigure
    from antecede.study.retrievability import Retrievability

CELL_HEIGHT = 0.2
"""Inches per row of the matrix."""
MOST_CELLS = 16
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
    notes = wrap_notes(
        [f"within the first {last}; {result.topics:,} topics", "Gini: 0 if all documents are found equally often"], PAGE
    )
    height = max(2.5, CELL_HEIGHT * len(methods) + 1.1) + notes_height(notes)
    sheet = new_figure(PAGE, height)
    left, middle, right = sheet.subplots(1, 3, width_ratios=[1.15, 1.15, 1.2])
    draw_lorenz(left, result)
    draw_gini(middle, result, methods, models)
    sheet.supxlabel(notes, size=SMALL)
    sheet.draw_without_rendering()
    draw_lengths(right, result, models)
    return sheet


def draw_lorenz(axes: Axes, result: Retrievability) -> None:
    """All curves in grey, the most and the least even one in colour."""
    known = np.nan_to_num(result.gini[:, -1], nan=1.0)
    best, worst = int(known.argmin()), int(known.argmax())
    for system in range(len(result.systems)):
        x, y = lorenz(result.weights[system, -1])
        step = max(1, len(x) // 400)
        if system not in (best, worst):
            axes.plot(x[::step], y[::step], color=PALE, lw=0.5)
    looks: list[tuple[int, str, Any]] = [(best, BLUE, "-"), (worst, VERMILLION, (0, (4, 1.6)))]
    for system, colour, line in looks[: 1 if worst == best else 2]:
        x, y = lorenz(result.weights[system, -1])
        axes.plot(x, y, color=colour, lw=1.4, ls=line)
    axes.plot([0, 1], [0, 1], color=GREY, lw=0.6, ls=":")
    texts = [(best, BLUE, 0.93), (worst, DARK_VERMILLION, 0.85)][: 1 if worst == best else 2]
    for system, colour, height in texts:
        text = f"{make_labels([result.name(system)], 26)[0]}: {known[system]:.2f}"
        axes.text(0.03, height, text, transform=axes.transAxes, size=TINY, color=colour)
    axes.set_title("Lorenz curves")
    axes.set_xlabel("Documents, least found first")
    axes.set_ylabel("Share of all retrievals")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol="\u202f%"))


def draw_gini(axes: Axes, result: Retrievability, methods: list[str], models: list[str]) -> None:
    """The Gini coefficient of each method and model; darker is more uneven."""
    values = np.full((len(methods), len(models)), np.nan)
    for at, (method, model) in enumerate(result.systems):
        values[methods.index(method), models.index(model)] = result.gini[at, -1]
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    norm = Normalize(low - 0.3 * (high - low) - 1e-9, high + 1e-9)
    axes.imshow(values, cmap=SHADES, norm=norm, aspect="auto")
    axes.set_xticks(range(len(models)), make_labels(models, 18), rotation=90, size=TINY)
    axes.set_yticks(range(len(methods)), make_labels(methods, 18), size=TINY)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if max(values.shape) <= MOST_CELLS:
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                ink = choose_ink(SHADES(norm(float(value))))
                axes.text(column, row, f"{value:.2f}"[1:], ha="center", va="center", size=TINY, color=ink)
    axes.set_title("Gini coefficient")


def draw_lengths(axes: Axes, result: Retrievability, models: list[str]) -> None:
    """For each model, the mean over methods of r(d) by length, relative to the mean of all documents."""
    groups = [group for group in result.groups if group.attribute == "length"]
    x = np.arange(len(groups))
    labels = []
    for number, model in enumerate(models):
        own = [at for at, (_, each) in enumerate(result.systems) if each == model]
        weights = result.weights[own, -1]
        mean = weights.mean(axis=1, keepdims=True)
        relative = weights / np.where(mean > 0, mean, 1.0)
        y = [float(relative[:, group.members].mean()) for group in groups]
        look = get_look(number)
        axes.plot(x, y, color=look.colour, ls=look.line, marker=look.marker, ms=3 * look.scale, lw=1.1)
        labels.append(Label(make_labels([model], 18)[0], float(x[-1]), y[-1], look.label))
    axes.axhline(1, color=GREY, lw=0.5)
    axes.set_xticks(x, [group.name for group in groups], rotation=90, size=TINY)
    axes.set_title("By length")
    axes.set_xlabel("Tokens of the document")
    axes.set_ylabel("r(d), relative to the mean")
    width = axes.get_window_extent().width / axes.figure.dpi
    room = min(0.6, (text_width([label.text for label in labels], TINY) + 0.12) / width)
    span = max(float(x[-1]), 0.5)
    axes.set_xlim(-0.15 * span, span + span * 1.15 * room / (1 - room))
    label_ends(axes, labels, size=TINY)
