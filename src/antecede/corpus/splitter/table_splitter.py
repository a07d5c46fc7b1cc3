"""Splitting tables into documents: each row of a CSV, TSV or Parquet file becomes a JSON object of its cells."""

from __future__ import annotations

import json
import re
import tempfile
from contextlib import nullcontext
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from antecede.compression import FREE_BYTES, PATENT_RATIO
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.encodings import decode
from antecede.corpus.formats.tabular import (
    CSV_ROW,
    PARQUET_ROW,
    SEARCH_LINE,
    TSV_ROW,
    check_columns,
    find_header,
    split_row,
)
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.corpus.formats.registry import FieldNames
    from antecede.corpus.formats.tabular import Header
    from antecede.corpus.streams import Window

LINE_END = re.compile(rb"[\r\n]")
BLANK_LINES = re.compile(rb"[\r\n]*+")
BEFORE_HEADER = re.compile(rb"(?:[\r\n]|\xef\xbb\xbf)*+")
HEADER_LINES = 2
"""Lines at the beginning among which the header is."""
LONGEST_HEADER = 1 << 16
UNCLOSED = "a quote at the beginning of a cell is not closed"
AFTER_QUOTE = "text follows a closing quote; double the quotes inside a cell"


@lru_cache(maxsize=8)
def row_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    """As much of a row as can be understood: up to its end, a quote that is not closed, or text after a quote."""
    cell = rb'(?:"(?:[^"]++|"")*+"|[^"%s\r\n][^%s\r\n]*+|)' % (delimiter, delimiter)
    return re.compile(rb"%s(?:%s%s)*+" % (cell, delimiter, cell))


def detect_table(head: bytes, names: FieldNames) -> tuple[Header, int] | None:
    """The header of a table and where the rows begin, if the first bytes of a file are those of a table."""
    at = 0
    data = head[:LONGEST_HEADER]
    for _ in range(HEADER_LINES):
        at = cast("re.Match[bytes]", BEFORE_HEADER.match(data, at)).end()
        end = LINE_END.search(data, at)
        try:
            text = data[at : len(data) if end is None else end.start()].decode()
        except UnicodeDecodeError:
            return None
        at = len(data) if end is None else end.end()
        if not text.casefold().startswith(SEARCH_LINE):
            header = find_header(text, names)
            return None if header is None else (header, at)
    return None


class TableSplitter:
    """Splits one stream, which begins with the first row."""

    def __init__(self, window: Window, file: str, limit: int, header: Header) -> None:
        self.window, self.file, self.limit, self.header = window, file, limit, header
        self.number = 0
        self.row = row_pattern(header.delimiter.encode())
        self.root = TSV_ROW if header.delimiter == "\t" else CSV_ROW

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        if self.header.reason:
            self.window.stop()
            yield Rejected(self.file, self.header.reason)
            return
        while self.skip_blank_lines():
            self.number += 1
            found = self.split_row()
            if found is None:
                self.number -= 1
            else:
                yield found

    def skip_blank_lines(self) -> bool:
        """Skip line ends; false at the end of the stream."""
        while True:
            found = self.window.match(BLANK_LINES, 0)
            self.window.skip(0 if found is None else len(found.group()))
            if len(self.window) or not self.window.grow():
                return bool(len(self.window))

    def split_row(self) -> RawDocument | Rejected | None:
        """The row that begins here; None if all its cells are blank."""
        offset = self.window.offset
        while True:
            found = self.window.match(self.row, 0)
            end = 0 if found is None else len(found.group())
            following = self.window.take(end, end + 1)
            if following in (b"\r", b"\n"):
                break
            if following not in (b"", b'"'):
                return self.read_literally(offset, AFTER_QUOTE)
            if len(self.window) > self.limit:
                long = f"longer than the limit of {self.limit / (1 << 20):g} MB"
                return self.skip_line(offset, long if not following else f"{UNCLOSED} within {self.limit >> 20} MB")
            if not self.window.grow():
                if following:
                    return self.read_literally(offset, UNCLOSED)
                break
        if failure := self.window.take_failure() if end == len(self.window) else "":
            return self.skip_line(offset, f"ends inside the row: {failure}")
        data = self.window.take(0, end)
        self.window.skip(end)
        return self.make_document(offset, data)

    def make_document(self, offset: int, data: bytes) -> RawDocument | Rejected | None:
        """The row as a JSON object."""
        try:
            text = decode(data, "utf-8")
        except DocumentError as error:
            return Rejected(self.file, f"{error.reason}; save the table as UTF-8", self.number, offset)
        cells = split_row(text, self.header.delimiter) or []
        if not any(cell.strip() for cell in cells):
            return None
        if len(cells) != len(self.header.columns):
            reason = f"has {len(cells)} cells, but the header has {len(self.header.columns)} columns"
            return Rejected(self.file, reason, self.number, offset)
        return self.document(offset, cells)

    def document(self, offset: int, cells: list[str]) -> RawDocument:
        row = {column: cell for column, cell in zip(self.header.columns, cells, strict=True) if column}
        return RawDocument(json.dumps(row, ensure_ascii=False).encode(), self.root, self.file, self.number, offset)

    def read_literally(self, offset: int, reason: str) -> RawDocument | Rejected:
        """A row whose quotes do not fit. In TSV, where quotes are often plain text, the tabs may still fit."""
        end = self.window.search(LINE_END, 0)
        line = self.window.take(0, len(self.window) if end is None else end[0])
        cells = line.split(b"\t")
        if self.root == TSV_ROW and len(cells) == len(self.header.columns):
            try:
                texts = [decode(cell, "utf-8") for cell in cells]
            except DocumentError as error:
                return self.skip_line(offset, f"{error.reason}; save the table as UTF-8")
            self.window.skip(len(line))
            return self.document(offset, texts)
        return self.skip_line(offset, reason)

    def skip_line(self, offset: int, reason: str) -> Rejected:
        """Reject a row and go on with the next line, without keeping it in memory."""
        while (end := self.window.search(LINE_END, 0)) is None:
            self.window.skip(len(self.window))
            if not self.window.grow():
                break
        self.window.skip(0 if end is None else end[0])
        return Rejected(self.file, f"{reason}{self.window.take_failure(', and ')}", self.number, offset)


