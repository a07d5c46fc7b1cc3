"""Compressed streams, told by their first bytes and unpacked as they are read; with a meter against bombs."""

from __future__ import annotations

import bz2
import lzma
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import zstandard

from antecede.corpus.document import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.corpus.files.window import Stream

STEP = 1 << 17
MOST_TIMES = 200
"""How many times its size a file may unpack to. Patents shrink to a tenth, hardly ever to a fiftieth."""
ALWAYS = 64 << 20
"""Bytes that any file may unpack to."""
BOMB = f"unpacks to more than {MOST_TIMES} times its size, as no patents do: not read on"
MOST_MEMORY = 256 << 20
"""Bytes that xz and zstd may ask for."""


class Meter:
    """How much was read of a file on disk, and how much came out of it."""

    def __init__(self, told: Callable[[int], None] | None = None) -> None:
        self.read, self.unpacked, self.told = 0, 0, told
        self.spent = False
        """Whether the file was given up as a bomb."""

    def took(self, count: int) -> None:
        self.read += count
        if self.told is not None:
            self.told(count)

    def gave(self, count: int) -> None:
        self.unpacked += count
        if self.unpacked > ALWAYS + MOST_TIMES * self.read:
            self.spent = True
            raise DocumentError(BOMB)


class Decompressor(Protocol):
    """What the standard library calls so, for bzip2 and xz; the others are fitted to it."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class Gzip:
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
        out = self.machine.decompress(self.machine.unconsumed_tail + data, max_length)
        self.full = len(out) == max_length
        return out


class Zstd:
    """One frame of a zstd file. It has no bound on what comes out, so little is put in at a time."""

    BITE = 1024

    def __init__(self) -> None:
        self.machine = zstandard.ZstdDecompressor(max_window_size=MOST_MEMORY // 2).decompressobj()
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
        data = self.waiting + data
        out: list[bytes] = []
        while data and not self.machine.eof and sum(map(len, out)) < max_length:
            out.append(self.machine.decompress(data[: self.BITE]))
            data = data[self.BITE :]
        self.waiting = data
        return b"".join(out)


@dataclass(frozen=True)
class Compression:
    """A way of compressing one stream."""

    name: str
    magic: bytes
    start: Callable[[], Decompressor]


COMPRESSIONS = (
    Compression("gzip", b"\x1f\x8b\x08", Gzip),
    Compression("bzip2", b"BZh", bz2.BZ2Decompressor),
    Compression("xz", b"\xfd7zXZ\x00", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)),
    Compression("zstd", b"\x28\xb5\x2f\xfd", Zstd),
)


def compression_of(head: bytes) -> Compression | None:
    """How a stream is compressed, if it is."""
    return next((each for each in COMPRESSIONS if head.startswith(each.magic)), None)


class Unpacked:
    """A compressed stream, given out unpacked; several in a row, as `cat a.gz b.gz` makes, are one."""

    def __init__(self, stream: Stream, compression: Compression, meter: Meter) -> None:
        self.stream, self.compression, self.meter = stream, compression, meter
        self.machine = compression.start()
        self.data = b""

    def read(self, size: int, /) -> bytes:
        while True:
            if self.machine.eof and not self.next_member():
                return b""
            if self.machine.needs_input and not self.data:
                self.data = self.stream.read(STEP)
                if not self.data:
                    raise DocumentError(f"the {self.compression.name} data ends early: the file is cut off")
            if out := self.step(size):
                self.meter.gave(len(out))
                return out

    def step(self, size: int) -> bytes:
        data, self.data = self.data, b""
        try:
            return self.machine.decompress(data, size)
        except (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError, EOFError, ValueError) as error:
            raise DocumentError(f"damaged {self.compression.name} data: {error}") from None

    def next_member(self) -> bool:
        """Go on with what follows the end of one, over the zeros that tapes are filled up with."""
        rest = self.machine.unused_data
        while len(rest := rest.lstrip(b"\x00")) < len(self.compression.magic) and (more := self.stream.read(STEP)):
            rest += more
        if not rest:
            return False
        if not rest.startswith(self.compression.magic):
            raise DocumentError(f"something else follows the {self.compression.name} data")
        self.machine, self.data = self.compression.start(), rest
        return True
