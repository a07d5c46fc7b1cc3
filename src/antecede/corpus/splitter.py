"""Splitting a file into documents, in bounded memory: each is the bytes of one patent document.

A file is one XML document or several in a row, records in a container, SGML of the USPTO, lines of JSON, or a table.
What is not a document is rejected with a description.
"""

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
from antecede.corpus import formats
from antecede.corpus.detection import PLAIN_TEXT, describe_content, is_text
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.formats import tabular
from antecede.corpus.formats.jsonl import ROOT as JSON_OBJECT
from antecede.corpus.markup import skip_space
from antecede.corpus.streams import LIMIT, STEP, Utf8Stream, Window, decode, peek, wide_encoding
from antecede.corpus.xml_splitter import XmlSplitter
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from antecede.compression import Stream
    from antecede.corpus.formats import FieldNames
    from antecede.corpus.formats.tabular import Header


_HEAD = 4096
XML_START = re.compile(rb"<\?xml\s|<!DOCTYPE\s+(?!html)", re.IGNORECASE)
"""Where XML begins after something else."""


def split(
    stream: Stream,
    file: str,
    *,
    limit: int = LIMIT,
    roots: Collection[str] | None = None,
    containers: Collection[str] = (),
    step: int = STEP,
    names: FieldNames | None = None,
    path: Path | None = None,
) -> Iterator[RawDocument | Rejected]:
    """The documents of a stream, one at a time: elements named in `roots`, at the top or in a container; JSON objects.

    `file` is the name of the stream in messages. Unless specified otherwise, the registered formats give the elements.
    `names` is what the source calls our fields, by which a table is recognised; `path` is the file on disk, if the
    stream is one.
    """
    if roots is None:
        roots, containers = formats.by_root(), formats.containers()
    beginning, whole = peek(stream, 4)
    wide = wide_encoding(beginning)
    window = Window(whole if wide is None else Utf8Stream(whole, wide), step=step, limit=limit)
    window.fill(_HEAD)
    head = window.take(0, _HEAD)
    splitter: Iterable[RawDocument | Rejected]
    if head.startswith(_MAGIC) and b"\x00" in head:
        splitter = _split_parquet(window, file, names or {}, path)
    elif (table := _find_table(window, head, names or {})) is not None:
        splitter = _TableSplitter(window, file, table)
    else:
        splitter = _choose_splitter(window, head, file, roots, containers)
    found = False
    for document in splitter:
        found = True
        yield document
    if window.failure is not None:
        yield Rejected(file, window.failure)
    elif not found:
        content = describe_content(head)
        yield Rejected(file, "contains no document" if splitter and content == PLAIN_TEXT else content)


def _choose_splitter(
    window: Window, head: bytes, file: str, roots: Collection[str], containers: Collection[str]
) -> _JsonSplitter | XmlSplitter | tuple[()]:
    """The splitter of a file, by how it begins; empty if the file contains no documents."""
    start = skip_space(head, 0)
    if head.startswith(b"\x00"):
        return ()
    if JSON_START.match(head, start) is not None:
        window.skip(start)
        return _JsonSplitter(window, file)
    blank = head and start == len(head)
    if (
        head.startswith(b"<", start)
        or blank
        or (describe_content(head) == PLAIN_TEXT and XML_START.search(window.buffer) is not None)
    ):
        return XmlSplitter(window, file, roots, containers)
    return ()


def _find_table(window: Window, head: bytes, names: FieldNames) -> Header | None:
    """The header of the table that a file is, if it is one; the window is moved to the first row."""
    if not head or head.startswith((b"<", b"{", b"[")) or not is_text(head):
        return None
    while _LINE_END.search(window.buffer, window.start) is None and len(window) < _LONGEST_HEADER and window.grow():
        pass
    found = detect_table(window.take(0, _LONGEST_HEADER), names)
    if found is None:
        return None
    window.skip(found[1])
    return found[0]


# JSON: one object per line, or objects over several lines, or one long array

_DEEPEST = 1000
_CUT_OFF = "the file is cut off"

