"""How every figure looks: widths of a paper, sizes of type, and colours that survive grey print and colour blindness.

A thing is told from another by colour *and* by a marker, a line style or a place, never by colour alone.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib.style
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

COLUMN, PAGE = 3.35, 7.0
"""Widths in inches: one column of a two-column paper, and both."""
TALLEST = 9.2
"""Inches: a figure that must be taller than this does not fit on a page."""

TEXT, SMALL, TINY = 8.0, 7.0, 6.0
"""Sizes of type in points."""
INK, GREY, PALE, FAINT = "#222222", "#6E6E6E", "#C8C8C8", "#EDEDED"

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
"""Okabe & Ito, Color Universal Design (2008); their yellow is left out, white paper swallows it."""

THIN_SPACE = "\u202f"
"""Before a percent sign; it does not break."""


@dataclass(frozen=True)
class Look:
    """How one series is drawn."""

    colour: str
    marker: str
    line: Any
    """A line style of matplotlib: a word, or (offset, lengths of dashes and gaps)."""
    label: str
    """The colour of text: the same, darker where the colour is too light to read."""
    scale: float = 1.0
    """By how much the marker must be larger than a circle to weigh as much."""


SOLID, DASHED, DOTTED = "solid", (0, (4, 1.6)), (0, (1, 1.3))
DASH_DOT, LONG, DASH_DOT_DOT = (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (4, 1.3, 1, 1.3, 1, 1.3))

LOOKS: tuple[Look, ...] = (
    Look(BLUE, "o", SOLID, BLUE),
    Look(VERMILLION, "s", DASHED, "#B04D00", 0.9),
    Look(BLACK, "^", DASH_DOT, BLACK, 1.1),
    Look(GREEN, "D", LONG, "#007A59", 0.85),
    Look(PURPLE, "v", DASH_DOT_DOT, "#9C4F78", 1.1),
    Look(ORANGE, "P", SOLID, "#8F6300", 1.25),
    Look(SKY, "X", DASHED, "#2077A8", 1.2),
    Look(GREY, "<", DASH_DOT, GREY, 1.1),
    Look("#7A4A1E", ">", LONG, "#7A4A1E", 1.1),
    Look("#4B0F6B", "*", DASH_DOT_DOT, "#4B0F6B", 1.5),
)
"""Dots are for the worst case, and for what lies in between."""

SETTINGS: dict[str, Any] = {
    "font.family": ["sans-serif"],
    # DejaVu Sans comes with matplotlib, so text is as wide on every machine. Those behind it are for whoever opens an
    # SVG without it: Verdana has nearly its widths, the others are narrower, so nothing runs into anything.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica", "Arial"],
    "font.size": TEXT,
    "text.parse_math": False,  # the $ in a run's name is a dollar sign
    "text.hinting": "none",  # hinted letters are narrower at fewer dots: a layout would hold for one kind of file only
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
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and edited
    "svg.hashsalt": "antecede",
    "pdf.fonttype": 42,  # TrueType, embedded: what publishers ask for
}


@contextmanager
def settings() -> Iterator[None]:
    """These settings and no others: not those of the user's matplotlibrc, which come back afterwards."""
    with matplotlib.style.context(SETTINGS, after_reset=True):
        yield


def look(number: int) -> Look:
    """The look of the series of that number; more than there are begin anew."""
    return LOOKS[number % len(LOOKS)]


class Drawing(Figure):
    """A figure that shows itself in a notebook, with or without pyplot."""

    def _repr_svg_(self) -> str:
        from antecede.report.drawing.saving import rendered

        return rendered(self, "svg").decode()


def sheet(width: float, height: float, *, squares: bool = False) -> Drawing:
    """An empty figure of that size in inches, which makes room for all its labels; `squares` keep their shape."""
    return Drawing(figsize=(width, height), layout="compressed" if squares else "constrained")


def percent(share: float, digits: int = 0) -> str:
    """A share as people read it: 0.2 is 20 %."""
    return f"{100 * share:.{digits}f}{THIN_SPACE}%"


def counted(count: int, what: str) -> str:
    """A number with its noun: 1 pair, 1,128 pairs."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def signed(value: float, digits: int) -> str:
    """A number with a true minus sign."""
    return f"{value:.{digits}f}".replace("-", "−")


def ink_on(paper: Any) -> str:
    """Black or white: what is read better on a colour."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(paper)]
    luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return "white" if luminance < 0.22 else "black"


def heading(axes: Axes, text: str) -> None:
    """A title that begins at the left edge of the figure, for axes whose names take up much of the width."""
    axes.set_title(" ")
    axes.annotate(
        text,
        xy=(0.0, 1.0),
        xycoords=("figure fraction", "axes fraction"),
        xytext=(2, 5),
        textcoords="offset points",
        weight="bold",
        size=TEXT,
        annotation_clip=False,
    ).set_in_layout(False)


def bare(axes: Axes, *sides: str) -> None:
    """Take away the lines on these sides, and their ticks."""
    for side in sides:
        axes.spines[side].set_visible(False)
        axes.tick_params(axis="y" if side in ("left", "right") else "x", which="both", **{side: False})
