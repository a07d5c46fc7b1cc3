"""Members of zip and tar archives as streams. Nothing is extracted to disk, and the name of a member is never a path.

Tar archives have a reader of their own, because `tarfile` keeps a record of every member, loads extended headers of any
length into memory, and does not report an archive that is cut off between two members."""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.streams import read_fully
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from antecede.compression import Meter, Stream

LONGEST_DIRECTORY = 16 << 20
"""The maximum size in bytes of the central directory of a zip archive: about 200,000 members."""
ZIP_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2}
ENCRYPTED = 0x1
ESCAPES = re.compile(r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|\x00")
"""Absolute paths, paths with a drive, and paths with `..`."""
DOCUMENT = "word/document.xml"
DOCX = "a DOCX file, not a patent; search with it, or save a table as CSV"
OFFICE_FILES = {
    DOCUMENT: DOCX,
    "xl/workbook.xml": "an Excel workbook, not a supported format; save the sheet as CSV",
    "ppt/presentation.xml": "a presentation, not a supported format; save its text",
    "META-INF/manifest.xml": "an OpenDocument file, not a supported format; save it as DOCX or CSV",
}
"""Members by which an archive is known to be one file of an office program."""
SYSTEM_FILES = re.compile(
    r"(?:^|/)(?:__MACOSX|\.git|\.svn|\.hg)(?:/|$)|(?:^|/)(?:\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$"
)
"""Files of file managers and version control, skipped without a message."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an archive: its content, or the reason why it is not read. Read it before requesting the next."""

    name: str
    stream: Stream | None
    reason: str = ""


def check_name(name: str) -> str:
    """Why a member of this name is not read; empty if it is."""
    if not name:
        return "a member of the archive without a name"
    return f"{shown(name)}: its path leads outside the archive" if ESCAPES.search(name) is not None else ""


class ZipStream:
    """The content of a member of a zip archive; damage raises `DocumentError`."""

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
    """The members of a zip archive in order."""
    check_directory(file)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise DocumentError(f"a zip archive that is cut off or damaged: {error}") from None
    with archive:
        if reason := explain_office(archive.namelist()):
            raise DocumentError(reason)
        for info in archive.infolist():
            if info.filename.endswith("/") or SYSTEM_FILES.search(info.filename) is not None:
                continue
            if reason := check_member(info, meter):
                yield Member(info.filename, None, reason)
                continue
            try:
                with archive.open(info) as stream:
                    yield Member(info.filename, ZipStream(stream, meter))
            except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, NotImplementedError, EOFError) as error:
                yield Member(info.filename, None, f"damaged in the zip archive: {error}")


def explain_office(names: Collection[str]) -> str:
    """What an archive with these members is, if an office program wrote it; empty for any other."""
    found = {*names}
    marked = "[Content_Types].xml" in found or "mimetype" in found
    return next((reason for name, reason in OFFICE_FILES.items() if name in found), "") if marked else ""


def check_directory(file: IO[bytes]) -> None:
    """Refuse a zip archive whose central directory would not fit in memory."""
    end = file.seek(0, 2)
    file.seek(max(0, end - (1 << 16) - 22))
    tail = file.read()
    at, at64 = tail.rfind(b"PK\x05\x06"), tail.rfind(b"PK\x06\x06")
    size = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    if at64 >= 0 and size == 0xFFFFFFFF:
        size = int.from_bytes(tail[at64 + 40 : at64 + 48], "little")
    if size > LONGEST_DIRECTORY:
        raise DocumentError(
            f"a zip archive with a central directory of {size >> 20} MB; extract it, or convert it to tar"
        )
    file.seek(0)


