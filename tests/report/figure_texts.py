"""The texts of a figure as drawn: where they are, and which overlap or leave the figure."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from antecede.report.figures.paper import paper_settings

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

DOTS = 300
SLACK = 2.0
"""Dots: a smaller overlap is invisible."""


def texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text that is drawn, with its bounding box in dots."""
    with paper_settings(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.set_dpi(DOTS)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        hidden, pen = undrawn(figure), canvas.get_renderer()
        found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
        # Of an annotation the text alone counts, not the line to its point.
        return [(text.get_text(), Text.get_window_extent(text, pen)) for text in found if text not in hidden]


def undrawn(figure: Figure) -> set[Artist]:
    """Texts that axes hold but do not draw: those of ticks beyond the limits, or of hidden axes."""
    hidden: set[Artist] = set()
    for axes in figure.findobj(Axes):
        for axis in (axes.xaxis, axes.yaxis):
            ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            drawn = cast("Any", axis)._update_ticks() if axes.axison else []
            hidden |= {label for tick in ticks if tick not in drawn for label in (tick.label1, tick.label2)}
    return hidden


def outside(figure: Figure) -> list[str]:
    """Texts that extend beyond the figure."""
    page = figure.bbox
    return [
        text
        for text, box in texts(figure)
        if box.x0 < page.x0 - SLACK or box.x1 > page.x1 + SLACK or box.y0 < page.y0 - SLACK or box.y1 > page.y1 + SLACK
    ]


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Texts that overlap. Boxes are taken a bit smaller, since letters do not fill them from top to bottom."""
    boxes = texts(figure)
    found = []
    for (one, a), (other, b) in combinations(boxes, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        if wide > SLACK and high > 0.3 * min(a.height, b.height):
            found.append((one, other))
    return found


def svg_texts(data: bytes) -> list[str]:
    """The texts of an SVG, in order; it must be well-formed."""
    root = ElementTree.fromstring(data)  # noqa: S314 (our own bytes)
    return ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
