"""Sources of documents: files, folders and archives, compressed or not, nested as the offices distribute them.

The type of a file is detected from its first bytes. Folders are read in natural order of their names. Nothing is
written to disk, except a zip inside an archive, which requires random access: it is spooled to a temporary file. The
name of a member of an archive is never a path.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import tarfile
import tempfile
import zipfile
import zlib
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from antecede.compression import PATENT_RATIO, Decompressed, Meter, MeteredFile, compression_of
from antecede.corpus.beir import explain_no_collection
from antecede.corpus.document import DocumentError, Rejected
from antecede.corpus.streams import peek, read_fully
from antecede.errors import InputError, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from antecede.compression import Stream

    _Member = tuple[str, Stream | str]
    """The name of a member of an archive, and its content, to be read before the next is requested, or the reason why
    it is not read."""

_NOT_REGULAR = "not a complete file but a link, a pipe, a device or a part"


def _find_files(paths: Sequence[str | Path]) -> Iterator[Path | Rejected]:
    """The files given by paths, including those in folders. A path that does not exist is an error of the user."""
    seen: set[tuple[int, int]] = set()
    for path in map(Path, paths):
        if str(path) == "-":
            yield path
            continue
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot be opened: {reason}", source=printable(str(path), 200)) from None
        if is_folder:
            yield from _walk(path, seen)
        else:
            yield path  # a pipe is read too, if it is given explicitly


def _walk(folder: Path, seen: set[tuple[int, int]]) -> Iterator[Path | Rejected]:
    """The files of a folder and its subfolders. A folder reached twice through links is read once."""
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        try:
            found = path.stat()
            if stat.S_ISDIR(found.st_mode):
                if (found.st_dev, found.st_ino) in seen:
                    yield Rejected(label(path), "a link to a folder that was already read")
                    continue
                seen.add((found.st_dev, found.st_ino))
                inside = (each for each in path.iterdir() if _SYSTEM_FILES.search(each.name) is None)
                waiting += sorted(inside, key=lambda each: natural_key(each.name), reverse=True)
                continue
        except OSError as error:
            yield Rejected(label(path), f"cannot be opened: {error.strerror}")
            continue
        if not stat.S_ISREG(found.st_mode):
            yield Rejected(label(path), _NOT_REGULAR)
        elif reason := explain_no_collection(path):
            yield Rejected(label(path), reason)
        else:
            yield path


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that compares numbers in names by value: `part2` before `part10`."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return (*((0, int(part), part) if part[0] in "0123456789" else (1, 0, part) for part in parts),)


def label(path: Path) -> str:
    """The path in a form that can always be printed."""
    return os.fsencode(path).decode("utf-8", "replace")


def _size_of(path: Path) -> int:
    try:
        found = path.stat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


# Archives

_LONGEST_DIRECTORY = 16 << 20
"""The maximum size in bytes of the central directory of a zip archive: about 200,000 members."""
_ZIP_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2}
_ENCRYPTED = 0x1
_ESCAPES = re.compile(r"^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)|\x00")
"""Absolute paths, paths with a drive, and paths with `..`."""
DOCUMENT, WORKBOOK = "word/document.xml", "xl/workbook.xml"
DOCX = "a DOCX file, not a patent; search with it, or save a table as CSV"
_OFFICE_FILES = {
    DOCUMENT: DOCX,
    "ppt/presentation.xml": "a presentation, not a supported format; save its text",
    "META-INF/manifest.xml": "an OpenDocument file, not a supported format; save it as DOCX or CSV",
}
"""Members by which an archive is known to be one file of an office program."""
_SYSTEM_FILES = re.compile(
    r"(?:^|/)(?:__MACOSX|\.git|\.svn|\.hg)(?:/|$)|(?:^|/)(?:\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$"
)
"""Files of file managers and version control, skipped without a message."""


def _check_name(name: str) -> str:
    """Why a member of this name is not read; empty if it is."""
    if not name:
        return "a member of the archive without a name"
    return f"{printable(name)}: its path leads outside the archive" if _ESCAPES.search(name) is not None else ""


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


def _zip_members(file: IO[bytes], meter: Meter) -> Iterator[_Member]:
    check_directory(file)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise DocumentError(f"a zip archive that is cut off or damaged: {error}") from None
    with archive:
        if reason := explain_office(archive.namelist()):
            raise DocumentError(reason)
        for info in archive.infolist():
            if info.filename.endswith("/") or _SYSTEM_FILES.search(info.filename) is not None:
                continue
            if reason := check_member(info, meter):
                yield info.filename, reason
                continue
            try:
                with archive.open(info) as stream:
                    yield info.filename, ZipStream(stream, meter)
            except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, NotImplementedError, EOFError) as error:
                yield info.filename, f"damaged in the zip archive: {error}"


def _is_workbook(file: IO[bytes]) -> bool:
    """Whether an archive is an Excel workbook, which is one file; the position is then its beginning."""
    check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            return any(name.casefold() == WORKBOOK for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError):
        return False
    finally:
        file.seek(0)


def explain_office(names: Collection[str]) -> str:
    """What an archive with these members is, if an office program wrote it; empty for any other."""
    found = {*names}
    marked = "[Content_Types].xml" in found or "mimetype" in found
    return next((reason for name, reason in _OFFICE_FILES.items() if name in found), "") if marked else ""


def check_directory(file: IO[bytes]) -> None:
    """Refuse a zip archive whose central directory would not fit in memory."""
    end = file.seek(0, 2)
    file.seek(max(0, end - (1 << 16) - 22))
    tail = file.read()
    at, at64 = tail.rfind(b"PK\x05\x06"), tail.rfind(b"PK\x06\x06")
    size = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    if at64 >= 0 and size == 0xFFFFFFFF:
        size = int.from_bytes(tail[at64 + 40 : at64 + 48], "little")
    if size > _LONGEST_DIRECTORY:
        raise DocumentError(
            f"a zip archive with a central directory of {size >> 20} MB; extract it, or convert it to tar"
        )
    file.seek(0)


def check_member(info: zipfile.ZipInfo, meter: Meter) -> str:
    """Why a member is not read, as far as is known before it is opened; empty if it is."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return _NOT_REGULAR
    if info.flag_bits & _ENCRYPTED:
        return "encrypted in the zip archive"
    if info.compress_type not in _ZIP_METHODS:
        return f"compressed in the zip archive by an unsupported method ({info.compress_type})"
    if not meter.allows(info.file_size, info.compress_size):
        return meter.bomb
    return _check_name(info.orig_filename)


