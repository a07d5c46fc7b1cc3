"""Atomic commits: killed at any instant, an index is in its old state or in the new one."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.files import clear_temporary
from antecede.index.arrays import NO_LINK
from antecede.index.files import FolderWriter, remove_tree, sync
from antecede.index.foreign_files import LOCK, OURS, PASSING, WORK, check_contents
from antecede.index.layout import SEGMENTS
from antecede.index.read_lock import GONE, remove_unheld
from antecede.locks import lock_exclusive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from antecede.index.files import File
    from antecede.index.manifest import Manifest


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the write lock of an index; readers are not locked out. A new folder that stayed empty is removed.

    An existing folder is kept, and so is everything in it that antecede did not write.
    """
    check_contents(folder)
    there = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    lock = acquire_write_lock(folder)
    try:
        yield
    finally:
        if {each.name for each in folder.iterdir()} <= {LOCK, SEGMENTS}:
            with suppress(OSError):  # not empty after all
                (folder / SEGMENTS).rmdir()
            if not (folder / SEGMENTS).exists():
                (folder / LOCK).unlink()
                if not there:
                    folder.rmdir()
        os.close(lock)


def acquire_write_lock(folder: Path) -> int:
    """Acquire the write lock. If the previous writer removes the lock file with the folder, it is created again."""
    while True:
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666)
        except FileNotFoundError:
            folder.mkdir(parents=True, exist_ok=True)
            continue
        try:
            if not lock_exclusive(lock):
                os.close(lock)
                raise UsageError(f"{folder}: another process is writing to this index; wait until it is done")
            if (folder / LOCK).stat().st_ino == os.fstat(lock).st_ino:
                return lock
        except FileNotFoundError:
            pass
        os.close(lock)


def check_place(folder: Path, paths: Sequence[str | Path]) -> None:
    """Refuse to build in a folder that holds something else, or that contains or lies within the input."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder")
    for path in paths:
        if Path(path).is_dir() and folder.resolve().is_relative_to(Path(path).resolve()):
            raise UsageError(f"{folder}: lies inside {path}, which is read; name a place outside of it")
        if Path(path).exists() and Path(path).resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{path}: lies inside {folder}, which is written to; read it from another place")
    check_contents(folder)


@contextmanager
def new_folder(folder: Path, name: str) -> Iterator[FolderWriter]:
    """The folder of a segment that is being written; it is synced and renamed to its final name when complete.

    It is part of the index only once a manifest names it. A failed or killed attempt leaves nothing in the index.
    """
    path = folder / SEGMENTS / f"{name}{PASSING}"
    remove_tree(path)
    path.mkdir(parents=True)
    try:
        writer = FolderWriter(path)
        yield writer
        writer.sync()
    except BaseException:
        remove_tree(path)
        raise
    final = path.with_suffix("")
    if final.is_symlink():
        final.unlink()
    elif final.exists():
        remove_unheld(final)
    path.replace(final)
    sync(final.parent)


def write_deletions(folder: Path, name: str, numbers: NDArray[np.uint32]) -> File:
    """Write the list of the replaced documents of a segment."""
    writer = FolderWriter(folder / SEGMENTS)
    writer.array(name, numbers)
    writer.sync()
    return writer.files[name]


def commit(folder: Path, manifest: Manifest) -> None:
    """Make a manifest the state of the index, then remove the files that it does not name."""
    manifest.write(folder)
    sync(folder)
    clear(folder, manifest)


def clear(folder: Path, manifest: Manifest) -> None:
    """Remove what the index does not need: replaced segments, and what killed processes left."""
    named = {entry.name for entry in manifest.segments} | set(manifest.deletions)
    named = named.union(*(space.folders() for space in manifest.spaces))
    if manifest.translation is not None:
        named.add(manifest.translation.name)
    for each in (folder / SEGMENTS).iterdir():
        if each.name in named or not OURS.fullmatch(each.name):
            continue
        if each.suffix or each.is_symlink() or not each.is_dir():
            remove_tree(each)
        else:
            remove_unheld(each)
    clear_temporary(folder)  # a manifest that was not finished
    remove_tree(folder / f"{WORK}{GONE}")
