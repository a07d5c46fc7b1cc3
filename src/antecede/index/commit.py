"""Atomic commits: killed at any instant, an index is in its old state or in the new one.

A reader holds a shared lock on the folder of each segment. A writer removes a segment that no manifest names any more
only if it obtains the exclusive lock; otherwise the segment stays for the next writer to remove. Locks are released
when a process dies.

Beside `manifest.json`, `lock`, `segments` and `work`, a user may keep any files in the folder; they are not touched.
Inside `segments/s000001` and `work`, which are removed as a whole, a foreign file makes the writer stop.
"""

from __future__ import annotations

import json
import os
import re
import weakref
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.errors import InputError, UsageError, printable
from antecede.files import FOLDER_LOCKS, NO_LINK, TEMPORARY, acquire_lock, clear_temporary, read_regular
from antecede.index.files import SEGMENTS, FolderWriter, remove_tree, sync
from antecede.index.manifest import NAME, is_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from antecede.index.files import File
    from antecede.index.manifest import Manifest


GONE = ".gone"
FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def hold_folder(folder: Path, holder: object) -> None:
    """Hold a shared lock on the folder of a segment or space for the lifetime of an object."""
    missing = InputError(
        f"{SEGMENTS}/{folder.name} is missing", source=str(folder.parent.parent), remedy="build the index again"
    )
    if not FOLDER_LOCKS:
        if not folder.is_dir():
            raise missing
        return
    try:
        handle = os.open(folder, FOLDER)
    except FileNotFoundError:
        raise missing from None
    except OSError as error:
        why = "it is a link" if folder.is_symlink() else error.strerror
        raise InputError(f"is not a folder of the index ({why})", source=str(folder)) from None
    weakref.finalize(holder, os.close, handle)
    if not acquire_lock(handle, shared=True) or not folder.exists():
        raise missing


def _remove_unheld(folder: Path) -> None:
    if not FOLDER_LOCKS:  # Windows cannot rename a folder whose files are mapped
        with suppress(OSError):
            rename_and_remove(folder)
        return
    handle = os.open(folder, FOLDER)
    try:
        if acquire_lock(handle):
            rename_and_remove(folder)
    finally:
        os.close(handle)


def rename_and_remove(folder: Path) -> None:
    """Rename a folder, which is atomic, then remove its files."""
    gone = folder.with_suffix(GONE)
    remove_tree(gone)
    folder.replace(gone)
    remove_tree(gone)


LOCK, WORK, PASSING = "lock", "work", ".part"
SPACE = rf"space-[0-9]{{6,}}(-s[0-9]{{6,}})?(\{PASSING}|\{GONE})?"
OURS = re.compile(rf"s[0-9]{{6,}}(\{PASSING}|\{GONE}|-deleted-[0-9]{{6,}}\.u32)?|{SPACE}|translation-[0-9]{{6,}}\.zst")
"""The names that antecede uses in the folder of segments; all others are foreign and are left alone."""
INSIDE = re.compile(
    rf"[\w-]+\.(u8|u32|i32|i64|f32)|documents\.sqlite(-[a-z]+)?|rejects\.jsonl"
    rf"|plan\.json|{TEMPORARY.pattern}|(chunk|late)-[0-9]{{6,}}(\.[0-9]+)?|[0-9]+"
)
"""The names of all files in folders that antecede removes as a whole."""


def check_contents(folder: Path) -> None:
    """Refuse to write to a folder that holds something other than an index, or foreign files in its inner folders."""
    if not folder.is_dir():
        return
    _check_own(folder)
    if (folder / NAME).exists():
        if not is_index(folder) and not _is_damaged_index(folder):
            raise UsageError(f"{folder}: {NAME} there is not the manifest of an index; name a folder of its own")
    elif beside := [*_other_files(folder)]:
        raise UsageError(
            f"{folder}: holds other files, such as {printable(beside[0])}, and no index; name another folder"
        )
    for name in _foreign_files(folder):
        raise UsageError(f"{folder}: {printable(name)} was not written by antecede and would be removed; move it away")


