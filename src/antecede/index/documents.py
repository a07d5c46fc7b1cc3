"""The documents of a segment: names, dates, classes and whole records, in SQLite with the records packed."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from antecede.corpus.merge import identity
from antecede.errors import InputError
from antecede.patent import Patent, PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

NAME = "documents.sqlite"
COLUMNS = ("doc_id", "identity", "title", "language", "published", "day", "family_id", "country", "ipc", "record")
"""`day` is the one from which on it counts as prior art: publication, else filing, else priority."""
TABLES = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, doc_id TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, title TEXT, language TEXT,
    published TEXT, day TEXT, family_id TEXT, country TEXT, ipc TEXT, record BLOB NOT NULL
);
CREATE TABLE ipc (code TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (code, number)) WITHOUT ROWID;
"""
INSERT = "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INDEXES = """
CREATE INDEX by_identity ON documents (identity);
CREATE INDEX by_family ON documents (family_id) WHERE family_id IS NOT NULL;
CREATE INDEX by_country ON documents (country);
"""
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
    return Head(doc_id, title, language, day, tuple(filter(None, ipc.split(", "))))


def pack(patent: Patent) -> bytes:
    """A record as few bytes, with a checksum that a reader sees."""
    whole = json.dumps(patent.to_dict(), ensure_ascii=False, separators=(",", ":")).encode()
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(whole)


def unpack(data: bytes) -> Patent:
    """The record again."""
    whole = zstandard.ZstdDecompressor().decompress(data)
    return Patent.from_dict(json.loads(whole.decode()))


def row_of(patent: Patent) -> tuple[Any, ...]:
    """The columns of a document, without its number."""
    title = patent.title.get(patent.language) or next(iter(patent.title.values()), "")
    country = patent.number.country if patent.number is not None else None
    days = (str(day) if day is not None else None for day in (patent.publication_date, patent.priority_date))
    ipc = ", ".join(patent.ipc)
    return (
        patent.doc_id,
        identity(patent),
        title,
        patent.language,
        *days,
        patent.family_id,
        country,
        ipc,
        pack(patent),
    )


def day_number(written: str | None) -> int:
    """Days since 1970; the smallest number where the day is not known."""
    return UNKNOWN_DAY if written is None else (date.fromisoformat(written) - EPOCH).days


def write_documents(path: Path, rows: Iterable[tuple[Any, ...]]) -> None:
    """Make the table of a segment's documents; the same rows give the same bytes."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for setting in ("page_size = 8192", "journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
            connection.execute(f"PRAGMA {setting}")
        connection.executescript(TABLES)
        connection.execute("BEGIN")
        for number, row in enumerate(rows):
            connection.execute(INSERT, (number, *row))
            codes = dict.fromkeys(filter(None, row[COLUMNS.index("ipc")].split(", ")))
            connection.executemany("INSERT INTO ipc VALUES (?, ?)", [(code, number) for code in codes])
        connection.execute("COMMIT")
        connection.executescript(INDEXES)
    except sqlite3.Error as error:
        raise InputError(f"cannot be written ({error})", source=str(path)) from None
    finally:
        connection.close()


class DocumentStore:
    """The documents of a segment, to be read by any number of threads and processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mine = threading.local()

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The answer to a question; each thread has a connection of its own."""
        try:
            if not hasattr(self.mine, "connection"):
                address = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
                self.mine.connection = sqlite3.connect(address, uri=True)
            found: list[tuple[Any, ...]] = self.mine.connection.execute(question, values).fetchall()
        except sqlite3.Error as error:
            raise self.damaged(error) from None
        return found

    def damaged(self, error: object) -> InputError:
        return InputError(f"is damaged ({error})", source=str(self.path), remedy="`antecede verify` says more")

    def by_number(self, columns: str, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Columns of the documents of these numbers."""
        found: dict[int, tuple[Any, ...]] = {}
        for start in range(0, len(numbers), AT_ONCE):
            part = list(numbers[start : start + AT_ONCE])
            question = f"SELECT number, {columns} FROM documents WHERE number IN ({','.join('?' * len(part))})"  # noqa: S608
            found.update((row[0], row[1:]) for row in self.rows(question, part))
        if len(found) < len(set(numbers)):
            raise self.damaged("documents are missing")
        return found

    def heads(self, numbers: Sequence[int]) -> list[Head]:
        """What a list shows of documents."""
        found = self.by_number("doc_id, title, language, day, ipc", numbers)
        return [head(*found[number]) for number in numbers]

    def record(self, number: int) -> Patent:
        """A document whole."""
        try:
            return unpack(self.by_number("record", [number])[number][0])
        except (zstandard.ZstdError, ValueError, TypeError) as error:
            raise self.damaged(error) from None

    def number_of(self, name: str) -> int | None:
        """The document of a name, or of a patent number in any form."""
        found = self.rows("SELECT number FROM documents WHERE doc_id = ?", (name,))
        if not found and (parsed := PatentNumber.parse(name)) is not None:
            found = self.rows("SELECT number FROM documents WHERE identity = ?", (parsed.key,))
        return found[0][0] if found else None

    def numbers(self, condition: str, values: Sequence[Any]) -> NDArray[np.uint32]:
        """The documents that meet a condition, ascending."""
        found = self.rows(f"SELECT DISTINCT number FROM {condition} ORDER BY number", values)  # noqa: S608
        return np.array([row[0] for row in found], np.uint32)

    def numbers_with_ipc(self, prefix: str) -> NDArray[np.uint32]:
        """Documents with a code that begins so: `H04L`, `H04L 12`, `H04L 12/56`."""
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

    def numbers_of_identities(self, identities: Iterable[str]) -> NDArray[np.uint32]:
        """Documents of these patents."""
        wanted = list(identities)
        parts = [
            self.numbers(f"documents WHERE identity IN ({','.join('?' * len(part))})", part)
            for start in range(0, len(wanted), AT_ONCE)
            if (part := wanted[start : start + AT_ONCE])
        ]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.uint32)

    def all_rows(self) -> Iterator[tuple[Any, ...]]:
        """Every document's columns without its number, in order; for merging."""
        address = f"{self.path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True)
        try:
            for row in connection.execute("SELECT * FROM documents ORDER BY number"):
                yield row[1:]
        finally:
            connection.close()
