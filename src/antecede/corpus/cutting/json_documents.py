"""JSON cut into documents: an object a line, as it should be; or objects over many lines, or in one long array."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.document import RawDocument, Rejected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.corpus.files.window import Window

OBJECT = "{"
"""What stands for a root element."""

DEEPEST = 1000

BEGINS = re.compile(rb"\{\s*[\"}]|\[\s*(?:\{\s*[\"}]|\])")
"""JSON, and not a text that happens to begin with a bracket."""
BETWEEN = re.compile(rb"(?:[\s,\[\]]|\xef\xbb\xbf)*+")
"""White space, what parts the objects of an array, and the byte order marks of files that were joined."""
LEVEL = re.compile(rb"[{}]|\"(?:[^\"\\]++|\\.)*+(?:\"|(?P<unfinished>\\?\Z))", re.DOTALL)
"""A brace, or a string, in which braces mean nothing; the last string held may not have ended yet."""


class JsonDocuments:
    """Cuts one stream."""

    def __init__(self, window: Window, file: str, limit: int) -> None:
        self.window, self.file, self.limit = window, file, limit
        self.number = 0

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        by_line = self.first_line_is_whole()
        while self.to_next():
            self.number += 1
            if by_line or not self.window.startswith(b"{", 0):
                yield self.line()
            else:
                yield self.whole_object()

    def first_line_is_whole(self) -> bool:
        """Whether the file has an object a line: the first ends on the line it begins on."""
        if not self.window.startswith(b"{", 0):
            return False
        while (end := self.window.ahead(b"\n", 0)) < 0 and len(self.window) <= self.limit and self.window.grow():
            pass
        return end < 0 or self.window.take(max(0, end - 64), end).rstrip().endswith(b"}")

    def to_next(self) -> bool:
        """Over white space, commas and brackets to the next object; false at the end."""
        while True:
            found = self.window.match(BETWEEN, 0)
            self.window.skip(0 if found is None else len(found.group()))
            if len(self.window) or not self.window.grow():
                return bool(len(self.window))

    def line(self) -> RawDocument | Rejected:
        """The line that begins here; too long a one is passed by without being kept."""
        offset = self.window.offset
        while (end := self.window.ahead(b"\n", 0)) < 0:
            if len(self.window) > self.limit:
                return self.too_long(offset)
            if not self.window.grow():
                end = len(self.window)
                break
        return self.made(offset, end, at_end=end == len(self.window))

    def made(self, offset: int, end: int, *, at_end: bool) -> RawDocument | Rejected:
        data = self.window.take(0, end).rstrip()
        self.window.skip(end)
        if end > self.limit:
            return self.rejected(offset, f"longer than the limit of {self.limit / (1 << 20):g} MB")
        if not data.startswith(b"{"):
            return self.rejected(offset, "not a JSON object, though the file began with one")
        if at_end and not data.endswith((b"}", b"},", b"}]")):
            return self.rejected(offset, f"ends inside the document: {self.window.excuse() or 'the file is cut off'}")
        return RawDocument(data.rstrip(b",] \t\r\n"), OBJECT, self.file, self.number, offset)

    def too_long(self, offset: int) -> Rejected:
        while (end := self.window.find(b"\n", 0)) < 0:
            self.window.skip(len(self.window))
            if not self.window.grow():
                end = 0
                break
        self.window.skip(end)
        return self.rejected(
            offset, f"longer than the limit of {self.limit / (1 << 20):g} MB{self.window.excuse(', and ')}"
        )

    def whole_object(self) -> RawDocument | Rejected:
        """The object that begins here, over as many lines as it has."""
        offset, depth, at = self.window.offset, 0, 0
        while True:
            found = self.window.search(LEVEL, at)
            if found is None or found[1].group("unfinished") is not None:
                if len(self.window) > self.limit:
                    return self.abandoned(offset, f"longer than the limit of {self.limit / (1 << 20):g} MB")
                if not self.window.grow():
                    why = self.window.excuse() or "the file is cut off"
                    return self.abandoned(offset, f"ends inside the document: {why}")
                continue
            at = found[0] + len(found[1].group())
            depth += {b"{": 1, b"}": -1}.get(bytes(found[1].group()), 0)
            if depth > DEEPEST:
                return self.abandoned(offset, f"objects nested more than {DEEPEST} deep")
            if depth == 0:
                return self.made(offset, at, at_end=False)

    def abandoned(self, offset: int, reason: str) -> Rejected:
        """Nothing more can be told apart in this file."""
        self.window.stop()
        return self.rejected(offset, reason)

    def rejected(self, offset: int, reason: str) -> Rejected:
        return Rejected(self.file, reason, self.number, offset)
