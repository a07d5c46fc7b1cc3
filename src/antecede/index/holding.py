"""Holding a segment: a reader's mark on its folder, which keeps a writer from removing what is being read.

It is a shared lock on the folder itself. A writer removes a segment that no manifest names any more only if it gets the
whole lock; else the segment stays for the next writer to remove. The system gives locks back when a process dies.
"""

from __future__ import annotations

import errno
import fcntl
import os
import weakref
from typing import TYPE_CHECKING

from antecede.errors import InputError
from antecede.index.files import remove_tree

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF, errno.EINVAL, errno.EISDIR)
"""What a file system says that has no such locks; there a reader goes without."""


GONE = ".gone"
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Gone(Exception):  # noqa: N818 - not an error: the index went on, and the reader reads it anew
    """The segment is being removed, or was: a later manifest has taken its place."""


class Hold:
    """A reader's mark on a segment, as long as this lives."""

    def __init__(self, folder: Path) -> None:
        try:
            handle = os.open(folder, FOLDER)
        except FileNotFoundError:
            raise Gone from None
        except OSError as error:
            why = "it is a link" if folder.is_symlink() else error.strerror
            raise InputError(f"is not a folder of the index ({why})", source=str(folder)) from None
        weakref.finalize(self, os.close, handle)
        if not locked(handle, fcntl.LOCK_SH) or not folder.exists():
            raise Gone


def remove_unheld(folder: Path) -> None:
    """Remove a segment unless somebody reads it. It goes at one stroke, then file by file under another name."""
    handle = os.open(folder, FOLDER)
    try:
        if locked(handle, fcntl.LOCK_EX):
            gone = folder.with_suffix(GONE)
            remove_tree(gone)
            folder.replace(gone)
            remove_tree(gone)
    finally:
        os.close(handle)


def locked(handle: int, kind: int) -> bool:
    """Lock without waiting; true also where there are no such locks."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in UNKNOWN:
            raise
    return True
