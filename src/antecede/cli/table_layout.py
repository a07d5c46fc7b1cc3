"""A table laid out for a window of some width, so that no number, date or identifier is ever cut.

What does not fit is, in this order: wrapped at blanks, where a column holds prose such as titles; folded into several
tables that repeat the first column; turned on its side, one line per value. A word that is longer than the window is
wide stays whole all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.tables import format_cell, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.tables import Table

GAP = "  "
PROSE = 24
"""A column of texts that are wider than this may be wrapped; dates, codes and short names never are."""
NARROWEST = 20
"""A wrapped column is at least this wide."""


@dataclass(frozen=True)
class Part:
    """A piece of a line."""

    text: str
    style: str = ""
    """`best`, `head`, `note`, or nothing."""


Line = tuple[Part, ...]


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


def lay_out(table: Table, width: int, measure: Callable[[str], int] = len) -> list[Line]:
    """The lines of a table in a window of so many characters; `measure` tells how wide a text is on the screen."""
    table = printable(table)
    columns = [make_column(table, at, measure) for at in range(len(table.columns))]
    lines: list[Line] = [(Part(line),) for line in wrap_words(table.title, width, measure)] if table.title else []
    lines += lay_out_columns(columns, len(table.rows), width, measure)
    return [*lines, *((Part(line, "note"),) for note in table.notes for line in wrap_words(note, width, measure))]


def make_column(table: Table, at: int, measure: Callable[[str], int]) -> Column:
    """A column of a table."""
    number = table.is_number(at)
    marks = [table.marks.get((row, at), "") for row in range(len(table.rows))]
    room = max(map(measure, marks), default=0) if number else 0
    cells = [format_cell(row[at], table.digits) for row in table.rows]
    cells = [cell + (pad(mark, room, measure) if number else mark) for cell, mark in zip(cells, marks, strict=True)]
    head = table.columns[at] + " " * room
    natural = max(map(measure, (head, *cells)))
    floor = natural
    if not number and natural > PROSE:
        longest = max((measure(word) for text in (head, *cells) for word in text.split()), default=0)
        floor = min(natural, max(longest + max(map(indent_of, cells), default=0), NARROWEST))
    best = frozenset(row for row, column in table.best if column == at)
    return Column(head, tuple(cells), number, best, natural, floor)


def lay_out_columns(columns: Sequence[Column], rows: int, width: int, measure: Callable[[str], int]) -> list[Line]:
    """The head and the rows: side by side, folded, or on its side."""
    if least_width(columns) <= width:
        return list(side_by_side(columns, rows, share_out(columns, width), measure))
    key, *others = columns
    if rows > 1 and others and all(least_width((key, column)) <= width for column in others):
        lines: list[Line] = []
        for group in fold(key, others, width):
            lines += [(), *side_by_side(group, rows, share_out(group, width), measure)]
        return lines[1:]
    return list(on_its_side(columns, rows, width, measure))


def least_width(columns: Sequence[Column]) -> int:
    """The least width in which columns fit side by side."""
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
    while excess > 0:
        wide = [at for at, column in enumerate(columns) if widths[at] > column.floor]
        widths[max(wide, key=lambda at: (widths[at], -at))] -= 1
        excess -= 1
    return widths


def side_by_side(
    columns: Sequence[Column], rows: int, widths: Sequence[int], measure: Callable[[str], int]
) -> Iterator[Line]:
    """A table with aligned columns; a row has as many lines as its longest cell needs."""
    heads = [
        wrap_words(column.head, width, measure) if column.floor < column.natural else [column.head]
        for column, width in zip(columns, widths, strict=True)
    ]
    yield from row_lines(columns, heads, ["head"] * len(columns), widths, measure)
    yield strip_end([Part(GAP.join("─" * width for width in widths))])
    for row in range(rows):
        cells = [
            wrap_words(column.cells[row], width, measure) if column.floor < column.natural else [column.cells[row]]
            for column, width in zip(columns, widths, strict=True)
        ]
        yield from row_lines(columns, cells, ["best" * (row in column.best) for column in columns], widths, measure)


def row_lines(
    columns: Sequence[Column],
    cells: Sequence[list[str]],
    styles: Sequence[str],
    widths: Sequence[int],
    measure: Callable[[str], int],
) -> Iterator[Line]:
    """The lines of one row."""
    for at in range(max(map(len, cells))):
        parts: list[Part] = []
        for column, lines, style, width in zip(columns, cells, styles, widths, strict=True):
            text = lines[at] if at < len(lines) else ""
            room = " " * (width - measure(text))
            around = (room, "") if column.number else ("", room)
            parts += [Part(around[0]), Part(text, style), Part(around[1] + GAP)]
        yield strip_end(parts)


def on_its_side(columns: Sequence[Column], rows: int, width: int, measure: Callable[[str], int]) -> Iterator[Line]:
    """One line per value after the name of its column, an empty line between two rows."""
    heads = [column.head.strip() for column in columns]
    label = max(map(measure, heads))
    for row in range(rows):
        if row:
            yield ()
        for column, head in zip(columns, heads, strict=True):
            style = "best" * (row in column.best)
            lines = wrap_words(column.cells[row].strip(), max(width - label - len(GAP), 1), measure)
            for at, line in enumerate(lines):
                yield strip_end([Part(pad("" if at else head, label, measure) + GAP, "head"), Part(line, style)])
    if not rows:
        yield strip_end([Part(GAP.join(heads), "head")])


def strip_end(parts: Sequence[Part]) -> Line:
    """A line without blanks at its end."""
    kept = list(parts)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        kept[-1] = Part(kept[-1].text.rstrip(), kept[-1].style)
    return tuple(part for part in kept if part.text)


def wrap_words(text: str, width: int, measure: Callable[[str], int] = len) -> list[str]:
    """The text in lines of at most so many characters, broken at blanks only; its indentation is kept."""
    if measure(text) <= width:
        return [text]
    indent = " " * indent_of(text)
    lines: list[str] = []
    for word in text.split():
        if lines and measure(lines[-1]) + 1 + measure(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(indent + word)
    return lines or [text]


def indent_of(text: str) -> int:
    """The number of blanks that a text begins with."""
    return len(text) - len(text.lstrip(" "))


def pad(text: str, width: int, measure: Callable[[str], int]) -> str:
    """The text with blanks after it."""
    return text + " " * (width - measure(text))
