"""The bytes of an input: a file, plain or compressed, or standard input; told apart by content, not by name."""

from __future__ import annotations

import bz2
import lzma
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from antecede.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".zstd")
UTF8_MARK, UTF16_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
PARQUET_MARK = b"PAR1"


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
            raise InputError(
                "is a binary file, not text", source=self.source, remedy="give a TREC, CSV or Parquet file"
            )


def is_parquet(data: bytes) -> bool:
    return data.startswith(PARQUET_MARK) and data.endswith(PARQUET_MARK)


def read_content(path: str | Path, *, zeros_checked: bool = True) -> Content:
    """The unpacked bytes of a file, or of standard input for `-`; refuses what is not text, with the reason.

    Without `zeros_checked` the caller sees to zeros: looking at every byte takes a while.
    """
    source = str(path)
    data = read_stdin() if source == "-" else read_file(Path(path), source)
    if source == "-":
        source, name = "standard input", "stdin"
    else:
        name = plain_name(Path(path).name)
    data = unpack(data, source)
    if is_parquet(data):
        return Content(source, name, data)
    data = data.removeprefix(UTF8_MARK)
    refuse_what_is_not_text(data, source)
    content = Content(source, name, data)
    if zeros_checked:
        content.refuse_zeros()
    return content


def read_stdin() -> bytes:
    # A program started with its standard input closed has none.
    return b"" if sys.stdin is None else sys.stdin.buffer.read()


def read_file(path: Path, source: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError("no such file", source=source, remedy="check the path") from None
    except IsADirectoryError:
        raise InputError("is a folder", source=source, remedy="name the files in it, as in runs/*.gz") from None
    except PermissionError:
        raise InputError("may not be read", source=source, remedy="check its permissions") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", source=source) from None


def refuse_what_is_not_text(data: bytes, source: str) -> None:
    if not data or data.isspace():
        raise InputError("is empty", source=source, remedy="check how it was made")
    if data.startswith(UTF16_MARKS):
        raise InputError("is UTF-16 text", source=source, remedy="save it as UTF-8")
    if data.startswith(b"PK\x03\x04"):
        raise InputError("is a zip archive", source=source, remedy="unpack it, and name the file inside")
    if data.startswith(PARQUET_MARK) and b"\0" in data:
        raise InputError("is truncated or damaged Parquet", source=source, remedy="copy or download it again")


def plain_name(name: str) -> str:
    """A file's name without the endings of compression."""
    stem = name
    while stem.lower().endswith(PACKED_ENDINGS):
        stem = stem[: stem.rindex(".")]
    return stem or name


class Unpacker(Protocol):
    """What the decompressors of the standard library and of zstandard have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def zstd_unpacker() -> Unpacker:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


PACKINGS: dict[bytes, tuple[str, Callable[[], Unpacker]]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(wbits=31)),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ\0": ("xz", lzma.LZMADecompressor),
    b"]\0\0": ("lzma", lzma.LZMADecompressor),
    b"\x28\xb5\x2f\xfd": ("zstd", zstd_unpacker),
}
"""The first bytes of each kind of packed file, its name, and what unpacks it."""

STEP = 1 << 12
"""How many packed bytes are unpacked at a time: so little that a bomb shows itself before it fills the memory."""
LOOK = 1 << 16
"""How many unpacked bytes of each step are searched for zeros."""


def unpack(data: bytes, source: str) -> bytes:
    """`data` itself, or what is packed in it; a truncated or damaged file is refused, never cut short."""
    for mark, (kind, unpacker) in PACKINGS.items():
        if data.startswith(mark):
            return unpack_all(data, kind, unpacker, source)
    return data


def unpack_all(data: bytes, kind: str, unpacker: Callable[[], Unpacker], source: str) -> bytes:
    """Unpack every member in turn (`cat a.gz b.gz` is a valid file), watching for bombs made of zeros."""
    parts: list[bytes] = []
    at = 0
    while at < len(data):
        one = unpacker()
        try:
            while not one.eof and at < len(data):
                part = one.decompress(data[at : at + STEP])
                at += STEP
                parts += [part] if part else []
                if b"\0" in part[:LOOK] and not parts[0].startswith(PARQUET_MARK):
                    raise InputError(f"is {kind} with a binary file inside", source=source, remedy="give a text file")
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as error:
            raise damaged(kind, source, str(error)) from None
        except Exception as error:
            if type(error).__module__.startswith("zstandard"):
                raise damaged(kind, source, str(error)) from None
            raise
        if not one.eof:
            raise damaged(kind, source, "it ends in the middle")
        at = min(at, len(data)) - len(one.unused_data)
        while data.startswith(b"\0", at):  # some tools pad a packed file with zeros
            at += 1
    return b"".join(parts)


def damaged(kind: str, source: str, why: str) -> InputError:
    return InputError(f"is truncated or damaged {kind} ({why})", source=source, remedy="copy or download it again")