JSON_START = re.compile(rb"\{\s*[\"}]|\[\s*(?:\{\s*[\"}]|\])")
"""The beginning of JSON, as opposed to text that begins with a bracket."""
_BETWEEN = re.compile(rb"(?:[\s,\[\]]|\xef\xbb\xbf)*+")
"""White space, separators in an array, and the byte order marks of concatenated files."""
_NEWLINE = re.compile(rb"\n")
_LEVEL = re.compile(rb"[{}]|\"(?:[^\"\\]++|\\.)*+(?:\"|(?P<unfinished>\\?\Z))", re.DOTALL)
"""A brace, or a string, whose braces are not counted; the last string in the window may be incomplete."""


class _JsonSplitter:
    def __init__(self, window: Window, file: str) -> None:
        self.window, self.file = window, file
        self.number = 0

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        by_line = self.has_object_per_line()
        while self.window.skip_match(_BETWEEN):
            self.number += 1
            if by_line or not self.window.startswith(b"{", 0):
                yield self.split_line()
            else:
                yield self.split_object()

    def has_object_per_line(self) -> bool:
        """Whether the file has one object per line: the first ends on the line it begins on."""
        if not self.window.startswith(b"{", 0):
            return False
        window = self.window
        while (end := window.find(b"\n", 0)) < 0 and len(window) <= window.limit and window.grow():
            pass
        return end < 0 or self.window.take(max(0, end - 64), end).rstrip().endswith(b"}")

    def split_line(self) -> RawDocument | Rejected:
        """The line that begins here; one that is too long is skipped without being kept in memory."""
        offset = self.window.offset
        while (end := self.window.find(b"\n", 0)) < 0:
            if len(self.window) > self.window.limit:
                self.window.skip_to(_NEWLINE)
                return self.reject(offset, f"{self.window.too_long}{self.window.take_failure(', and ')}")
            if not self.window.grow():
                end = len(self.window)
                break
        return self.make_document(offset, end, at_end=end == len(self.window))

    def make_document(self, offset: int, end: int, *, at_end: bool) -> RawDocument | Rejected:
        data = self.window.take(0, end).rstrip()
        self.window.skip(end)
        if end > self.window.limit:
            return self.reject(offset, self.window.too_long)
        if not data.startswith(b"{"):
            return self.reject(offset, "not a JSON object, though the file began with one")
        if at_end and not data.endswith((b"}", b"},", b"}]")):
            return self.reject(offset, f"ends inside the document: {self.window.take_failure() or _CUT_OFF}")
        return RawDocument(data.rstrip(b",] \t\r\n"), JSON_OBJECT, self.file, self.number, offset)

    def split_object(self) -> RawDocument | Rejected:
        offset, depth, at = self.window.offset, 0, 0
        while True:
            found = self.window.search(_LEVEL, at)
            if found is None or found[1].group("unfinished") is not None:
                if len(self.window) > self.window.limit:
                    return self.abandon(offset, self.window.too_long)
                if not self.window.grow():
                    reason = self.window.take_failure() or _CUT_OFF
                    return self.abandon(offset, f"ends inside the document: {reason}")
                continue
            at = found[0] + len(found[1].group())
            depth += {b"{": 1, b"}": -1}.get(bytes(found[1].group()), 0)
            if depth > _DEEPEST:
                return self.abandon(offset, f"objects nested more than {_DEEPEST} deep")
            if depth == 0:
                return self.make_document(offset, at, at_end=False)

    def abandon(self, offset: int, reason: str) -> Rejected:
        """Reject the rest of the file, which cannot be split."""
        self.window.stop()
        return self.reject(offset, reason)

    def reject(self, offset: int, reason: str) -> Rejected:
        return Rejected(self.file, reason, self.number, offset)


# Tables: each row becomes a JSON object of its cells

_LINE_END = re.compile(rb"[\r\n]")
_BLANK_LINES = re.compile(rb"[\r\n]*+")
_BEFORE_HEADER = re.compile(rb"(?:[\r\n]|\xef\xbb\xbf)*+")
_HEADER_LINES = 2
"""Lines at the beginning among which the header is."""
_LONGEST_HEADER = 1 << 16
_UNCLOSED = "a quote at the beginning of a cell is not closed"
_AFTER_QUOTE = "text follows a closing quote; double the quotes inside a cell"


@lru_cache(maxsize=8)
def _row_pattern(delimiter: bytes) -> re.Pattern[bytes]:
    """As much of a row as can be understood: up to its end, a quote that is not closed, or text after a quote."""
    cell = rb'(?:"(?:[^"]++|"")*+"|[^"%s\r\n][^%s\r\n]*+|)' % (delimiter, delimiter)
    return re.compile(rb"%s(?:%s%s)*+" % (cell, delimiter, cell))


