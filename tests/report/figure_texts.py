"""The texts of a figure as drawn: where they are, and which overlap or leave the figure."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary
from xml.etree import ElementTree

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from PIL import Image

from antecede.report.figures.paper import paper_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.artist import Artist
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox
    from numpy.typing import NDArray

DOTS = 300
SLACK = 2.0
"""Dots: a smaller overlap is invisible."""


CLEARANCE = 4.0
"""Dots between a text and a vertical axis line beside it."""


BOXES: WeakKeyDictionary[Figure, list[tuple[Text, Bbox]]] = WeakKeyDictionary()


def text_boxes(figure: Figure) -> list[tuple[Text, Bbox]]:
    """Every text object that is drawn, with its bounding box in dots; found once, and without a picture."""
    if figure not in BOXES:
        with drawn_for_print(figure) as canvas:
            figure.draw_without_rendering()
            BOXES[figure] = measured(figure, canvas)
    return BOXES[figure]


def picture(figure: Figure) -> NDArray[np.uint8]:
    """The figure as a picture in grey, in which every text is where its box is."""
    with drawn_for_print(figure) as canvas:
        canvas.draw()
        BOXES[figure] = measured(figure, canvas)
        return np.asarray(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("L"))


@contextmanager
def drawn_for_print(figure: Figure) -> Iterator[Any]:
    """A canvas with the dots of a print."""
    with paper_settings():
        figure.set_dpi(DOTS)
        yield FigureCanvasAgg(figure)


def measured(figure: Figure, canvas: Any) -> list[tuple[Text, Bbox]]:
    """Every text that is drawn. Of an annotation the text alone counts, not the line to its point."""
    hidden, pen = undrawn(figure), canvas.get_renderer()
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [(text, Text.get_window_extent(text, pen)) for text in found if text not in hidden]


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
        text.get_text()
        for text, box in text_boxes(figure)
        if box.x0 < page.x0 - SLACK or box.x1 > page.x1 + SLACK or box.y0 < page.y0 - SLACK or box.y1 > page.y1 + SLACK
    ]


def overlaps(figure: Figure) -> list[tuple[str, str]]:
    """Texts that overlap. Boxes are taken a bit smaller, since letters do not fill them from top to bottom."""
    boxes = text_boxes(figure)
    low, high = np.array([(box.min, box.max) for _, box in boxes]).reshape(-1, 2, 2).transpose(1, 0, 2)
    shared = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    heights = (high - low)[:, 1]
    wide, tall = shared[..., 0] > SLACK, shared[..., 1] > 0.3 * np.minimum(heights[:, None], heights[None])
    pairs = np.argwhere(np.triu(wide & tall, k=1)).tolist()
    return [(boxes[one][0].get_text(), boxes[other][0].get_text()) for one, other in pairs]


def on_axis_lines(figure: Figure) -> list[str]:
    """Labels inside axes that an axis line crosses."""
    boxes = {id(text): box for text, box in text_boxes(figure)}
    found = []
    for axes in figure.findobj(Axes):
        lines = [name for name, spine in axes.spines.items() if spine.get_visible() and axes.axison]
        for text in axes.texts:
            box = boxes.get(id(text))
            if box is not None and any(is_crossed(box, axes.bbox, line) for line in lines):
                found.append(text.get_text())
    return found


def is_crossed(box: Bbox, frame: Bbox, side: str) -> bool:
    """Whether the axis line on one side of the frame runs through a text; a vertical one must keep a distance."""
    gap = SLACK
    if side in ("left", "right"):
        gap = -CLEARANCE
        at, beside = (frame.x0 if side == "left" else frame.x1), (box.x0, box.x1)
        touches = box.y1 > frame.y0 and box.y0 < frame.y1
    else:
        at, beside = (frame.y0 if side == "bottom" else frame.y1), (box.y0, box.y1)
        touches = box.x1 > frame.x0 and box.x0 < frame.x1
    return bool(touches and beside[0] + gap < at < beside[1] - gap)


def svg_texts(data: bytes) -> list[str]:
    """The texts of an SVG, in order; it must be well-formed."""
    root = ElementTree.fromstring(data)  # noqa: S314 (our own bytes)
    return ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
