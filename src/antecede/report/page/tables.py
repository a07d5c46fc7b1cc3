"""Tables of the page: sortable columns, headings that link to the glossary, aligned numbers with marks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antecede.report.display_text import clean, clean_name
from antecede.tables import Table, format_cell, printable

if TYPE_CHECKING:
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

    def with_tags(self, tags: Mapping[str, str]) -> PageTable:
        """The same table with a word after some of the names."""
        at = self.name_column

        def add_tag(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
            return (*row[:at], replace(row[at], tag=tags.get(row[at].text, "")), *row[at + 1 :])

        return replace(self, rows=tuple(map(add_tag, self.rows)))

    def with_one_digit(self, columns: frozenset[str]) -> PageTable:
        """The same table with one decimal in some columns, such as milliseconds."""
        places = {c for c, heading in enumerate(self.headings) if heading.text in columns}

        def round_row(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
            return tuple(
                replace(cell, text=f"{float(cell.sort_key):,.1f}") if c in places and cell.sort_key else cell
                for c, cell in enumerate(row)
            )

        return replace(self, rows=tuple(map(round_row, self.rows)))


def make_table(
    table: Table,
    explained: Explained | None = None,
    *,
    caption: str = "",
    lower: frozenset[str] = frozenset(),
    max_rows: int = MAX_ROWS,
    sortable: bool = True,
) -> PageTable:
    """A table for the page; `lower` names the columns in which lower values are better."""
    safe = printable(table)
    columns = range(len(safe.columns))
    numbers = [safe.is_number(column) for column in columns]
    mark_lengths = [max((len(m) for (_, c), m in safe.marks.items() if c == column), default=0) for column in columns]
    headings = tuple(
        Heading(text, numbers[c], (explained or {}).get(text, ""), text not in lower, mark_lengths[c])
        for c, text in enumerate(safe.columns)
    )
    rows = tuple(tuple(make_cell(safe, row, c) for c in columns) for row in range(min(len(safe.rows), max_rows)))
    left = len(safe.rows) - len(rows)
    more = (
        (f"{left:,} more rows are omitted here; the files beside the report have the complete table.",) if left else ()
    )
    name_column = next((safe.columns.index(name) for name in NAME_COLUMNS if name in safe.columns), 0)
    return PageTable(caption or safe.title, headings, rows, (*safe.notes, *more), name_column, sortable=sortable)


def make_cell(table: Table, row: int, column: int) -> Cell:
    """One cell of a table."""
    value = table.rows[row][column]
    mark, best = table.marks.get((row, column), "").strip(), (row, column) in table.best
    if isinstance(value, str) and table.columns[column] in LONG_COLUMNS:
        text = clean_name(value)
        return Cell(text, make_sort_key(value), mark, best, full_name=value if "…" in text else "")
    return Cell(format_value(value, table.digits), make_sort_key(value), mark, best)


def format_value(value: Value, digits: int) -> str:
    """A value as displayed, with a typographic minus sign."""
    text = clean(format_cell(value, digits))
    return text.replace("-", "−", 1) if isinstance(value, int | float) and text.startswith("-") else text


def make_sort_key(value: Value) -> str:
    """The key that a column is sorted by: a number in full precision, or the text; empty where there is no value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, str) and value.startswith("never: "):
        return "Infinity"
    return f"{value:.9g}" if isinstance(value, float) else str(value)
