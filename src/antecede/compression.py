"""Compressed streams: recognised by their first bytes, decompressed as they are read, metered against bombs.

Everything that antecede decompresses goes through here: runs, qrels and patent collections. Output comes in bounded
steps, the memory of a decompressor is limited, a truncated stream is an error, and a `Meter` stops a file that
decompresses to implausibly many times its size.
"""

from __future__ import annotations

import bz2
import lzma
import re
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol

try:
    from isal import isal_zlib as zlib  # three times as fast
except ImportError:  # no wheel for this platform
    import zlib  # type: ignore[no-redef]

if TYPE_CHECKING:
    from collections.abc import Callable

GZIP_ERROR: type[Exception] = zlib.error  # type: ignore[assignment]
STEP = 1 << 17
"""Compressed bytes read at a time."""
MAX_MEMORY = 256 << 20
"""Bytes that a decompressor may allocate for its window: enough for `xz -9` (65 MB) and `zstd --long` (128 MB)."""
FREE_BYTES = 64 << 20
"""Bytes that any file may decompress to, however small it is."""
PATENT_RATIO = 200
"""How many times its size a patent collection may decompress to. Patents compress to a tenth, rarely to a fiftieth."""
RUN_RATIO = 1000
"""The same for runs and qrels. The most repetitive runs that make sense, those that list the same documents for every
topic with a long tag, compress 20-fold with gzip, 75-fold with bzip2, 160-fold with zstd and 200-fold with xz."""


class Stream(Protocol):
    """A source of bytes. `read` may return fewer bytes than asked for; it returns none only at the end."""

    def read(self, size: int, /) -> bytes: ...


class Meter:
    """Counts the bytes read from one file on disk and the bytes they decompressed to.

    `error` makes the exception to raise from a reason, so that each reader reports problems in its own way.
    """

    def __init__(
        self, error: Callable[[str], Exception], ratio: int, report: Callable[[int], None] | None = None
    ) -> None:
        self.error, self.ratio, self.report = error, ratio, report
        self.read, self.decompressed = 0, 0
        self.exceeded = False
        """Whether the file was abandoned as a decompression bomb."""

    @property
    def bomb(self) -> str:
        """Why a file beyond the limit is not read."""
        return f"unpacks to more than {self.ratio} times its size: not read further"

    def allows(self, size: int, compressed: int) -> bool:
        """Whether `compressed` bytes may decompress to `size` bytes."""
        return size <= FREE_BYTES + self.ratio * compressed

    def add_read(self, count: int) -> None:
        self.read += count
        if self.report is not None:
            self.report(count)

    def add_decompressed(self, count: int) -> None:
        """Count bytes that came out of a decompressor; raises once they are too many."""
        self.decompressed += count
        if not self.allows(self.decompressed, self.read):
            self.exceeded = True
            raise self.error(self.bomb)


class MeteredFile:
    """A file on disk whose bytes are counted as they are read. System errors are raised as the meter's error."""

    def __init__(self, file: IO[bytes], meter: Meter) -> None:
        self.file, self.meter = file, meter

    def read(self, size: int = -1, /) -> bytes:
        try:
            data = self.file.read(size) or b""
        except OSError as error:
            raise self.meter.error(f"cannot be read: {error.strerror or error}") from None
        self.meter.add_read(len(data))
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return self.file.seekable()