def _check_own(folder: Path) -> None:
    """Refuse to write where a link inside the folder would lead out of it."""
    for name in (NAME, LOCK, SEGMENTS, WORK):
        if (folder / name).is_symlink():
            raise UsageError(f"{folder / name}: is a link; an index holds its own files. Build it in another folder")
    for name in (SEGMENTS, WORK):
        if (folder / name).exists() and not (folder / name).is_dir():
            raise UsageError(f"{folder / name}: is a file where an index has a folder. Build it in another folder")


def _other_files(folder: Path) -> Iterator[str]:
    """The foreign files in a folder without a manifest, which may hold an unfinished index."""
    yield from (path.name for path in entries(folder) if path.name not in (LOCK, WORK, f"{WORK}{GONE}", SEGMENTS))
    yield from (f"{SEGMENTS}/{path.name}" for path in entries(folder / SEGMENTS) if not OURS.fullmatch(path.name))


def _is_damaged_index(folder: Path) -> bool:
    """Whether an unreadable manifest is beside segments of antecede: a damaged index, not a foreign file."""
    try:
        json.loads(read_regular(folder / NAME))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(folder / NAME)) from None
    except (ValueError, RecursionError):
        return any(OURS.fullmatch(path.name) for path in entries(folder / SEGMENTS))
    return False


def _foreign_files(folder: Path) -> Iterator[str]:
    """The foreign files in places that antecede removes as a whole."""
    lock = folder / LOCK
    if lock.exists() and (not lock.is_file() or lock.stat().st_size):
        yield LOCK
    removable = [folder / WORK, folder / f"{WORK}{GONE}"]
    removable += [path for path in entries(folder / SEGMENTS) if OURS.fullmatch(path.name)]
    for removed in removable:
        if removed.suffix in (".u32", ".zst"):
            continue
        if removed.is_symlink() or (removed.exists() and not removed.is_dir()):
            yield str(removed.relative_to(folder))
            continue
        for path in sorted(removed.rglob("*")):
            if path.is_symlink() or not (path.is_dir() or INSIDE.fullmatch(path.name)):
                yield str(path.relative_to(folder))


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


@contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the write lock of an index; readers are not locked out. A new folder that stayed empty is removed.

    An existing folder is kept, and so is everything in it that antecede did not write.
    """
    check_contents(folder)
    there = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666)
    try:
        if not acquire_lock(lock):
            raise UsageError(f"{folder}: another process is writing to this index; wait until it is done")
        try:
            yield
        finally:
            _remove_empty(folder, keep=there)
    finally:
        os.close(lock)


def _remove_empty(folder: Path, *, keep: bool) -> None:
    """Remove the lock of an index that was not written, and its folder unless it is to be kept."""
    if entries(folder / SEGMENTS) or {path.name for path in folder.iterdir()} - {LOCK, SEGMENTS}:
        return
    if (folder / SEGMENTS).exists():
        (folder / SEGMENTS).rmdir()
    (folder / LOCK).unlink()
    if not keep:
        folder.rmdir()


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
        _remove_unheld(final)
    path.replace(final)
    sync(final.parent)


def write_beside(folder: Path, name: str, data: bytes) -> File:
    """Write a file beside the segments; it is part of the index once a manifest names it."""
    writer = FolderWriter(folder / SEGMENTS)
    with writer.stream(name) as out:
        out.write(data)
    writer.sync()
    return writer.files[name]


def commit(folder: Path, manifest: Manifest, then: Callable[[], None] = lambda: None) -> None:
    """Make a manifest the state of the index, `then` do something, and remove the files that it does not name."""
    manifest.write(folder)
    then()
    sync(folder)
    clear(folder, manifest)


def clear(folder: Path, manifest: Manifest) -> None:
    """Remove what the index does not need: replaced segments, and what killed processes left."""
    named = {path.partition("/")[0] for path in manifest.files()}
    for path in (folder / SEGMENTS).iterdir():
        if path.name in named or not OURS.fullmatch(path.name):
            continue
        if path.suffix or path.is_symlink() or not path.is_dir():
            remove_tree(path)
        else:
            _remove_unheld(path)
    clear_temporary(folder)  # a manifest that was not finished
    remove_tree(folder / f"{WORK}{GONE}")
