"""The flow diagram of PRISMA 2020."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from antecede.report.figures.layout import text_width
from antecede.report.figures.paper import INK, PAGE, SMALL, PaperFigure, figure, new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from antecede.review.prisma import PrismaFlow

LINE, PAD, GAP = 0.145, 0.09, 0.26
"""Inches: the height of a line of text, the space within a box, and the space between boxes."""
PHASE, BOX = 0.28, 3.05
"""Inches: the width of the bar that names a phase, and of a box."""
MARGIN = 0.22
"""Inches: the space above and below, which the bar of a phase with one low box needs, too."""
COLUMNS = 0.42, 0.42 + BOX + 0.45
"""The left ends of both columns of boxes."""
MAX_SOURCES, MAX_REASONS = 6, 12
"""Lines of a box; the smallest counts beyond them are one line."""
TINT = {"identification": "#F7E8BD", "screening": "#CFE0EE", "included": "#D3E8D0"}


class Box(NamedTuple):
    """A box of the diagram, by its lines."""

    lines: list[str]

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * PAD


@figure("prisma", result="PrismaFlow")
def prisma(flow: PrismaFlow) -> PaperFigure:
    """The PRISMA 2020 flow diagram: what was identified, screened, sought, assessed and included, and what was not.

    What awaits a decision has lines of its own, so that the numbers add up while the screening goes on.
    """
    rows = _lay_out_rows(flow)
    heights = [max(box.height for box in row if box is not None) for _, row in rows]
    height = sum(heights) + GAP * (len(rows) - 1) + 2 * MARGIN
    sheet = new_figure(PAGE, height)
    sheet.set_layout_engine("none")  # the boxes are placed in inches
    axes = sheet.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, PAGE), ylim=(0, height))
    axes.set_axis_off()
    tops = [height - MARGIN - sum(heights[:at]) - GAP * at for at in range(len(rows))]
    for at, ((_, (left, right)), top) in enumerate(zip(rows, tops, strict=True)):
        _draw_box(axes, left, COLUMNS[0], top)
        if at:
            start = tops[at - 1] - rows[at - 1][1][0].height
            _draw_arrow(axes, (COLUMNS[0] + BOX / 2, start), (COLUMNS[0] + BOX / 2, top))
        if right is not None:
            _draw_box(axes, right, COLUMNS[1], top)
            middle = top - min(left.height, right.height) / 2
            _draw_arrow(axes, (COLUMNS[0] + BOX, middle), (COLUMNS[1], middle))
    for phase, colour in TINT.items():
        places = [at for at, (name, _) in enumerate(rows) if name == phase]
        top, bottom = tops[places[0]], tops[places[-1]] - heights[places[-1]]
        _draw_phase(axes, phase, colour, top, bottom)
    return sheet


def _lay_out_rows(flow: PrismaFlow) -> list[tuple[str, tuple[Box, Box | None]]]:
    """The rows of the diagram: the phase, the box on the left, and the one on the right if there is one."""
    removed = [("Duplicate records", flow.duplicates), ("Records that cannot be read", flow.unreadable),
               ("Records not screened", flow.unscreened)]  # fmt: skip
    waiting = [("Records that await a decision", flow.undecided)] if flow.undecided else []
    reports = [("Reports that await a decision", flow.unassessed)] if flow.unassessed else []
    return [
        ("identification", (
            _make_box("Records identified", flow.identified, _abridge(flow.sources, MAX_SOURCES)),
            _make_box("Records removed before screening:", None, removed),
        )),
        ("screening", (
            _make_box("Records screened", flow.screened),
            _make_box("Records excluded", flow.excluded, waiting, indent=""),
        )),
        ("screening", (
            _make_box("Reports sought for retrieval", flow.sought),
            _make_box("Reports not retrieved", flow.unretrieved, reports, indent=""),
        )),
        ("screening", (
            _make_box("Reports assessed for eligibility", flow.assessed),
            _make_box("Reports excluded", sum(flow.reasons.values()), _abridge(flow.reasons, MAX_REASONS)),
        )),
        ("included", (_make_box("Reports included in the review", flow.included), None)),
    ]  # fmt: skip


def _abridge(counts: Mapping[str, int], most: int) -> list[tuple[str, int]]:
    """The counts, the smallest of many as one."""
    items = [*counts.items()]
    if len(items) <= most:
        return items
    kept = sorted(items, key=lambda item: -item[1])[: most - 1]
    return [*kept, (f"{len(items) - len(kept)} others", sum(count for _, count in items) - sum(n for _, n in kept))]


def _make_box(title: str, count: int | None, parts: list[tuple[str, int]] | None = None, indent: str = "   ") -> Box:
    """A box with its number, and lines with parts of it, broken where they are too wide."""
    first = title if count is None else f"{title} (n\u00a0=\u00a0{count:,})"
    lines = [first]
    for name, number in parts or ():
        lines += _break_line(f"{name} (n\u00a0=\u00a0{number:,})", indent)
    return Box(lines)


def _break_line(text: str, indent: str) -> list[str]:
    """A text as lines that fit into a box."""
    for width in range(len(text), 10, -2):
        lines = wrap(text, width, break_long_words=True) if width < len(text) else [text]
        shown = [f"{indent}{'   ' if at else ''}{line}" for at, line in enumerate(lines)]
        if text_width(shown, SMALL) <= BOX - 2 * PAD:
            return shown
    return [f"{indent}{text}"]


def _draw_box(axes: Axes, box: Box, left: float, top: float) -> None:
    place = (left, top - box.height)
    axes.add_patch(FancyBboxPatch(place, BOX, box.height, "square,pad=0", fc="white", ec=INK, lw=0.7))
    for at, line in enumerate(box.lines):
        axes.text(left + PAD, top - PAD - (at + 0.5) * LINE, line, fontsize=SMALL, va="center", ha="left")


def _draw_arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    arrow = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=7, shrinkA=0, shrinkB=0, lw=0.7, color=INK)
    axes.add_patch(arrow)


def _draw_phase(axes: Axes, name: str, colour: str, top: float, bottom: float) -> None:
    """The bar at the left with the name of a phase; a low one is as tall as its name needs."""
    needed = text_width([name.capitalize()], SMALL) + 0.12
    extra = max(needed - (top - bottom), 0) / 2
    low, tall = bottom - extra, top - bottom + 2 * extra
    axes.add_patch(FancyBboxPatch((0.06, low), PHASE, tall, "square,pad=0", fc=colour, ec=INK, lw=0.5))
    axes.text(
        0.06 + PHASE / 2, low + tall / 2, name.capitalize(), fontsize=SMALL, rotation=90, va="center", ha="center"
    )
