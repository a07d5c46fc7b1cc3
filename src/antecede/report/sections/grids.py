"""Tables as the page shows them: heads that explain and sort, numbers in line, marks beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antecede.report.sections.texts import clean, name_of
from antecede.tables import Table, printable, shown

if TYPE_CHECKING:
    from antecede.tables import Value

Explained = Mapping[str, str]
"""A measure as it is written → where the page explains it."""

MOST_ROWS = 1000
"""Rows of a table on the page; more are counted below it."""
NAMED_BY = ("run", "method", "topic")
"""Columns that name a row, whatever stands before them."""
NAMES = frozenset({"run", "method", "against", "first", "second", "ahead first", "ahead then"})
"""Columns of names, which may be long."""


@dataclass(frozen=True)
class Head:
    """The head of a column."""

    text: str
    number: bool = False
    entry: str = ""
    """Where the glossary explains it."""
    falls: bool = True
    """Whether the first click sorts from high to low."""
    room: int = 0
    """Signs that the longest mark of the column takes, kept free behind every number."""


@dataclass(frozen=True)
class Cell:
    """A value as it is read, and as it is sorted."""

    text: str
    key: str = ""
    mark: str = ""
    best: bool = False
    tag: str = ""
    """A word behind a name, such as `baseline`."""
    full: str = ""
    """The whole name, where only its ends are shown."""


@dataclass(frozen=True)
class Over:
    """A head above several columns."""

    text: str
    columns: int
    entry: str = ""


@dataclass(frozen=True)
class Grid:
    """A table, ready for the page."""

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    named: int = 0
    """The column that names the row."""
    over: tuple[Over, ...] = ()
    sortable: bool = True


def grid(
    table: Table,
    explained: Explained | None = None,
    *,
    caption: str = "",
    lower: frozenset[str] = frozenset(),
    most: int = MOST_ROWS,
    sortable: bool = True,
) -> Grid:
    """A table for the page. `lower` are the columns of which less is better."""
    safe = printable(table)
    columns = range(len(safe.columns))
    numbers = [safe.is_number(column) for column in columns]
    rooms = [max((len(m) for (_, c), m in safe.marks.items() if c == column), default=0) for column in columns]
    heads = tuple(
        Head(text, numbers[c], (explained or {}).get(text, ""), text not in lower, rooms[c])
        for c, text in enumerate(safe.columns)
    )
    rows = tuple(tuple(cell(safe, row, c) for c in columns) for row in range(min(len(safe.rows), most)))
    left = len(safe.rows) - len(rows)
    more = (f"{left:,} more rows are not shown here; the tables beside the report have them all.",) if left else ()
    named = next((safe.columns.index(name) for name in NAMED_BY if name in safe.columns), 0)
    return Grid(caption or safe.title, heads, rows, (*safe.notes, *more), named, sortable=sortable)


def cell(table: Table, row: int, column: int) -> Cell:
    """One cell of a table."""
    value = table.rows[row][column]
    mark, best = table.marks.get((row, column), "").strip(), (row, column) in table.best
    if isinstance(value, str) and table.columns[column] in NAMES:
        text = name_of(value)
        return Cell(text, sort_key(value), mark, best, full=value if "…" in text else "")
    return Cell(number_text(value, table.digits), sort_key(value), mark, best)


def number_text(value: Value, digits: int) -> str:
    """A value as it is read, with a true minus sign."""
    text = clean(shown(value, digits))
    return text.replace("-", "−", 1) if isinstance(value, int | float) and text.startswith("-") else text


def sort_key(value: Value) -> str:
    """What a column is sorted by: all digits of a number, the letters of a text; nothing where there is no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, str) and value.startswith("never: "):
        return "Infinity"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def with_tags(shown_grid: Grid, tags: Mapping[str, str]) -> Grid:
    """The same grid with a word behind some of the names."""
    at = shown_grid.named

    def tagged(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
        return (*row[:at], replace(row[at], tag=tags.get(row[at].text, "")), *row[at + 1 :])

    return replace(shown_grid, rows=tuple(map(tagged, shown_grid.rows)))