# Tar archives
#
# `tarfile` reads the headers, and this module the members: in stream mode, `tarfile` ends without an error at
# a header that is cut off or damaged (at 90 of 185 archives that this one rejects), and loads extended headers of any
# length into memory, which it searches in quadratic time up to Python 3.11.9 (CVE-2024-6232).

BLOCK = tarfile.BLOCKSIZE
_LONGEST_HEADER = 1 << 20
_EXTENDED_HEADERS = (b"x", b"X", b"g", b"L", b"K")
_WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")
_RECORD = re.compile(rb"([1-9]\d{0,8}) ([^=]{1,200})=")
_CUT_OFF = "the tar archive ends early: it is cut off"


def _is_tar(head: bytes) -> bool:
    """Whether bytes begin with a valid tar header; archives without a magic number are recognised too."""
    checksum = head[148:156].strip(b"\x00 ")  # looked at first, since every file is asked
    return checksum.isdigit() and not head.startswith(b"\x00") and _read_header(head[:BLOCK]) is not None


def _read_header(block: bytes) -> tarfile.TarInfo | None:
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
    except tarfile.HeaderError:
        return None
    return header if header.size >= 0 else None


class _TarStream:
    """The content of a tar member; the unread rest is skipped before the next member."""

    def __init__(self, stream: Stream, size: int) -> None:
        self.stream, self.left, self.padding = stream, size, -size % BLOCK
        self.failed = False
        """Whether a reader met an error, which applies to the rest of the archive and is not reported twice."""

    def read(self, size: int, /) -> bytes:
        if not self.left:
            return b""
        try:
            out = self.stream.read(min(size, self.left))
            if not out:
                raise DocumentError(_CUT_OFF)
        except DocumentError:
            self.failed = True
            raise
        self.left -= len(out)
        return out

    def skip(self) -> None:
        while self.left:
            self.read(1 << 20)
        read_fully(self.stream, self.padding)


