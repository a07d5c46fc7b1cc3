"""Files on disk: atomic writes, errors with their remedy, locks between processes, and checks that an output does not
overwrite an input.

A file is written under a temporary name in its own folder, then renamed: no reader ever sees a partial file, and the
old file survives any failure.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.errors import UsageError, printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType, TracebackType
    from typing import Self

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

TEMPORARY = re.compile(r"\.antecede-[0-9a-f]{16}\.tmp")
"""The names of files while they are written. No other file has such a name, so leftovers can be removed by name."""

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
ELSEWHERE = "choose another place"
REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), f"free some space, or {ELSEWHERE}"),
    **dict.fromkeys((errno.EACCES, errno.EPERM), f"check the permissions, or {ELSEWHERE}"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "raise the limit on open files (ulimit -n)"),
    errno.EFBIG: f"raise the limit on file sizes (ulimit -f), or {ELSEWHERE}",
    errno.ENOENT: f"create the folder first, or {ELSEWHERE}",
    errno.EISDIR: "name a file, not a folder",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EIO: f"check the disk, or {ELSEWHERE}",
}
"""What to do about an error of the operating system; for any other, choose another place."""


def remedy_for(error: BaseException) -> str:
    """What to do about an error of the operating system."""
    return REMEDIES.get(getattr(error, "errno", None) or 0, ELSEWHERE)


def cannot_write(path: str | Path, error: BaseException, what: str = "cannot be written") -> UsageError:
    """The error for a path that cannot be written: the reason of the system, and the remedy."""
    reason = getattr(error, "strerror", None) or error
    remedy = remedy_for(error)
    if getattr(error, "errno", None) == errno.ENOENT and Path(path).absolute().parent.is_dir():
        # A folder of the system, such as /proc: it is there, but nothing can be created in it.
        reason, remedy = "no file can be created in that folder", ELSEWHERE
    return UsageError(f"{printable(str(path), 1000)}: {what} ({reason}); {remedy}")


class WholeFile:
    """A file that gets its name only when it is complete: use it in a `with` block, or call `commit` or `discard`.

    A link stays a link, and what it points to is written. A pipe or a character device, such as /dev/stdout, is
    written to directly. A file that is replaced keeps its permissions; a new one is for its owner alone if `private`.
    """

    def __init__(self, path: str | Path, *, private: bool = False) -> None:
        self.path = Path(path)
        self.temporary: Path | None = None
        try:
            self.target = self.path.resolve()
            self.mode = mode_of(self.target)
            if is_stream(self.mode):
                self.file = self.target.open("wb")
                return
            refuse_special(self.path, self.mode)
            self.temporary = self.target.parent / f".antecede-{os.urandom(8).hex()}.tmp"
            if private:
                self.temporary.touch(0o600, exist_ok=False)
            self.file = self.temporary.open("wb" if private else "xb")
        except (OSError, RuntimeError) as error:  # RuntimeError: a cycle of links
            raise cannot_write(self.path, error) from None

    def write(self, data: bytes) -> None:
        try:
            self.file.write(data)
        except OSError as error:
            self.discard()
            raise cannot_write(self.path, error) from None

    def commit(self) -> None:
        """Sync the bytes to disk, then rename the file to its final name."""
        try:
            self.file.flush()
            if self.temporary is not None:
                os.fsync(self.file.fileno())
                self.file.close()
                if self.mode is not None:
                    self.temporary.chmod(stat.S_IMODE(self.mode))
                self.temporary.replace(self.target)
            self.file.close()
        except OSError as error:
            raise cannot_write(self.path, error) from None
        finally:
            self.discard()

    def discard(self) -> None:
        """Discard what was written; an existing file is unchanged."""
        with suppress(OSError):  # on a full disk the buffer cannot be flushed, and need not be
            self.file.close()
        if self.temporary is not None:
            self.temporary.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.commit()
        else:
            self.discard()


def write_whole(path: str | Path, data: bytes, *, private: bool = False) -> None:
    """Write a file atomically; a new one that is private is for its owner alone."""
    with WholeFile(path, private=private) as file:
        file.write(data)


def mode_of(path: Path) -> int | None:
    """Type and permissions of a path; None where nothing exists."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def is_stream(mode: int | None) -> bool:
    """Whether writing there replaces nothing: a pipe or a character device."""
    return mode is not None and (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode))


