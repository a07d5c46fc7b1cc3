"""Splitting tables into records: CSV and its kin, Parquet. Each row becomes one record.

The header is found below whatever an export writes before it. The rows at the beginning are kept until the columns are
understood, see `columns`; memory is bounded by the sample and by the largest row.
"""

from __future__ import annotations

import codecs
import json
import re
import tempfile
from collections import Counter
from contextlib import nullcontext
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.compression import FREE_BYTES, PATENT_RATIO
from antecede.corpus import columns
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.formats import field_names
from antecede.corpus.formats.tabular import CSV_ROW, PARQUET_ROW, TSV_ROW
from antecede.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from antecede.corpus.columns import Layout
    from antecede.corpus.formats import FieldNames
    from antecede.corpus.identities import RecordIdentities
    from antecede.corpus.streams import Window

_DELIMITERS = ("\t", ";", ",", "|")
HEADER_LINES, _HEADER_BYTES = 60, 1 << 16
"""The lines, and the bytes, at the beginning of a file among which the header is."""
UNSURE_LINES = 2
"""After these, a line is a header only if three of its columns are known: text may contain two words of a header."""
_SAMPLE_ROWS, _SAMPLE_BYTES = 100_000, 32 << 20
"""The rows from which is decided what the columns are: nearly always all rows of an export."""
_LINE_END = re.compile(rb"[\r\n]")
_BLANK_LINES = re.compile(rb"[\r\n]*+")
_BEFORE_LINE = re.compile(rb"(?:[\r\n]|\xef\xbb\xbf)*+")
_UNCLOSED = "a quote at the beginning of a cell is not closed"
_AFTER_QUOTE = "text follows a closing quote; double the quotes inside a cell"


