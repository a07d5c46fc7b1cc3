"""How similarly measures order the systems: one matrix per coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, Normalize

from antecede.report.display_text import make_labels
from antecede.report.figures.layout import (
    balance_columns,
    count_rows,
    draw_panels,
    notes_height,
    text_width,
    wrap_notes,
)
from antecede.report.figures.paper import PAGE, SMALL, TINY, figure, new_figure
from antecede.report.figures.style import BLUE, choose_ink, format_signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.comparison.correlation import Correlations
    from antecede.report.figures.paper import PaperFigure

TITLES = {"kendall": "Kendall’s τ-b", "tau_ap": "τ-AP", "spearman": "Spearman’s ρ", "pearson": "Pearson’s r"}
"""The coefficients as papers write them."""
SHADES = LinearSegmentedColormap.from_list("shades", ["#FFFFFF", "#CFE3F1", "#7DB5D8", BLUE, "#003A5C"])
"""White to dark blue with evenly falling lightness, so that greyscale preserves the order."""
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
    side, name_width = max(CELL * (len(names) - 1), 0.75), text_width(names, SMALL) + 0.15
    columns = balance_columns(len(result.values), int((PAGE - name_width) / (side + 0.2)))
    rows = count_rows(len(result.values), columns)
    below = name_width if is_rotated(names) else 0.3
    width = max(name_width + columns * (side + 0.2), 2.0)
    notes = wrap_notes([DARKER, *([REFERENCE] if "tau_ap" in result.values else [])], width)
    height = rows * (side + below + 0.35) + notes_height(notes)
    sheet = new_figure(width, height, square_cells=True)
    panels = draw_panels(sheet, len(result.values), columns)
    matrices = {name: make_matrix(result, by_pair) for name, by_pair in result.values.items()}
    lowest = min((np.min(each[np.isfinite(each)], initial=0.5) for each in matrices.values()), default=0.0)
    for place, (axes, (name, values)) in enumerate(zip(panels, matrices.items(), strict=True)):
        draw_triangle(axes, values, names, Normalize(np.floor(10 * max(lowest, 0)) / 10, 1))
        axes.set_title(TITLES.get(name, name))
        if place % columns:
            axes.tick_params(labelleft=False)
    sheet.supxlabel(notes, size=SMALL)
    return sheet


def make_matrix(result: Correlations, by_pair: Mapping[tuple[str, str], float]) -> NDArray[np.float64]:
    """Rows are the second measure of a pair, columns the first; NaN above the diagonal."""
    first, second = result.measures[:-1], result.measures[1:]
    return np.array([[by_pair.get((a, b), np.nan) for a in first] for b in second])


def is_rotated(names: Sequence[str]) -> bool:
    """Whether the names below the cells must be rotated to fit."""
    return text_width(names, SMALL) > max(CELL, 0.75 / max(len(names) - 1, 1))


def draw_triangle(axes: Axes, values: NDArray[np.float64], names: Sequence[str], norm: Normalize) -> None:
    """The cells with their numbers, and the names on two sides."""
    count = len(values)
    axes.pcolormesh(np.ma.masked_invalid(values), cmap=SHADES, norm=norm, edgecolor="white", linewidth=1.2)
    for row, column in zip(*np.tril_indices(count), strict=True):
        value = values[row, column]
        ink = choose_ink(SHADES(norm(value)))
        text = format_coefficient(value)
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center_baseline", size=TINY, color=ink)
    axes.set_yticks(np.arange(count) + 0.5, names[1:])
    axes.set_xticks(np.arange(count) + 0.5, names[:-1], rotation=90 if is_rotated(names) else 0)
    axes.set_ylim(count, 0)
    axes.set_xlim(0, count)
    axes.set_aspect("equal")
    axes.tick_params(length=0, pad=1.5)
    axes.spines[:].set_visible(False)


def format_coefficient(value: float) -> str:
    """Two decimals without the leading zero; 1.00 only for exactly 1."""
    if np.isnan(value):
        return "–"
    if 0.995 <= value < 1 - 1e-12:
        return ">.99"
    return format_signed(value, 2).replace("0.", ".", 1)
