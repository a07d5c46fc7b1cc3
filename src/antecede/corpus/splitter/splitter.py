"""Splitting a file into documents, in bounded memory: each is the bytes of one patent document.

A file is one XML document or several in a row, records in a container, SGML of the USPTO, lines of JSON, or a table.
What is not a document is rejected with a description.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.detection import PLAIN_TEXT, describe_content, is_text
from antecede.corpus.document import DocumentError, Rejected
from antecede.corpus.encodings import wide_encoding
from antecede.corpus.formats import registry
from antecede.corpus.splitter.json_splitter import JSON_START, JsonSplitter
from antecede.corpus.splitter.table_splitter import (
    LINE_END,
    LONGEST_HEADER,
    MAGIC,
    ParquetSplitter,
    TableSplitter,
    detect_table,
)
from antecede.corpus.splitter.xml_splitter import XmlSplitter
from antecede.corpus.streams import STEP, PrefixedStream, Utf8Stream, Window
from antecede.corpus.xml.markup import skip_space

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from antecede.compression import Stream
    from antecede.corpus.document import RawDocument
    from antecede.corpus.formats.registry import FieldNames
    from antecede.corpus.formats.tabular import Header

LIMIT = 64 << 20
"""The maximum size of a document in bytes."""
HEAD = 4096
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
        roots, containers = registry.by_root(), registry.containers()
    window = Window(stream, step=step)
    while len(window) < HEAD and window.grow():
        pass
    if (wide := wide_encoding(window.take(0, 4))) is not None:
        window = decode_window(window, wide, step)
    head = window.take(0, HEAD)
    splitter: Iterable[RawDocument | Rejected]
    if head.startswith(MAGIC) and b"\x00" in head:
        splitter = ParquetSplitter(window, file, limit, names or {}, path)
    elif (table := find_table(window, head, names or {})) is not None:
        splitter = TableSplitter(window, file, limit, table)
    else:
        splitter = choose_splitter(window, head, file, limit, roots, containers)
    found = False
    for document in splitter:
        found = True
        yield document
    if window.failure is not None:
        yield Rejected(file, window.failure)
    elif not found:
        content = describe_content(head)
        yield Rejected(file, "contains no document" if splitter and content == PLAIN_TEXT else content)


def choose_splitter(
    window: Window, head: bytes, file: str, limit: int, roots: Collection[str], containers: Collection[str]
) -> JsonSplitter | XmlSplitter | tuple[()]:
    """The splitter of a file, by how it begins; empty if the file contains no documents."""
    start = skip_space(head, 0)
    if head.startswith(b"\x00"):
        return ()
    if JSON_START.match(head, start) is not None:
        window.skip(start)
        return JsonSplitter(window, file, limit)
    blank = head and start == len(head)
    if (
        head.startswith(b"<", start)
        or blank
        or (describe_content(head) == PLAIN_TEXT and XML_START.search(window.buffer) is not None)
    ):
        return XmlSplitter(window, file, limit, roots, containers)
    return ()


def find_table(window: Window, head: bytes, names: FieldNames) -> Header | None:
    """The header of the table that a file is, if it is one; the window is moved to the first row."""
    if not head or head.startswith((b"<", b"{", b"[")) or not is_text(head):
        return None
    while LINE_END.search(window.buffer, window.start) is None and len(window) < LONGEST_HEADER and window.grow():
        pass
    found = detect_table(window.take(0, LONGEST_HEADER), names)
    if found is None:
        return None
    window.skip(found[1])
    return found[0]


def decode_window(window: Window, codec: str, step: int) -> Window:
    """The window of the same stream converted to UTF-8."""
    failure = None if window.failure is None else DocumentError(window.failure)
    narrow = Window(Utf8Stream(PrefixedStream(bytes(window.buffer), window.stream, failure), codec), step=step)
    while len(narrow) < HEAD and narrow.grow():
        pass
    return narrow