def _tar_members(stream: Stream) -> Iterator[_Member]:
    """The members of a tar archive in order; raises `DocumentError` if it is damaged."""
    extended: dict[str, str] = {}
    ended = False
    while block := read_fully(stream, BLOCK):
        ended = len(block) == BLOCK and not any(block)
        if ended:
            continue
        if (header := _read_header(block)) is None:
            raise DocumentError(_CUT_OFF if len(block) < BLOCK else "a damaged tar archive: a header is missing")
        if header.type in _EXTENDED_HEADERS:
            extended |= _read_extended_header(header.type, stream, header.size)
            continue
        if header.type == tarfile.GNUTYPE_SPARSE:
            _skip_sparse_map(stream, block[482])
        size = 0 if header.type in _WITHOUT_CONTENT else int(extended.get("size", header.size))
        content, name = _TarStream(stream, size), extended.get("path") or header.name
        extended = {}
        if not (header.type in (tarfile.DIRTYPE, b"D") or name.endswith("/") or _SYSTEM_FILES.search(name)):
            complete = header.type in tarfile.REGULAR_TYPES and header.type != tarfile.GNUTYPE_SPARSE
            yield name, (_check_name(name) or content) if complete else _NOT_REGULAR
        content.skip()
    if not ended:
        raise DocumentError(_CUT_OFF)


def _read_extended_header(kind: bytes, stream: Stream, size: int) -> dict[str, str]:
    """Read an extended header: fields of the next member that do not fit into its own header."""
    if size > _LONGEST_HEADER:
        raise DocumentError(f"a tar header of more than {_LONGEST_HEADER >> 20} MB")
    data = read_fully(stream, size)
    if len(data) < size:
        raise DocumentError(_CUT_OFF)
    read_fully(stream, -size % BLOCK)
    if kind == b"L":
        return {"path": data.rstrip(b"\x00").decode("utf-8", "replace")}
    return _parse_pax(data) if kind in (b"x", b"X") else {}


def _skip_sparse_map(stream: Stream, continued: int) -> None:
    while continued:
        block = read_fully(stream, BLOCK)
        continued = block[504] if len(block) == BLOCK else 0


def _parse_pax(data: bytes) -> dict[str, str]:
    """Parse records of the form `length key=value`; only `path` and `size` are used."""
    fields: dict[str, str] = {}
    at = 0
    while at < len(data):
        found = _RECORD.match(data, at)
        end = at + int(found[1]) if found is not None else 0
        if found is None or not found.end() <= end <= len(data):
            raise DocumentError("a damaged tar archive: an extended header cannot be read")
        if found[2] in (b"path", b"size"):
            fields[found[2].decode()] = data[found.end() : end].rstrip(b"\n").decode("utf-8", "replace")
        at = end
    if re.fullmatch(r"[0-9]{1,18}", fields.get("size", "0")) is None:
        raise DocumentError("a damaged tar archive: a size that is not a number")
    return fields


# Entries

