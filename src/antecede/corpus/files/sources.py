"""Sources of documents: files, folders and archives, compressed or not, nested as the offices distribute them.

The type of a file is detected from its first bytes. Folders are read in natural order of their names. Nothing is
written to disk, except a zip inside an archive, which requires random access: it is spooled to a temporary file.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from antecede.compression import PATENT_RATIO, Decompressed, Meter, MeteredFile, compression_of
from antecede.corpus.document import DocumentError, Rejected
from antecede.corpus.files.archives import BLOCK, is_tar, tar_members, zip_members
from antecede.corpus.files.folders import find_files, label, size_of
from antecede.corpus.streams import peek

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.compression import Stream
    from antecede.corpus.files.archives import Member

DEEPEST_ARCHIVE = 3
"""The deepest nesting of archives; the offices use two levels."""
MOST_LAYERS = 6
"""The deepest nesting of archives and compression."""
LONGEST_INNER_ZIP = 4 << 30
IN_MEMORY = 32 << 20
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a member of an archive, that may contain documents. Read it before requesting the next."""

    label: str
    """The path of the file; a member of an archive follows a `!`: `a.zip!b/c.xml`."""
    stream: Stream
    path: Path | None = None
    """The file on disk, if the stream is one as it is there."""


class TooDeepError(DocumentError):
    """Archives are nested too deeply: the whole file is rejected."""


class WatchedStream:
    """A member of an archive that records whether its reader met an error, so that it is not reported twice."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.failed = stream, False

    def read(self, size: int, /) -> bytes:
        try:
            return self.stream.read(size)
        except DocumentError:
            self.failed = True
            raise


class Progress:
    """The bytes read of all files on disk, for a progress bar."""

    def __init__(self, report: Callable[[int, int], None] | None, total: int) -> None:
        self.report, self.total, self.done = report, total, 0

    def advance(self, count: int) -> None:
        self.done += count
        if self.report is not None:
            self.report(min(self.done, self.total) if self.total else self.done, self.total)

    def advance_to(self, done: int) -> None:
        """Correct the count at the end of a file for what was skipped or read twice."""
        self.advance(done - self.done)


def find_entries(
    paths: Sequence[str | Path], *, progress: Callable[[int, int], None] | None = None
) -> Iterator[Entry | Rejected]:
    """Everything that may contain documents in files, folders and archives; `-` is the standard input.

    `progress` is called with the bytes read of the files on disk so far, and their total (0 if unknown).
    """
    total = sum(size_of(found) for found in find_files(paths) if isinstance(found, Path)) if progress is not None else 0
    bar = Progress(progress, 0 if STDIN in map(str, paths) else total)
    for found in find_files(paths):
        if isinstance(found, Rejected):
            yield found
            continue
        ends = bar.done + size_of(found)
        yield from expand_file(found, bar)
        if bar.total:
            bar.advance_to(ends)


def expand_file(path: Path, bar: Progress) -> Iterator[Entry | Rejected]:
    """The entries of one file on disk."""
    name = label(path)
    meter = Meter(DocumentError, PATENT_RATIO, bar.advance)
    try:
        with nullcontext(sys.stdin.buffer) if name == STDIN else path.open("rb", buffering=0) as file:
            on_disk = MeteredFile(file, meter)
            yield from expand(on_disk, name, meter, 0, 0, on_disk if is_regular(file) else None)
    except OSError as error:
        yield Rejected(name, f"cannot be opened: {error.strerror or error}")
    except TooDeepError as error:
        yield Rejected(name, error.reason)


def expand(
    stream: Stream, name: str, meter: Meter, archives: int, layers: int, seekable: MeteredFile | None = None
) -> Iterator[Entry | Rejected]:
    """The entries of a stream: itself, or the content of an archive or compressed file."""
    if archives > DEEPEST_ARCHIVE or layers > MOST_LAYERS:
        raise TooDeepError(f"more than {DEEPEST_ARCHIVE} archives nested in one another; the rest is not read")
    try:
        head, whole = peek(stream, BLOCK)
        if (compression := compression_of(head)) is not None:
            yield from expand(Decompressed(whole, compression, meter), name, meter, archives, layers + 1)
        elif head.startswith(ZIP):
            with spool_stream(whole) if seekable is None else nullcontext(rewind(seekable)) as file:
                yield from expand_members(zip_members(file, meter), name, meter, archives, layers)
        elif is_tar(head):
            yield from expand_members(tar_members(whole), name, meter, archives, layers, one_stream=True)
        else:
            yield Entry(name, whole, None if seekable is None or name == STDIN else path_of(seekable))
    except TooDeepError:
        raise
    except DocumentError as error:
        yield Rejected(name, error.reason)


def expand_members(
    found: Iterator[Member], name: str, meter: Meter, archives: int, layers: int, *, one_stream: bool = False
) -> Iterator[Entry | Rejected]:
    """The entries of the members of an archive."""
    empty = True
    for member in found:
        empty = False
        inner = f"{name}!{member.name}"
        if member.stream is None:
            yield Rejected(inner, member.reason)
            continue
        watched = WatchedStream(member.stream)
        yield from expand(watched, inner, meter, archives + 1, layers + 1)
        if meter.exceeded or (one_stream and watched.failed):
            return  # the error that the reader of the member met applies to the rest of the archive
    if empty:
        yield Rejected(name, "an archive without files")


def spool_stream(stream: Stream) -> IO[bytes]:
    """A seekable copy of a stream: in memory, in a temporary file if it is long."""
    file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=IN_MEMORY))  # noqa: SIM115 - closed by the caller
    try:
        while part := stream.read(1 << 20):
            file.write(part)
            if file.tell() > LONGEST_INNER_ZIP:
                raise DocumentError(
                    f"a zip inside an archive of more than {LONGEST_INNER_ZIP >> 30} GB; extract the outer archive"
                )
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def rewind(file: MeteredFile) -> IO[bytes]:
    file.seek(0)
    return cast("IO[bytes]", file)


def path_of(file: MeteredFile) -> Path:
    """The path under which a file was opened."""
    return Path(file.file.name)


def is_regular(file: IO[bytes]) -> bool:
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
