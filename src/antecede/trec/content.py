"""The bytes of an input: a file, plain or compressed, or standard input; recognised by content, not by name."""

from __future__ import annotations

import codecs
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

COMPRESSION_SUFFIXES = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".zstd")
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
PARQUET_MARK, ZIP_MARK = b"PAR1", b"PK\x03\x04"
NAMED_MARKS = (PARQUET_MARK, *UTF16_MARKS, ZIP_MARK)
"""What may contain zero bytes: it is Parquet, or has a message of its own."""
GIVE_TEXT = "give a TREC, CSV or Parquet file"
PARQUET_FRAME = 12
"""Bytes of a Parquet file around its columns and its footer: both marks and the length of the footer."""


@dataclass(frozen=True)
class Content:
    """The decompressed bytes of an input."""

    source: str
    """How messages refer to it: the path as it was given."""
    name: str
    """How tables refer to it: the file's name without `.gz` and the like."""
    data: bytes

    @property
    def is_parquet(self) -> bool:
        """Whether it begins and ends as a Parquet file does, with a footer of the length that stands before the end."""
        data = self.data
        if not (data.startswith(PARQUET_MARK) and data.endswith(PARQUET_MARK) and len(data) > PARQUET_FRAME):
            return False
        return 0 < int.from_bytes(data[-8:-4], "little") <= len(data) - PARQUET_FRAME


def read_content(path: str | Path) -> Content:
    """The decompressed bytes of a file, or of standard input for `-`; refuses what is neither text nor Parquet."""
    source = str(path)
    if source == "-":
        source, name = "standard input", "stdin"
        # A program that was started with its standard input closed has none.
        data = b"" if sys.stdin is None else _read_all(sys.stdin.buffer, source)
    else:
        name = strip_compression_suffix(Path(path).name)
        with open_input(Path(path), source) as file:
            data = _read_all(file, source)
    content = Content(source, name, data)
    if content.is_parquet:
        return content
    while data.startswith(UTF8_MARK):
        data = data.removeprefix(UTF8_MARK)
    _refuse_unreadable(data, source)
    return Content(source, name, data)


def read_file(path: Path, source: str) -> bytes:
    with open_input(path, source) as file:
        if _get_size(file) > get_largest_size():
            raise _size_error(source)
        return file.read()


@contextmanager
def open_input(path: Path, source: str) -> Iterator[IO[bytes]]:
    """Open a file; refuse, with the reason, what cannot be opened or read, and devices."""
    try:
        _refuse_device(path, source)
        with path.open("rb", buffering=0) as file:
            yield file
    except FileNotFoundError:
        raise InputError("no such file", source=source, remedy="check the path") from None
    except IsADirectoryError:
        raise InputError("is a folder", source=source, remedy="name the files in it, as in runs/*.gz") from None
    except PermissionError:
        raise InputError("cannot be read (permission denied)", source=source, remedy="check its permissions") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", source=source) from None
    except ValueError as error:  # a path with a zero byte
        raise InputError(f"cannot be read ({error})", source=source, remedy="check the path") from None
    except MemoryError:
        raise _size_error(source) from None


def _refuse_device(path: Path, source: str) -> None:
    """Refuse devices, such as /dev/zero, which may be endless; standard input may be one, a terminal."""
    status = path.stat()
    if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
        with suppress(OSError):
            if os.path.samestat(status, os.fstat(0)):
                return
        raise InputError("is a device, not a file", source=source, remedy="give a file, or - for standard input")


def _get_size(file: IO[bytes]) -> int:
    """The length of a regular file; -1 for a pipe, a terminal and the like."""
    try:
        status = os.fstat(file.fileno())
    except OSError:
        return -1
    return status.st_size if stat.S_ISREG(status.st_mode) else -1


def get_largest_size() -> int:
    """The most bytes that an input may have: a quarter of the machine's memory, as reading takes several times that."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    except (AttributeError, ValueError, OSError):
        return LARGEST_IF_UNKNOWN


def _size_error(source: str) -> InputError:
    return InputError("is too large for the memory of this machine", source=source, remedy="split it by topics")


LARGEST_IF_UNKNOWN = 2 << 30
HEAD = 1 << 12
"""Bytes that are inspected to recognise a file."""
PART = 1 << 20
"""Bytes read at a time from a stream that is compressed or of unknown length."""
FIRST_LINE = 64 << 20
"""Bytes within which the first line of a text must end."""


def _read_all(file: IO[bytes], source: str) -> bytes:

    def refuse(reason: str) -> InputError:
        genuine = "decompress it first, if it is genuine"
        return InputError(reason, source=source, remedy=genuine if raw.meter.exceeded else "copy or download it again")

    size = _get_size(file)
    if size > get_largest_size():
        raise _size_error(source)
    raw = MeteredFile(file, Meter(refuse, RUN_RATIO))
    begin = file.tell() if size >= 0 else 0
    head = b""
    while len(head) < MAGIC_LENGTH and (part := raw.read(HEAD)):
        head += part
    if (compression := compression_of(head)) is not None:
        return _read_in_parts(Decompressed(raw, compression, raw.meter, head), b"", source)
    if size < 0:
        return _read_in_parts(raw, head, source)
    file.seek(begin)
    return raw.read()  # in one piece, which needs no joining


def _read_in_parts(stream: Stream, head: bytes, source: str) -> bytes:
    """All bytes of a stream, which may be endless: refused as soon as it is clear that it is not text, or too large.

    `head` was read already.
    """
    parts: list[bytes] = []
    size, largest, has_line = 0, get_largest_size(), False
    while part := head or stream.read(PART):
        head = b""
        parts.append(part)
        size += len(part)
        if b"\0" in part and not parts[0].startswith(NAMED_MARKS):
            raise _binary_error(source)
        has_line = has_line or b"\n" in part or b"\r" in part or parts[0].startswith(PARQUET_MARK)
        if size > FIRST_LINE and not has_line:
            raise InputError(f"has no line end in its first {FIRST_LINE >> 20} MB", source=source, remedy=GIVE_TEXT)
        if size > largest:
            raise _size_error(source)
    return b"".join(parts)


def _binary_error(source: str) -> InputError:
    return InputError("is a binary file, not text", source=source, remedy=GIVE_TEXT)


def _refuse_unreadable(data: bytes, source: str) -> None:
    if not data or data.isspace():
        raise InputError("is empty", source=source, remedy="check how it was made")
    if data.startswith(UTF16_MARKS):
        raise InputError("is UTF-16 text", source=source, remedy="save it as UTF-8")
    if data.startswith(ZIP_MARK):
        raise InputError("is a zip archive", source=source, remedy="extract it, and name the file inside")
    if b"\0" in data and data.startswith(PARQUET_MARK):
        raise InputError("is truncated or damaged Parquet", source=source, remedy="copy or download it again")
    if b"\0" in data:
        raise _binary_error(source)


def strip_compression_suffix(name: str) -> str:
    stem = name
    while stem.lower().endswith(COMPRESSION_SUFFIXES):
        stem = stem[: stem.rindex(".")]
    return stem or name


def decode_latin1(error: UnicodeError) -> tuple[str, int]:
    """The Latin-1 characters of bytes that are not UTF-8, as an error handler of `bytes.decode`."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("antecede.latin1", decode_latin1)


def to_utf8(data: bytes) -> bytes:
    """`data` with bytes that are not UTF-8 read as Latin-1. Equal ids stay equal, whatever else is in their files."""
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "antecede.latin1").encode()
    return data
