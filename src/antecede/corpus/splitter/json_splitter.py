"""Splitting JSON into documents: one object per line, or objects over several lines, or one long array."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.document import RawDocument, Rejected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.corpus.streams import Window

OBJECT = "{"
"""The value of `RawDocument.root`."""

DEEPEST = 1000
CUT_OFF = "the file is cut off"

JSON_START = re.compile(rb"\{\s*[\"}]|\[\s*(?:\{\s*[\"}]|\])")
"""The beginning of JSON, as opposed to text that begins with a bracket."""
BETWEEN = re.compile(rb"(?:[\s,\[\]]|\xef\xbb\xbf)*+")
"""White space, separators in an array, and the byte order marks of concatenated files."""
LEVEL = re.compile(rb"[{}]|\"(?:[^\"\\]++|\\.)*+(?:\"|(?P<unfinished>\\?\Z))", re.DOTALL)
"""A brace, or a string, whose braces are not counted; the last string in the window may be incomplete."""


class JsonSplitter:
    """Splits one stream."""

    def __init__(self, window: Window, file: str, limit: int) -> None:
        self.window, self.file, self.limit = window, file, limit
        self.number = 0

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        by_line = self.has_object_per_line()
        while self.skip_to_object():
            self.number += 1
            if by_line or not self.window.startswith(b"{", 0):
                yield self.split_line()
            else:
                yield self.split_object()

    def has_object_per_line(self) -> bool:
        """Whether the file has one object per line: the first ends on the line it begins on."""
        if not self.window.startswith(b"{", 0):
            return False
        while (end := self.window.find_ahead(b"\n", 0)) < 0 and len(self.window) <= self.limit and self.window.grow():
            pass
        return end < 0 or self.window.take(max(0, end - 64), end).rstrip().endswith(b"}")

    def skip_to_object(self) -> bool:
        """Skip white space, commas and brackets; false at the end of the stream."""
        while True:
            found = self.window.match(BETWEEN, 0)
            self.window.skip(0 if found is None else len(found.group()))
            if len(self.window) or not self.window.grow():
                return bool(len(self.window))

    def split_line(self) -> RawDocument | Rejected:
        """The line that begins here; one that is too long is skipped without being kept in memory."""
        offset = self.window.offset
        while (end := self.window.find_ahead(b"\n", 0)) < 0:
            if len(self.window) > self.limit:
                return self.reject_long_line(offset)
            if not self.window.grow():
                end = len(self.window)
                break
        return self.make_document(offset, end, at_end=end == len(self.window))

    def make_document(self, offset: int, end: int, *, at_end: bool) -> RawDocument | Rejected:
        data = self.window.take(0, end).rstrip()
        self.window.skip(end)
        if end > self.limit:
            return self.reject(offset, f"longer than the limit of {self.limit / (1 << 20):g} MB")
        if not data.startswith(b"{"):
            return self.reject(offset, "not a JSON object, though the file began with one")
        if at_end and not data.endswith((b"}", b"},", b"}]")):
            return self.reject(offset, f"ends inside the document: {self.window.take_failure() or CUT_OFF}")
        return RawDocument(data.rstrip(b",] \t\r\n"), OBJECT, self.file, self.number, offset)

    def reject_long_line(self, offset: int) -> Rejected:
        while (end := self.window.find(b"\n", 0)) < 0:
            self.window.skip(len(self.window))
            if not self.window.grow():
                end = 0
                break
        self.window.skip(end)
        return self.reject(
            offset, f"longer than the limit of {self.limit / (1 << 20):g} MB{self.window.take_failure(', and ')}"
        )

    def split_object(self) -> RawDocument | Rejected:
        """The object that begins here, over any number of lines."""
        offset, depth, at = self.window.offset, 0, 0
        while True:
            found = self.window.search(LEVEL, at)
            if found is None or found[1].group("unfinished") is not None:
                if len(self.window) > self.limit:
                    return self.abandon(offset, f"longer than the limit of {self.limit / (1 << 20):g} MB")
                if not self.window.grow():
                    reason = self.window.take_failure() or CUT_OFF
                    return self.abandon(offset, f"ends inside the document: {reason}")
                continue
            at = found[0] + len(found[1].group())
            depth += {b"{": 1, b"}": -1}.get(bytes(found[1].group()), 0)
            if depth > DEEPEST:
                return self.abandon(offset, f"objects nested more than {DEEPEST} deep")
            if depth == 0:
                return self.make_document(offset, at, at_end=False)

    def abandon(self, offset: int, reason: str) -> Rejected:
        """Reject the rest of the file, which cannot be split."""
        self.window.stop()
        return self.reject(offset, reason)

    def reject(self, offset: int, reason: str) -> Rejected:
        return Rejected(self.file, reason, self.number, offset)
