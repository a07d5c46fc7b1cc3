"""Members of zip and tar archives as streams. Nothing is unpacked onto the disk, and no name of a member is a path."""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.compression import Meter, Stream

LONGEST_DIRECTORY = 16 << 20
"""Bytes of the list of members in a zip: some 200,000 of them."""
UNPACKED_BY = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2}
ENCRYPTED = 0x1
ESCAPES = re.compile(r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|\x00")
"""Absolute, with a drive, or on the way up."""
DROPPINGS = re.compile(
    r"(?:^|/)(?:__MACOSX|\.git|\.svn|\.hg)(?:/|$)|(?:^|/)(?:\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$"
)
"""What file managers and version control leave behind: passed over without a word."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an archive: its content, or why there is none. Read it before asking for the next."""

    name: str
    stream: Stream | None
    reason: str = ""


def refused(name: str) -> str:
    """Why a member of this name is not read; empty if it may be."""
    if not name:
        return "a member of the archive without a name"
    return f"{shown(name)}: its path escapes from the archive" if ESCAPES.search(name) is not None else ""


class ZipStream:
    """The content of a member of a zip archive; what is wrong with it comes out as its reason."""

    def __init__(self, stream: IO[bytes], meter: Meter) -> None:
        self.stream, self.meter = stream, meter

    def read(self, size: int, /) -> bytes:
        try:
            out = self.stream.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise DocumentError(f"damaged in the zip archive: {error or 'it ends early'}") from None
        self.meter.add_decompressed(len(out))
        return out


def zip_members(file: IO[bytes], meter: Meter) -> Iterator[Member]:
    """The members of a zip archive in their order."""
    check_directory(file)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise DocumentError(f"a zip archive that is cut off or damaged: {error}") from None
    with archive:
        for info in archive.infolist():
            if info.filename.endswith("/") or DROPPINGS.search(info.filename) is not None:
                continue
            if reason := why_not(info, meter):
                yield Member(info.filename, None, reason)
                continue
            try:
                with archive.open(info) as stream:
                    yield Member(info.filename, ZipStream(stream, meter))
            except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, NotImplementedError, EOFError) as error:
                yield Member(info.filename, None, f"damaged in the zip archive: {error}")


def check_directory(file: IO[bytes]) -> None:
    """Refuse a zip whose list of members alone would fill the memory."""
    end = file.seek(0, 2)
    file.seek(max(0, end - (1 << 16) - 22))
    tail = file.read()
    at, at64 = tail.rfind(b"PK\x05\x06"), tail.rfind(b"PK\x06\x06")
    size = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    if at64 >= 0 and size == 0xFFFFFFFF:
        size = int.from_bytes(tail[at64 + 40 : at64 + 48], "little")
    if size > LONGEST_DIRECTORY:
        raise DocumentError(f"a zip archive whose list of members has {size >> 20} MB; unpack it, or make it a tar")
    file.seek(0)


def why_not(info: zipfile.ZipInfo, meter: Meter) -> str:
    """What speaks against reading a member, before it is opened."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a link in the zip archive, not followed"
    if info.flag_bits & ENCRYPTED:
        return "encrypted in the zip archive"
    if info.compress_type not in UNPACKED_BY:
        return f"compressed in the zip archive by a method that is not read ({info.compress_type})"
    if not meter.allows(info.file_size, info.compress_size):
        return meter.bomb
    return refused(info.orig_filename)
