"""How alike measures order the systems: a matrix for each coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, Normalize

from antecede.report.drawing.labelling import text_width
from antecede.report.drawing.names import labels
from antecede.report.drawing.style import BLUE, GREY, PAGE, SMALL, TINY, Drawing, ink_on, sheet, signed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from antecede.comparison.correlation import Correlations

CALLED = {"kendall": "Kendall’s τ-b", "tau_ap": "τ-AP", "spearman": "Spearman’s ρ", "pearson": "Pearson’s r"}
"""The coefficients as papers write them."""

SHADES = LinearSegmentedColormap.from_list("shades", ["#FFFFFF", "#CFE3F1", "#7DB5D8", BLUE, "#003A5C"])
"""White to dark blue, evenly darker: the same order in grey."""
CELL = 0.28
"""Inches: a cell that still holds a number."""


def correlation(result: Correlations) -> Drawing:
    """A triangle of cells for each coefficient, the number in each; the darker, the more alike."""
    many = len(result.measures) - 1
    names = labels(result.measures)
    side, named = max(CELL * many, 0.75), text_width(names, SMALL) + 0.15
    columns = max(1, min(len(result.values), int((PAGE - named) / (side + 0.2))))
    rows = -(-len(result.values) // columns)
    below = named if turned(names) else 0.3
    figure = sheet(max(named + columns * (side + 0.2), 2.0), rows * (side + below + 0.35), squares=True)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(result.values) :]:
        axes.set_axis_off()
    matrices = {name: matrix(result, by_pair) for name, by_pair in result.values.items()}
    lowest = min((np.min(each[np.isfinite(each)], initial=0.5) for each in matrices.values()), default=0.0)
    for place, (axes, (name, values)) in enumerate(zip(grid.flat, matrices.items(), strict=False)):
        draw_triangle(axes, values, names, Normalize(np.floor(10 * max(lowest, 0)) / 10, 1))
        axes.set_title(CALLED.get(name, name))
        if name == "tau_ap":
            axes.set_xlabel("(the reference)", size=TINY, color=GREY, labelpad=1)
        if place % columns:
            axes.tick_params(labelleft=False)
    return figure


def matrix(result: Correlations, by_pair: Mapping[tuple[str, str], float]) -> NDArray[np.float64]:
    """Rows are the second measure of a pair, columns the first; NaN above the diagonal."""
    first, second = result.measures[:-1], result.measures[1:]
    return np.array([[by_pair.get((a, b), np.nan) for a in first] for b in second])


def turned(names: Sequence[str]) -> bool:
    """Whether names below the cells must stand upright."""
    return text_width(names, SMALL) > max(CELL, 0.75 / max(len(names) - 1, 1))


def draw_triangle(axes: Axes, values: NDArray[np.float64], names: Sequence[str], norm: Normalize) -> None:
    """The cells with their numbers, and the names at both sides."""
    count = len(values)
    axes.pcolormesh(np.ma.masked_invalid(values), cmap=SHADES, norm=norm, edgecolor="white", linewidth=1.2)
    for row, column in zip(*np.tril_indices(count), strict=True):
        value = values[row, column]
        ink = ink_on(SHADES(norm(value)))
        axes.text(column + 0.5, row + 0.5, coefficient(value), ha="center", va="center_baseline", size=TINY, color=ink)
    axes.set_yticks(np.arange(count) + 0.5, names[1:])
    axes.set_xticks(np.arange(count) + 0.5, names[:-1], rotation=90 if turned(names) else 0)
    axes.set_ylim(count, 0)
    axes.set_xlim(0, count)
    axes.set_aspect("equal")
    axes.tick_params(length=0, pad=1.5)
    axes.spines[:].set_visible(False)


def coefficient(value: float) -> str:
    """Two digits without the leading zero; 1 only where it is 1."""
    if np.isnan(value):
        return "–"
    if 0.995 <= value < 1 - 1e-12:
        return ">.99"
    return signed(value, 2).replace("0.", ".", 1)
