"""The files of a segment: checksummed as they are written, and refused on reading if the checksum does not match."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from antecede.errors import InputError, shown
from antecede.index.arrays import kind_of, map_file, open_regular
from antecede.index.validation import Count, FieldError, matching

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from mmap import mmap
    from pathlib import Path

    from numpy.typing import NDArray

REMEDY = "`antecede verify` names all that is damaged; build the index again"
STEP = 1 << 20


@dataclass(frozen=True)
class File:
    """The size of a file and two checksums; the short one is fast enough to verify each time an index is opened."""

    size: Count
    sha256: Annotated[str, matching("[0-9a-f]{64}")]
    crc32: Annotated[int, Field(ge=0, le=2**32 - 1)]


class FileWriter:
    """A file being written; its checksums are updated with each write."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)  # never write through a link, or into a file that has a second name
        self.file = path.open("xb")
        self.size, self.crc32, self.sha256 = 0, 0, hashlib.sha256()

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes."""
        view = memoryview(data)
        self.file.write(view)
        self.update_checksums(view)

    def update_checksums(self, data: memoryview) -> None:
        """Update size and checksums."""
        self.size += data.nbytes
        self.sha256.update(data)
        self.crc32 = zlib.crc32(data, self.crc32)

    def finish(self) -> File:
        """Size and checksums of what was written."""
        return File(self.size, self.sha256.hexdigest(), self.crc32)


class FolderWriter:
    """The files of a folder being written, with the checksums of those that are complete."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, File] = {}

    @contextmanager
    def stream(self, name: str) -> Iterator[FileWriter]:
        """A new file, to which bytes are appended."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = FileWriter(path)
        with writer.file:
            yield writer
        self.files[name] = writer.finish()

    def array(self, name: str, values: NDArray[Any]) -> None:
        """Write numbers in the type that the name denotes; a type that cannot hold them is a programming error."""
        kind = kind_of(name)
        if not np.can_cast(values.dtype, kind, "safe"):
            raise TypeError(f"{name} cannot hold {values.dtype}")
        with self.stream(name) as out:
            out.write(np.ascontiguousarray(values, kind).view(np.uint8).data)

    def adopt(self, name: str) -> None:
        """Register a file that was written by other means, such as SQLite."""
        self.files[name] = file_of(self.folder / name)

    def sync(self) -> None:
        """Sync all files and folders to disk."""
        for name in self.files:
            sync(self.folder / name)
        for each in {(self.folder / name).parent for name in self.files} | {self.folder}:
            sync(each)


def sync(path: Path) -> None:
    """Sync a file, or the entries of a folder, to disk."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder, and syncs its entries by itself
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_of(path: Path) -> File:
    """The current size and checksums of a file."""
    size, crc, digest = 0, 0, hashlib.sha256()
    with open_regular(path) as file:
        while part := file.read(STEP):
            size += len(part)
            crc = zlib.crc32(part, crc)
            digest.update(part)
    return File(size, digest.hexdigest(), crc)


class SegmentFiles:
    """The files of a segment, for reading."""

    def __init__(self, folder: Path, files: Mapping[str, File]) -> None:
        self.folder, self.files = folder, files

    def array(self, name: str, length: int | None = None, *, checked: bool = True) -> NDArray[Any]:
        """The numbers of a file, read-only; `length` is the required number of them.

        The checksum is verified unless the content is checked by other means, as encoded lists are.
        """
        return read_array(self.folder / name, self.files.get(name), length, checked=checked)

    def checked(self, name: str) -> Path:
        """The path of a file that is not an array, after its checksum was verified."""
        read_file(self.folder / name, self.files.get(name))
        return self.folder / name


def read_array(path: Path, file: File | None, length: int | None = None, *, checked: bool = True) -> NDArray[Any]:
    """Read an array; an error names the file if it is not what was written."""
    kind = kind_of(path.name)
    whole = read_file(path, file, checked=checked)
    if len(whole) % kind.itemsize or (length is not None and len(whole) != length * kind.itemsize):
        raise InputError(f"has {len(whole)} bytes, which does not fit the rest", source=str(path), remedy=REMEDY)
    return np.frombuffer(whole, kind)


def read_file(path: Path, file: File | None, *, checked: bool = True) -> bytes | mmap:
    """Read a file; an error names it if it is not what was written."""
    if file is None:
        raise InputError("the manifest does not name it", source=str(path), remedy=REMEDY)
    try:
        whole = map_file(path)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(whole) != file.size:
        raise InputError(f"has {len(whole)} bytes, {file.size} were written", source=str(path), remedy=REMEDY)
    if checked and zlib.crc32(whole) != file.crc32:
        raise damaged(path)
    return whole


def check_sizes(files: Mapping[str, File], sizes: Mapping[str, int | None], at: tuple[str | int, ...]) -> None:
    """Refuse files, named at a place of the manifest, unless they are exactly these, each of its size if known."""
    if differing := sorted(sizes.keys() ^ files.keys()):
        raise FieldError(f"{shown(differing[0])} is {'missing' if differing[0] in sizes else 'unknown'}", *at)
    for name, size in sizes.items():
        if size is not None and files[name].size != size:
            raise FieldError(f"is {files[name].size}, the counts make it {size}", *at, name, "size")


def read_regular(path: Path) -> bytes:
    """The bytes of a file that is not a link."""
    with open_regular(path) as file:
        return file.readall()


def check_folder(path: Path) -> None:
    """Refuse a path that is a link or not a folder: all files of an index are in its own folder."""
    try:
        found = path.lstat()
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISDIR(found.st_mode):
        raise InputError("is a link or a file, not a folder of the index", source=str(path), remedy=REMEDY)


def remove_tree(path: Path) -> None:
    """Remove a folder and its contents; for a link, only the link."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)


def unreadable(path: Path, error: OSError) -> Exception:
    """The error for a file that cannot be read; running out of memory is not damage."""
    if error.errno == errno.ENOMEM:
        return MemoryError(str(path))
    why = "it is a link" if error.errno == errno.ELOOP else error.strerror
    return InputError(f"cannot be read ({why})", source=str(path), remedy=REMEDY)


def damaged(path: Path, why: object = "its checksum does not match") -> InputError:
    """The error for a file that is not what was written."""
    return InputError(f"is damaged ({why})", source=str(path), remedy=REMEDY)
