"""Where documents come from: files, folders, archives, compressed or not, nested as the offices ship them.

What a file is, its first bytes say. A folder is gone through in the order of its names, numbers by their value.
Nothing is written to disk, but for a zip inside an archive, which can be read only when it is whole: it waits in a
temporary file without a name.
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
"""Archives inside one another; the offices nest two."""
MOST_LAYERS = 6
"""Archives and compressions inside one another."""
LONGEST_INNER_ZIP = 4 << 30
IN_MEMORY = 32 << 20
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a member of an archive, that may hold documents. Read it before asking for the next."""

    label: str
    """The file as the user knows it; a member of an archive behind `!`: `a.zip!b/c.xml`."""
    stream: Stream


class TooDeepError(DocumentError):
    """Archives inside archives inside archives: the whole file is given up."""


class WatchedStream:
    """A member whose reader is told when it cannot be read on; then there is no need to say so again."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.failed = stream, False

    def read(self, size: int, /) -> bytes:
        try:
            return self.stream.read(size)
        except DocumentError:
            self.failed = True
            raise


class Progress:
    """Bytes read of all the files on disk, for a bar."""

    def __init__(self, tell: Callable[[int, int], None] | None, total: int) -> None:
        self.tell, self.total, self.done = tell, total, 0

    def advance(self, count: int) -> None:
        self.done += count
        if self.tell is not None:
            self.tell(min(self.done, self.total) if self.total else self.done, self.total)

    def advance_to(self, done: int) -> None:
        """What a reader left out of a file, or read twice, evens out at its end."""
        self.advance(done - self.done)


def find_entries(
    paths: Sequence[str | Path], *, progress: Callable[[int, int], None] | None = None
) -> Iterator[Entry | Rejected]:
    """Everything that may hold documents in files, folders and archives; `-` is the standard input.

    `progress` is told the bytes read of the files on disk so far, and their total (0 where it is not known).
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
    """What one file on disk holds."""
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
    """A stream as it is; or, if it is an archive or compressed, what it holds."""
    if archives > DEEPEST_ARCHIVE or layers > MOST_LAYERS:
        raise TooDeepError(f"more than {DEEPEST_ARCHIVE} archives inside one another: not read on")
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
            yield Entry(name, whole)
    except TooDeepError:
        raise
    except DocumentError as error:
        yield Rejected(name, error.reason)


def expand_members(
    found: Iterator[Member], name: str, meter: Meter, archives: int, layers: int, *, one_stream: bool = False
) -> Iterator[Entry | Rejected]:
    """The members of an archive, each expanded in turn."""
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
            return  # what the reader of the member was told holds for the rest of the archive
    if empty:
        yield Rejected(name, "an archive with no files in it")


def spool_stream(stream: Stream) -> IO[bytes]:
    """A stream that can be sought in: in memory, in a temporary file once it is long."""
    file = cast("IO[bytes]", tempfile.SpooledTemporaryFile(max_size=IN_MEMORY))  # noqa: SIM115 - closed by the caller
    try:
        while part := stream.read(1 << 20):
            file.write(part)
            if file.tell() > LONGEST_INNER_ZIP:
                raise DocumentError(
                    f"a zip inside an archive of more than {LONGEST_INNER_ZIP >> 30} GB; unpack the outer one"
                )
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def rewind(file: MeteredFile) -> IO[bytes]:
    file.seek(0)
    return cast("IO[bytes]", file)


def is_regular(file: IO[bytes]) -> bool:
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
