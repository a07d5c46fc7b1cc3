"""From one state of an index to the next, at one stroke: killed at any instant, it is the old one or the new."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.index.arrays import write_array
from antecede.index.index import SEGMENTS
from antecede.index.manifest import File, Manifest, SegmentEntry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

LOCK = "lock"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Be the only one that writes to an index; readers are not kept out."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{folder}: another process is writing to this index; wait until it is done") from None
        yield


def passing(folder: Path, name: str) -> Path:
    """An empty folder for a segment that is being made; what a killed one left there is gone."""
    path = folder / SEGMENTS / f"{name}.part"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def finish(path: Path, documents: int, languages: dict[str, dict[str, int]]) -> SegmentEntry:
    """Bring a segment to disk for good and give it its name; not part of the index before a manifest says so."""
    files: dict[str, File] = {}
    for each in sorted(path.rglob("*")):
        if each.is_file():
            with each.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                os.fsync(file.fileno())
            files[each.relative_to(path).as_posix()] = File(each.stat().st_size, digest)
    for each in (path, *(each for each in path.iterdir() if each.is_dir())):
        sync_folder(each)
    final = path.with_suffix("")
    shutil.rmtree(final, ignore_errors=True)
    path.replace(final)
    sync_folder(final.parent)
    return SegmentEntry(final.name, documents, languages, files)


def sync_folder(path: Path) -> None:
    """Bring a folder's list of files to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_deletions(folder: Path, name: str, numbers: NDArray[np.uint32]) -> File:
    """Write which documents of a segment were replaced."""
    path = folder / SEGMENTS / name
    write_array(path, numbers)
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return File(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def commit(folder: Path, manifest: Manifest) -> None:
    """Make a manifest the state of the index, then remove what it does not name."""
    manifest.write(folder)
    sync_folder(folder)
    named = {entry.name for entry in manifest.segments} | set(manifest.deletions)
    for each in (folder / SEGMENTS).iterdir():
        if each.name not in named:
            if each.is_dir():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)
