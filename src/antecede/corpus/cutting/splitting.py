"""A file cut into documents, in bounded memory: each leaves as the bytes of one patent document.

One XML document or many in a row, records in a container, the USPTO's SGML, lines of JSON. What is no document is
rejected with what it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.cutting.detect import PLAIN_TEXT, what_is
from antecede.corpus.cutting.encodings import wide_encoding
from antecede.corpus.cutting.json_documents import BEGINS, JsonDocuments
from antecede.corpus.cutting.markup import skip_space
from antecede.corpus.cutting.xml_documents import XmlDocuments
from antecede.corpus.document import DocumentError, Rejected
from antecede.corpus.files.window import STEP, Narrowed, Prefixed, Window
from antecede.corpus.formats.registry import by_root, containers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from antecede.compression import Stream
    from antecede.corpus.document import RawDocument
    from antecede.corpus.files.sources import Entry

LIMIT = 64 << 20
"""Bytes that one document may have."""
HEAD = 4096
LATER = re.compile(rb"<\?xml\s|<!DOCTYPE\s+(?!html)", re.IGNORECASE)
"""Where XML begins behind something that is none."""


def documents(entry: Entry, *, limit: int = LIMIT) -> Iterator[RawDocument | Rejected]:
    """The documents of a file, or of a member of an archive, one at a time."""
    return cut(entry.stream, entry.label, limit=limit, roots=by_root(), containers=containers())


def cut(
    stream: Stream,
    file: str,
    *,
    limit: int = LIMIT,
    roots: Collection[str],
    containers: Collection[str] = (),
    step: int = STEP,
) -> Iterator[RawDocument | Rejected]:
    """The documents of a stream: elements called as one of `roots`, at the top or in a container; objects of JSON."""
    window = Window(stream, step=step)
    while len(window) < HEAD and window.grow():
        pass
    if (wide := wide_encoding(window.take(0, 4))) is not None:
        window = narrowed(window, wide, step)
    head = window.take(0, HEAD)
    cutter = cutter_of(window, head, file, limit, roots, containers)
    found = False
    for document in cutter:
        found = True
        yield document
    if window.failure is not None:
        yield Rejected(file, window.failure)
    elif not found:
        told = what_is(head)
        yield Rejected(file, "no document in it" if cutter and told == PLAIN_TEXT else told)


def cutter_of(
    window: Window, head: bytes, file: str, limit: int, roots: Collection[str], containers: Collection[str]
) -> JsonDocuments | XmlDocuments | tuple[()]:
    """What cuts the file, by how it begins; nothing, if it holds no documents."""
    start = skip_space(head, 0)
    if head.startswith(b"\x00"):
        return ()
    if BEGINS.match(head, start) is not None:
        window.skip(start)
        return JsonDocuments(window, file, limit)
    blank = head and start == len(head)
    if head.startswith(b"<", start) or blank or (what_is(head) == PLAIN_TEXT and LATER.search(window.held) is not None):
        return XmlDocuments(window, file, limit, roots, containers)
    return ()


def narrowed(window: Window, codec: str, step: int) -> Window:
    """The same stream in UTF-8."""
    failure = None if window.failure is None else DocumentError(window.failure)
    narrow = Window(Narrowed(Prefixed(bytes(window.held), window.stream, failure), codec), step=step)
    while len(narrow) < HEAD and narrow.grow():
        pass
    return narrow
