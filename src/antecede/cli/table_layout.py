"""A table laid out for a terminal of some width, so that no number, date or identifier is ever cut.

What does not fit is wrapped at blanks, where a column holds prose such as titles, else folded into several tables that
repeat the first column. A word that is longer than the window is wide stays whole all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from antecede.tables import escape_table, format_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.tables import Table

GAP = "  "
PROSE = 24
"""A column of texts that are wider than this may be wrapped; dates, codes and short names never are."""
NARROWEST = 20
"""A wrapped column is at least this wide."""
BEST, HEAD, NOTE = "bold green", "bold", "dim"


@dataclass(frozen=True)
class Column:
    """The cells of a column, each with its marks, and how wide it is."""

    head: str
    cells: tuple[str, ...]
    number: bool
    best: frozenset[int]
    natural: int
    """The width of its widest cell."""
    floor: int
    """The least width in which no word is cut."""

    def wrap(self, cell: str, width: int) -> list[str]:
        return wrap_words(cell, width) if self.floor < self.natural else [cell]


def lay_out(table: Table, width: int) -> list[Text]:
    """The lines of a table in a window of so many characters."""
    table = escape_table(table)
    columns = [make_column(table, at) for at in range(len(table.columns))]
    lines = [Text(line) for line in wrap_words(table.title, width)] if table.title else []
    key, *others = columns
    for number, group in enumerate(fold(key, others, width)):
        lines += [*([Text()] if number else []), *side_by_side(group, len(table.rows), width)]
    return [*lines, *(Text(line, NOTE) for note in table.notes for line in wrap_words(note, width))]


def make_column(table: Table, at: int) -> Column:
    number = table.is_number(at)
    marks = [table.marks.get((row, at), "") for row in range(len(table.rows))]
    room = max(map(cell_len, marks), default=0) if number else 0
    cells = [format_cell(row[at], table.digits) for row in table.rows]
    cells = [cell + (pad(mark, room) if number else mark) for cell, mark in zip(cells, marks, strict=True)]
    head = table.columns[at] + " " * room
    natural = max(map(cell_len, (head, *cells)))
    floor = natural
    if not number and natural > PROSE:
        longest = max((cell_len(word) for text in (head, *cells) for word in text.split()), default=0)
        floor = min(natural, max(longest + max(map(indent_of, cells), default=0), NARROWEST))
    best = frozenset(row for row, column in table.best if column == at)
    return Column(head, tuple(cells), number, best, natural, floor)


def least_width(columns: Sequence[Column]) -> int:
    return sum(column.floor for column in columns) + len(GAP) * (len(columns) - 1)


def fold(key: Column, others: Sequence[Column], width: int) -> Iterator[list[Column]]:
    """Groups of columns that fit, each after the first column."""
    group = [key]
    for column in others:
        if len(group) > 1 and least_width([*group, column]) > width:
            yield group
            group = [key]
        group.append(column)
    yield group


def share_out(columns: Sequence[Column], width: int) -> list[int]:
    """The width of each column: as wide as its cells where there is room, else the widest give way first."""
    widths = [column.natural if column.floor == column.natural else min(column.natural, width) for column in columns]
    excess = sum(widths) + len(GAP) * (len(columns) - 1) - width
    while excess > 0 and (wide := [at for at, column in enumerate(columns) if widths[at] > column.floor]):
        widths[max(wide, key=lambda at: (widths[at], -at))] -= 1
        excess -= 1
    return widths


def side_by_side(columns: Sequence[Column], rows: int, width: int) -> Iterator[Text]:
    """A table with aligned columns; a row has as many lines as its longest cell needs."""
    widths = share_out(columns, width)
    yield from row_lines(columns, [column.head for column in columns], [HEAD] * len(columns), widths)
    yield Text(GAP.join("─" * width for width in widths).rstrip())
    for row in range(rows):
        cells = [column.cells[row] for column in columns]
        yield from row_lines(columns, cells, [BEST * (row in column.best) for column in columns], widths)


def row_lines(
    columns: Sequence[Column], row: Sequence[str], styles: Sequence[str], widths: Sequence[int]
) -> Iterator[Text]:
    cells = [column.wrap(cell, width) for column, cell, width in zip(columns, row, widths, strict=True)]
    for at in range(max(map(len, cells))):
        line = Text()
        for column, lines, style, width in zip(columns, cells, styles, widths, strict=True):
            text = lines[at] if at < len(lines) else ""
            room = " " * (width - cell_len(text))
            line.append(room * column.number).append(text, style).append(room * (not column.number) + GAP)
        line.rstrip()
        yield line


def wrap_words(text: str, width: int) -> list[str]:
    """The text in lines of at most so many characters, broken at blanks only; its indentation is kept."""
    if cell_len(text) <= width:
        return [text]
    indent = " " * indent_of(text)
    lines: list[str] = []
    for word in text.split():
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(indent + word)
    return lines or [text]


def indent_of(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def pad(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))
