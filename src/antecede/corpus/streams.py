"""Streams of bytes: their encoding, a window that grows and is searched, streams with a prefix.

The declared encoding of a document is checked and converted to UTF-8. Nothing is guessed.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.errors import printable

if TYPE_CHECKING:
    from antecede.compression import Stream

_DECLARATION = re.compile(rb"<\?xml\s[^>]*?\?>")
ENCODING = re.compile(rb"(<\?xml\s[^>]*?\bencoding\s*=\s*)[\"']([A-Za-z0-9._:\-]*)[\"']")
TEXT_CODECS = re.compile(
    r"ascii|utf-8|utf-(16|32)(-[lb]e)?|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|tis-620"
    r"|shift_jis\w*|euc_\w+|iso2022_\w+|gb2312|gbk|gb18030|big5\w*|johab"
)
"""Names of the codecs that are text encodings (Python has others: compression, host names, escapes)."""

_WIDE_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    *((start + b"\x00\x00\x00", "utf-32-le") for start in (b"<", b"{", b"[")),
    *((b"\x00\x00\x00" + start, "utf-32-be") for start in (b"<", b"{", b"[")),
    *((start + b"\x00", "utf-16-le") for start in (b"<", b"{", b"[")),
    *((b"\x00" + start, "utf-16-be") for start in (b"<", b"{", b"[")),
)
"""How a text in UTF-16 or UTF-32 begins, with or without a byte order mark."""
_NARROW_PAIRS = re.compile(rb"(?:[ -~]\x00){2}|(?:\x00[ -~]){2}")
_WIDE_STARTS = tuple(mark for mark, _ in _WIDE_ENCODINGS)


def wide_encoding(head: bytes) -> str | None:
    """The encoding of a text in UTF-16 or UTF-32; None for others, which are the rule."""
    if head.startswith(_WIDE_STARTS):
        return next(name for mark, name in _WIDE_ENCODINGS if head.startswith(mark))
    if _NARROW_PAIRS.match(head) is not None:  # a table without a byte order mark
        return "utf-16-le" if head[1] == 0 else "utf-16-be"
    return None


def to_utf8(data: bytes) -> bytes:
    """Convert a document to UTF-8 without a byte order mark; the declaration of another encoding is removed."""
    data = strip_byte_order_marks(data)
    if (wide := wide_encoding(data[:4])) is not None:
        return _strip_declaration(decode(data, wide).lstrip("\ufeff").encode())
    data = data.lstrip()
    declared = ENCODING.match(data)
    if declared is None:
        return data
    name = declared.group(2).decode("ascii")
    codec = _codec_of(name)
    if codec == "utf-8":
        return data
    if codec.startswith(("utf-16", "utf-32")):  # its bytes show that it is not: it was converted
        return _strip_declaration(data)
    return _strip_declaration(decode(data, codec).encode())


def strip_byte_order_marks(data: bytes) -> bytes:
    """Remove leading byte order marks of UTF-8: concatenated files may have several."""
    while data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    return data


@lru_cache(maxsize=256)
def _codec_of(name: str) -> str:
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    if not TEXT_CODECS.fullmatch(codec):
        raise DocumentError(f"declares the encoding {printable(name)!r}, which is unknown")
    return codec


def decode(data: bytes, codec: str) -> str:
    """Decode bytes; raises `DocumentError` with the reason if they are not valid."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        wrong, line = data[error.start : error.start + 1].hex(), data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"byte 0x{wrong} on line {line} is not {codec.upper()}, though the document declares it or nothing else"
        ) from None
    except UnicodeError as error:
        raise DocumentError(f"is not {codec}: {error}") from None


def _strip_declaration(data: bytes) -> bytes:
    """Remove the XML declaration: without it a document is UTF-8."""
    found = _DECLARATION.match(data)
    return data if found is None else b"\n" * found.group().count(b"\n") + data[found.end() :]


# Windows and streams

STEP = 1 << 20
"""Bytes read at a time; more for longer documents."""
LIMIT = 64 << 20
"""The maximum size of a document in bytes."""
_LONGEST_STEP = 8 << 20


class Window:
    """A part of a stream in memory. Positions are relative to `start`, so they remain valid when more is read.

    `limit` is the maximum size of a document in bytes, for the splitters: the window itself grows beyond it.
    """

    def __init__(self, stream: Stream, *, step: int = STEP, limit: int = LIMIT) -> None:
        self.stream, self.step, self.limit = stream, step, limit
        self.buffer, self.start, self.before = bytearray(), 0, 0
        self.ended = False
        self.failure: str | None = None
        """Why reading ended early, if it did."""

    @property
    def offset(self) -> int:
        """The offset of the window in the stream."""
        return self.before + self.start

    @property
    def too_long(self) -> str:
        """Why a document beyond the limit is rejected."""
        return f"longer than the limit of {self.limit / (1 << 20):g} MB"

    def __len__(self) -> int:
        return len(self.buffer) - self.start

    def grow(self) -> bool:
        """Read more; false at the end of the stream, or where it cannot be read any further."""
        if self.ended:
            return False
        wanted = min(max(self.step, len(self)), _LONGEST_STEP)
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

    def fill(self, size: int) -> None:
        """Read until the window has so many bytes, fewer only at the end of the stream."""
        while len(self) < size and self.grow():
            pass

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

    def skip_match(self, pattern: re.Pattern[bytes]) -> bool:
        """Skip what a pattern, which matches anywhere, matches at the start; false at the end of the stream."""
        while True:
            matched = self.match(pattern, 0)
            self.skip(0 if matched is None else len(matched.group()))
            if len(self) or not self.grow():
                return bool(len(self))

    def skip_to(self, pattern: re.Pattern[bytes], at: int = 0, longest: int = 0) -> None:
        """Skip to the next match, else to the end, without keeping what is before it in memory.

        `longest` is the length of a match that may begin in the window and end after it.
        """
        while (found := self.search(pattern, at)) is None:
            self.skip(max(at, len(self) - longest))
            at = 0
            if not self.grow():
                self.skip(len(self))
                return
        self.skip(found[0])

    def take(self, begin: int, end: int) -> bytes:
        return bytes(memoryview(self.buffer)[self.start + begin : self.start + end])

    def startswith(self, sought: bytes, at: int) -> bool:
        return self.buffer.startswith(sought, self.start + at)

    def find(self, sought: bytes, begin: int, end: int | None = None) -> int:
        """The first position of some bytes in the window; −1 if they do not occur."""
        stop = len(self.buffer) if end is None else self.start + end
        return max(-1, self.buffer.find(sought, self.start + begin, stop) - self.start)

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
        self.stream, self.codec, self.ended = stream, codec, False
        self.decoder = codecs.getincrementaldecoder(codec)()

    def read(self, size: int, /) -> bytes:
        while not self.ended:
            data = self.stream.read(max(16, size // 2))
            self.ended = not data
            try:
                text = self.decoder.decode(data, self.ended).encode()
            except UnicodeError as error:
                raise DocumentError(f"is not {self.codec.upper()}, though it begins so: {error}") from None
            if text:
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
