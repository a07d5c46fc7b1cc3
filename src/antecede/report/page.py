"""Building blocks of the page: tables, and figures as inline SVG with a caption.

Every figure of the page is one of `figures/`, the same as in files and notebooks. The only chart that is not, the
differences topic by topic, is drawn by the script of the page, since the reader chooses its runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from antecede.report.display_text import clean, clean_name
from antecede.report.figures import render
from antecede.tables import Table, format_cell, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from antecede.tables import Value

Explained = Mapping[str, str]
"""A measure as written → the anchor of its glossary entry."""

PageTable = dict[str, Any]
"""A table as the templates take it."""
MAX_ROWS = 1000
"""Rows of a table on the page; the number of omitted rows is given below it."""
NAME_COLUMNS = ("run", "method", "topic")
"""Columns that name a row, even if other columns precede them."""
LONG_COLUMNS = frozenset({"run", "method", "against", "first", "second", "ahead first", "ahead then"})
"""Columns of names, which may be long."""


def make_table(
    table: Table,
    explained: Explained | None = None,
    *,
    caption: str = "",
    spans: tuple[dict[str, Any], ...] = (),
    lower: Collection[str] = (),
    one_digit: Collection[str] = (),
    tags: Mapping[str, str] | None = None,
    max_rows: int = MAX_ROWS,
    sortable: bool = True,
) -> PageTable:
    """A table for the page.

    `spans` are headings above several columns; `lower` names the columns in which lower values are better, `one_digit`
    those with one decimal, such as milliseconds; `tags` are words after some of the names.
    """
    safe = printable(table)
    columns = range(len(safe.columns))
    name_column = next((safe.columns.index(name) for name in NAME_COLUMNS if name in safe.columns), 0)
    headings = [
        {
            "text": text,
            "number": safe.is_number(c),
            "entry": (explained or {}).get(text, ""),
            "falling": text not in lower,  # the first click sorts in descending order
            # Characters reserved after every number for the longest mark of the column.
            "mark_length": max((len(m) for (_, column), m in safe.marks.items() if column == c), default=0),
        }
        for c, text in enumerate(safe.columns)
    ]

    def make_cell(row: int, column: int) -> dict[str, Any]:
        value = safe.rows[row][column]
        key, full_name = _make_sort_key(value), ""
        if isinstance(value, str) and safe.columns[column] in LONG_COLUMNS:
            text = clean_name(value)
            full_name = value if "…" in text else ""
        elif key and safe.columns[column] in one_digit:
            text = f"{float(key):,.1f}"
        else:
            text = _format_value(value, safe.digits)
        return {
            "text": text,
            "sort_key": key,
            "mark": safe.marks.get((row, column), "").strip(),
            "best": (row, column) in safe.best,
            "tag": (tags or {}).get(text, "") if column == name_column else "",
            "full_name": full_name,
        }

    rows = [[make_cell(row, c) for c in columns] for row in range(min(len(safe.rows), max_rows))]
    notes = [*safe.notes]
    if left := len(safe.rows) - len(rows):
        notes.append(f"{left:,} more rows are omitted here; the files beside the report have the complete table.")
    return {
        "caption": caption or safe.title,
        "headings": headings,
        "rows": rows,
        "notes": notes,
        "name_column": name_column,
        "spans": spans,
        "sortable": sortable,
    }


def _format_value(value: Value, digits: int) -> str:
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


TAG = re.compile(r"<[^>]+>")
PROLOGUE = re.compile(r"<\?xml.*?(?=<svg)|<metadata>.*?</metadata>|<style\b.*?</style>|<!--.*?-->", re.DOTALL)
BACKGROUND = re.compile(r'(<g id="(?:figure|axes)_\d+">\s*<g id="[^"]*">\s*)<path [^>]*style="fill: #ffffff"/>')
FONTS = re.compile(r"font-family: [^;\"]*;? ?")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
REFERENCE = re.compile(r'(?:xlink:href="#|url\(#)([^")]+)')
IDENTIFIER = re.compile(r' id="([^"]*)"')
POINTS_PER_REM = 9.6
"""A point of the figure relative to the page's font size: figures are shown a quarter larger than on paper."""


@dataclass(frozen=True)
class Picture:
    """A figure of the page."""

    svg: str
    width: float
    """In rem."""
    caption: str
    wide: bool


def embed_figure(figure: Figure | bytes, name: str, caption: str) -> Picture:
    """A figure, or the SVG file of one, as part of the page, without what only a separate file needs.

    `name` must be unique on the page. The text is ours, as matplotlib writes it: attributes have no `>` and no entities
    that matter, so that its tags can be changed as texts.
    """
    svg = PROLOGUE.sub("", (figure if isinstance(figure, bytes) else render(figure, "svg")).decode())
    head, _, body = svg.partition(">")
    points = float(re.search(r'\bwidth="([\d.]+)pt"', head)[1])  # type: ignore[index]
    view = re.search(r'viewBox="[^"]*"', head)[0]  # type: ignore[index]
    ids = {old: f"{name}-{place}" for place, old in enumerate(sorted({*REFERENCE.findall(body)}))}

    def change(tag: re.Match[str]) -> str:
        """A tag without ids that nothing refers to, with short coordinates, in the fonts of the page."""
        text = IDENTIFIER.sub(lambda own: f' id="{ids[own[1]]}"' if own[1] in ids else "", tag[0])
        text = REFERENCE.sub(lambda used: used[0].replace("xlink:", "").replace(used[1], ids[used[1]]), text)
        text = LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), text)
        return " ".join(FONTS.sub("", text).split()).replace(' "', '"')

    body = TAG.sub(change, BACKGROUND.sub(r"\1", body))
    start = f'<svg {view} role="img" aria-label="{escape(caption)}">'
    return Picture(
        start + re.sub(r">\s+<", "><", body).strip(), round(points / POINTS_PER_REM, 2), caption, points > 5 * 72
    )
