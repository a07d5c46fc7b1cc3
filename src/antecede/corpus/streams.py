"""A stretch of a stream in memory: it grows at its end, forgets at its start, and is searched in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.encodings import utf8_converter

if TYPE_CHECKING:
    import re

    from antecede.compression import Stream

STEP = 1 << 20
"""Bytes read at a time; more once a document is longer."""
LONGEST_STEP = 8 << 20


class Window:
    """The bytes from `start` on; every position is counted from there, so that it holds when more are read."""

    def __init__(self, stream: Stream, *, step: int = STEP) -> None:
        self.stream, self.step = stream, step
        self.buffer, self.start, self.before = bytearray(), 0, 0
        self.ended = False
        self.missing: dict[bytes, tuple[int, int]] = {}
        self.failure: str | None = None
        """Why reading ended early."""

    @property
    def offset(self) -> int:
        """Where in the stream the window starts."""
        return self.before + self.start

    def __len__(self) -> int:
        return len(self.buffer) - self.start

    def grow(self) -> bool:
        """Read on; false at the end of the stream, or of what can be read of it."""
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
        """Why reading ended early, told once; empty if it did not."""
        failure, self.failure = self.failure, None
        return f"{before}{failure}" if failure else ""

    def stop(self) -> None:
        """Nothing more is read."""
        self.skip(len(self))
        self.ended, self.failure = True, None

    def skip(self, count: int) -> None:
        """Go on; what lies behind may be forgotten."""
        self.start += count

    def take(self, begin: int, end: int) -> bytes:
        """A copy of some bytes."""
        return bytes(memoryview(self.buffer)[self.start + begin : self.start + end])

    def startswith(self, sign: bytes, at: int) -> bool:
        return self.buffer.startswith(sign, self.start + at)

    def find(self, sign: bytes, begin: int, end: int | None = None) -> int:
        """Where a sign first stands in what is held; −1 if it does not."""
        stop = len(self.buffer) if end is None else self.start + end
        return max(-1, self.buffer.find(sign, self.start + begin, stop) - self.start)

    def find_ahead(self, sign: bytes, begin: int) -> int:
        """Where a sign next stands. Where it was looked for in vain is not searched again, however often one asks."""
        low, high = self.missing.get(sign, (0, -1))
        asked = self.offset + begin
        known = low <= asked <= high
        found = self.buffer.find(sign, (high if known else asked) - self.before)
        if found < 0:
            end = self.before + len(self.buffer) - len(sign) + 1
            if len(self.missing) > 64:
                self.missing.clear()
            self.missing[sign] = (low if known else asked, max(asked, end))
        return max(-1, found - self.start)

    def rfind(self, sign: bytes, begin: int, end: int) -> int:
        """Where a sign last stands."""
        return max(-1, self.buffer.rfind(sign, self.start + begin, self.start + end) - self.start)

    def match(self, pattern: re.Pattern[bytes], at: int) -> re.Match[bytes] | None:
        """A match that begins there; its own positions are not the window's, and it holds until more is read."""
        return pattern.match(self.buffer, self.start + at)

    def search(self, pattern: re.Pattern[bytes], at: int) -> tuple[int, re.Match[bytes]] | None:
        """The next match and its place."""
        found = pattern.search(self.buffer, self.start + at)
        return None if found is None else (found.start() - self.start, found)


class Utf8Stream:
    """A stream of wide characters (UTF-16, UTF-32), given out in UTF-8."""

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
    """A stream of which the head was read already; if reading failed there, it fails again behind the head."""

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
    """The first bytes of a stream, and the whole of it."""
    head, failure = b"", None
    try:
        while len(head) < size and (part := stream.read(size - len(head))):
            head += part
    except DocumentError as error:
        failure = error
    return head, PrefixedStream(head, stream, failure)


def read_fully(stream: Stream, size: int) -> bytes:
    """As many bytes as asked, fewer only at the end."""
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
