"""Streams of bytes: a window that grows and is searched, streams with a prefix or in another encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.encodings import utf8_converter
from antecede.corpus.xml.markup import find_pair

if TYPE_CHECKING:
    import re

    from antecede.compression import Stream

STEP = 1 << 20
"""Bytes read at a time; more for longer documents."""
LONGEST_STEP = 8 << 20


class Window:
    """A part of a stream in memory. Positions are relative to `start`, so they remain valid when more is read."""

    def __init__(self, stream: Stream, *, step: int = STEP) -> None:
        self.stream, self.step = stream, step
        self.buffer, self.start, self.before = bytearray(), 0, 0
        self.ended = False
        self.missing: dict[bytes, tuple[int, int]] = {}
        self.failure: str | None = None
        """Why reading ended early, if it did."""

    @property
    def offset(self) -> int:
        """The offset of the window in the stream."""
        return self.before + self.start

    def __len__(self) -> int:
        return len(self.buffer) - self.start

    def grow(self) -> bool:
        """Read more; false at the end of the stream, or where it cannot be read any further."""
        if self.ended:
            return False
        wanted = min(max(self.step, len(self)), LONGEST_STEP)
        self.before += self.start
        del self.buffer[: self.start]
        self.start, before = 0, len(self.buffer)
        try:
            while wanted > 0 and (part := self.stream.read(wanted)):
                self.buffer += part
                wanted -= len(part)
        except DocumentError as error:
            self.failure = error.reason
        self.ended = wanted > 0
        return len(self.buffer) > before

    def take_failure(self, before: str = "") -> str:
        """Why reading ended early, returned once; empty if it did not."""
        failure, self.failure = self.failure, None
        return f"{before}{failure}" if failure else ""

    def stop(self) -> None:
        """Discard the rest of the stream."""
        self.skip(len(self))
        self.ended, self.failure = True, None

    def skip(self, count: int) -> None:
        """Move the start of the window forward; what was before it may be discarded."""
        self.start += count

    def take(self, begin: int, end: int) -> bytes:
        """A copy of some bytes."""
        return bytes(memoryview(self.buffer)[self.start + begin : self.start + end])

    def startswith(self, sought: bytes, at: int) -> bool:
        return self.buffer.startswith(sought, self.start + at)

    def find(self, sought: bytes, begin: int, end: int | None = None) -> int:
        """The first position of some bytes in the window; −1 if they do not occur."""
        stop = len(self.buffer) if end is None else self.start + end
        return max(-1, self.buffer.find(sought, self.start + begin, stop) - self.start)

    def find_pair(self, pair: bytes, begin: int, end: int) -> int:
        """The first position of two bytes, as `find`; far faster if the second is rare."""
        return max(-1, find_pair(self.buffer, pair, self.start + begin, self.start + end) - self.start)

    def find_ahead(self, sought: bytes, begin: int) -> int:
        """The next position of some bytes, −1 if none; what was searched without success is not searched again."""
        low, high = self.missing.get(sought, (0, -1))
        begins = self.offset + begin
        known = low <= begins <= high
        found = self.buffer.find(sought, (high if known else begins) - self.before)
        if found < 0:
            end = self.before + len(self.buffer) - len(sought) + 1
            if len(self.missing) > 64:
                self.missing.clear()
            self.missing[sought] = (low if known else begins, max(begins, end))
        return max(-1, found - self.start)

    def rfind(self, sought: bytes, begin: int, end: int) -> int:
        """The last position of some bytes; −1 if they do not occur."""
        return max(-1, self.buffer.rfind(sought, self.start + begin, self.start + end) - self.start)

    def match(self, pattern: re.Pattern[bytes], at: int) -> re.Match[bytes] | None:
        """A match at a position. The match's own positions are not the window's, and it is valid until more is read."""
        return pattern.match(self.buffer, self.start + at)

    def search(self, pattern: re.Pattern[bytes], at: int, end: int | None = None) -> tuple[int, re.Match[bytes]] | None:
        """The next match and its position."""
        stop = len(self.buffer) if end is None else self.start + end
        found = pattern.search(self.buffer, self.start + at, stop)
        return None if found is None else (found.start() - self.start, found)


class Utf8Stream:
    """A stream in UTF-16 or UTF-32, converted to UTF-8."""

    def __init__(self, stream: Stream, codec: str) -> None:
        self.stream, self.convert, self.ended = stream, utf8_converter(codec), False

    def read(self, size: int, /) -> bytes:
        while not self.ended:
            data = self.stream.read(max(16, size // 2))
            self.ended = not data
            if text := self.convert(data, self.ended):
                return text
        return b""


class PrefixedStream:
    """A stream whose beginning has already been read; if reading failed there, it fails again after the prefix."""

    def __init__(self, head: bytes, rest: Stream, failure: DocumentError | None = None) -> None:
        self.head, self.rest, self.failure = head, rest, failure

    def read(self, size: int, /) -> bytes:
        if self.head:
            part, self.head = self.head[:size], self.head[size:]
            return part
        if self.failure is not None:
            raise self.failure
        return self.rest.read(size)


def peek(stream: Stream, size: int) -> tuple[bytes, PrefixedStream]:
    """The first bytes of a stream, and the complete stream."""
    head, failure = b"", None
    try:
        while len(head) < size and (part := stream.read(size - len(head))):
            head += part
    except DocumentError as error:
        failure = error
    return head, PrefixedStream(head, stream, failure)


def read_fully(stream: Stream, size: int) -> bytes:
    """Read exactly `size` bytes, fewer only at the end of the stream."""
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
