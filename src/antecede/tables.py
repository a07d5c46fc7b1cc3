"""Tables: cells, highlighted values and notes, rendered as text, Markdown, CSV, LaTeX or HTML.

All packages return their results as a `Table`, so that tables look alike on a terminal, in a notebook, in a paper and
in the report.
"""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, field, replace
from html import escape as escape_html
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, printable
from antecede.results import concise_repr, list_public_names, make_pandas

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    import polars as pl

Value = str | float | int | None
"""The content of a cell: a number is printed with the digits of the table, None as an en dash."""

FRAME_NAMES = {"topic": "topic_id", "document": "doc_id"}
"""Columns that are called otherwise in frames than in tables that people read."""


class PValue(float):
    """A p-value: one that would be printed as 0 is printed as a bound, `< .0001`. Programs get the number."""


@dataclass(frozen=True)
class Table:
    """Rows of values under named columns. `best` contains the (row, column) pairs to highlight."""

    __repr__ = concise_repr

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    digits: int = 4
    marks: dict[tuple[int, int], str] = field(default_factory=dict)
    """Characters after a value, such as the letters of a significance test. An empty mark says that its column can have
    marks: programs then get a column of marks in any case."""
    links: dict[tuple[int, int], dict[str, str]] = field(default_factory=dict)
    """Pages about what a cell names, by name with their addresses; shown in HTML."""
    grouped: int = 0
    """Leading columns in which people see a value once and not in each row that repeats it; programs see it in all."""
    complete: Table | None = None
    """What programs get in place of a table that is abridged for people: more columns, whole lists."""

    def to_document(self) -> dict[str, Any]:
        """What people see of the table in a JSON-compatible form; a p-value becomes text, which says its bound."""

        def write(value: Value) -> Value:
            return format_cell(value, self.digits) if isinstance(value, PValue) else value

        rows = [[write(value) for value in row] for row in self.rows]
        marks = [[*place, mark] for place, mark in self.marks.items()]
        facts = {"columns": self.columns, "title": self.title, "notes": self.notes, "digits": self.digits}
        return {**facts, "rows": rows, "best": sorted(self.best), "marks": marks, "grouped": self.grouped}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Table:
        """The table that `to_document` wrote."""
        return cls(
            tuple(document["columns"]),
            tuple(map(tuple, document["rows"])),
            document["title"],
            tuple(document["notes"]),
            frozenset((row, column) for row, column in document["best"]),
            document["digits"],
            marks={(row, column): mark for row, column, mark in document["marks"]},
            grouped=document["grouped"],
        )

    def cell(self, row: int, column: int) -> str:
        return format_cell(self.rows[row][column], self.digits) + self.marks.get((row, column), "")

    def cells(self) -> list[list[str]]:
        return [[self.cell(r, c) for c in range(len(self.columns))] for r in range(len(self.rows))]

    def is_number(self, column: int) -> bool:
        """Whether a column contains numbers, which are right-aligned."""
        values = [row[column] for row in self.rows]
        return any(isinstance(v, int | float) for v in values) or all(v is None for v in values)

    def export(self) -> Table:
        """The table for programs: complete, and with the marks of a column in a column of their own at the end."""
        table = self.complete or self
        marked = sorted({column for _, column in table.marks})
        if not marked:
            return table
        rows = (
            (*values, *(table.marks.get((row, column), "").strip() or None for column in marked))
            for row, values in enumerate(table.rows)
        )
        heads = (f"{table.columns[column]} mark" for column in marked)
        return replace(table, columns=(*table.columns, *heads), rows=tuple(rows), marks={})

    def render(self, style: str) -> str:
        """Render the table in one of `STYLES`, ending in a newline."""
        if style not in STYLES:
            raise UsageError(f"unknown table format {style!r}; there are {', '.join(STYLES)}")
        return STYLES[style](self)

    def to_pandas(self) -> pd.DataFrame:
        """The table as a pandas frame, which must be installed. Topics and documents are called as in all frames."""
        return make_pandas(self._frame_columns())

    def to_polars(self) -> pl.DataFrame:
        """The table as a polars frame; a column with both text and numbers becomes text."""
        import polars as pl

        def series(name: str, values: list[Value]) -> pl.Series:
            if any(isinstance(value, str) for value in values):
                return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
            return pl.Series(name, values, strict=False)

        return pl.DataFrame([series(name, values) for name, values in self._frame_columns().items()])

    def _frame_columns(self) -> dict[str, list[Value]]:
        names = [FRAME_NAMES.get(name, name) for name in self.columns]
        return {name: [row[at] for row in self.rows] for at, name in enumerate(names)}

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


