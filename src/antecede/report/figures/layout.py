"""Placement, colours and number formats of figures: labels without overlap, legends, rows of runs, grids of panels.

Colours, markers and line styles survive greyscale printing and colour blindness: series are distinguished by colour
*and* by marker, line style or position, never by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath
from matplotlib.ticker import MaxNLocator, NullLocator, PercentFormatter

from antecede.errors import UsageError, printable, suggest_names
from antecede.report.display_text import make_labels
from antecede.report.figures.paper import COLUMN, MAX_HEIGHT, PAGE, SMALL, TEXT, PaperFigure, new_figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

GREY, PALE, FAINT = "#6E6E6E", "#C8C8C8", "#EDEDED"

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
"""Okabe & Ito, Color Universal Design (2008), without their yellow, which is hard to see on white paper."""
SEQUENTIAL = LinearSegmentedColormap.from_list("shades", ["#FFFFFF", "#CFE3F1", "#7DB5D8", BLUE, "#003A5C"])
"""White to dark blue with evenly falling lightness, so that greyscale preserves the order."""
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

    def marks(self, size: float) -> dict[str, Any]:
        """How `plot` draws marks of that size alone."""
        return {"color": self.colour, "marker": self.marker, "ms": size * self.scale, "ls": "none"}

    def marked_line(self, size: float, width: float) -> dict[str, Any]:
        """How `plot` draws a line with marks of that size."""
        return {**self.marks(size), "ls": self.line, "lw": width}


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
    return "white" if np.dot((0.2126, 0.7152, 0.0722), parts) < 0.22 else "black"


def format_percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}{THIN_SPACE}%"


def format_signed(value: float, digits: int) -> str:
    """A number with a typographic minus sign."""
    return f"{value:.{digits}f}".replace("-", "−")


def choose_highlights(named: Sequence[str] | None, runs: Sequence[str], otherwise: Sequence[int]) -> list[int]:
    """The positions of the runs to highlight."""
    if not named:
        return list(otherwise)
    unknown = next((name for name in named if name not in runs), None)
    if unknown is not None:
        raise UsageError(f"no run to highlight is called '{printable(unknown)}'{suggest_names(unknown, runs)}")
    chosen = list(dict.fromkeys(runs.index(name) for name in named))
    if len(chosen) > len(LOOKS):
        raise UsageError(f"at most {len(LOOKS)} runs can be told apart; highlight fewer than {len(chosen)}")
    return chosen


LINE_HEIGHT = 1.2
"""Height of a line of text, relative to the font size."""
FONT = "DejaVu Sans"
"""The font that widths are measured in: it ships with matplotlib."""
NOTE_MARGIN = 0.1
"""Inches left free beside a note, in all."""
LEGEND_HANDLE = 0.42
"""Inches for the handle of a legend entry and the space around the entry."""
LEADER = {"arrowstyle": "-", "lw": 0.4, "color": GREY, "shrinkA": 0, "shrinkB": 3}
"""The line from a displaced label to its point."""
ROW_HEIGHT, MIN_ROW_HEIGHT = 0.14, 0.074
"""Inches per row in a chart with one row per run."""
CURVE_LABEL_LENGTH = 18
"""Characters in the label of a curve."""
TICK_GAP = 0.05
"""Inches between the labels of two ticks."""
MIN_PANEL_WIDTH = 1.1
"""Inches that the curves of a panel need."""


# Text


def text_width(texts: Sequence[str], size: float) -> float:
    """Width in inches of the longest text."""
    return max(map(_measure_text, texts), default=0.0) * size / 72


@cache
def _measure_text(text: str) -> float:
    font = FontProperties(family=FONT, size=100.0)
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 100.0


def wrap_notes(notes: Sequence[str], width: float) -> str:
    """Notes below a figure, capitalised, joined by semicolons and broken into lines that fit in `width` inches."""
    lines = [""]
    for word in "; ".join(notes).split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width([longer], SMALL) > width - NOTE_MARGIN:
            lines.append(word)
        else:
            lines[-1] = longer
    text = "\n".join(lines)
    return text[:1].upper() + text[1:]


def put_text(axes: Axes, text: str, point: tuple[float, float], offset: tuple[float, float], **style: Any) -> None:
    """Write a small text beside a point, at an offset in points."""
    axes.annotate(text, point, xytext=offset, textcoords="offset points", **{"size": SMALL, **style})


def set_wide_title(axes: Axes, text: str) -> None:
    """A title that starts at the left edge of the figure, for axes whose row names take up much of the width."""
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


def set_round_ticks(axis: Axis, most: int, *, integer: bool = False) -> None:
    """At most so many intervals between ticks, at multiples of 1, 2 or 5; fewer where their labels have no room."""
    axis.set_major_locator(_RoomyLocator(most, steps=[1, 2, 5, 10], integer=integer))


class _RoomyLocator(MaxNLocator):
    """Round ticks, of a horizontal axis so few that their labels stay apart however narrow the panel is."""

    def __init__(self, most: int, **how: Any) -> None:
        super().__init__(most, **how)
        self.most = most

    def tick_values(self, vmin: float, vmax: float) -> Any:
        """The ticks in view, and one beyond each end."""
        for most in range(self.most, 0, -1):
            self.set_params(nbins=most)
            values = np.asarray(super().tick_values(vmin, vmax))
            seen = values[(values >= min(vmin, vmax)) & (values <= max(vmin, vmax))]
            if self._are_apart(seen, abs(vmax - vmin)):
                return values
        return seen[np.argsort(np.abs(seen), kind="stable")[:1]]  # one number, 0 if it is in view

    def _are_apart(self, values: Floats, span: float) -> bool:
        axis: Any = self.axis
        room = axis.axes.get_window_extent().width / axis.axes.figure.dpi
        if axis.axis_name != "x" or len(values) < 2 or room <= 0 or span <= 0:
            return True
        size = axis.get_major_ticks(1)[0].label1.get_size()
        wide = [text_width([text], size) for text in axis.get_major_formatter().format_ticks(values)]
        needed = [(one + other) / 2 + TICK_GAP for one, other in pairwise(wide)]
        return bool(np.all(np.diff(values) / span * room >= needed))


def set_percent_ticks(axis: Axis) -> None:
    """Shares between 0 and 1 in percent."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=f"{THIN_SPACE}%"))


