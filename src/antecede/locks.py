"""Locks between processes, on files and folders, without waiting.

POSIX systems have `flock`, which works on folders too and is released when a process dies. Windows locks a byte of a
file; a folder cannot be locked there, so readers have no lock.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

FOLDER_LOCKS = fcntl is not None
"""Whether folders can be locked."""
UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EINVAL, errno.EISDIR)
"""Errors of a file system that does not support locks."""


def lock_exclusive(handle: int) -> bool:
    """Acquire an exclusive lock; False if another process holds a lock. True where locks are not supported."""
    if fcntl is not None:
        return flock(handle, int(fcntl.LOCK_EX))
    return lock_byte(handle)


def lock_shared(handle: int) -> bool:
    """Acquire a shared lock; False if another process holds an exclusive lock. True where locks are not supported."""
    return fcntl is None or flock(handle, int(fcntl.LOCK_SH))


def flock(handle: int, kind: int) -> bool:
    """Acquire a POSIX lock without waiting."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
    return True


def lock_byte(handle: int) -> bool:
    """Lock the first byte of a file, as Windows does."""
    if sys.platform == "win32":
        import msvcrt

        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    return True
