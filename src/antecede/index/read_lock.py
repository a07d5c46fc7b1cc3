"""The lock of a reader on a segment, which keeps a writer from removing what is being read.

It is a shared lock on the folder itself. A writer removes a segment that no manifest names any more only if it obtains
the exclusive lock; otherwise the segment stays for the next writer to remove. Locks are released when a process dies.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

from antecede.errors import InputError
from antecede.index.files import remove_tree
from antecede.locks import FOLDER_LOCKS, lock_exclusive, lock_shared

if TYPE_CHECKING:
    from pathlib import Path

GONE = ".gone"
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class SegmentRemoved(Exception):  # noqa: N818 - not an error: the reader reads the new manifest
    """The segment was removed, or is being removed: a later manifest does not name it."""


class SegmentHold:
    """A shared lock on a segment, held for the lifetime of the object."""

    def __init__(self, folder: Path) -> None:
        if not FOLDER_LOCKS:
            if not folder.is_dir():
                raise SegmentRemoved
            return
        try:
            handle = os.open(folder, FOLDER)
        except FileNotFoundError:
            raise SegmentRemoved from None
        except OSError as error:
            why = "it is a link" if folder.is_symlink() else error.strerror
            raise InputError(f"is not a folder of the index ({why})", source=str(folder)) from None
        weakref.finalize(self, os.close, handle)
        if not lock_shared(handle) or not folder.exists():
            raise SegmentRemoved


def remove_unheld(folder: Path) -> None:
    """Remove a segment unless it is being read."""
    if not FOLDER_LOCKS:  # Windows cannot rename a folder whose files are mapped
        with suppress(OSError):
            rename_and_remove(folder)
        return
    handle = os.open(folder, FOLDER)
    try:
        if lock_exclusive(handle):
            rename_and_remove(folder)
    finally:
        os.close(handle)


def rename_and_remove(folder: Path) -> None:
    """Rename a folder, which is atomic, then remove its files."""
    gone = folder.with_suffix(GONE)
    remove_tree(gone)
    folder.replace(gone)
    remove_tree(gone)
