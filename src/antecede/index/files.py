"""The files of a segment. They are checksummed as they are written, and refused on reading if the checksum differs.

documents.sqlite                  the metadata of each document
records.u8, records_ptr.i64       the complete documents, packed, and the offset of each
doc_ids.u8, doc_ids_ptr.i64       their names, and the offset of each
order.u32, days.i32               the rank of each name among the sorted names; the day from which it is prior art
rejects.jsonl                     the rejected documents
LANGUAGE/documents.u32            the document of each row of the language's matrix
LANGUAGE/terms.u8, terms_sizes.u8 the vocabulary, front-coded
LANGUAGE/by_term*, by_row*        the matrix in both directions: lists, list headers, checksums

and, unless the index was built without positions:

LANGUAGE/words.u8, words_sizes.u8 the words as written, front-coded
LANGUAGE/word_terms.u32           the term of each word
LANGUAGE/places*                  the places of each word in each field: lists, list headers, checksums
LANGUAGE/fields.u8                the number of words of each field of each row
LANGUAGE/row_bits.u8              for each frequent word without a term, a bit per row: whether the row has it
"""

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
from typing_extensions import TypedDict

from antecede.arrays import kind_of, map_file
from antecede.errors import InputError, UnusableIndexError
from antecede.files import open_regular
from antecede.validation import Count, limited, matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from mmap import mmap
    from pathlib import Path

    from numpy.typing import NDArray


SEGMENTS = "segments"
METADATA = "documents.sqlite"
RECORDS, RECORDS_PTR = "records.u8", "records_ptr.i64"
NAMES, NAMES_PTR = "doc_ids.u8", "doc_ids_ptr.i64"
ORDER, DAYS = "order.u32", "days.i32"
REJECTS = "rejects.jsonl"


MAX_DOCUMENTS = MAX_TERMS = (1 << 31) - 1
"""In one segment: rows and terms are numbered with 31 bits."""


class LanguageCounts(TypedDict):
    """The size of the matrix of a language."""

    rows: Annotated[int, limited(ge=1, le=MAX_DOCUMENTS)]
    terms: Annotated[int, limited(ge=0, le=MAX_TERMS)]
    postings: Count
    words: Annotated[int, limited(ge=0, le=MAX_TERMS)]
    """Distinct words as written; 0, as the places, in an index without positions."""
    places: Count


def folder_of(language: str) -> str:
    """The folder of a language's matrix; a language name from an input file is not trusted as a folder name."""
    if language.isascii() and language.isalpha() and len(language) <= 3:
        return language
    return f"other-{language.encode().hex()}" if language else "unknown"


SEGMENT_FILES = (METADATA, RECORDS, RECORDS_PTR, NAMES, NAMES_PTR, ORDER, DAYS, REJECTS)
LANGUAGE_FILES = (
    "documents.u32", "terms.u8", "terms_sizes.u8",
    "by_term.u8", "by_term_heads.u8", "by_term_sums.u32", "by_row.u8", "by_row_heads.u8", "by_row_sums.u32",
)  # fmt: skip
POSITION_FILES = (
    "words.u8", "words_sizes.u8", "word_terms.u32", "places.u8", "places_heads.u8", "places_sums.u32", "fields.u8",
    "row_bits.u8",
)  # fmt: skip


def segment_files(languages: Iterable[str], *, positions: bool) -> set[str]:
    """Every file of a segment."""
    names = (*LANGUAGE_FILES, *(POSITION_FILES if positions else ()))
    return {*SEGMENT_FILES, *(f"{folder_of(language)}/{name}" for language in languages for name in names)}


REMEDY = "`antecede verify` names all that is damaged; build the index again"
STEP = 1 << 20


@dataclass(frozen=True)
class File:
    """The size of a file and two checksums; the short one is fast enough to verify each time an index is opened."""

    size: Count
    sha256: Annotated[str, matching("[0-9a-f]{64}")]
    crc32: Annotated[int, limited(ge=0, le=2**32 - 1)]


class FileWriter:
    """A file being written; its checksums are updated with each write."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)  # never write through a link, or into a file that has a second name
        self.file = path.open("xb")
        self.size, self.crc32, self.sha256 = 0, 0, hashlib.sha256()

    def write(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        self.file.write(view)
        self.size += view.nbytes
        self.sha256.update(view)
        self.crc32 = zlib.crc32(view, self.crc32)


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
        self.files[name] = File(writer.size, writer.sha256.hexdigest(), writer.crc32)

    def array(self, name: str, values: NDArray[Any]) -> None:
        """Write numbers in the type that the name denotes; a type that cannot hold them is a programming error."""
        kind = kind_of(name)
        if not np.can_cast(values.dtype, kind, "safe"):
            raise TypeError(f"{name} cannot hold {values.dtype}")
        with self.stream(name) as out:
            out.write(np.ascontiguousarray(values, kind).view(np.uint8).data)

    def sync(self) -> None:
        """Sync all files and folders to disk."""
        for name in self.files:
            sync(self.folder / name)
        for folder in {(self.folder / name).parent for name in self.files} | {self.folder}:
            sync(folder)


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
    data = read_file(path, file, checked=checked)
    if len(data) % kind.itemsize or (length is not None and len(data) != length * kind.itemsize):
        what = f"has {len(data)} bytes, which does not fit the rest"
        raise UnusableIndexError(what, source=str(path), remedy=REMEDY)
    return np.frombuffer(data, kind)


def read_file(path: Path, file: File | None, *, checked: bool = True) -> bytes | mmap:
    """Read a file; an error names it if it is not what was written."""
    if file is None:
        raise UnusableIndexError("the manifest does not name it", source=str(path), remedy=REMEDY)
    try:
        data = map_file(path)
    except OSError as error:
        raise unreadable(path, error) from None
    if len(data) != file.size:
        raise UnusableIndexError(f"has {len(data)} bytes, {file.size} were written", source=str(path), remedy=REMEDY)
    if checked and zlib.crc32(data) != file.crc32:
        raise damaged(path)
    return data


def check_folder(path: Path) -> None:
    """Refuse a path that is a link or not a folder: all files of an index are in its own folder."""
    try:
        status = path.lstat()
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISDIR(status.st_mode):
        raise UnusableIndexError("is a link or a file, not a folder of the index", source=str(path), remedy=REMEDY)


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
    return UnusableIndexError(f"cannot be read ({why})", source=str(path), remedy=REMEDY)


def damaged(path: Path, why: object = "its checksum does not match") -> InputError:
    return UnusableIndexError(f"is damaged ({why})", source=str(path), remedy=REMEDY)