def _replace_byte(error: UnicodeError) -> tuple[str, int]:
    """A byte that is not UTF-8, as Windows-1252, or U+FFFD where that has no character."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.start + 1].decode("cp1252", "replace"), error.start + 1


codecs.register_error("antecede-cp1252", _replace_byte)
MIXED = "bytes that are not UTF-8, read as Windows-1252"


def decode_mixed(data: bytes) -> tuple[str, bool]:
    """Text in UTF-8, or in UTF-8 and Windows-1252 mixed, as exports concatenate it; whether it was mixed."""
    try:
        return data.decode(), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "antecede-cp1252"), True


class Row(NamedTuple):
    """A row, or why it cannot be read."""

    number: int
    offset: int
    cells: Sequence[Any]
    reason: str = ""


class Header(NamedTuple):
    """The header of a table in a text file."""

    delimiter: str
    layout: Layout
    reason: str = ""
    """Why the table cannot be read; empty if it can."""


# From rows to records


def read_rows(
    rows: Iterable[Row], layout: Layout, file: str, root: str, identities: RecordIdentities
) -> Iterator[RawDocument | Rejected]:
    """The records of a table, or its rejection if the user must say more."""
    rows = iter(rows)
    sample, size = [], 0
    for row in islice(rows, _SAMPLE_ROWS):
        sample.append(row)
        size += sum(len(cell) for cell in row.cells if isinstance(cell, str))
        if size > _SAMPLE_BYTES:
            break
    try:
        layout = columns.refine(layout, [row.cells for row in sample if not row.reason], identities.names)
        if not layout.fields.keys() & {"doc_id", "number", "doi", "pmid", "title", "abstract"} and not layout.paths:
            raise DocumentError(f"a table that has {columns.missing_fields(layout.columns, identities.names)}")
    except DocumentError as error:
        yield Rejected(file, error.reason)
        return
    if sample:
        identities.note(file, layout.describe())
    problems: Counter[str] = Counter()
    for row in chain(sample, rows):
        record = {} if row.reason else layout.read(row.cells, problems)
        if reason := row.reason or _explain_no_record(record, row, layout):
            yield Rejected(file, reason, row.number, row.offset)
            continue
        patents = layout.is_list_of_patents or "number" in record
        yield identities.make(record, root, file, row.number, row.offset, patents=patents)
    for problem, count in problems.items():
        if count:
            identities.note(file, f"{count} {'row has' if count == 1 else 'rows have'} a {problem}")


_IDENTIFYING = ("doc_id", "number", "doi", "pmid", "title", "abstract", "claims", "description")


def _explain_no_record(record: Mapping[str, Any], row: Row, layout: Layout) -> str:
    """Why a row is no record: exports that were put together repeat the header and what is before it."""
    if columns.distinguish([str(cell).strip() for cell in row.cells]) == [*layout.columns]:
        return "the header of the table again"
    return "" if any(name in record for name in _IDENTIFYING) else "a row without a number, an id, a title or a text"


# Text: CSV, TSV


@lru_cache(maxsize=8)
def _row_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    """As much of a row as can be understood: up to its end, a quote that is not closed, or text after a quote."""
    escaped = re.escape(delimiter)
    cell = rb'(?:"(?:[^"]++|"")*+"|[^"%s\r\n][^%s\r\n]*+|)' % (escaped, escaped)
    return re.compile(rb"%s(?:%s%s)*+" % (cell, escaped, cell))


@lru_cache(maxsize=len(_DELIMITERS))
def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    """A cell, in quotes or without, and the delimiter after it."""
    escaped = re.escape(delimiter)
    return re.compile(rf'(?:"((?:[^"]++|"")*+)"|((?!")[^{escaped}]*+))({escaped}|\Z)')


def split_row(row: str, delimiter: str) -> list[str] | None:
    """The cells of a row; None if a quote is not closed, or text follows one that is."""
    pattern, cells, at = _cell_pattern(delimiter), [], 0
    while (cell := pattern.match(row, at)) is not None:
        cells.append(cell[2] if cell[1] is None else cell[1].replace('""', '"'))
        if not cell[3]:
            return cells
        at = cell.end()
    return None


def find_table(head: bytes, names: FieldNames) -> tuple[Header, int] | None:
    """The header of a table and where its rows begin, if the first bytes of a file are those of a table."""
    head, at, first = head[:_HEADER_BYTES], 0, 0
    for line in range(HEADER_LINES):
        blanks = _BEFORE_LINE.match(head, at)
        at = blanks.end() if blanks is not None else at
        if at >= len(head):
            break
        best: tuple[Header, int] | None = None
        for delimiter in _DELIMITERS:
            row = _row_pattern(delimiter.encode()).match(head, at)
            header = _judge_header(row.group() if row else b"", delimiter, names, strict=line >= UNSURE_LINES)
            if row and header and (best is None or _worth(header) > _worth(best[0])):
                best = header, row.end()
        if best is not None:
            return best
        first = at if line == 0 else first
        end = _LINE_END.search(head, at)
        at = len(head) if end is None else end.end()
    return _find_by_content(head, first, names)


def _worth(header: Header) -> tuple[bool, int, int]:
    return not header.reason, len(header.layout.fields), len(header.layout.columns)


def _judge_header(data: bytes, delimiter: str, names: FieldNames, *, strict: bool) -> Header | None:
    cells = split_row(decode_mixed(data)[0], delimiter)
    if cells is None or len(cells) < columns.MIN_COLUMNS:
        return None
    if len(cells) > columns.MAX_COLUMNS:
        layout = columns.match_columns([], names)
        return Header(delimiter, layout, f"a table of more than {columns.MAX_COLUMNS:,} columns")
    if max(map(len, cells)) > columns.MAX_NAME_LENGTH:
        return None
    layout = columns.match_columns([cell.strip() for cell in cells], names)
    if not columns.is_header(layout, names, strict=strict):
        return None
    return Header(delimiter, layout, columns.check_layout(layout, names))


_TRIAL_ROWS = 20


def _find_by_content(head: bytes, at: int, names: FieldNames) -> tuple[Header, int] | None:
    """A table whose columns have unknown names, but one of which holds numbers of patents and another texts."""
    for delimiter in _DELIMITERS:
        pattern, position = _row_pattern(delimiter.encode()), at
        rows: list[tuple[list[str], int]] = []
        while position < len(head) and len(rows) <= _TRIAL_ROWS and (row := pattern.match(head, position)):
            rows.append((split_row(decode_mixed(row.group())[0], delimiter) or [], row.end()))
            blanks = _BLANK_LINES.match(head, row.end())
            position = blanks.end() if blanks is not None and blanks.end() > row.end() else len(head)
        width = len(rows[0][0]) if rows else 0
        body = [cells for cells, _ in rows[1:] if len(cells) == width]
        if not columns.MIN_COLUMNS <= width <= columns.MAX_COLUMNS or not body or len(body) + 2 < len(rows):
            continue
        if (guess := columns.guess_layout([rows[0][0], *body], names)) is not None:
            return Header(delimiter, guess[0], columns.check_layout(guess[0], names)), rows[0][1] if guess[1] else at
    return None


class TableSplitter:
    """Splits one stream, which begins with the first row after the header."""

    def __init__(self, window: Window, file: str, header: Header, identities: RecordIdentities) -> None:
        self.window, self.file, self.header, self.identities = window, file, header, identities
        self.row = _row_pattern(header.delimiter.encode())
        self.root = TSV_ROW if header.delimiter == "\t" else CSV_ROW
        self.number = self.mixed = 0

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        if self.header.reason:
            self.window.stop()
            yield Rejected(self.file, self.header.reason)
            return
        yield from read_rows(self.rows(), self.header.layout, self.file, self.root, self.identities)
        self.window.stop()
        if self.mixed:
            self.identities.note(self.file, f"{self.mixed} {'row has' if self.mixed == 1 else 'rows have'} {MIXED}")

    def rows(self) -> Iterator[Row]:
        while self.window.skip_match(_BLANK_LINES):
            self.number += 1
            if (row := self.split_row()) is None:
                self.number -= 1
            else:
                yield row

    def split_row(self) -> Row | None:
        """The row that begins here; None if all its cells are blank."""
        offset = self.window.offset
        while True:
            match = self.window.match(self.row, 0)
            end = 0 if match is None else len(match.group())
            following = self.window.take(end, end + 1)
            if following in (b"\r", b"\n"):
                break
            if following not in (b"", b'"'):
                return self.read_literally(offset, _AFTER_QUOTE)
            if len(self.window) > (limit := self.window.limit):
                unclosed = f"{_UNCLOSED} within {limit >> 20} MB"
                return self.skip_line(offset, unclosed if following else self.window.too_long)
            if not self.window.grow():
                if following:
                    return self.read_literally(offset, _UNCLOSED)
                break
        if failure := self.window.take_failure() if end == len(self.window) else "":
            return self.skip_line(offset, f"ends inside the row: {failure}")
        data = self.window.take(0, end)
        self.window.skip(end)
        return self.make_row(offset, split_row(self.decode(data), self.header.delimiter) or [])

    def decode(self, data: bytes) -> str:
        text, mixed = decode_mixed(data)
        self.mixed += mixed
        return text

    def make_row(self, offset: int, cells: list[str]) -> Row | None:
        if not any(map(str.strip, cells)):
            return None
        width = len(self.header.layout.columns)
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        wrong = f"has {len(cells)} cells, but the header has {width} columns" if len(cells) != width else ""
        return Row(self.number, offset, cells, wrong)

    def read_literally(self, offset: int, reason: str) -> Row | None:
        """A row whose quotes do not fit. In TSV, where quotes are often plain text, the tabs may still fit."""
        end = self.window.search(_LINE_END, 0)
        line = self.window.take(0, len(self.window) if end is None else end[0])
        cells = line.split(b"\t")
        if self.root == TSV_ROW and len(cells) == len(self.header.layout.columns):
            self.window.skip(len(line))
            return self.make_row(offset, [*map(self.decode, cells)])
        return self.skip_line(offset, reason)

    def skip_line(self, offset: int, reason: str) -> Row:
        """Reject a row and go on with the next line, without keeping it in memory."""
        self.window.skip_to(_LINE_END)
        return Row(self.number, offset, (), f"{reason}{self.window.take_failure(', and ')}")


# Parquet

_BATCH = 256
"""Rows read at a time."""


def split_parquet(
    window: Window, file: str, identities: RecordIdentities, path: Path | None
) -> Iterator[RawDocument | Rejected]:
    """Split a Parquet file, which requires random access: what is not a plain file is copied to a temporary one."""
    with nullcontext() if path is not None else tempfile.NamedTemporaryFile(prefix="antecede-") as copy:
        if copy is not None:
            while len(window) or window.grow():
                copy.write(window.take(0, len(window)))
                window.skip(len(window))
            copy.flush()
            if failure := window.take_failure():
                yield Rejected(file, failure)
                return
        window.stop()
        for row in _read_parquet(str(path if copy is None else copy.name), file, identities.names):
            too_long = isinstance(row, RawDocument) and len(row.data) > window.limit
            yield Rejected(file, window.too_long, row.number) if too_long else row


def _read_parquet(path: str, file: str, names: FieldNames) -> Iterator[RawDocument | Rejected]:
    import polars as pl

    number = 0
    try:
        frame = pl.scan_parquet(path, glob=False)
        header = frame.collect_schema().names()
        layout = columns.match_columns(header, names)
        reason = columns.check_layout(layout, names)
        shape = field_names.shape_of(header, names)
        if not reason and shape is None and not {"doc_id", "number"} & {*layout.fields, *layout.paths}:
            reason = f"a table that has {columns.missing_fields(header, names)}"
        if reason:
            yield Rejected(file, reason)
            return
        size, largest = 0, FREE_BYTES + PATENT_RATIO * Path(path).stat().st_size
        for batch in frame.collect_batches(chunk_size=_BATCH, maintain_order=True):
            size += int(batch.estimated_size())
            if size > largest:
                yield Rejected(file, f"unpacks to more than {PATENT_RATIO} times its size: not read on")
                return
            for row in batch.iter_rows(named=True):
                number += 1
                try:
                    record = row if shape is not None else layout.read([*row.values()], Counter())
                    record.pop("original", None)
                    data = json.dumps(record, ensure_ascii=False, default=_to_json_value).encode("utf-8", "replace")
                except (DocumentError, ValueError, RecursionError) as error:
                    yield Rejected(file, f"has a value that is not text: {printable(str(error))}", number)
                else:
                    yield RawDocument(data, PARQUET_ROW, file, number)
        if not number:
            yield Rejected(file, "a Parquet file without rows")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = printable((str(error).splitlines() or ["no reason given"])[0], 200)
        yield Rejected(file, f"a damaged Parquet file: {reason}", number + 1 if number else 0)


def _to_json_value(value: Any) -> Any:
    """A value that JSON has no form for: dates, exact numbers, and bytes, which are text in some files."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return decode_mixed(value)[0]
    raise DocumentError(f"a {type(value).__name__}")
