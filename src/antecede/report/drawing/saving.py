"""Figures as files: the ending of the path says which kind, and the same figure gives the same bytes."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG

from antecede.errors import UsageError, shown
from antecede.report.drawing.style import settings
from antecede.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.backend_bases import FigureCanvasBase
    from matplotlib.figure import Figure

DOTS = 300
"""Dots per inch of a PNG, as printers ask."""

CANVASES: dict[str, type[FigureCanvasBase]] = {"svg": FigureCanvasSVG, "png": FigureCanvasAgg, "pdf": FigureCanvasPdf}

UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""What matplotlib would note about itself and the hour: with it, no two files would be the same."""


def kind_of(path: str | Path) -> str:
    """svg, png or pdf, by the ending of the path."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in CANVASES:
        endings = ", ".join(f".{each}" for each in CANVASES)
        raise UsageError(f"{shown(str(path))}: a figure cannot be written so; end its name in one of {endings}")
    return kind


def rendered(figure: Figure, kind: str) -> bytes:
    """The file, in memory."""
    out = io.BytesIO()
    before = figure.canvas
    with settings(), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box, or by the reader's own fonts in an SVG. It is no reason to fail.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        CANVASES[kind](figure).print_figure(out, format=kind, dpi=DOTS, metadata=UNDATED[kind])
    figure.set_canvas(before)
    return out.getvalue()


def drawn(path: str | Path | None, draw: Callable[..., Figure], *what: object, **how: object) -> Figure:
    """Draw a figure, write it if a path is given, and return it. A wrong ending is refused before any work."""
    kind = None if path is None else kind_of(path)
    with settings(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = draw(*what, **how)
        # The layout moves a bit each time it is made: make it until it stands, then keep it.
        for _ in range(2):
            figure.draw_without_rendering()
        figure.set_layout_engine("none")
    if path is not None and kind is not None:
        write_whole(path, rendered(figure, kind))
    return figure
