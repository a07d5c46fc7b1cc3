"""Charts with a row a run: how tall they are, how large their type, and the names down the side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.report.drawing.names import LONGEST, labels
from antecede.report.drawing.style import FAINT, SMALL, TALLEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

PITCH, CLOSEST = 0.14, 0.074
"""Inches from row to row: as a rule, and at the very least."""


def pitch(count: int, room: float = TALLEST - 0.8) -> float:
    """Inches from row to row: less for many rows, so that they fit on a page."""
    return min(PITCH, max(CLOSEST, room / max(count, 1)))


def type_size(count: int) -> float:
    """The size of the names in points."""
    return min(SMALL, 72 * pitch(count) * 0.86)


def name_rows(axes: Axes, names: Sequence[str], *, longest: int = LONGEST) -> None:
    """Write the names down the left side, the first on top."""
    count = len(names)
    axes.set_yticks(np.arange(count), labels(names, longest), size=type_size(count))
    axes.set_ylim(count - 0.4, -0.6)
    axes.tick_params(axis="y", length=0, pad=2)


def stripe(panels: Iterable[Axes], count: int) -> None:
    """Stripes that lead the eye from a name to its marks."""
    for axes in panels:
        axes.tick_params(axis="y", length=0)
        for row in range(0, count, 2):
            axes.axhspan(row - 0.5, row + 0.5, color=FAINT, alpha=0.6, lw=0, zorder=0)