def clear_frame(axes: Axes, pad: float = 3.5) -> None:
    """Neither ticks nor axis lines: the cells of a matrix need none."""
    axes.tick_params(length=0, pad=pad)
    axes.spines[:].set_visible(False)


# Labels beside the ends of lines


@dataclass(frozen=True)
class Label:
    """A text that belongs to a point of a line."""

    text: str
    x: float
    y: float
    colour: str
    weight: str = "normal"


def spread(wanted: Sequence[float] | Floats, gap: float, low: float, high: float) -> Floats:
    """Positions as near as possible to those wanted, at least `gap` apart and between `low` and `high`.

    Least squares: after subtracting i·gap from the i-th position, "at least a gap apart" becomes "non-decreasing", an
    isotonic regression that pooling adjacent violators solves. The gap shrinks where there is not enough room.
    """
    places = np.asarray(wanted, dtype=np.float64)
    count = len(places)
    if not count:
        return places
    gap = min(gap, (high - low) / max(count - 1, 1))
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(count)
    pools: list[tuple[float, int]] = []
    for value in places[order] - steps:
        pools.append((float(value), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (late, many), (early, few) = pools.pop(), pools.pop()
            pools.append(((late * many + early * few) / (many + few), many + few))
    pooled = np.repeat([value for value, _ in pools], [size for _, size in pools])
    result = np.empty(count)
    result[order] = np.clip(pooled, low, high - steps[-1]) + steps
    return result


def label_ends(
    axes: Axes, labels: Sequence[Label], *, size: float = SMALL, side: str = "right", off: float = 6.0
) -> None:
    """Write labels in one column, `off` points to the right or left of their points, each near its point's height.

    Call it once the axes have their limits: the height of a line of text depends on the layout.
    """
    if not labels:
        return
    low, high = sorted(axes.get_ylim())
    room = axes.get_window_extent()
    gap = size * LINE_HEIGHT * (high - low) / max(room.height * 72 / axes.figure.dpi, 1.0)
    away = off / max(room.width * 72 / axes.figure.dpi, 1.0)
    inside = gap / 2  # half a line, so that no axis line runs through a label
    places = spread([label.y for label in labels], gap, low + inside, high - inside)
    across = (axes.transData + axes.transAxes.inverted()).transform([(label.x, label.y) for label in labels])[:, 0]
    anchor = across.max() + away if side == "right" else across.min() - away
    for label, place in zip(labels, places, strict=True):
        moved = abs(place - label.y) > gap / 3
        axes.annotate(
            label.text,
            xy=(label.x, label.y),
            xytext=(float(anchor), float(place)),
            textcoords=axes.get_yaxis_transform(),
            ha="left" if side == "right" else "right",
            va="center_baseline",
            size=size,
            color=label.colour,
            weight=label.weight,
            annotation_clip=False,
            arrowprops={**LEADER, "relpos": (0.0 if side == "right" else 1.0, 0.5)} if moved else None,
        )


# Legends


def _legend_columns(texts: Sequence[str], width: float) -> int:
    """The number of legend columns that fit in `width` inches; entries fill column by column."""
    wide = [text_width([text], SMALL) + LEGEND_HANDLE for text in texts]
    for columns in range(len(texts), 1, -1):
        deep = -(-len(texts) // columns)
        if sum(max(wide[first : first + deep]) for first in range(0, len(texts), deep)) <= width:
            return -(-len(texts) // deep)
    return 1


def legend_height(texts: Sequence[str], width: float) -> float:
    """Inches that the legend takes above a chart of that width."""
    return 0.15 * -(-len(texts) // _legend_columns(texts, width))


def add_legend(figure: Figure, handles: Mapping[str, Artist]) -> None:
    """A legend in rows above the chart."""
    columns = _legend_columns([*handles], figure.get_figwidth())
    figure.legend([*handles.values()], [*handles], loc="outside upper center", ncols=columns)


# One row per run


def row_height(count: int) -> float:
    """Inches per row: less for many rows, so that they fit on a page."""
    return min(ROW_HEIGHT, max(MIN_ROW_HEIGHT, (MAX_HEIGHT - 0.8) / max(count, 1)))


def row_font_size(count: int) -> float:
    """Font size of the row names in points."""
    return min(SMALL, 72 * row_height(count) * 0.86)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Write the names along the left side, the first at the top."""
    count = len(names)
    axes.set_yticks(np.arange(count), make_labels(names), size=row_font_size(count))
    axes.set_ylim(count - 0.4, -0.6)
    axes.tick_params(axis="y", length=0, pad=2)


def stripe_rows(panels: Iterable[Axes], count: int) -> None:
    """Shade every other row, to guide the eye from a name to its marks, and draw the grid that marks are read by."""
    for axes in panels:
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.spines["left"].set_visible(False)
        for row in range(0, count, 2):
            axes.axhspan(row - 0.5, row + 0.5, color=FAINT, alpha=0.6, lw=0, zorder=0)


# One panel per measure


def new_noted_figure(width: float, height: float, notes: Sequence[str], *, square_cells: bool = False) -> PaperFigure:
    """A figure of that size, to which the height of the notes below it is added."""
    text = wrap_notes(notes, width)
    lines = (text.count("\n") + 1) * SMALL * LINE_HEIGHT / 72
    figure = new_figure(width, height + lines, square_cells=square_cells)
    figure.supxlabel(text, size=SMALL)
    return figure


def count_rows(panels: int, columns: int) -> int:
    """Rows of a grid that holds so many panels."""
    return -(-panels // columns)


def balance_columns(panels: int, most: int) -> int:
    """The number of columns, at most `most`, that fills the rows of the grid evenly: 3 for six panels and 5 columns."""
    return max(1, count_rows(panels, count_rows(panels, max(1, most))))


def label_room(axes: Axes, names: Sequence[str], size: float, gap: float) -> float:
    """The share of the width of axes that names beside their lines take, at most 0.6; `gap` is in inches."""
    return min(0.6, (text_width(names, size) + gap) / (axes.get_window_extent().width / axes.figure.dpi))


def draw_panels(figure: Figure, panels: int, columns: int, *, sharex: bool = False, sharey: bool = False) -> list[Axes]:
    """A grid of axes, the first `panels` of which are returned; the rest are hidden."""
    grid = figure.subplots(count_rows(panels, columns), columns, squeeze=False, sharex=sharex, sharey=sharey)
    for axes in grid.flat[panels:]:
        axes.set_axis_off()
    return list(grid.flat[:panels])


def draw_curve_panels(
    measures: Sequence[str], labels: Sequence[str], x_label: str, notes: Sequence[str]
) -> tuple[PaperFigure, list[Axes]]:
    """A figure with one panel per measure, in which curves are to be labelled on the right, and notes below."""
    needed = MIN_PANEL_WIDTH + text_width(labels, SMALL) + 0.3
    columns = balance_columns(len(measures), int(PAGE / needed))
    width = COLUMN if columns == 1 else PAGE
    deep = max(2.1, len(labels) * SMALL * LINE_HEIGHT / 72 + 0.6)
    figure = new_noted_figure(width, deep * count_rows(len(measures), columns) + 0.2, notes)
    panels = draw_panels(figure, len(measures), columns)
    for place, (axes, measure) in enumerate(zip(panels, measures, strict=True)):
        below = x_label if place + columns >= len(measures) else ""
        axes.set(title=measure, xlabel=below, ylabel="" if place % columns else "Score")
    return figure, panels


def label_curves(axes: Axes, names: Sequence[str], x: float, ends: Floats) -> None:
    """The names of curves beside their ends, in the colours of their looks; none where a curve has no end."""
    labels = [
        Label(name, x, float(y), get_look(at).label) for at, (name, y) in enumerate(zip(names, ends, strict=True))
    ]
    label_ends(axes, [label for label in labels if np.isfinite(label.y)], off=9)


def set_score_axes(axes: Axes, values: tuple[int, ...]) -> None:
    """Scores against these values of x, on a logarithmic axis where they span a wide range."""
    if values[-1] > 8 * values[0]:
        axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(list(values), _tick_labels(values, log=axes.get_xscale() == "log"))
    set_round_ticks(axes.yaxis, 5)
    axes.grid(axis="y")


def _tick_labels(values: tuple[int, ...], *, log: bool) -> list[str]:
    """The values where there is room for a number, always including the first and the last; elsewhere nothing."""
    places = np.log(values) if log else np.array(values, dtype=np.float64)
    room = 0.19 * max(float(places[-1] - places[0]), 1e-9)
    labelled = [len(values) - 1]
    for i in range(len(values)):
        if min(abs(places[i] - places[other]) for other in labelled) >= room:
            labelled.append(i)
    return [f"{value:,}" if i in labelled else "" for i, value in enumerate(values)]
