"""What is known of documents besides their text, in SQLite: names, dates, classes, families, people, citations.

    documents   one row per document
    attributes  one row per document and value of a field with several values: class, applicant, inventor, citation

The same rows always give the same bytes.
"""

from __future__ import annotations

import errno
import sqlite3
import unicodedata
from datetime import date
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from antecede.corpus.merge import identity
from antecede.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from antecede.patent import Patent


COLUMNS = (
    "doc_id", "identity", "patent_number", "title", "language", "published", "day", "family_id", "country", "ipc",
    "cpc", "applicants", "inventors", "citations",
)  # fmt: skip
"""`identity` is what documents of one patent share, `patent_number` the normal form by which a patent is found, `day`
the one from which on it counts as prior art: that of its publication, or else the earliest that is known."""
DOC_ID, IDENTITY, PUBLISHED, DAY = map(COLUMNS.index, ("doc_id", "identity", "published", "day"))
LISTS = ("ipc", "cpc", "applicants", "inventors", "citations")
"""Columns with several values. A citation is the key of a patent number, as in `patent_number`."""
LIST_COLUMNS = tuple(map(COLUMNS.index, LISTS))
NEVER_NULL = frozenset(("doc_id", "identity", "title", "language", *LISTS))
NAMES = frozenset(("applicants", "inventors"))
"""Lists whose values are compared by `name_key`."""
SEPARATOR = "\n"
"""Between the values of a list."""
TABLES = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, doc_id TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, patent_number TEXT,
    title TEXT, language TEXT, published TEXT, day TEXT, family_id TEXT, country TEXT,
    ipc TEXT, cpc TEXT, applicants TEXT, inventors TEXT, citations TEXT
);
CREATE TABLE attributes (field TEXT NOT NULL, value TEXT NOT NULL, number INTEGER NOT NULL);
"""
INDEXES = """
CREATE INDEX by_identity ON documents (identity);
CREATE INDEX by_patent_number ON documents (patent_number) WHERE patent_number IS NOT NULL;
CREATE INDEX by_family ON documents (family_id) WHERE family_id IS NOT NULL;
CREATE INDEX by_country ON documents (country);
CREATE INDEX by_language ON documents (language);
CREATE INDEX by_attribute ON attributes (field, value, number);
"""
INSERT = f"INSERT INTO documents VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"  # noqa: S608
SETTINGS = ("page_size = 8192", "journal_mode = OFF", "synchronous = OFF", "cache_size = -32768")

BATCH = 1000
"""Documents written at once."""

Row = tuple[Any, ...]


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
    published = patent.publication_date
    days = (published, published or patent.filing_date or patent.priority_date)
    return (
        patent.doc_id,
        identity(patent),
        number.key if number is not None else None,
        title,
        patent.language,
        *(str(day) if day is not None else None for day in days),
        patent.family_id,
        number.country if number is not None else None,
        *(SEPARATOR.join(dict.fromkeys(values)) for values in lists_of(patent)),
    )


def lists_of(patent: Patent) -> Iterator[Iterable[str]]:
    """The values of each column with several, in the order of `LISTS`."""
    yield from (patent.ipc, patent.cpc)
    for names in (patent.applicants, patent.inventors):
        yield filter(None, (" ".join(name.split()) for name in names))
    yield (citation.number.key for citation in patent.citations)


def split_values(column: str) -> tuple[str, ...]:
    """The values in a column with several."""
    return tuple(column.split(SEPARATOR)) if column else ()


@lru_cache(maxsize=65536)
def name_key(name: str) -> str:
    """What names are compared by: the words without case, accents and punctuation; `Müller & Söhne` is `muller sohne`.

    >>> name_key("Société L'Air Liquide, S.A.")
    'societe l air liquide s a'
    """
    plain = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    return " ".join("".join(char if char.isalnum() else " " for char in plain.casefold()).split())


def attributes_of(row: Sequence[str], number: int) -> Iterator[Row]:
    """The rows of `attributes` for a document."""
    for field, at in zip(LISTS, LIST_COLUMNS, strict=True):
        for value in dict.fromkeys(map(name_key, split_values(row[at]))) if field in NAMES else split_values(row[at]):
            yield field, value, number


def write_metadata(path: Path, rows: Iterable[Row]) -> None:
    """Write the tables of a segment."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        connection.executescript(TABLES)
        connection.execute("BEGIN")
        numbered = enumerate(rows)
        while batch := list(islice(numbered, BATCH)):
            connection.executemany(INSERT, ((number, *row) for number, row in batch))
            attributes = (value for number, row in batch for value in attributes_of(row, number))
            connection.executemany("INSERT INTO attributes VALUES (?, ?, ?)", attributes)
        connection.execute("COMMIT")
        connection.executescript(INDEXES)
    except sqlite3.IntegrityError as error:
        raise InputError(f"two documents have the same name ({error})", source=str(path)) from None
    except sqlite3.OperationalError as error:  # what SQLite says of a full disk
        raise OSError(errno.ENOSPC, str(error), str(path)) from None
    finally:
        connection.close()