class Tabled:
    """A result that is shown as its tables, when it is printed and in a notebook.

    A subclass is a dataclass with `repr=False`; it defines `table` if it has one table, and `tables` if it has several.
    """

    __repr__ = concise_repr
    __dir__ = list_public_names

    def table(self) -> Table:
        """The main table of the result."""
        return self.tables()[0]

    def tables(self) -> tuple[Table, ...]:
        """All tables of the result; most results have one."""
        return (self.table(),)

    def to_pandas(self) -> pd.DataFrame:
        """The first table as a pandas frame, which must be installed."""
        return self.table().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The same as a polars frame."""
        return self.table().to_polars()

    def __str__(self) -> str:
        return "\n".join(map(str, self.tables()))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables())


def format_cell(value: Value, digits: int) -> str:
    """A value as the text of a cell."""
    if value is None:
        return "–"
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        if isinstance(value, PValue) and value < 10**-digits:
            return f"< .{'1'.rjust(digits, '0')}"
        return f"{value:.{digits}f}"
    return str(value)


def escape_name(text: str) -> str:
    """A text in one line with control characters escaped."""
    return text if text.isprintable() else printable(text, 10**6)


def escape_table(table: Table) -> Table:
    """The table with control characters escaped: a name must neither break a row nor control the terminal."""
    safe = escape_name
    return replace(
        table,
        columns=tuple(map(safe, table.columns)),
        rows=tuple(tuple(safe(value) if isinstance(value, str) else value for value in row) for row in table.rows),
        title=safe(table.title),
        notes=tuple(map(safe, table.notes)),
        marks={place: safe(mark) for place, mark in table.marks.items()},
    )


def _merge_repeats(table: Table) -> Table:
    """The table as people read it: in its `grouped` columns, what the row above says as well is left out."""

    def merge(row: tuple[Value, ...], above: tuple[Value, ...]) -> tuple[Value, ...]:
        same = next((at for at in range(table.grouped) if row[at] != above[at]), table.grouped)
        return ("",) * same + row[same:]

    rows = table.rows[:1] + tuple(merge(row, above) for above, row in pairwise(table.rows))
    return replace(table, rows=rows) if table.grouped else table


def best_of(
    columns: Sequence[Sequence[float]], better: Sequence[str | None], first: int = 1
) -> frozenset[tuple[int, int]]:
    """Which cells hold the best value of their column, given per column `higher`, `lower` or None.

    A column with one row, or with the same value everywhere, has no best. `first` is the table column
    of the first of `columns`.
    """
    cells: set[tuple[int, int]] = set()
    for offset, (values, direction) in enumerate(zip(columns, better, strict=True)):
        finite = [v for v in values if math.isfinite(v)]
        if direction is None or not finite or len({*values}) < 2:
            continue
        best = max(finite) if direction == "higher" else min(finite)
        cells.update((row, first + offset) for row, value in enumerate(values) if value == best)
    return frozenset(cells)


def as_text(table: Table) -> str:
    """Plain text in aligned columns; the best value of a column has a star."""
    table = _merge_repeats(escape_table(table))
    columns = [text_column(table, c) for c in range(len(table.columns))]
    head, *rows = ("  ".join(parts).rstrip() for parts in zip(*columns, strict=True))
    rule = "  ".join("─" * len(column[0]) for column in columns)
    return "\n".join([*([table.title] if table.title else []), head, rule, *rows, *table.notes]) + "\n"


def text_column(table: Table, column: int) -> list[str]:
    """A column, starting with its header, padded to one width: numbers flush right, with aligned digits."""
    head = table.columns[column]
    values = [format_cell(row[column], table.digits) for row in table.rows]
    suffixes = [
        table.marks.get((row, column), "") + "*" * ((row, column) in table.best) for row in range(len(table.rows))
    ]
    if table.is_number(column):
        room = max(map(len, suffixes), default=0)
        cells = [head + " " * room, *(value + tail.ljust(room) for value, tail in zip(values, suffixes, strict=True))]
        return [cell.rjust(max(map(len, cells))) for cell in cells]
    cells = [head, *map("".join, zip(values, suffixes, strict=True))]
    return [cell.ljust(max(map(len, cells))) for cell in cells]


MARKDOWN_CHARACTERS = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
"""Characters with a meaning in Markdown; an underscore inside a word has none."""
MARKDOWN_LINE = re.compile(r"^\s*(\d{0,9})(?=[#+=.)-])")
"""The start of a line that Markdown would take for a heading, a rule or a list."""


def as_markdown(table: Table) -> str:
    """A GitHub-flavoured Markdown table; the best value of a column is bold."""
    table = _merge_repeats(escape_table(table))

    def safe(text: str) -> str:
        return MARKDOWN_CHARACTERS.sub(r"\\\g<0>", text)

    def safe_line(text: str) -> str:
        return MARKDOWN_LINE.sub(r"\1\\", safe(text))

    rule = ["---:" if table.is_number(c) else "---" for c in range(len(table.columns))]
    rows = [
        [f"**{safe(cell)}**" if (r, c) in table.best else safe(cell) for c, cell in enumerate(row)]
        for r, row in enumerate(table.cells())
    ]
    body = [[safe(head) for head in table.columns], rule, *rows]
    lines = [f"| {' | '.join(row)} |" for row in body]
    if table.title:
        lines = [f"**{safe(table.title)}**", "", *lines]
    if table.notes:
        lines += ["", *(safe_line(note) + "  " for note in table.notes)]
    return "\n".join(lines) + "\n"


FORMULA = re.compile(r"\s*[=+@\uff1d\uff0b\uff0d\uff20-]")
"""The start of a text that a spreadsheet takes for a formula, in ASCII or full width."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def as_csv(table: Table, text: Callable[[str], str]) -> str:
    """Comma-separated values with all digits and no notes, each text made safe by a function; marks are columns."""

    def write(value: Value) -> str | int:
        if isinstance(value, str):
            return text(value)
        if value is None or value != value:
            return ""
        return repr(value) if isinstance(value, float) else value

    table = escape_table(table.export())
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([*map(write, row)] for row in (table.columns, *table.rows))
    return out.getvalue()


