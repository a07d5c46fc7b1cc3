"""Building blocks of the page: tables, and pictures as inline SVG with a caption.

Pictures are of two kinds. Figures (`figures/`) are drawn by matplotlib for paper, on a white background with fixed
colours; they are the same in files, notebooks and the report, and `embed_figure` makes them part of the page. Charts
exist only on the page: they use the colours of its style sheet, so that they follow its theme, and its script redraws
one of them when the reader chooses other runs. A chart that a paper could print is a figure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from antecede.comparison import bootstrap
from antecede.measures.definition import mean
from antecede.report.display_text import clean, clean_name, make_labels
from antecede.report.figures import render
from antecede.tables import Table, format_cell, printable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from matplotlib.figure import Figure

    from antecede.report.results import Part
    from antecede.tables import Value

Explained = Mapping[str, str]
"""A measure as written → the anchor of its glossary entry."""

MAX_ROWS = 1000
"""Rows of a table on the page; the number of omitted rows is given below it."""
NAME_COLUMNS = ("run", "method", "topic")
"""Columns that name a row, even if other columns precede them."""
LONG_COLUMNS = frozenset({"run", "method", "against", "first", "second", "ahead first", "ahead then"})
"""Columns of names, which may be long."""


@dataclass(frozen=True)
class Heading:
    """The heading of a column."""

    text: str
    number: bool = False
    entry: str = ""
    """The anchor of its glossary entry."""
    falling: bool = True
    """Whether the first click sorts in descending order."""
    mark_length: int = 0
    """Characters reserved after every number for the longest mark of the column."""


@dataclass(frozen=True)
class Cell:
    """A value as displayed and as sorted."""

    text: str
    sort_key: str = ""
    mark: str = ""
    best: bool = False
    tag: str = ""
    """A word after a name, such as `baseline`."""
    full_name: str = ""
    """The complete name, where `text` is shortened."""


@dataclass(frozen=True)
class Span:
    """A heading above several columns."""

    text: str
    columns: int
    entry: str = ""


@dataclass(frozen=True)
class PageTable:
    """A table, ready for the templates."""

    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    name_column: int = 0
    """The column that names the row."""
    spans: tuple[Span, ...] = ()
    sortable: bool = True


def make_table(
    table: Table,
    explained: Explained | None = None,
    *,
    caption: str = "",
    spans: tuple[Span, ...] = (),
    lower: Collection[str] = (),
    one_digit: Collection[str] = (),
    tags: Mapping[str, str] | None = None,
    max_rows: int = MAX_ROWS,
    sortable: bool = True,
) -> PageTable:
    """A table for the page.

    `lower` names the columns in which lower values are better, `one_digit` those with one decimal, such as
    milliseconds; `tags` are words after some of the names.
    """
    safe = printable(table)
    columns = range(len(safe.columns))
    name_column = next((safe.columns.index(name) for name in NAME_COLUMNS if name in safe.columns), 0)
    mark_lengths = [max((len(m) for (_, c), m in safe.marks.items() if c == column), default=0) for column in columns]
    headings = tuple(
        Heading(text, safe.is_number(c), (explained or {}).get(text, ""), text not in lower, mark_lengths[c])
        for c, text in enumerate(safe.columns)
    )

    def make_cell(row: int, column: int) -> Cell:
        value = safe.rows[row][column]
        key, mark, best = _make_sort_key(value), safe.marks.get((row, column), "").strip(), (row, column) in safe.best
        full_name = ""
        if isinstance(value, str) and safe.columns[column] in LONG_COLUMNS:
            text = clean_name(value)
            full_name = value if "…" in text else ""
        elif key and safe.columns[column] in one_digit:
            text = f"{float(key):,.1f}"
        else:
            text = _format_value(value, safe.digits)
        return Cell(text, key, mark, best, (tags or {}).get(text, "") if column == name_column else "", full_name)

    rows = tuple(tuple(make_cell(row, c) for c in columns) for row in range(min(len(safe.rows), max_rows)))
    left = len(safe.rows) - len(rows)
    more = (
        [f"{left:,} more rows are omitted here; the files beside the report have the complete table."] if left else []
    )
    return PageTable(caption or safe.title, headings, rows, (*safe.notes, *more), name_column, spans, sortable)


def _format_value(value: Value, digits: int) -> str:
    """A value as displayed, with a typographic minus sign."""
    text = clean(format_cell(value, digits))
    return text.replace("-", "−", 1) if isinstance(value, int | float) and text.startswith("-") else text


def _make_sort_key(value: Value) -> str:
    """The key that a column is sorted by: a number in full precision, or the text; empty where there is no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, str) and value.startswith("never: "):
        return "Infinity"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"')