def refuse_special(path: Path, mode: int | None) -> None:
    """Refuse to write to anything but a regular file or a new path: to a folder, a disk, a socket."""
    if mode is not None and stat.S_ISDIR(mode):
        raise UsageError(f"{path}: is a folder; name a file")
    if mode is not None and not stat.S_ISREG(mode):
        raise UsageError(f"{path}: is not a regular file; name another one")


def clear_temporary(*folders: Path) -> None:
    """Remove the temporary files of killed writers from folders that no other process writes to; not recursively."""
    for folder in folders:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as inside:
            for entry in [*inside]:
                if TEMPORARY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    Path(entry).unlink(missing_ok=True)


def input_at(output: str | Path, inputs: Iterable[str | Path]) -> Path | None:
    """The input that an output is identical to, by whatever name, or lies in; None where there is none.

    Links are followed on both sides, and a hard link is the same file. Inputs that do not exist do not count.
    """
    try:
        target = Path(output).resolve()
        around = {identity(parent) for parent in target.parents}
    except (OSError, RuntimeError, ValueError):  # it cannot be written either
        return None
    own = identity(target)
    for given in map(Path, inputs):
        at = identity(given)
        if at is None:
            continue
        if at == own and not is_stream(mode_of(target)):
            return given
        if given.is_dir() and (at in around or (own is not None and leads_to(given, own, around))):
            return given
    return None


def stamp_of(facts: os.stat_result) -> list[int]:
    """Numbers that change when a file changes: size, modification and change times, and inode.

    The modification time can be set back (`touch -r`, `cp -p`, `rsync --times`); the change time of the inode cannot.
    """
    return [facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino]


Identity = tuple[int, int]


def identity(path: Path) -> Identity | None:
    """Device and inode, links followed; None where the path cannot be examined."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return None
    return facts.st_dev, facts.st_ino


def leads_to(folder: Path, own: Identity, around: set[Identity | None]) -> bool:
    """Whether a folder holds a hard link to a file, or a link to the file or to a folder around it."""
    seen: set[Identity | None] = set()
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        at = identity(place)
        if at in around:
            return True
        if at in seen:
            continue
        seen.add(at)
        with suppress(OSError), os.scandir(place) as inside:  # suppressed: a folder that may not be listed
            for entry in inside:
                if entry.is_dir():
                    waiting.append(Path(entry))
                elif (entry.is_symlink() or entry.inode() == own[1]) and identity(Path(entry)) == own:
                    return True
    return False


FOLDER_LOCKS = fcntl is not None
"""Whether folders can be locked: Windows locks a byte of a file, and readers of a folder have no lock there."""
UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EINVAL, errno.EISDIR)
"""Errors of a file system that does not support locks."""


def open_regular(path: Path) -> FileIO:
    """Open a regular file for reading. A link is refused, since it may lead anywhere, and a pipe, which may block."""
    handle = os.open(path, os.O_RDONLY | NO_LINK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return FileIO(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path) -> bytes:
    """The bytes of a file that is not a link."""
    with open_regular(path) as file:
        return file.readall()


def acquire_lock(handle: int, *, shared: bool = False) -> bool:
    """Lock an open file or folder without waiting; False if another process holds a lock that forbids it.

    True where locks are not supported. The system releases the lock of a process that dies.
    """
    if fcntl is None:
        return shared or _lock_byte(handle)
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    return True


def _lock_byte(handle: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    return True