def spreadsheet_text(text: str) -> str:
    """A text that no spreadsheet takes for a formula: one that looks like a formula is prefixed with an apostrophe."""
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def plain_text(text: str) -> str:
    """The original of a text that `spreadsheet_text` returned."""
    return text[1:] if text.startswith("'") and spreadsheet_text(text[1:]) == text else text


LATEX_CHARACTERS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$", "×": r"$\times$", "∞": r"$\infty$",
    "≤": r"$\leq$", "≥": r"$\geq$", "τ": r"$\tau$", "ρ": r"$\rho$", "β": r"$\beta$", "′": "$'$", "…": r"\ldots{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "†": r"\dag{}", "‡": r"\ddag{}", "¹": "$^1$", "²": "$^2$", "³": "$^3$", "·": r"$\cdot$",
}  # fmt: skip
"""Characters with a meaning in LaTeX, or missing in its fonts; [ or * at the start of a row would be an option of the
previous row's end."""


def as_latex(table: Table) -> str:
    """A `tabular` with booktabs rules; the best value of a column is bold."""
    table = _merge_repeats(escape_table(table))

    def safe(text: str) -> str:
        return "".join(LATEX_CHARACTERS.get(each, each) for each in text)

    align = "".join("r" if table.is_number(c) else "l" for c in range(len(table.columns)))
    lines = [f"% {table.title}"] if table.title else []
    lines += ["% needs \\usepackage{booktabs}", rf"\begin{{tabular}}{{{align}}}", r"\toprule"]
    lines += [" & ".join(safe(head) for head in table.columns) + r" \\", r"\midrule"]
    for r, values in enumerate(table.rows):
        parts = []
        for c, value in enumerate(values):
            text = safe(format_cell(value, table.digits))
            mark = rf"\textsuperscript{{{safe(table.marks[r, c])}}}" if table.marks.get((r, c)) else ""
            parts.append((rf"\textbf{{{text}}}" if (r, c) in table.best else text) + mark)
        lines.append(" & ".join(parts) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def as_html(table: Table) -> str:
    """A plain HTML table, for notebooks and the report; the best value of a column is bold."""
    table = _merge_repeats(escape_table(table))
    heads = "".join(f"<th>{escape_html(head)}</th>" for head in table.columns)
    rows = []
    for r, row in enumerate(table.cells()):
        parts = []
        for c, cell in enumerate(row):
            text = f"<b>{html_text(cell)}</b>" if (r, c) in table.best else html_text(cell)
            links = table.links.get((r, c), {})
            if links and len(cell) <= UNBROKEN:
                text = f'<span style="white-space:nowrap">{text}</span>'
            text += "".join(
                f' <a href="{escape_html(address)}" rel="noreferrer">{escape_html(name)}</a>'
                for name, address in links.items()
            )
            whole = ";white-space:nowrap" if len(cell) <= UNBROKEN and not links else ""
            parts.append(f'<td style="text-align:{"right" if table.is_number(c) else "left"}{whole}">{text}</td>')
        rows.append(f"<tr>{''.join(parts)}</tr>")
    title = f"<caption>{escape_html(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p>{escape_html(note)}</p>" for note in table.notes)
    body = "\n".join(rows)
    return f'<table class="antecede">{title}<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody></table>{notes}\n'


