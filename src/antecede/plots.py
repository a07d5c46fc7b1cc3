"""Results that can draw themselves: `robustness(…).plot()` in a notebook, `.plot("figure.svg")` for a paper."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


class Plotted:
    """A result with a figure of its own."""

    figure: ClassVar[str]
    """The name of the figure among `antecede.report.figures.FIGURES`."""

    def plot(self, path: str | Path | None = None, **how: Any) -> Figure:
        """Draw the result; write it to a path ending in .svg, .png or .pdf if one is given."""
        # Figures stand above the rooms that have results, and load matplotlib: they are looked up only when asked for.
        figures = import_module("antecede.report.figures")
        drawn: Figure = figures.FIGURES[self.figure](self, path, **how)
        return drawn
