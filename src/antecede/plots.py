"""Results that draw themselves: `robustness(…).plot()` in a notebook, `.plot("figure.svg")` for a paper.

Figures are drawn in a package above the ones that compute results, so results cannot import them. The one way up is a
hook: the package's `__init__` installs a function that loads `antecede.report` when something is drawn for the first
time, and `draw` calls it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

_plotter: Callable[..., Figure]


def set_plotter(plotter: Callable[..., Figure]) -> None:
    """Install the function that draws a result, and writes the figure if a path is given."""
    global _plotter
    _plotter = plotter


def draw(result: object, path: str | Path | None = None, **options: Any) -> Figure:
    """Draw the figure of a result with the installed plotter."""
    return _plotter(result, path, **options)


class PlotMixin:
    """Adds `.plot()` to a result."""

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the result, and write the figure to a path ending in .svg, .png or .pdf if one is given."""
        return draw(self, path)
