"""Colours, markers and line styles that survive greyscale printing and colour blindness, and the format of numbers.

Series are distinguished by colour *and* by marker, line style or position, never by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.colors import to_rgb

GREY, PALE, FAINT = "#6E6E6E", "#C8C8C8", "#EDEDED"

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
"""Okabe & Ito, Color Universal Design (2008), without their yellow, which is hard to see on white paper."""
DARK_VERMILLION = "#B04D00"
"""Vermillion for text: dark enough to read."""

THIN_SPACE = "\u202f"
"""A narrow no-break space, placed before percent signs."""


@dataclass(frozen=True)
class Look:
    """The appearance of one series."""

    colour: str
    marker: str
    line: Any
    """A matplotlib line style: a word, or (offset, lengths of dashes and gaps)."""
    label: str
    """The colour of its text: the same, or darker where the colour is too light to read."""
    scale: float = 1.0
    """Relative size of the marker that makes it as prominent as a circle."""


SOLID, DASHED, DOTTED = "solid", (0, (4, 1.6)), (0, (1, 1.3))
DASH_DOT, LONG, DASH_DOT_DOT = (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (4, 1.3, 1, 1.3, 1, 1.3))

LOOKS: tuple[Look, ...] = (
    Look(BLUE, "o", SOLID, BLUE),
    Look(VERMILLION, "s", DASHED, DARK_VERMILLION, 0.9),
    Look(BLACK, "^", DASH_DOT, BLACK, 1.1),
    Look(GREEN, "D", LONG, "#007A59", 0.85),
    Look(PURPLE, "v", DASH_DOT_DOT, "#9C4F78", 1.1),
    Look(ORANGE, "P", SOLID, "#8F6300", 1.25),
    Look(SKY, "X", DASHED, "#2077A8", 1.2),
    Look(GREY, "<", DASH_DOT, GREY, 1.1),
    Look("#7A4A1E", ">", LONG, "#7A4A1E", 1.1),
    Look("#4B0F6B", "*", DASH_DOT_DOT, "#4B0F6B", 1.5),
)
"""Dotted lines are not among them: they show minima and interpolated values."""


def get_look(number: int) -> Look:
    """The look of the series with that number; the looks repeat after the last."""
    return LOOKS[number % len(LOOKS)]


def choose_ink(background: Any) -> str:
    """Black or white, whichever is more readable on the background, by its relative luminance (WCAG 2)."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(background)]
    luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return "white" if luminance < 0.22 else "black"


def format_percent(share: float, digits: int = 0) -> str:
    """A share in percent: 0.2 is 20 %."""
    return f"{100 * share:.{digits}f}{THIN_SPACE}%"


def format_signed(value: float, digits: int) -> str:
    """A number with a typographic minus sign."""
    return f"{value:.{digits}f}".replace("-", "−")