UNBROKEN = 24
"""A cell, or a part of a list in a cell, of at most so many characters is not broken into lines: a date, a class."""


def html_text(cell: str) -> str:
    """The text of a cell; the parts of a list (`H04L 12/56; H04W 4/00`) are not broken into lines."""
    parts = cell.split("; ")
    if len(parts) == 1:
        return escape_html(cell)
    return "; ".join(
        escape_html(part).replace(" ", "&nbsp;") if len(part) <= UNBROKEN else escape_html(part) for part in parts
    )


PAGE_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1a1a1a; margin: 2rem; }
table { border-collapse: collapse; margin: 0 0 1rem; }
caption { text-align: left; font-weight: 600; padding: 0 0 .5rem; }
th, td { padding: .3rem .7rem; vertical-align: top; max-width: 45rem; }
th { text-align: left; border-bottom: 2px solid #444; position: sticky; top: 0; background: #fff; }
tr + tr td { border-top: 1px solid #ddd; }
p { margin: .2rem 0; color: #555; }
a { color: #0b57a4; font-size: .85em; }
@media print { body { margin: 0; font-size: 11px; } th { position: static; } }
"""


def as_page(tables: Sequence[Table]) -> str:
    """Tables as a complete HTML page, which loads nothing and runs nothing."""
    title = next((table.title for table in tables if table.title), "") or "Table"
    body = "".join(map(as_html, tables))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="antecede table">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape_html(escape_name(title))}</title>\n<style>{PAGE_STYLE}</style>\n</head>\n<body>\n"
        f"{body}</body>\n</html>\n"
    )


STYLES: dict[str, Callable[[Table], str]] = {
    "text": as_text,
    "md": as_markdown,
    "csv": lambda table: as_csv(table, spreadsheet_text),
    "csv-raw": lambda table: as_csv(table, str),  # for programs: texts may be formulas to a spreadsheet
    "latex": as_latex,
    "html": lambda table: as_page([table]),
}
