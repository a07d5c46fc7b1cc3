"""Encodings of documents: the declared encoding is checked and converted to UTF-8. Nothing is guessed."""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable

DECLARATION = re.compile(rb"<\?xml\s[^>]*?\?>")
ENCODING = re.compile(rb"(<\?xml\s[^>]*?\bencoding\s*=\s*)[\"']([A-Za-z0-9._:\-]*)[\"']")
TEXT_CODECS = re.compile(
    r"ascii|utf-8|utf-(16|32)(-[lb]e)?|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|tis-620"
    r"|shift_jis\w*|euc_\w+|iso2022_\w+|gb2312|gbk|gb18030|big5\w*|johab"
)
"""Names of the codecs that are text encodings (Python has others: compression, host names, escapes)."""

WIDE_ENCODINGS = (
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
WIDE_STARTS = tuple(mark for mark, _ in WIDE_ENCODINGS)


def wide_encoding(head: bytes) -> str | None:
    """The encoding of a text in UTF-16 or UTF-32; None for others, which are the rule."""
    if not head.startswith(WIDE_STARTS):
        return None
    return next(name for mark, name in WIDE_ENCODINGS if head.startswith(mark))


def to_utf8(data: bytes) -> bytes:
    """Convert a document to UTF-8 without a byte order mark; the declaration of another encoding is removed."""
    data = strip_byte_order_marks(data)
    if (wide := wide_encoding(data[:4])) is not None:
        return strip_declaration(decode(data, wide).lstrip("\ufeff").encode())
    data = data.lstrip()
    declared = ENCODING.match(data)
    if declared is None:
        return data
    name = declared.group(2).decode("ascii")
    codec = codec_of(name)
    if codec == "utf-8":
        return data
    if codec.startswith(("utf-16", "utf-32")):  # its bytes show that it is not: it was converted
        return strip_declaration(data)
    return strip_declaration(decode(data, codec).encode())


def strip_byte_order_marks(data: bytes) -> bytes:
    """Remove leading byte order marks of UTF-8: concatenated files may have several."""
    while data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    return data


@lru_cache(maxsize=256)
def codec_of(name: str) -> str:
    """The codec of a declared encoding."""
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    if not TEXT_CODECS.fullmatch(codec):
        raise DocumentError(f"declares the encoding {shown(name)!r}, which is unknown")
    return codec


def decode(data: bytes, codec: str) -> str:
    """Decode bytes; raises `DocumentError` with the reason if they are not valid."""
    try:
        return data.decode(codec)
    except UnicodeError as error:
        raise DocumentError(describe_error(data, codec, error)) from None


def describe_error(data: bytes, codec: str, error: UnicodeError) -> str:
    """Which byte is not valid in the encoding, and on which line of the document."""
    if not isinstance(error, UnicodeDecodeError):
        return f"is not {codec}: {error}"
    line = data.count(b"\n", 0, error.start) + 1
    wrong = data[error.start : error.start + 1].hex()
    return f"byte 0x{wrong} on line {line} is not {codec.upper()}, though the document declares it or nothing else"


def check_utf8(data: bytes) -> None:
    """Raise `DocumentError` if the bytes are not UTF-8."""
    decode(data, "utf-8")


def strip_declaration(data: bytes) -> bytes:
    """Remove the XML declaration: without it a document is UTF-8."""
    found = DECLARATION.match(data)
    return data if found is None else b"\n" * found.group().count(b"\n") + data[found.end() :]


def utf8_converter(codec: str) -> Callable[[bytes, bool], bytes]:
    """A function that converts a stream in this encoding to UTF-8, part by part."""
    decoder = codecs.getincrementaldecoder(codec)()

    def convert(data: bytes, final: bool) -> bytes:
        try:
            return decoder.decode(data, final).encode()
        except UnicodeError as error:
            raise DocumentError(f"is not {codec.upper()}, though it begins so: {error}") from None

    return convert