_DEEPEST_ARCHIVE = 3
"""The deepest nesting of archives; the offices use two levels."""
_MOST_LAYERS = 6
"""The deepest nesting of archives and compression."""
_LONGEST_INNER_ZIP = 4 << 30
_IN_MEMORY = 32 << 20
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_STDIN = "-"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a member of an archive, that may contain documents. Read it before requesting the next."""

    label: str
    """The path of the file; a member of an archive follows a `!`: `a.zip!b/c.xml`."""
    stream: Stream
    path: Path | None = None
    """The file on disk, if the stream is one as it is there."""


class _TooDeepError(DocumentError):
    """Archives are nested too deeply: the whole file is rejected."""


class _Progress:
    """The bytes read of all files on disk, for a progress bar."""

    def __init__(self, report: Callable[[int, int], None] | None, total: int) -> None:
        self.report, self.total, self.done = report, total, 0

    def advance(self, count: int) -> None:
        self.done += count
        if self.report is not None:
            self.report(min(self.done, self.total) if self.total else self.done, self.total)


def find_entries(
    paths: Sequence[str | Path], *, progress: Callable[[int, int], None] | None = None
) -> Iterator[Entry | Rejected]:
    """Everything that may contain documents in files, folders and archives; `-` is the standard input.

    `progress` is called with the bytes read of the files on disk so far, and their total (0 if unknown).
    """
    files = _find_files(paths) if progress is not None else ()
    total = sum(_size_of(file) for file in files if isinstance(file, Path))
    bar = _Progress(progress, 0 if _STDIN in map(str, paths) else total)
    for file in _find_files(paths):
        if isinstance(file, Rejected):
            yield file
            continue
        ends = bar.done + _size_of(file)
        yield from _expand_file(file, bar)
        if bar.total:
            bar.advance(ends - bar.done)  # what was skipped, or read twice


def _expand_file(path: Path, bar: _Progress) -> Iterator[Entry | Rejected]:
    name = label(path)
    meter = Meter(DocumentError, PATENT_RATIO, bar.advance)
    try:
        with nullcontext(sys.stdin.buffer) if name == _STDIN else path.open("rb", buffering=0) as file:
            on_disk = MeteredFile(file, meter)
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            yield from _expand(on_disk, name, meter, 0, 0, on_disk if regular else None)
    except OSError as error:
        yield Rejected(name, f"cannot be opened: {error.strerror or error}")
    except _TooDeepError as error:
        yield Rejected(name, error.reason)


def _expand(
    stream: Stream, name: str, meter: Meter, archives: int, layers: int, seekable: MeteredFile | None = None
) -> Iterator[Entry | Rejected]:
    """The entries of a stream: itself, or the content of an archive or compressed file."""
    if archives > _DEEPEST_ARCHIVE or layers > _MOST_LAYERS:
        raise _TooDeepError(f"more than {_DEEPEST_ARCHIVE} archives nested in one another; the rest is not read")
    try:
        head, whole = peek(stream, BLOCK)
        if (compression := compression_of(head)) is not None:
            yield from _expand(Decompressed(whole, compression, meter), name, meter, archives, layers + 1)
        elif head.startswith(ZIP):
            with _spool_stream(whole) if seekable is None else nullcontext(cast("IO[bytes]", seekable)) as file:
                if _is_workbook(file):
                    yield Entry(name, cast("Stream", file))
                    return
                yield from _expand_members(_zip_members(file, meter), name, meter, archives, layers)
        elif _is_tar(head):
            yield from _expand_members(_tar_members(whole), name, meter, archives, layers)
        else:
            yield Entry(name, whole, None if seekable is None or name == _STDIN else Path(seekable.file.name))
    except _TooDeepError:
        raise
    except DocumentError as error:
        yield Rejected(name, error.reason)


def _expand_members(
    members: Iterator[_Member], name: str, meter: Meter, archives: int, layers: int
) -> Iterator[Entry | Rejected]:
    empty = True
    for member, content in members:
        empty = False
        inner = f"{name}!{member}"
        if isinstance(content, str):
            yield Rejected(inner, content)
            continue
        yield from _expand(content, inner, meter, archives + 1, layers + 1)
        if meter.exceeded or (isinstance(content, _TarStream) and content.failed):
            return
    if empty:
        yield Rejected(name, "an archive without files")


def _spool_stream(stream: Stream) -> IO[bytes]:
    """A seekable copy of a stream: in memory, in a temporary file if it is long."""
    file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY))  # noqa: SIM115 - closed by the caller
    try:
        while part := stream.read(1 << 20):
            file.write(part)
            if file.tell() > _LONGEST_INNER_ZIP:
                raise DocumentError(
                    f"a zip inside an archive of more than {_LONGEST_INNER_ZIP >> 30} GB; extract the outer archive"
                )
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
