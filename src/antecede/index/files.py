"""The files of a segment: written with their checksums on the way, and read back only if these fit."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError
from antecede.index.arrays import kind_of, map_file, open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from mmap import mmap
    from pathlib import Path

    from numpy.typing import NDArray

REMEDY = "`antecede verify` names all that is damaged; build the index again"
STEP = 1 << 20


@dataclass(frozen=True)
class File:
    """What was written: how many bytes, and two checksums of them; the short one is quick enough for every opening."""

    size: int
    sha256: str
    crc32: int


class FileWriter:
    """A file being written, its checksums made on the way."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)  # never through a link, or into a file that has another name too
        self.file = path.open("xb")
        self.size, self.crc32, self.sha256 = 0, 0, hashlib.sha256()

    def write(self, data: bytes | memoryview) -> None:
        """Append bytes."""
        view = memoryview(data)
        self.file.write(view)
        self.update_checksums(view)

    def update_checksums(self, data: memoryview) -> None:
        """Take bytes into the checksums."""
        self.size += data.nbytes
        self.sha256.update(data)
        self.crc32 = zlib.crc32(data, self.crc32)

    def finish(self) -> File:
        """What was written."""
        return File(self.size, self.sha256.hexdigest(), self.crc32)


class FolderWriter:
    """The files of a folder being written; knows each one's checksums when it is done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, File] = {}

    @contextmanager
    def stream(self, name: str) -> Iterator[FileWriter]:
        """A file to be appended to."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = FileWriter(path)
        with writer.file:
            yield writer
        self.files[name] = writer.finish()

    def array(self, name: str, values: NDArray[Any]) -> None:
        """Write numbers as the name says; those that do not fit are an error of ours."""
        kind = kind_of(name)
        if not np.can_cast(values.dtype, kind, "safe"):
            raise TypeError(f"{name} cannot hold {values.dtype}")
        with self.stream(name) as out:
            out.write(np.ascontiguousarray(values, kind).view(np.uint8).data)

    def adopt(self, name: str) -> None:
        """Take in a file that somebody else wrote."""
        self.files[name] = file_of(self.folder / name)

    def sync(self) -> None:
        """Bring all to disk for good."""
        for name in self.files:
            sync(self.folder / name)
        for each in {(self.folder / name).parent for name in self.files} | {self.folder}:
            sync(each)


def sync(path: Path) -> None:
    """Bring a file's bytes, or a folder's list of files, to disk."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder, and writes its list of files by itself
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_of(path: Path) -> File:
    """The size and checksums that a file has now."""
    size, crc, digest = 0, 0, hashlib.sha256()
    with open_regular(path) as file:
        while part := file.read(STEP):
            size += len(part)
            crc = zlib.crc32(part, crc)
            digest.update(part)
    return File(size, digest.hexdigest(), crc)


class SegmentFiles:
    """The files of a segment, to be read."""

    def __init__(self, folder: Path, files: Mapping[str, File]) -> None:
        self.folder, self.files = folder, files

    def array(self, name: str, length: int | None = None, *, checked: bool = True) -> NDArray[Any]:
        """The numbers of a file, not to be written to; `length` is how many there must be.

        The checksum is tried unless what is inside is checked otherwise, as encoded lists are.
        """
        return read_array(self.folder / name, self.files.get(name), length, checked=checked)

    def checked(self, name: str) -> Path:
        """The path of a file that is not an array, once its checksum has been tried."""
        read_file(self.folder / name, self.files.get(name))
        return self.folder / name


def read_array(path: Path, file: File | None, length: int | None = None, *, checked: bool = True) -> NDArray[Any]:
    """An array from its file, refused by name where it is not what was written."""
    kind = kind_of(path.name)
    whole = read_file(path, file, checked=checked)
    if len(whole) % kind.itemsize or (length is not None and len(whole) != length * kind.itemsize):
        raise InputError(f"has {len(whole)} bytes, which does not fit the rest", source=str(path), remedy=REMEDY)
    return np.frombuffer(whole, kind)


def read_file(path: Path, file: File | None, *, checked: bool = True) -> bytes | mmap:
    """The bytes of a file, refused by name where they are not what was written."""
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


def read_regular(path: Path) -> bytes:
    """The bytes of a file that is not a link."""
    with open_regular(path) as file:
        return file.readall()


def check_folder(path: Path) -> None:
    """Refuse a folder that is a link, or not a folder: what is in an index is in its own folder."""
    try:
        found = path.lstat()
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISDIR(found.st_mode):
        raise InputError("is a link or a file, not a folder of the index", source=str(path), remedy=REMEDY)


def remove_tree(path: Path) -> None:
    """Remove a folder and all that is in it; of a link, only the link."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path, ignore_errors=True)


def unreadable(path: Path, error: OSError) -> Exception:
    """The error that a file cannot be read; a want of memory is not a damage."""
    if error.errno == errno.ENOMEM:
        return MemoryError(str(path))
    why = "it is a link" if error.errno == errno.ELOOP else error.strerror
    return InputError(f"cannot be read ({why})", source=str(path), remedy=REMEDY)


def damaged(path: Path, why: object = "its checksum does not fit") -> InputError:
    """The error that a file is not what was written."""
    return InputError(f"is damaged ({why})", source=str(path), remedy=REMEDY)