FONTS = re.compile(r"font-family: [^;]*;? ?")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
COORDINATES = ("d", "x", "y", "width", "height", "transform", "points")
"""Attributes that hold coordinates."""
POINTS_PER_REM = 9.6
"""A point of the figure relative to the page's font size: figures are shown a quarter larger than on paper."""


@dataclass(frozen=True)
class Picture:
    """A figure or chart of the page."""

    svg: str
    width: float
    """In rem."""
    caption: str
    wide: bool


def embed_figure(figure: Figure | bytes, name: str, caption: str) -> Picture:
    """A figure, or the SVG file of one, as part of the page, without what only a separate file needs.

    `name` must be unique on the page.
    """
    svg = figure if isinstance(figure, bytes) else render(figure, "svg")
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, huge_tree=True))
    for element in [*root.iter(etree.Comment, f"{SVG}metadata", f"{SVG}style")]:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    used = {one for element in root.iter() for one in _find_references(element)}
    ids = {old: f"{name}-{place}" for place, old in enumerate(sorted(used))}
    _remove_background(root)
    for element in root.iter():
        _rewrite_attributes(element, ids)
    inches = float(root.get("width", "").removesuffix("pt")) / 72
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, "")
    root.set("role", "img")
    root.set("aria-label", caption)
    etree.cleanup_namespaces(root)
    text = NAMESPACES.sub("", etree.tostring(root, encoding="unicode"))
    return Picture(re.sub(r">\s+<", "><", text), round(inches * 72 / POINTS_PER_REM, 2), caption, inches > 5)


def _remove_background(root: etree._Element) -> None:
    """Remove the white background of the figure and of each of its axes."""
    for group in root.iter(f"{SVG}g"):
        first = group.find(f"{SVG}g") if str(group.get("id", "")).startswith(("figure_", "axes_")) else None
        path = first.find(f"{SVG}path") if first is not None else None
        if first is not None and path is not None and path.get("style") == "fill: #ffffff":
            first.clear()


def _find_references(element: etree._Element) -> list[str]:
    """The ids that an element refers to."""
    ids = [id_ for value in element.attrib.values() for id_ in REFERENCE.findall(str(value))]
    link = element.get(LINK)
    return [*ids, link.removeprefix("#")] if link else ids


def _rewrite_attributes(element: etree._Element, ids: dict[str, str]) -> None:
    """Rename ids and references to them, drop ids without references, and round coordinates."""
    old = str(element.attrib.pop("id", ""))
    if old in ids:
        element.set("id", ids[old])
    text = str(element.attrib.pop(LINK, ""))
    if text:
        element.set("href", f"#{ids[text[1:]]}" if text.startswith("#") else text)
    for key, value in element.attrib.items():
        text = REFERENCE.sub(lambda match: f"url(#{ids[match[1]]})", str(value))
        if key in COORDINATES:
            text = LONG_NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), text)
            text = re.sub(r"\s+", " ", text).strip()
        element.set(key, FONTS.sub("", text) if key == "style" else text)


PIXELS_PER_REM = 16.0
WIDTH, RIGHT_MARGIN = 480.0, 30.0
"""Pixels."""
CHARACTER_WIDTH = 6.3
"""Pixels per character of a name at the largest font size."""
MAX_INTERVALS = 5
"""Intervals between ticks."""
DIFFERENCES_HEIGHT = 176.0
LEFT_MARGIN = 46
"""Pixels to the left of the bars of differences."""


