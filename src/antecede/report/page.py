"""Building blocks of the page: tables, and figures as inline SVG with a caption.

Every figure of the page is one of `figures/`, the same as in files and notebooks. The only chart that is not, the
differences topic by topic, is drawn by the script of the page, since the reader chooses its runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lxml import etree

from antecede.report.display_text import clean, clean_name
from antecede.report.figures import render
from antecede.tables import Table, escape_table, format_cell

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
    safe = escape_table(table)
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


SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"')
FONTS = re.compile(r"font-family: [^;]*;? ?")
LONG_NUMBER = re.compile(r"(?:-|(?<!\d))\d++\.\d{3,}")
REFERENCE = re.compile(r"url\(#([^()]+)\)")
COORDINATES = ("d", "x", "y", "width", "height", "transform", "points")
"""Attributes that hold coordinates."""
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
    points = float(root.get("width", "").removesuffix("pt"))
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, "")
    root.set("role", "img")
    root.set("aria-label", caption)
    etree.cleanup_namespaces(root)
    text = NAMESPACES.sub("", etree.tostring(root, encoding="unicode"))
    return Picture(re.sub(r">\s+<", "><", text), round(points / POINTS_PER_REM, 2), caption, points > 5 * 72)


def _remove_background(root: etree._Element) -> None:
    """Remove the white background of the figure and of each of its axes."""
    for group in root.iter(f"{SVG}g"):
        first = group.find(f"{SVG}g") if str(group.get("id", "")).startswith(("figure_", "axes_")) else None
        path = first.find(f"{SVG}path") if first is not None else None
        if first is not None and path is not None and path.get("style") == "fill: #ffffff":
            first.clear()


def _find_references(element: etree._Element) -> list[str]:
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
