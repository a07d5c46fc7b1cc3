"""Splitting a file into documents, in bounded memory: each is the bytes of one patent document.

A file is one XML document or several in a row, records in a container, SGML of the USPTO, lines of JSON, or a table.
What is not a document is rejected with a description.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from antecede.corpus import formats
from antecede.corpus.detection import PLAIN_TEXT, describe_content, is_text
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.files import ZIP
from antecede.corpus.formats.jsonl import ROOT as JSON_OBJECT
from antecede.corpus.formats.ops import JSON_ANSWER, REGISTER, split_register, to_xml
from antecede.corpus.identities import RecordIdentities
from antecede.corpus.markup import skip_space
from antecede.corpus.references import ReferenceSplitter, find_dialect
from antecede.corpus.streams import LIMIT, STEP, Utf8Stream, Window, peek, strip_byte_order_marks, wide_encoding
from antecede.corpus.table_splitter import Header, TableSplitter, find_table, split_parquet
from antecede.corpus.workbooks import (
    HTML_TABLE,
    OLD_WORKBOOK,
    XML_WORKBOOK,
    read_markup,
    read_stream,
    read_workbook,
)
from antecede.corpus.xml_splitter import XmlSplitter
from antecede.errors import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from antecede.compression import Stream
    from antecede.corpus.formats import FieldNames


_HEAD = 4096
_MAGIC = b"PAR1"
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
    identities: RecordIdentities | None = None,
) -> Iterator[RawDocument | Rejected]:
    """The documents of a stream, one at a time: elements named in `roots`, at the top or in a container; JSON objects.

    `file` is the name of the stream in messages. Unless specified otherwise, the registered formats give the elements.
    `names` is what the source calls our fields, by which a table is recognised; `path` is the file on disk, if the
    stream is one; `identities` names the records of tables and references, of all files that are read together.
    """
    if roots is None:
        roots, containers = formats.by_root(), formats.containers()
    beginning, whole = peek(stream, 4)
    wide = wide_encoding(beginning)
    window = Window(whole if wide is None else Utf8Stream(whole, wide), step=step, limit=limit)
    window.fill(_HEAD)
    head = window.take(0, _HEAD)
    identities = identities or RecordIdentities(names or {})
    splitter = _choose_splitter(window, head, file, roots, containers, path, identities)
    found = False
    for document in splitter:
        found = True
        if isinstance(document, RawDocument) and document.root == REGISTER:
            yield from _split_entries(document)
        else:
            yield document
    if window.failure is not None:
        yield Rejected(file, window.failure)
    elif not found:
        content = describe_content(head)
        yield Rejected(file, "contains no document" if splitter and content == PLAIN_TEXT else content)


def _choose_splitter(
    window: Window,
    head: bytes,
    file: str,
    roots: Collection[str],
    containers: Collection[str],
    path: Path | None,
    identities: RecordIdentities,
) -> Iterable[RawDocument | Rejected]:
    """The splitter of a file, by how it begins; empty if the file contains no documents."""
    if head.startswith(_MAGIC) and b"\x00" in head:
        return split_parquet(window, file, identities, path)
    if head.startswith((*ZIP, OLD_WORKBOOK)):
        return _split_workbook(window, file, identities, read_workbook)
    if XML_WORKBOOK.search(head) is not None or HTML_TABLE.match(head, skip_space(head, 0)) is not None:
        return _split_workbook(window, file, identities, read_markup)
    if (dialect := find_dialect(head)) is not None:
        return ReferenceSplitter(window, file, dialect, identities)
    if (table := _find_table(window, head, identities.names)) is not None:
        return TableSplitter(window, file, table, identities)
    return _choose_document_splitter(window, head, file, roots, containers)


def _choose_document_splitter(
    window: Window, head: bytes, file: str, roots: Collection[str], containers: Collection[str]
) -> Iterable[RawDocument | Rejected]:
    """The splitter of a file in XML or JSON; empty if it is neither."""
    start = skip_space(head, 0)
    if head.startswith(b"\x00"):
        return ()
    if JSON_START.match(head, start) is not None and JSON_ANSWER.search(head) is not None:
        return _split_answer(window, file, roots, containers)
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


def _split_answer(
    window: Window, file: str, roots: Collection[str], containers: Collection[str]
) -> Iterator[RawDocument | Rejected]:
    """Split an answer of a service in JSON, which stands for XML."""
    try:
        data = to_xml(json.loads(strip_byte_order_marks(read_stream(window))))
    except (DocumentError, ValueError, RecursionError) as error:
        reason = error.reason if isinstance(error, DocumentError) else f"not valid JSON: {printable(str(error), 100)}"
        yield Rejected(file, reason)
    else:
        inner = Window(io.BytesIO(data), limit=window.limit)
        inner.fill(_HEAD)
        yield from XmlSplitter(inner, file, roots, containers)


def _split_entries(document: RawDocument) -> Iterator[RawDocument | Rejected]:
    """The entries of an answer of the register, each as an answer of its own."""
    try:
        for number, data in enumerate(split_register(document.data), document.number):
            yield replace(document, data=data, number=number)
    except DocumentError as error:
        yield Rejected(document.file, error.reason, document.number, document.offset)


def _find_table(window: Window, head: bytes, names: FieldNames) -> Header | None:
    """The header of the table that a file is, if it is one; the window is moved to the first row."""
    if not head or head.startswith((b"<", b"{", b"[")) or not is_text(head):
        return None
    table = find_table(window.take(0, len(window)), names)
    if table is None:
        return None
    window.skip(table[1])
    return table[0]


def _split_workbook(
    window: Window,
    file: str,
    identities: RecordIdentities,
    read: Callable[[bytes, str, RecordIdentities], Iterator[RawDocument | Rejected]],
) -> Iterator[RawDocument | Rejected]:
    try:
        data = read_stream(window)
    except DocumentError as error:
        yield Rejected(file, error.reason)
    else:
        yield from read(data, file, identities)


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
