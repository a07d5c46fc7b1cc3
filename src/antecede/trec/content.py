"""The bytes of an input: a file, plain or compressed, or standard input; told apart by content, not by name."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from antecede.compression import MAGIC_LENGTH, RUN_RATIO, Decompressed, Meter, MeteredFile, compression_of
from antecede.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.compression import Stream

PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".zstd")
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
PARQUET_MARK, ZIP_MARK = b"PAR1", b"PK\x03\x04"


@dataclass(frozen=True)
class Content:
    """What an input holds, unpacked."""

    source: str
    """What messages call it: the path as it was given."""
    name: str
    """What tables call it: the file's name without `.gz` and the like."""
    data: bytes

    @property
    def is_parquet(self) -> bool:
        return is_parquet(self.data)

    def refuse_zeros(self) -> None:
        """No text holds a zero byte."""
        if b"\0" in self.data:
            raise InputError("is a binary file, not text", source=self.source, remedy=GIVE_TEXT)


def is_parquet(data: bytes) -> bool:
    return data.startswith(PARQUET_MARK) and data.endswith(PARQUET_MARK)


def read_content(path: str | Path, *, zeros_checked: bool = True) -> Content:
    """The decompressed bytes of a file, or of standard input for `-`; refuses what is not text, with the reason.

    Without `zeros_checked` the caller looks for zero bytes: checking every byte takes a while.
    """
    source = str(path)
    if source == "-":
        source, name = "standard input", "stdin"
        # A program that was started with its standard input closed has none.
        data = b"" if sys.stdin is None else read_all(sys.stdin.buffer, source)
    else:
        name = plain_name(Path(path).name)
        with opened(Path(path), source) as file:
            data = read_all(file, source)
    if is_parquet(data):
        return Content(source, name, data)
    while data.startswith(UTF8_MARK):
        data = data.removeprefix(UTF8_MARK)
    refuse_what_is_not_text(data, source)
    content = Content(source, name, data)
    if zeros_checked:
        content.refuse_zeros()
    return content


def read_file(path: Path, source: str) -> bytes:
    """The bytes of a file as they are on disk."""
    with opened(path, source) as file:
        if size_of(file) > largest_input():
            raise too_large(source)
        return file.read()


@contextmanager
def opened(path: Path, source: str) -> Iterator[IO[bytes]]:
    """An open file; what cannot be opened or read, and a device, is refused with the reason."""
    try:
        refuse_device(path, source)
        with path.open("rb", buffering=0) as file:
            yield file
    except FileNotFoundError:
        raise InputError("no such file", source=source, remedy="check the path") from None
    except IsADirectoryError:
        raise InputError("is a folder", source=source, remedy="name the files in it, as in runs/*.gz") from None
    except PermissionError:
        raise InputError("may not be read", source=source, remedy="check its permissions") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", source=source) from None
    except ValueError as error:  # a path with a zero byte
        raise InputError(f"cannot be read ({error})", source=source, remedy="check the path") from None
    except MemoryError:
        raise too_large(source) from None


def refuse_device(path: Path, source: str) -> None:
    """Devices, such as /dev/zero, have no end. Standard input may be one: a terminal."""
    found = path.stat()
    if stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        with suppress(OSError):
            if os.path.samestat(found, os.fstat(0)):
                return
        raise InputError("is a device, not a file", source=source, remedy="give a file, or - for standard input")


def size_of(file: IO[bytes]) -> int:
    """The length of a regular file; -1 for a pipe, a terminal and the like."""
    try:
        found = os.fstat(file.fileno())
    except OSError:
        return -1
    return found.st_size if stat.S_ISREG(found.st_mode) else -1


def largest_input() -> int:
    """Bytes that an input may have: a quarter of the memory of the machine, since reading takes a few times as much."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    except (AttributeError, ValueError, OSError):
        return LARGEST_IF_UNKNOWN


def too_large(source: str) -> InputError:
    return InputError("is too large for the memory of this machine", source=source, remedy="split it by topics")


LARGEST_IF_UNKNOWN = 2 << 30
HEAD = 1 << 12
"""Bytes looked at to tell what a file is."""
PART = 1 << 20
"""Bytes read at a time from what is compressed or has no known length."""
FIRST_LINE = 64 << 20
"""Bytes within which the first line of a text ends."""


def read_all(file: IO[bytes], source: str) -> bytes:
    """The content of an open file, decompressed if it is compressed."""

    def refuse(reason: str) -> InputError:
        genuine = "decompress it first, if it is genuine"
        return InputError(reason, source=source, remedy=genuine if raw.meter.exceeded else "copy or download it again")

    size = size_of(file)
    if size > largest_input():
        raise too_large(source)
    raw = MeteredFile(file, Meter(refuse, RUN_RATIO))
    begin = file.tell() if size >= 0 else 0
    head = b""
    while len(head) < MAGIC_LENGTH and (part := raw.read(HEAD)):
        head += part
    compression = compression_of(head)
    if compression is None and size >= 0:
        refuse_binary(head, head, source)
        file.seek(begin)
        return raw.read()  # in one piece, which costs nothing to join
    stream: Stream = Followed(head, raw)
    if compression is not None:
        stream = Decompressed(stream, compression, raw.meter)
    return read_in_parts(stream, source)


class Followed:
    """Bytes that were read already, followed by the rest of the stream they are from."""

    def __init__(self, head: bytes, rest: Stream) -> None:
        self.head, self.rest = head, rest

    def read(self, size: int, /) -> bytes:
        if self.head:
            head, self.head = self.head[:size], self.head[size:]
            return head
        return self.rest.read(size)


def read_in_parts(stream: Stream, source: str) -> bytes:
    """All bytes of a stream that may have no end: given up once it is clear that it is not text, or too large."""
    parts: list[bytes] = []
    size, largest, has_line = 0, largest_input(), False
    while part := stream.read(PART):
        parts.append(part)
        size += len(part)
        refuse_binary(part, parts[0], source)
        has_line = has_line or b"\n" in part or b"\r" in part or parts[0].startswith(PARQUET_MARK)
        if size > FIRST_LINE and not has_line:
            raise InputError(f"has no line end in its first {FIRST_LINE >> 20} MB", source=source, remedy=GIVE_TEXT)
        if size > largest:
            raise too_large(source)
    return b"".join(parts)


GIVE_TEXT = "give a TREC, CSV or Parquet file"


def refuse_binary(part: bytes, first: bytes, source: str) -> None:
    """A zero byte is found in Parquet, and in no text. UTF-16, which is full of them, gets its own message later."""
    if b"\0" in part and not first.startswith((PARQUET_MARK, *UTF16_MARKS, ZIP_MARK)):
        raise InputError("is a binary file, not text", source=source, remedy=GIVE_TEXT)


def refuse_what_is_not_text(data: bytes, source: str) -> None:
    if not data or data.isspace():
        raise InputError("is empty", source=source, remedy="check how it was made")
    if data.startswith(UTF16_MARKS):
        raise InputError("is UTF-16 text", source=source, remedy="save it as UTF-8")
    if data.startswith(ZIP_MARK):
        raise InputError("is a zip archive", source=source, remedy="unpack it, and name the file inside")
    if data.startswith(PARQUET_MARK) and b"\0" in data:
        raise InputError("is truncated or damaged Parquet", source=source, remedy="copy or download it again")


def plain_name(name: str) -> str:
    """A file's name without the endings of compression."""
    stem = name
    while stem.lower().endswith(PACKED_ENDINGS):
        stem = stem[: stem.rindex(".")]
    return stem or name
