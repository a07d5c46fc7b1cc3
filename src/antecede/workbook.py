"""Tables as a workbook for spreadsheet programs (xlsx): one sheet per table with all digits, and one with the notes."""

from __future__ import annotations

import io
import math
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, advise, printable
from antecede.tables import Table, Value, escape_table, format_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


ROWS, COLUMNS, CHARACTERS, NAME = 1_048_576, 16_384, 32_767, 31
"""What a sheet, a cell and the name of a sheet can hold at most."""
WIDEST, NARROWEST = 60, 8
"""The width of columns, in characters."""
LARGEST = 10**15
"""Spreadsheets compute with 15 digits: a whole number with more is written as a text."""
ENDLESS = 9.99e307
"""Numbers beyond this are written as texts: a spreadsheet cannot hold them."""
NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\']")
CREATED = datetime(2000, 1, 1)
"""A fixed date, so that the same tables give the same bytes."""


def make_workbook(tables: Sequence[Table]) -> bytes:
    """The workbook as a file."""
    from xlsxwriter import Workbook

    exported = [escape_table(table.export()) for table in tables]
    data = io.BytesIO()
    book = Workbook(data, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"created": CREATED, "comments": "Made by antecede."})
    for table, name in zip(exported, _sheet_names(exported), strict=True):
        _write_sheet(book, table, name)
    notes = [line for table in exported for line in (table.title, *table.notes) if line]
    if notes:
        sheet = book.add_worksheet("notes")
        sheet.set_column(0, 0, 2 * WIDEST, book.add_format({"text_wrap": True, "valign": "top"}))
        for row, line in enumerate(notes):
            sheet.write_string(row, 0, _check_length(line, f"note {row + 1}"))
    book.close()
    return data.getvalue()


def _sheet_names(tables: Sequence[Table]) -> Iterator[str]:
    """A name for each sheet: the beginning of its table's title, numbered where two would be the same."""
    used = {"notes", ""}
    for number, table in enumerate(tables, 1):
        title = NOT_IN_NAMES.sub(" ", re.split(r"[:(“]", table.title)[0]).strip()
        name = " ".join(title.split())[:NAME].strip()
        if name.lower() in used:
            name = f"table {number}"
        used.add(name.lower())
        yield name


def _write_sheet(book: Any, table: Table, name: str) -> None:
    if len(table.rows) >= ROWS or len(table.columns) > COLUMNS:
        csv = advise("CSV", "--format csv")
        raise UsageError(f"{len(table.rows)} rows of {len(table.columns)} columns do not fit a sheet; use {csv}")
    sheet = book.add_worksheet(name)
    head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
    text = book.add_format({"text_wrap": True, "valign": "top"})
    number = book.add_format({"num_format": "0." + "0" * table.digits if table.digits else "0", "valign": "top"})
    bold = book.add_format({"num_format": "0." + "0" * table.digits if table.digits else "0", "bold": True})
    for column, title in enumerate(table.columns):
        sheet.write_string(0, column, _check_length(title, "the head"), head)
        longest = max((len(format_cell(row[column], table.digits)) for row in table.rows), default=0)
        sheet.set_column(column, column, min(max(longest, len(title), NARROWEST), WIDEST) + 2)
    for row, values in enumerate(table.rows):
        for column, value in enumerate(values):
            style = (bold if (row, column) in table.best else number) if isinstance(value, float) else text
            address = next(iter(table.links.get((row, column), {}).values()), None)
            _write_cell(sheet, (row + 1, column), value, style, address)
    sheet.freeze_panes(1, 0)
    if table.rows:
        sheet.autofilter(0, 0, len(table.rows), len(table.columns) - 1)


def _write_cell(sheet: Any, place: tuple[int, int], value: Value, style: Any, address: str | None) -> None:
    """One value: a number with all digits, a text that is never taken for a formula, a link, or nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return
    if isinstance(value, str) or abs(value) > (LARGEST if isinstance(value, int) else ENDLESS):
        text = format_cell(value, 0) if not isinstance(value, float) or math.isinf(value) else repr(value)
        text = _check_length(text, f"row {place[0]}, column {place[1] + 1}")
        # A link that is too long for the format is left as text.
        if address is None or sheet.write_url(*place, address, string=text) != 0:
            sheet.write_string(*place, text, style)
    else:
        sheet.write_number(*place, value, style)


def _check_length(text: str, where: str) -> str:
    """A text that fits a cell; a longer one is refused, since it would be cut."""
    if len(text) > CHARACTERS:
        raise UsageError(
            f"{where}: {printable(text, 20)!r} has {len(text)} characters, a cell holds {CHARACTERS}; use csv"
        )
    return text
