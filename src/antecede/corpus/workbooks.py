"""Workbooks of spreadsheet programs, and what databases save as such: XML spreadsheets, pages that are one table."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from lxml import etree

from antecede.compression import FREE_BYTES, PATENT_RATIO
from antecede.corpus import columns
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.event_codes import is_list_of_codes
from antecede.corpus.formats import field_names
from antecede.corpus.formats.tabular import WORKBOOK_ROW
from antecede.corpus.safe_xml import parse_xml
from antecede.corpus.table_splitter import HEADER_LINES, UNSURE_LINES, Row, read_rows
from antecede.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element
    from python_calamine import CalamineWorkbook

    from antecede.corpus.identities import RecordIdentities
    from antecede.corpus.streams import Window

WORKBOOK, OLD_WORKBOOK = "xl/workbook.xml", b"\xd0\xcf\x11\xe0"
_WORKBOOK_PARTS = re.compile(
    r"(?:\[Content_Types\]\.xml|_rels/\.rels|xl/(?:workbook|styles|sharedStrings|theme/theme\d*)\.xml"
    r"|xl/_rels/workbook\.xml\.rels|xl/worksheets/[^/]+\.xml)\Z",
    re.IGNORECASE,
)
_MAX_WORKBOOK, _MAX_CELLS = 256 << 20, 20_000_000
"""The maximum size of a workbook in bytes, unpacked, and of the rectangle that the cells of a sheet span: the reader
allocates it."""
_CELL_REFERENCE = re.compile(rb'<c\b[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"')
_FORMULA = re.compile(rb"<f[\s>/]")
_FORMULA_ALONE = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")


def read_workbook(data: bytes, file: str, identities: RecordIdentities) -> Iterator[RawDocument | Rejected]:
    """The records in the visible sheets of a workbook, from the values stored in it: no formula is computed."""
    from python_calamine import CalamineError, CalamineWorkbook

    old = data.startswith(OLD_WORKBOOK)
    try:
        if not old:
            data = _repack(data, file, identities)
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
    except DocumentError as error:
        yield Rejected(file, error.reason)
        return
    except (CalamineError, OSError, ValueError) as error:
        kind = "a Microsoft Office file, or a workbook," if old else "an Excel workbook"
        yield Rejected(file, f"{kind} that cannot be read: {printable(str(error), 100)}")
        return
    tables = 0
    for name in _visible_sheets(workbook, file, identities):
        label = file if len(workbook.sheet_names) == 1 else f"{file}!{name}"
        try:
            sheet = workbook.get_sheet_by_name(name)
            if sheet.height * sheet.width > _MAX_CELLS:
                raise DocumentError(f"a sheet that spans more than {_MAX_CELLS:,} cells")
            rows = ([_to_text(cell) for cell in cells] for cells in sheet.iter_rows())
            for document in _read_sheet(rows, label, identities):
                tables += 1
                yield document
        except (CalamineError, DocumentError, ValueError) as error:
            tables += 1
            yield Rejected(label, getattr(error, "reason", None) or printable(str(error), 100))
    if not tables:
        yield Rejected(file, "an Excel workbook without a table of records in a visible sheet")


def _visible_sheets(workbook: CalamineWorkbook, file: str, identities: RecordIdentities) -> list[str]:
    """The names of the sheets that a person sees; of the others the user is told."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    sheets = [sheet for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    if hidden := [sheet.name for sheet in sheets if sheet.visible != SheetVisibleEnum.Visible]:
        identities.note(file, f"hidden sheets are not read: {', '.join(map(printable, hidden))}")
    return [sheet.name for sheet in sheets if sheet.visible == SheetVisibleEnum.Visible]


def _repack(data: bytes, file: str, identities: RecordIdentities) -> bytes:
    """A workbook with nothing but its cells, their size checked; the user is told how many of them are formulas."""
    packed, formulas, empty = io.BytesIO(), 0, 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(packed, "w") as copy:
            members = [info for info in archive.infolist() if _WORKBOOK_PARTS.match(info.filename) is not None]
            size = sum(info.file_size for info in members)
            if size > min(_MAX_WORKBOOK, FREE_BYTES + PATENT_RATIO * len(data)):
                raise DocumentError(f"an Excel workbook that unpacks to {size >> 20:,} MB: not read")
            for info in members:
                content = archive.read(info)
                if b"<!DOCTYPE" in content[:1024] or b"<!ENTITY" in content:
                    raise DocumentError("an Excel workbook that declares entities: not read")
                if "/worksheets/" in info.filename:
                    _check_extent(content)
                    formulas += len(_FORMULA.findall(content))
                    empty += len(_FORMULA_ALONE.findall(content))
                copy.writestr(info.filename, content)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError) as error:
        raise DocumentError(f"an Excel workbook that is cut off or damaged: {printable(str(error), 100)}") from None
    if formulas:
        more = f"; {empty} have none and are empty" if empty else ""
        identities.note(file, f"{formulas} cells are formulas, read by their stored values{more}")
    return packed.getvalue()


def _check_extent(content: bytes) -> None:
    """Refuse a sheet whose cells span too large a rectangle, however few they are."""
    width = height = 0
    for reference in _CELL_REFERENCE.finditer(content):
        column = 0
        for letter in reference[1]:
            column = column * 26 + letter - 64
        width, height = max(width, column), max(height, int(reference[2]))
    if width * height > _MAX_CELLS:
        raise DocumentError(f"a sheet that spans {width:,} columns and {height:,} rows: not read")