# Parquet

BATCH = 256
"""Rows read at a time."""
MAGIC = b"PAR1"


class ParquetSplitter:
    """Splits a Parquet file, which requires random access: what is not a plain file is copied to a temporary one."""

    def __init__(self, window: Window, file: str, limit: int, names: FieldNames, path: Path | None) -> None:
        self.window, self.file, self.limit, self.names, self.path = window, file, limit, names, path

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        with nullcontext() if self.path is not None else tempfile.NamedTemporaryFile(prefix="antecede-") as copy:
            if copy is not None:
                self.copy_to(copy)
                if failure := self.window.take_failure():
                    yield Rejected(self.file, failure)
                    return
            self.window.stop()
            yield from self.read(str(self.path if copy is None else copy.name))

    def copy_to(self, copy: Any) -> None:
        """Write the whole stream to a file."""
        while len(self.window) or self.window.grow():
            copy.write(self.window.take(0, len(self.window)))
            self.window.skip(len(self.window))
        copy.flush()

    def read(self, path: str) -> Iterator[RawDocument | Rejected]:
        """The rows of a file."""
        import polars as pl

        number = 0
        try:
            frame = pl.scan_parquet(path, glob=False)
            columns = frame.collect_schema().names()
            if reason := check_columns(columns, self.names):
                yield Rejected(self.file, reason)
                return
            size, largest = 0, FREE_BYTES + PATENT_RATIO * Path(path).stat().st_size
            for batch in frame.collect_batches(chunk_size=BATCH, maintain_order=True):
                size += int(batch.estimated_size())
                if size > largest:
                    yield Rejected(self.file, f"unpacks to more than {PATENT_RATIO} times its size: not read on")
                    return
                for row in batch.iter_rows(named=True):
                    number += 1
                    yield self.make_document(row, number)
            if not number:
                yield Rejected(self.file, "a Parquet file without rows")
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            reason = shown((str(error).splitlines() or ["no reason given"])[0], 200)
            yield Rejected(self.file, f"a damaged Parquet file: {reason}", number + 1 if number else 0)

    def make_document(self, row: dict[str, Any], number: int) -> RawDocument | Rejected:
        """A row as a JSON object."""
        try:
            data = json.dumps(row, ensure_ascii=False, default=to_json_value).encode("utf-8", "replace")
        except (DocumentError, ValueError, RecursionError) as error:
            return Rejected(self.file, f"has a value that is not text: {shown(str(error))}", number)
        if len(data) > self.limit:
            return Rejected(self.file, f"longer than the limit of {self.limit / (1 << 20):g} MB", number)
        return RawDocument(data, PARQUET_ROW, self.file, number)


def to_json_value(value: Any) -> Any:
    """A value that JSON has no form for: dates, exact numbers, and bytes, which are text in some files."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return decode(value, "utf-8")
    raise DocumentError(f"a {type(value).__name__}")
