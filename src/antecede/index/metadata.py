"""What is known of documents besides their text, in SQLite: names, dates, classes, families.

    documents   a row a document
    ipc         a row a code and document

The same rows always give the same bytes.
"""

from __future__ import annotations

import errno
import sqlite3
from array import array
from collections import defaultdict
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from antecede.corpus.merge import identity
from antecede.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from antecede.patent import Patent

COLUMNS = (
    "doc_id",
    "identity",
    "patent_number",
    "title",
    "language",
    "published",
    "day",
    "family_id",
    "country",
    "ipc",
)
"""`identity` is what documents of one patent share, `patent_number` the normal form by which a patent is found, `day`
the one from which on it counts as prior art."""
NEVER_NULL = frozenset(("doc_id", "identity", "title", "language", "ipc"))
DOC_ID, IDENTITY, PUBLISHED, DAY, IPC = map(COLUMNS.index, ("doc_id", "identity", "published", "day", "ipc"))
BETWEEN = ", "
"""Between the IPC codes of a document."""
TABLES = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, doc_id TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, patent_number TEXT,
    title TEXT, language TEXT, published TEXT, day TEXT, family_id TEXT, country TEXT, ipc TEXT
);
CREATE TABLE ipc (code TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (code, number)) WITHOUT ROWID;
"""
INDEXES = """
CREATE INDEX by_identity ON documents (identity);
CREATE INDEX by_patent_number ON documents (patent_number) WHERE patent_number IS NOT NULL;
CREATE INDEX by_family ON documents (family_id) WHERE family_id IS NOT NULL;
CREATE INDEX by_country ON documents (country);
CREATE INDEX by_language ON documents (language);
"""
INSERT = f"INSERT INTO documents VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"  # noqa: S608
SETTINGS = ("page_size = 8192", "journal_mode = OFF", "synchronous = OFF", "cache_size = -32768")

Row = tuple[Any, ...]
Members = defaultdict[str, "array[int]"]
"""IPC code → numbers of the documents that have it, ascending."""


@cache
def metadata_schema() -> list[tuple[str, str, str | None]]:
    """Type, name and statement of every table and index of a segment, as SQLite lists them."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(TABLES + INDEXES)
        return connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    finally:
        connection.close()


def is_row(row: Sequence[Any]) -> bool:
    """Whether the columns of a document are such as `columns_of` gives."""
    if len(row) != len(COLUMNS):
        return False
    texts = [value for name, value in zip(COLUMNS, row, strict=True) if value is not None or name in NEVER_NULL]
    if not all(isinstance(value, str) for value in texts) or not row[DOC_ID]:
        return False
    try:
        return all(value is None or str(date.fromisoformat(value)) == value for value in (row[PUBLISHED], row[DAY]))
    except ValueError:
        return False


def columns_of(patent: Patent) -> Row:
    """The columns of a document."""
    title = patent.title.get(patent.language) or next(iter(patent.title.values()), "")
    number = patent.known_number
    days = (patent.publication_date, prior_art_from(patent))
    return (
        patent.doc_id,
        identity(patent),
        number.key if number is not None else None,
        title,
        patent.language,
        *(str(day) if day is not None else None for day in days),
        patent.family_id,
        number.country if number is not None else None,
        BETWEEN.join(patent.ipc),
    )


def prior_art_from(patent: Patent) -> date | None:
    """The day from which on a document counts as prior art: its publication; else the earliest that is known."""
    return patent.publication_date or patent.filing_date or patent.priority_date


def write_metadata(path: Path, rows: Iterable[Row]) -> None:
    """Make the tables of a segment."""
    members = new_members()
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        connection.executescript(TABLES)
        connection.execute("BEGIN")
        connection.executemany(INSERT, numbered_rows(rows, members))
        sorted_rows = ((code, number) for code in sorted(members) for number in members[code])
        connection.executemany("INSERT INTO ipc VALUES (?, ?)", sorted_rows)
        connection.execute("COMMIT")
        connection.executescript(INDEXES)
    except sqlite3.IntegrityError as error:
        raise InputError(f"two documents have the same name ({error})", source=str(path)) from None
    except sqlite3.OperationalError as error:  # what SQLite says of a full disk
        raise OSError(errno.ENOSPC, str(error), str(path)) from None
    finally:
        connection.close()


def new_members() -> Members:
    """No codes yet."""
    return defaultdict(lambda: array("I"))


def numbered_rows(rows: Iterable[Row], members: Members) -> Iterator[Row]:
    """The rows with their numbers; which of them have a code is noted in `members` on the way."""
    for number, row in enumerate(rows):
        for code in dict.fromkeys(filter(None, row[IPC].split(BETWEEN))):
            members[code].append(number)
        yield (number, *row)