def check_member(info: zipfile.ZipInfo, meter: Meter) -> str:
    """Why a member is not read, as far as is known before it is opened; empty if it is."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a link in the zip archive, not followed"
    if info.flag_bits & ENCRYPTED:
        return "encrypted in the zip archive"
    if info.compress_type not in ZIP_METHODS:
        return f"compressed in the zip archive by an unsupported method ({info.compress_type})"
    if not meter.allows(info.file_size, info.compress_size):
        return meter.bomb
    return check_name(info.orig_filename)


# Tar archives

BLOCK = 512
ZEROS = bytes(BLOCK)
LONGEST_HEADER = 1 << 20
FILE_KINDS, FOLDER_KINDS = (b"\x00", b"0", b"7"), (b"5", b"D")
EXTENDED_HEADERS = (b"x", b"X", b"g", b"L", b"K")
WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")
OTHER_KINDS = {
    b"1": "a link",
    b"2": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a named pipe",
    b"S": "a sparse file",
    b"M": "a part of a file",
}
"""Kinds of members that are not complete files."""
RECORD = re.compile(rb"([1-9]\d{0,8}) ([^=]{1,200})=")
CUT_OFF = "the tar archive ends early: it is cut off"


def is_tar(head: bytes) -> bool:
    """Whether bytes begin with a valid tar header; archives without a magic number are recognised too."""
    return len(head) >= BLOCK and head[0] not in b"\x00" and is_checksum_valid(head[:BLOCK])


def is_checksum_valid(header: bytes) -> bool:
    """Whether the checksum of a header is correct: the sum of its bytes, with the checksum field as spaces."""
    checksum = read_number(header[148:156])
    return checksum is not None and checksum == sum(header[:148]) + 8 * 32 + sum(header[156:])


def read_number(field: bytes) -> int | None:
    """A number in octal digits, or in binary if it is too large for them; None if it is neither."""
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b"\x00 ")
    return int(digits, 8) if digits and not digits.strip(b"01234567") else None


class TarStream:
    """The content of a tar member; the unread rest is skipped before the next member."""

    def __init__(self, stream: Stream, size: int) -> None:
        self.stream, self.left, self.padding = stream, size, -size % BLOCK

    def read(self, size: int, /) -> bytes:
        if not self.left:
            return b""
        out = self.stream.read(min(size, self.left))
        if not out:
            raise DocumentError(CUT_OFF)
        self.left -= len(out)
        return out

    def skip(self) -> None:
        while self.left:
            self.read(1 << 20)
        read_fully(self.stream, self.padding)


def tar_members(stream: Stream) -> Iterator[Member]:
    """The members of a tar archive in order; raises `DocumentError` if it is damaged."""
    extended: dict[str, str] = {}
    ended = False
    while block := read_fully(stream, BLOCK):
        ended = block == ZEROS
        if ended:
            continue
        if len(block) < BLOCK or not is_checksum_valid(block):
            raise DocumentError(CUT_OFF if len(block) < BLOCK else "a damaged tar archive: a header is missing")
        kind, size = block[156:157], read_number(block[124:136]) or 0
        if kind in EXTENDED_HEADERS:
            extended |= read_extended_header(kind, stream, size)
            continue
        size = int(extended.get("size", size))
        if kind == b"S":
            skip_sparse_map(stream, block[482])
        content = TarStream(stream, 0 if kind in WITHOUT_CONTENT else size)
        name = extended.get("path") or member_name(block)
        extended = {}
        if not (kind in FOLDER_KINDS or name.endswith("/") or SYSTEM_FILES.search(name)):
            yield make_member(kind, name, content)
        content.skip()
    if not ended:
        raise DocumentError(CUT_OFF)


def make_member(kind: bytes, name: str, content: TarStream) -> Member:
    if kind in FILE_KINDS:
        reason = check_name(name)
        return Member(name, None if reason else content, reason)
    return Member(name, None, f"{OTHER_KINDS.get(kind, 'an unknown kind of make_member')} in the tar archive, not read")


def member_name(header: bytes) -> str:
    """The name in a tar header, which may have two parts."""
    name, magic, prefix = header[:100], header[257:262], header[345:500]
    parts = [prefix, name] if magic == b"ustar" and header[263:265] == b"00" else [name]
    return "/".join(part.split(b"\x00")[0].decode("utf-8", "replace") for part in parts if part.strip(b"\x00"))


def read_extended_header(kind: bytes, stream: Stream, size: int) -> dict[str, str]:
    """Read an extended header: fields of the next member that do not fit into its own header."""
    if size > LONGEST_HEADER:
        raise DocumentError(f"a tar header of more than {LONGEST_HEADER >> 20} MB")
    data = read_fully(stream, size)
    if len(data) < size:
        raise DocumentError(CUT_OFF)
    read_fully(stream, -size % BLOCK)
    if kind == b"L":
        return {"path": data.rstrip(b"\x00").decode("utf-8", "replace")}
    return parse_pax(data) if kind in (b"x", b"X") else {}


def skip_sparse_map(stream: Stream, continued: int) -> None:
    """Skip the continuation blocks of a sparse file's map."""
    while continued:
        block = read_fully(stream, BLOCK)
        continued = block[504] if len(block) == BLOCK else 0


def parse_pax(data: bytes) -> dict[str, str]:
    """Parse records of the form `length key=value`; only `path` and `size` are used."""
    fields: dict[str, str] = {}
    at = 0
    while at < len(data):
        found = RECORD.match(data, at)
        end = at + int(found[1]) if found is not None else 0
        if found is None or not found.end() <= end <= len(data):
            raise DocumentError("a damaged tar archive: an extended header cannot be read")
        if found[2] in (b"path", b"size"):
            fields[found[2].decode()] = data[found.end() : end].rstrip(b"\n").decode("utf-8", "replace")
        at = end
    if re.fullmatch(r"[0-9]{1,18}", fields.get("size", "0")) is None:
        raise DocumentError("a damaged tar archive: a size that is not a number")
    return fields
