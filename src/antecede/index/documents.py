"""The documents of a segment, to be read: what is known of them from SQLite, whole records from a file of their own."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from antecede.index.files import damaged
from antecede.index.metadata import BETWEEN, COLUMNS, NAME
from antecede.index.records import unpack
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.files import SegmentFiles
    from antecede.patent import Patent

RECORDS, RECORDS_PTR = "records.u8", "records_ptr.i64"
AT_ONCE = 500
"""Numbers in one question to SQLite."""
UNKNOWN_DAY = np.iinfo(np.int32).min
EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Head:
    """What a list of hits shows of a document."""

    doc_id: str
    title: str
    language: str
    day: str | None
    """When it was published, or the earliest day known."""
    ipc: tuple[str, ...]


def head(doc_id: str, title: str, language: str, day: str | None, ipc: str) -> Head:
    """A head from its columns."""
    return Head(doc_id, title, language, day, tuple(filter(None, ipc.split(BETWEEN))))


def day_number(written: str | None) -> int:
    """Days since 1970; the smallest number where the day is not known."""
    return UNKNOWN_DAY if written is None else (date.fromisoformat(written) - EPOCH).days


class DocumentStore:
    """The documents of a segment, to be read by any number of threads and processes."""

    def __init__(self, files: SegmentFiles, documents: int) -> None:
        self.files, self.documents = files, documents
        self.path = files.folder / NAME
        self.mine = threading.local()
        self.lock = threading.Lock()
        self.opened: list[sqlite3.Connection] = []
        weakref.finalize(self, close_all, self.opened)

    @cached_property
    def address(self) -> str:
        """How SQLite opens the file, once its checksum has been tried: nobody writes to it, nothing need be locked."""
        return f"{self.files.checked(NAME).absolute().as_uri()}?mode=ro&immutable=1"

    def connection(self) -> sqlite3.Connection:
        """This thread's own connection."""
        if not hasattr(self.mine, "connection"):
            with self.lock:
                self.mine.connection = sqlite3.connect(self.address, uri=True, check_same_thread=False)
                self.opened.append(self.mine.connection)
        connection: sqlite3.Connection = self.mine.connection
        return connection

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The answer to a question."""
        try:
            return self.connection().execute(question, values).fetchall()
        except sqlite3.Error as error:
            raise damaged(self.path, error) from None

    def by_number(self, columns: str, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Columns of the documents of these numbers."""
        found: dict[int, tuple[Any, ...]] = {}
        for part in portions(numbers):
            question = f"SELECT number, {columns} FROM documents WHERE number IN ({','.join('?' * len(part))})"  # noqa: S608
            found.update((row[0], row[1:]) for row in self.rows(question, part))
        if len(found) < len(set(numbers)):
            raise damaged(self.path, "documents are missing")
        return found

    def heads(self, numbers: Sequence[int]) -> list[Head]:
        """What a list shows of documents."""
        found = self.by_number("doc_id, title, language, day, ipc", numbers)
        return [head(*found[number]) for number in numbers]

    @cached_property
    def records(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The packed records one behind the other, and where each begins. Each has a checksum of its own inside."""
        ptr = self.files.array(RECORDS_PTR, self.documents + 1)
        return self.files.array(RECORDS, int(ptr[-1]), checked=False), ptr

    def packed(self, first: int, end: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Neighbouring records as they are stored, and where each begins."""
        data, ptr = self.records
        return data[ptr[first] : ptr[end]], ptr[first : end + 1] - ptr[first]

    def record(self, number: int) -> Patent:
        """A document whole."""
        data, _ = self.packed(number, number + 1)
        try:
            return unpack(data.tobytes())
        except (zstandard.ZstdError, ValueError, TypeError, KeyError) as error:
            raise damaged(self.files.folder / RECORDS, error) from None

    def number_of(self, doc_id: str) -> int | None:
        """The document of exactly this name."""
        found = self.rows("SELECT number FROM documents WHERE doc_id = ?", (doc_id,))
        return found[0][0] if found else None

    def numbers_named(self, name: str) -> list[int]:
        """The documents of a name, and those of the patent number that it writes out, ascending."""
        exact = self.number_of(name)
        return sorted({*self.numbers_of_patent(name), *(() if exact is None else (exact,))})

    def numbers_of_patent(self, written: str) -> list[int]:
        """The documents of a patent number in any customary form, ascending."""
        number = PatentNumber.parse_name(written)
        if number is None:
            return []
        found = self.rows("SELECT number FROM documents WHERE patent_number = ? ORDER BY number", (number.key,))
        return [each for (each,) in found]

    def numbers(self, condition: str, values: Sequence[Any]) -> NDArray[np.uint32]:
        """The documents that meet a condition, ascending: `documents WHERE …` or `ipc WHERE …`."""
        found = self.rows(f"SELECT DISTINCT number FROM {condition} ORDER BY number", values)  # noqa: S608
        return np.array([number for (number,) in found], np.uint32)

    def numbers_with_ipc(self, prefix: str) -> NDArray[np.uint32]:
        """Documents with a code that begins so: `H04L`, `H04L 12/`, `H04L 12/56`."""
        return self.numbers("ipc WHERE code >= ? AND code < ?", (prefix, prefix + "\U0010ffff"))

    def numbers_of_family(self, family_id: str) -> NDArray[np.uint32]:
        """Documents of a family."""
        return self.numbers("documents WHERE family_id = ?", (family_id,))

    def numbers_of_country(self, country: str) -> NDArray[np.uint32]:
        """Documents of a country's office."""
        return self.numbers("documents WHERE country = ?", (country,))

    def numbers_of_language(self, language: str) -> NDArray[np.uint32]:
        """Documents whose own language it is."""
        return self.numbers("documents WHERE language = ?", (language,))

    def numbers_of(self, column: str, values: Sequence[str]) -> NDArray[np.uint32]:
        """Documents whose identity, or doc_id, is one of these, ascending."""
        parts = [
            self.numbers(f"documents WHERE {column} IN ({','.join('?' * len(part))})", part)
            for part in portions(values)
        ]
        return np.unique(np.concatenate([np.zeros(0, np.uint32), *parts]))

    def all_rows(self) -> Iterator[tuple[Any, ...]]:
        """Every document's columns without its number, in order."""
        connection = sqlite3.connect(self.address, uri=True)
        try:
            yield from connection.execute(f"SELECT {', '.join(COLUMNS)} FROM documents ORDER BY number")  # noqa: S608
        except sqlite3.Error as error:
            raise damaged(self.path, error) from None
        finally:
            connection.close()


def portions(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Values for one question each."""
    for start in range(0, len(values), AT_ONCE):
        yield list(values[start : start + AT_ONCE])


def close_all(connections: list[sqlite3.Connection]) -> None:
    for connection in connections:
        connection.close()