class Decompressor(Protocol):
    """The interface of `bz2.BZ2Decompressor` and `lzma.LZMADecompressor`, to which the others are adapted."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class GzipDecompressor:
    """One member of a gzip file."""

    def __init__(self) -> None:
        self.machine, self.full = zlib.decompressobj(wbits=31), False

    @property
    def eof(self) -> bool:
        return self.machine.eof

    @property
    def needs_input(self) -> bool:
        return not (self.full or self.machine.unconsumed_tail)

    @property
    def unused_data(self) -> bytes:
        return self.machine.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        tail = self.machine.unconsumed_tail
        out = self.machine.decompress(tail + data if tail else data, max_length)
        self.full = len(out) == max_length
        return out


class ZstdDecompressor:
    """One frame of a zstd file.

    The library does not bound its output, so its input is bounded: a block takes four bytes or more and gives at most
    128 KB, so `BITE` bytes give at most 16 MB.
    """

    BITE = 512

    def __init__(self) -> None:
        import zstandard

        self.machine = zstandard.ZstdDecompressor(max_window_size=MAX_MEMORY // 2).decompressobj()
        self.error = zstandard.ZstdError
        self.waiting = b""

    @property
    def eof(self) -> bool:
        return self.machine.eof

    @property
    def needs_input(self) -> bool:
        return not self.waiting

    @property
    def unused_data(self) -> bytes:
        return self.machine.unused_data + self.waiting

    def decompress(self, data: bytes, max_length: int) -> bytes:
        data = self.waiting + data if self.waiting else data
        out: list[bytes] = []
        at = size = 0
        try:
            while at < len(data) and not self.machine.eof and size < max_length:
                out.append(self.machine.decompress(data[at : at + self.BITE]))
                at += self.BITE
                size += len(out[-1])
        except self.error as error:
            raise ValueError(str(error)) from None
        self.waiting = data[at:]
        return b"".join(out)


class Compression(NamedTuple):
    """A compression format."""

    name: str
    magic: re.Pattern[bytes]
    """The first bytes of its streams."""
    start: Callable[[], Decompressor]


MAGIC_LENGTH = 10
"""The longest prefix that identifies a format."""

COMPRESSIONS = (
    Compression("gzip", re.compile(rb"\x1f\x8b\x08"), GzipDecompressor),
    Compression("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90|.{0,5}\Z)", re.DOTALL), bz2.BZ2Decompressor),
    Compression("xz", re.compile(rb"\xfd7zXZ\x00"), lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_MEMORY)),
    Compression("lzma", re.compile(rb"\x5d\x00\x00"), lambda: lzma.LZMADecompressor(lzma.FORMAT_ALONE, MAX_MEMORY)),
    # A skippable frame, which pzstd and others write, counts as a frame without content.
    Compression("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), ZstdDecompressor),
)


def compression_of(head: bytes) -> Compression | None:
    """The format of a stream that begins with `head`; None if it is not compressed."""
    return next((each for each in COMPRESSIONS if each.magic.match(head) is not None), None)


class Decompressed:
    """The content of a compressed stream. Concatenated streams, as `cat a.gz b.gz` makes, are read as one."""

    def __init__(self, stream: Stream, compression: Compression, meter: Meter, data: bytes = b"") -> None:
        """`data` was read from the stream already."""
        self.stream, self.compression, self.meter, self.data = stream, compression, meter, data
        self.machine = compression.start()

    def read(self, size: int, /) -> bytes:
        while True:
            if self.machine.eof and not self.next_member():
                return b""
            if self.machine.needs_input and not self.data:
                self.data = self.stream.read(STEP)
                if not self.data:
                    raise self.meter.error(f"the {self.compression.name} data ends early: the file is cut off")
            data, self.data = self.data, b""
            try:
                out = self.machine.decompress(data, size)
            except (GZIP_ERROR, lzma.LZMAError, OSError, EOFError, ValueError, MemoryError) as error:
                reason = str(error) or "it needs too much memory"
                raise self.meter.error(f"damaged {self.compression.name} data: {reason}") from None
            if out:
                self.meter.add_decompressed(len(out))
                return out

    def next_member(self) -> bool:
        """Continue with what follows the end of a member, past the zeros that tapes are padded with."""
        rest = self.machine.unused_data
        while len(rest := rest.lstrip(b"\x00")) < MAGIC_LENGTH and (more := self.stream.read(STEP)):
            rest += more
        if not rest:
            return False
        if self.compression.magic.match(rest) is None:
            raise self.meter.error(f"something else follows the {self.compression.name} data")
        self.machine, self.data = self.compression.start(), rest
        return True