def _read_sheet(rows: Iterator[list[Any]], file: str, identities: RecordIdentities) -> Iterator[RawDocument | Rejected]:
    names = identities.names
    head = [*islice(rows, HEADER_LINES)]
    for number, cells in enumerate(head):
        filled = sum(map(bool, cells))
        if filled < columns.MIN_COLUMNS:
            continue
        if filled > columns.MAX_COLUMNS:
            raise DocumentError(f"a table of more than {columns.MAX_COLUMNS:,} columns")
        if is_list_of_codes(cells):
            raise DocumentError(f"a list of legal event codes, not patents; {field_names.advise_codes()}")
        layout = columns.match_columns([cell.strip()[: columns.MAX_NAME_LENGTH] for cell in cells], names)
        if columns.is_header(layout, names, strict=number >= UNSURE_LINES):
            start = number + 1
            break
        if (guess := columns.guess_layout(head[number:], names)) is not None:
            layout, start = guess[0], number + guess[1]
            break
    else:
        return
    if reason := columns.check_layout(layout, names):
        yield Rejected(file, reason)
        return
    width = len(layout.columns)
    body = ((at, cells) for at, cells in enumerate(chain(head[start:], rows), 1) if any(cells))
    padded = (Row(at, 0, [*cells, *[""] * (width - len(cells))]) for at, cells in body)
    yield from read_rows(padded, layout, file, WORKBOOK_ROW, identities)


def _to_text(cell: Any) -> str:
    """The value of a cell as text: dates in ISO form, whole numbers without a decimal point."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, str | int | float | timedelta) else ""


# Spreadsheets in XML, pages of a table

XML_WORKBOOK = re.compile(rb"<(?:\w+:)?Workbook\b[^>]*urn:schemas-microsoft-com:office:spreadsheet")
HTML_TABLE = re.compile(rb"<(?:html|table|!DOCTYPE\s+html)\b", re.IGNORECASE)
_MAX_MARKS, _MAX_MARKUP = 2_000_000, 64 << 20
_CHARSET = re.compile(rb"charset\s*=")


def read_markup(data: bytes, file: str, identities: RecordIdentities) -> Iterator[RawDocument | Rejected]:
    """The records in a workbook that is saved as XML, or as a page of one table; of another page nothing."""
    if len(data) > _MAX_MARKUP or data.count(b"<") > _MAX_MARKS:
        yield Rejected(
            file, f"a spreadsheet in XML or HTML of more than {_MAX_MARKUP >> 20} MB or {_MAX_MARKS:,} cells"
        )
        return
    try:
        sheets = _xml_sheets(data, file) if XML_WORKBOOK.search(data, 0, 4096) is not None else _html_tables(data)
        for rows in sheets:
            yield from _read_sheet(rows, file, identities)
    except DocumentError as error:
        yield Rejected(file, error.reason)


def _xml_sheets(data: bytes, file: str) -> Iterator[Iterator[list[Any]]]:
    for sheet in parse_xml(RawDocument(data, "", file)).iter("Worksheet"):
        yield map(_cells_of, sheet.iter("Row"))


def _cells_of(row: Element) -> list[str]:
    """The cells of a row in XML, where empty ones are left out and the next gives its position."""
    cells: list[str] = []
    for cell in row.iter("Cell"):
        index = next((str(value) for name, value in cell.items() if str(name).endswith("Index")), "")
        if index.isdecimal() and len(cells) < int(index) <= columns.MAX_COLUMNS:
            cells += [""] * (int(index) - 1 - len(cells))
        data = cell.find("Data")
        text = "".join(map(str, data.itertext())) if data is not None else ""
        is_day = data is not None and any(value == "DateTime" for value in data.values())
        cells.append(text.partition("T")[0] if is_day else text.strip())
    return cells


def _html_tables(data: bytes) -> Iterator[Iterator[list[Any]]]:
    encoding = None if _CHARSET.search(data, 0, 4096) is not None else "utf-8"
    page = etree.fromstring(data, etree.HTMLParser(no_network=True, remove_comments=True, encoding=encoding))
    for table in page.iter("table") if page is not None else ():
        if 2 * _text_length(table) >= _text_length(page):  # in other pages a table lists something else
            yield (
                [_cell_text(cell) for cell in row.iterchildren("td", "th")]
                for row in table.iter("tr")
                if next(row.iterancestors("table"), None) is table
            )


def _text_length(element: Element) -> int:
    return sum(len(text.strip()) for text in element.itertext() if isinstance(text, str))


def _cell_text(cell: Element) -> str:
    for line in cell.iter("br", "p", "div"):
        line.tail = f"\n{line.tail or ''}"
    return "\n".join(filter(None, (" ".join(line.split()) for line in "".join(map(str, cell.itertext())).split("\n"))))


def read_stream(window: Window) -> bytes:
    """The rest of a stream; raises `DocumentError` where it is too long for a workbook."""
    while len(window) <= _MAX_WORKBOOK and window.grow():
        pass
    data = window.take(0, len(window))
    failure = window.take_failure()
    window.stop()
    if failure or len(data) > _MAX_WORKBOOK:
        raise DocumentError(failure or f"a workbook of more than {_MAX_WORKBOOK >> 20} MB")
    return data