def detect_table(head: bytes, names: FieldNames) -> tuple[Header, int] | None:
    """The header of a table and where the rows begin, if the first bytes of a file are those of a table."""
    at = 0
    data = head[:_LONGEST_HEADER]
    for _ in range(_HEADER_LINES):
        at = cast("re.Match[bytes]", _BEFORE_HEADER.match(data, at)).end()
        end = _LINE_END.search(data, at)
        try:
            text = data[at : len(data) if end is None else end.start()].decode()
        except UnicodeDecodeError:
            return None
        at = len(data) if end is None else end.end()
        if not text.casefold().startswith(tabular.SEARCH_LINE):
            header = tabular.find_header(text, names)
            return None if header is None else (header, at)
    return None


class _TableSplitter:
    """Splits one stream, which begins with the first row."""

    def __init__(self, window: Window, file: str, header: Header) -> None:
        self.window, self.file, self.header = window, file, header
        self.number = 0
        self.row = _row_pattern(header.delimiter.encode())
        self.root = tabular.TSV_ROW if header.delimiter == "\t" else tabular.CSV_ROW

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        if self.header.reason:
            self.window.stop()
            yield Rejected(self.file, self.header.reason)
            return
        while self.window.skip_match(_BLANK_LINES):
            self.number += 1
            found = self.split_row()
            if found is None:
                self.number -= 1
            else:
                yield found

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
        return self.make_document(offset, data)

    def make_document(self, offset: int, data: bytes) -> RawDocument | Rejected | None:
        try:
            text = decode(data, "utf-8")
        except DocumentError as error:
            return Rejected(self.file, f"{error.reason}; save the table as UTF-8", self.number, offset)
        cells = tabular.split_row(text, self.header.delimiter) or []
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
        end = self.window.search(_LINE_END, 0)
        line = self.window.take(0, len(self.window) if end is None else end[0])
        cells = line.split(b"\t")
        if self.root == tabular.TSV_ROW and len(cells) == len(self.header.columns):
            try:
                texts = [decode(cell, "utf-8") for cell in cells]
            except DocumentError as error:
                return self.skip_line(offset, f"{error.reason}; save the table as UTF-8")
            self.window.skip(len(line))
            return self.document(offset, texts)
        return self.skip_line(offset, reason)

    def skip_line(self, offset: int, reason: str) -> Rejected:
        """Reject a row and go on with the next line, without keeping it in memory."""
        self.window.skip_to(_LINE_END)
        return Rejected(self.file, f"{reason}{self.window.take_failure(', and ')}", self.number, offset)


# Parquet

_BATCH = 256
"""Rows read at a time."""
_MAGIC = b"PAR1"


def _split_parquet(window: Window, file: str, names: FieldNames, path: Path | None) -> Iterator[RawDocument | Rejected]:
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
        for row in _read_parquet(str(path if copy is None else copy.name), file, names):
            too_long = isinstance(row, RawDocument) and len(row.data) > window.limit
            yield Rejected(file, window.too_long, row.number) if too_long else row


def _read_parquet(path: str, file: str, names: FieldNames) -> Iterator[RawDocument | Rejected]:
    import polars as pl

    number = 0
    try:
        frame = pl.scan_parquet(path, glob=False)
        columns = frame.collect_schema().names()
        if reason := tabular.check_columns(columns, names):
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
                    data = json.dumps(row, ensure_ascii=False, default=_to_json_value).encode("utf-8", "replace")
                except (DocumentError, ValueError, RecursionError) as error:
                    yield Rejected(file, f"has a value that is not text: {shown(str(error))}", number)
                else:
                    yield RawDocument(data, tabular.PARQUET_ROW, file, number)
        if not number:
            yield Rejected(file, "a Parquet file without rows")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = shown((str(error).splitlines() or ["no reason given"])[0], 200)
        yield Rejected(file, f"a damaged Parquet file: {reason}", number + 1 if number else 0)


def _to_json_value(value: Any) -> Any:
    """A value that JSON has no form for: dates, exact numbers, and bytes, which are text in some files."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return decode(value, "utf-8")
    raise DocumentError(f"a {type(value).__name__}")
