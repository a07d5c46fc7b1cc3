"""Figures for papers: sizes, matplotlib settings and file formats, and the figures by name.

A figure is a function that takes a result and its options and returns a `PaperFigure`. The decorator registers it:

    @figure("systems", result="Scores")
    def systems(scores: Scores, *, sort: str | None = None) -> PaperFigure:
        \"""Systems sorted by one measure, with the other measures beside it.\"""

`result` names the classes whose `.plot()` draws this figure. A further figure of the same class leaves it out.
"""

from __future__ import annotations

import inspect
import io
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec

import matplotlib.style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from antecede.errors import UsageError, printable
from antecede.files import write_whole
from antecede.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.backend_bases import FigureCanvasBase

P = ParamSpec("P")

COLUMN, PAGE = 3.35, 7.0
"""Widths in inches: one column of a two-column paper, and both."""
MAX_HEIGHT = 9.2
"""Inches: a taller figure does not fit on a page."""
TEXT, SMALL, TINY = 8.0, 7.0, 6.0
"""Font sizes in points."""
INK = "#222222"
"""The colour of text and axes."""
DPI = 300
"""Resolution of PNG files, as printers require."""

CANVASES: dict[str, type[FigureCanvasBase]] = {"svg": FigureCanvasSVG, "png": FigureCanvasAgg, "pdf": FigureCanvasPdf}

METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "antecede"},
    "png": {"Software": "antecede"},
    "pdf": {"CreationDate": None, "Creator": "antecede", "Producer": None},
}
"""No date and no version, so that equal figures give equal files; the creator marks a figure as ours."""

SETTINGS: dict[str, Any] = {
    "font.family": ["sans-serif"],
    # DejaVu Sans ships with matplotlib, so text has the same width on every machine. The fallbacks are for readers of
    # an SVG without it: Verdana has nearly the same widths, the others are narrower, so labels cannot collide.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica", "Arial"],
    "font.size": TEXT,
    "text.parse_math": False,  # the $ in a run's name is a dollar sign
    "text.hinting": "none",  # hinting narrows letters at low resolution, and the layout would depend on the file format
    "text.color": INK,
    "axes.titlesize": TEXT,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 5.0,
    "axes.labelsize": TEXT,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#E2E2E2",
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "xtick.minor.width": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.6,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handletextpad": 0.3,
    "legend.columnspacing": 1.2,
    "legend.borderpad": 0.0,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "figure.dpi": 100,
    "svg.fonttype": "none",  # text stays text, which can be searched, read aloud and edited
    "svg.hashsalt": "antecede",
    "pdf.fonttype": 42,  # embedded TrueType, as publishers require
}


@contextmanager
def paper_settings() -> Iterator[None]:
    """Use exactly these settings, ignoring the user's matplotlibrc, and restore the user's settings afterwards."""
    with matplotlib.style.context(SETTINGS, after_reset=True), warnings.catch_warnings():
        # A character missing from the font is drawn as a box, or by the reader's fonts in an SVG: not worth an error.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


class PaperFigure(Figure):
    """A figure that displays itself in a notebook, with or without pyplot."""

    def lay_out(self) -> None:
        """Place axes and labels, as drawing would: twice as fast, since nothing is drawn."""
        engine = self.get_layout_engine()
        if engine is not None:
            engine.execute(self)

    def _repr_svg_(self) -> str:
        return render(self, "svg").decode()


def new_figure(width: float, height: float, *, square_cells: bool = False) -> PaperFigure:
    """An empty figure of that size in inches, which leaves room for its labels; `square_cells` keeps axes square."""
    return PaperFigure(figsize=(width, height), layout="compressed" if square_cells else "constrained")


def resolve_format(path: str | Path) -> str:
    """svg, png or pdf, from the suffix of the path."""
    file_format = Path(path).suffix.lower().removeprefix(".")
    if file_format not in CANVASES:
        suffixes = ", ".join(f".{name}" for name in CANVASES)
        raise UsageError(f"{printable(str(path))}: unsupported figure format; end its name in one of {suffixes}")
    return file_format


def render(drawn: Figure, file_format: str) -> bytes:
    """The figure as the contents of a file."""
    out = io.BytesIO()
    before = drawn.canvas
    with paper_settings():
        CANVASES[file_format](drawn).print_figure(out, format=file_format, dpi=DPI, metadata=METADATA[file_format])
    drawn.set_canvas(before)
    return out.getvalue()


# The figures by name


@dataclass(frozen=True, eq=False)
class FigureDefinition(Generic[P]):
    """A registered figure. Calling it draws the figure; `write` also saves it."""

    name: str
    function: Callable[P, PaperFigure]
    results: tuple[str, ...]
    """Names of the result classes whose `.plot()` draws this figure."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> PaperFigure:
        """Draw the figure, independently of the user's matplotlib settings."""
        with paper_settings():
            drawn = self.function(*args, **kwargs)
            # Constrained layout shifts a little on each pass: let it converge, then freeze it.
            for _ in range(2):
                drawn.lay_out()
            drawn.set_layout_engine("none")
        return drawn

    def write(self, path: str | Path, *args: P.args, **kwargs: P.kwargs) -> PaperFigure:
        """Draw the figure and write it atomically; an unknown file format is refused before anything is drawn."""
        file_format = resolve_format(path)
        drawn = self(*args, **kwargs)
        write_whole(path, render(drawn, file_format))
        return drawn

    @property
    def doc(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """What the figure shows, in one line."""
        return self.doc.split("\n", 1)[0]

    @property
    def options(self) -> tuple[str, ...]:
        """The keyword-only parameters of the function."""
        parameters = inspect.signature(self.function).parameters.values()
        return tuple(option.name for option in parameters if option.kind is option.KEYWORD_ONLY)


FIGURES: Registry[FigureDefinition[...]] = Registry(
    "figure", package="antecede.report.figures", group="antecede.figures"
)
"""Every figure by name; other distributions add theirs through entry points."""


def figure(
    name: str, *, result: str | tuple[str, ...] = ()
) -> Callable[[Callable[P, PaperFigure]], FigureDefinition[P]]:
    """Register a function as a figure; `result` names the classes whose `.plot()` draws it."""

    def register(function: Callable[P, PaperFigure]) -> FigureDefinition[P]:
        definition = FigureDefinition(name, function, (result,) if isinstance(result, str) else result)
        FIGURES.add(name, definition)
        return definition

    return register


def find_figure(result: object) -> FigureDefinition[...]:
    """The figure that `.plot()` of a result draws: that of its class, or else of the nearest base class."""
    by_class = {name: definition for definition in FIGURES.values() for name in definition.results}
    for base in type(result).__mro__:
        if base.__name__ in by_class:
            return by_class[base.__name__]
    raise UsageError(f"no figure draws a {type(result).__name__}; register one with @figure(…, result=…)")


def plot_result(result: object, path: str | Path | None = None, **options: Any) -> PaperFigure:
    """Draw the figure of a result, and write it if a path is given."""
    definition = find_figure(result)
    return definition(result, **options) if path is None else definition.write(path, result, **options)