def chart_means(part: Part) -> Picture | None:
    """One row per run, best first: the mean by the first measure that is a mean, and its 95 % interval."""
    chosen = next((m for m in part.topic_measures if _is_mean(part, m)), None)
    if chosen is None or len(part.scores.topics) < 2:
        return None
    values, totals = part.scores.values[chosen][:, part.scores.evaluated], part.scores.totals[chosen]
    ends = bootstrap(values)
    order = np.argsort(-part.direction(chosen) * totals, kind="stable")
    baseline = part.baseline_run
    names = make_labels([part.scores.runs[run] for run in order])
    pitch = max(9.0, min(17.0, 1000 / len(order)))
    size = min(11.0, pitch - 1)
    left = CHARACTER_WIDTH * size / 11 * max(map(len, names)) + 12
    drawn = np.concatenate([ends.low, ends.high, totals])
    ticks = _choose_ticks(float(np.nanmin(drawn)), float(np.nanmax(drawn)))
    scale = (WIDTH - left - RIGHT_MARGIN) / (ticks[-1] - ticks[0])
    base = pitch * len(order) + 4

    def x(value: float) -> str:
        return f"{left + (value - ticks[0]) * scale:.1f}"

    shapes = [f'<path class="grid" d="M{x(tick)} 0V{base:.0f}"/>' for tick in ticks]
    shapes += [_make_text(f"{tick:g}", x(tick), f"{base + 13:.0f}", "middle", 10) for tick in ticks]
    for row, (run, name) in enumerate(zip(order.tolist(), names, strict=True)):
        y = f"{pitch * (row + 0.5):.1f}"
        kind = "base" if run == baseline else "run"
        shapes.append(
            _make_text(name, f"{left - 8:.1f}", f"{pitch * (row + 0.5) + size * 0.35:.1f}", "end", size, kind)
        )
        if np.isfinite(ends.low[run]):
            shapes.append(f'<path class="{kind} line" d="M{x(ends.low[run])} {y}H{x(ends.high[run])}"/>')
            shapes.append(f'<circle class="{kind}" cx="{x(totals[run])}" cy="{y}" r="{min(3.5, pitch / 3.5):.1f}"/>')
    caption = f"Means of {part.scores.measures[chosen]} with 95 % bootstrap intervals over topics, best first"
    caption += f"; hollow: the baseline, {clean_name(part.scores.runs[baseline])}" if baseline is not None else ""
    return _make_chart(shapes, WIDTH, base + 18, caption)


def _is_mean(part: Part, measure: int) -> bool:
    """Whether the score of a run is the mean over its topics, and all runs have one."""
    definition = part.scores.measures[measure].definition
    return definition.aggregate is mean and bool(np.isfinite(part.scores.totals[measure]).all())


def _choose_ticks(low: float, high: float) -> list[float]:
    """Round numbers that enclose the range of values."""
    span = max(high - low, 1e-6)
    power = 10.0 ** np.floor(np.log10(span / MAX_INTERVALS))
    step = float(next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= MAX_INTERVALS))
    first, last = np.floor(low / step), np.ceil(high / step)
    return [round(float(place * step), 9) for place in np.arange(first, last + 1)]


def chart_differences(part: Part) -> Picture | None:
    """One bar per topic, the largest gain first: the best run minus the baseline, by the first per-topic measure."""
    best, baseline, measures = part.best_run, part.baseline_run, part.topic_measures
    if baseline is None or best == baseline or not measures:
        return None
    values = part.scores.values[measures[0]]
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        difference = values[best] - values[baseline]
    direction = part.direction(measures[0])
    known = difference[np.isfinite(difference)]
    known = known[np.argsort(-direction * known, kind="stable")]
    if not len(known) or not np.any(known):
        return None
    high, low = max(float(known.max()), 0.0), min(float(known.min()), 0.0)
    width, scale = WIDTH * 1.5, (DIFFERENCES_HEIGHT - 12) / (high - low)
    step, zero = (width - LEFT_MARGIN - 6) / len(known), 6 + high * scale

    def draw_bars(sign: int) -> str:
        thick = step * (0.8 if step > 3 else 1)
        parts = [
            f"M{LEFT_MARGIN + at * step:.1f} {zero:.1f}v{-value * scale:.1f}h{thick:.2f}V{zero:.1f}z"
            for at, value in enumerate(known.tolist())
            if np.sign(value) == sign
        ]
        return f'<path class="{"won" if sign == direction else "lost"}" d="{"".join(parts)}"/>' if parts else ""

    shapes = [draw_bars(1), draw_bars(-1), f'<path class="axis" d="M{LEFT_MARGIN} {zero:.1f}H{width:.0f}"/>']
    for value in (high, 0.0, low):
        if not value or abs(value) * scale > 10:
            text = f"{value:+.2g}".replace("-", "−") if value else "0"
            shapes.append(_make_text(text, "40", f"{6 + (high - value) * scale + 4:.1f}", "end", 10))
    names = [clean_name(part.scores.runs[run]) for run in (best, baseline)]
    measure = part.scores.measures[measures[0]]
    return _make_chart(shapes, width, DIFFERENCES_HEIGHT, f"{measure}, topic by topic: {names[0]} minus {names[1]}")


def _make_text(words: str, x: str, y: str, anchor: str, size: float, kind: str = "") -> str:
    """A text element."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size:g}">{_escape_text(words)}</text>'


def _escape_text(words: str) -> str:
    """Escape the characters that are special in SVG; apostrophes need no escape."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _make_chart(shapes: Sequence[str], width: float, height: float, caption: str) -> Picture:
    """The shapes as a picture of the page."""
    head = f'<svg class="chart" viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{_escape_text(caption)}">'
    return Picture(f"{head}{''.join(shapes)}</svg>", round(width * 1.1 / PIXELS_PER_REM, 2), caption, width > 500)
