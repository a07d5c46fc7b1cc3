"""Results that draw themselves: `robustness(…).plot()` in a notebook, `.plot("figure.svg")` for a paper.

Figures are drawn in a package above the ones that compute results, so results cannot import them: `hooks` leads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.hooks import call

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


def draw(result: object, path: str | Path | None = None, **options: Any) -> Figure:
    """Draw the figure of a result, and write it if a path is given."""
    figure: Figure = call("plot", result, path, **options)
    return figure


class PlotMixin:
    """Adds `.plot()` to a result."""

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the result, and write the figure to a path ending in .svg, .png or .pdf if one is given."""
        return draw(self, path)
