"""The documents of a segment. What is known of them besides their text (names, dates, classes, families, people,
citations) is in SQLite, the complete records are in a file of their own.

    documents   one row per document
    attributes  one row per document and value of a field with several values: class, applicant, inventor, citation

The same rows always give the same bytes.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
import weakref
from contextlib import closing, contextmanager, nullcontext
from datetime import date
from functools import cache, cached_property
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.arrays import are_pointers, distinct, release_pages
from antecede.conditions.values import name_key
from antecede.corpus.merge import identity
from antecede.engine import EPOCH, SEPARATOR, UNKNOWN_DAY, split_values
from antecede.errors import InputError, printable
from antecede.index.files import METADATA, RECORDS, RECORDS_PTR, damaged
from antecede.index.records import BROKEN, unpack
from antecede.patent import PatentNumber
from antecede.patent.fields import PEOPLE as _PEOPLE
from antecede.patent.offices import publication_year
from antecede.patent.record import PATENT_FIELDS
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.index.files import SegmentFiles
    from antecede.patent import Patent
    from antecede.text.folding import Folding


_LIST_FIELDS = {declared.name: declared for declared in PATENT_FIELDS if declared.column}
LISTS = tuple(_LIST_FIELDS)
"""Columns with several values. A citation is the key of a patent number, as in `patent_number`."""
SINGLE = ("doc_id", "identity", "patent_number", "title", "language", "published", "day", "family_id", "country")
"""Columns with one value, which every index has.

`identity` is what documents of one patent share, `patent_number` the normal form by which a patent is found, `day`
the one from which on it counts as prior art: that of its publication, or else the earliest that is known."""
COLUMNS = (*SINGLE, *LISTS)
DOC_ID, IDENTITY, PUBLISHED, DAY = map(COLUMNS.index, ("doc_id", "identity", "published", "day"))
LIST_COLUMNS = tuple(map(COLUMNS.index, LISTS))
NEVER_NULL = frozenset(("doc_id", "identity", "title", "language", *LISTS))
PEOPLE = frozenset(name for name, declared in _LIST_FIELDS.items() if declared.codec is _PEOPLE)
"""Lists whose values are compared by `name_key`."""
TABLES = """
CREATE TABLE documents (
    number INTEGER PRIMARY KEY, doc_id TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, patent_number TEXT,
    title TEXT, language TEXT, published TEXT, day TEXT, family_id TEXT, country TEXT,
    {}
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


def _make_tables(lists: Iterable[str]) -> str:
    return TABLES.format(", ".join(f"{name} TEXT" for name in lists))


@cache
def metadata_schema(lists: tuple[str, ...] = LISTS) -> list[tuple[str, str, str | None]]:
    """Type, name and statement of every table and index of a segment with these lists, as SQLite lists them."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(_make_tables(lists) + INDEXES)
        return connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    finally:
        connection.close()


def complete_row(row: Sequence[Any]) -> Row:
    """The columns of a document that was stored before the last of them were declared: those are empty."""
    return (*row, *("" for _ in COLUMNS[max(len(row), len(SINGLE)) :]))


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
        *(SEPARATOR.join(declared.texts(patent)) for declared in _LIST_FIELDS.values()),
    )


def attributes_of(row: Sequence[str], number: int, names: Folding) -> Iterator[Row]:
    """The rows of `attributes` for a document; `names` is the folding of names."""
    for field, at in zip(LISTS, LIST_COLUMNS, strict=True):
        values: Iterable[str] = split_values(row[at])
        if field in PEOPLE:
            values = dict.fromkeys(name_key(name, names) for name in values)
        for value in values:
            yield field, value, number


def write_metadata(path: Path, rows: Iterable[Row], names: Folding = "none") -> None:
    """Write the tables of a segment; `names` is the folding of names."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        connection.executescript(_make_tables(LISTS))
        connection.execute("BEGIN")
        numbered = enumerate(rows)
        while batch := list(islice(numbered, BATCH)):
            connection.executemany(INSERT, ((number, *row) for number, row in batch))
            attributes = (value for number, row in batch for value in attributes_of(row, number, names))
            connection.executemany("INSERT INTO attributes VALUES (?, ?, ?)", attributes)
        connection.execute("COMMIT")
        connection.executescript(INDEXES)
    except sqlite3.IntegrityError as error:
        raise InputError(f"two documents have the same name ({error})", source=str(path)) from None
    except sqlite3.OperationalError as error:  # what SQLite says of a full disk
        raise OSError(errno.ENOSPC, str(error), str(path)) from None
    finally:
        connection.close()


CAUTION = ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0")
"""What SQLite's authors advise for a file that a stranger may have made."""
CACHED = "cache_size = -32768"
"""KiB of pages that a connection keeps at most, as it reads them: rankings look up classes and citations of a thousand
documents per topic, most on pages of their own, and reading a page anew takes longer than finding a row in it."""
MAX_TABLES = 100
FORGET_EVERY = 1024
STEPS, STEPS_A_BYTE = 10_000_000, 100
"""Instructions of SQLite between two looks at the clock, and those allowed for each byte of the file."""
FEW = 1000
"""Documents with a value of which all are read."""
VALUES_PER_QUESTION = 500
"""Numbers in one question to SQLite."""


def day_number(written: str | None) -> int:
    """Days since 1970; the smallest number where the day is not known."""
    return UNKNOWN_DAY if written is None else (date.fromisoformat(written) - EPOCH).days


def days_of_year(patent_number: str | None) -> tuple[int, int] | None:
    """The first and last day of the year in a patent number, since 1970; None where it has none."""
    year = publication_year(str(patent_number))
    return None if year is None else ((date(year, 1, 1) - EPOCH).days, (date(year, 12, 31) - EPOCH).days)


class DocumentStore:
    """The documents of a segment, to be read by any number of threads and processes."""

    def __init__(self, files: SegmentFiles, documents: int, names: Folding = "none") -> None:
        self.files, self.documents, self.names = files, documents, names
        self.path = files.folder / METADATA
        self.mine = threading.local()
        self.lock = threading.Lock()
        self.opened: list[sqlite3.Connection] = []
        self.lists = LISTS
        """The lists that it has, known once it is opened: one made before a field was declared lacks its column."""
        weakref.finalize(self, _close_all, self.opened)

    @cached_property
    def address(self) -> str:
        """The URI of the file, after its checksum was verified: it never changes, so it needs no locks."""
        return f"{self.files.checked(METADATA).absolute().as_uri()}?mode=ro&immutable=1"

    def connect(self) -> sqlite3.Connection:
        """Open the tables. What is not exactly as we make them (views, triggers, other columns) is refused."""
        connection = sqlite3.connect(self.address, uri=True, check_same_thread=False)
        try:
            connection.set_progress_handler(lambda: True, STEPS)  # a schema may have no end, as in `reading`
            for setting in (*CAUTION, CACHED):
                connection.execute(f"PRAGMA {setting}")
            schema = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchmany(MAX_TABLES)
            columns = connection.execute("SELECT name FROM pragma_table_info('documents')").fetchmany(MAX_TABLES)
            self.lists = tuple(name for (name,) in columns if name in LISTS)
            if sorted(map(str, schema)) != sorted(map(str, metadata_schema(self.lists))):
                raise damaged(self.path, "its tables are not those of an index")
            connection.set_progress_handler(None, 0)
        except BaseException:
            connection.close()
            raise
        return connection

    def connection(self) -> sqlite3.Connection:
        """This thread's own connection."""
        if not hasattr(self.mine, "connection"):
            with self.lock:
                self.mine.connection = self.connect()
                self.opened.append(self.mine.connection)
        connection: sqlite3.Connection = self.mine.connection
        return connection

    def rows(self, question: str, values: Sequence[Any] = (), each: int = 1) -> list[tuple[Any, ...]]:
        """The answer to a question: at most so many rows for each document."""
        with self.reading() as connection:
            rows = connection.execute(question, [*map(_bindable, values)]).fetchmany(each * self.documents + 1)
        if len(rows) > each * self.documents:
            raise damaged(self.path, "it has more documents than were written")
        return rows

    def rows_in(self, question: str, values: Sequence[Any], *others: Any, each: int = 1) -> list[tuple[Any, ...]]:
        """The answer to a question that ends in `IN ({})`, for any number of values; `others` come before them."""
        rows: list[tuple[Any, ...]] = []
        for start in range(0, len(values), VALUES_PER_QUESTION):
            part = values[start : start + VALUES_PER_QUESTION]
            rows += self.rows(question.format(",".join("?" * len(part))), (*others, *part), each)
        return rows

    @contextmanager
    def reading(self, *, apart: bool = False) -> Iterator[sqlite3.Connection]:
        """This thread's connection, or one apart from it; an error of SQLite names the file.

        SQLite is stopped where it would never end: the pages of a damaged file may form a cycle.
        """
        left = STEPS + STEPS_A_BYTE * self.files.files[METADATA].size

        def passed() -> bool:
            nonlocal left
            left -= STEPS
            return left < 0

        try:
            with closing(self.connect()) if apart else nullcontext(self.connection()) as connection:
                connection.set_progress_handler(passed, STEPS)
                try:
                    yield connection
                finally:
                    connection.set_progress_handler(None, 0)
        except sqlite3.Error as error:
            raise damaged(self.path, error) from None

    def checked_number(self, number: Any) -> int:
        """The number of a document, if it is one."""
        if type(number) is not int or not 0 <= number < self.documents:
            raise damaged(self.path, "it names a document that is not there")
        return number

    def select(self, columns: Iterable[str]) -> str:
        """The beginning of a question for columns; one that is not there has no values."""
        with self.reading():  # what it has is known once it is opened
            lacking = {*LISTS} - {*self.lists}
        values = ", ".join("''" if name in lacking else name for name in columns)
        return f"SELECT {values} FROM documents"  # noqa: S608

    def by_number(self, columns: Iterable[str], numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        question = f"{self.select(('number', *columns))} WHERE number IN ({{}})"
        columns_by_number = {row[0]: row[1:] for row in self.rows_in(question, numbers)}
        if columns_by_number.keys() != set(numbers):
            raise damaged(self.path, "documents are missing")
        return columns_by_number

    @cached_property
    def records(self) -> Arena:
        """The packed records. Each has a checksum of its own inside."""
        data, ptr = self.files.array(RECORDS, checked=False), self.files.array(RECORDS_PTR, self.documents + 1)
        if not are_pointers(ptr, len(data)):
            raise damaged(self.files.folder / RECORDS_PTR, "its places do not fit the records")
        return Arena(data, ptr)

    def packed(self, first: int, end: int) -> Arena:
        """Neighbouring records as they are stored."""
        data, ptr = self.records
        return Arena(data[ptr[first] : ptr[end]], ptr[first : end + 1] - ptr[first])

    def record(self, number: int) -> Patent:
        data, _ = self.packed(number, number + 1)
        try:
            return unpack(data.tobytes())
        except BROKEN as error:
            raise damaged(self.files.folder / RECORDS, f"record {number}: {error}") from None

    def number_of(self, doc_id: str) -> int | None:
        rows = self.rows("SELECT number FROM documents WHERE doc_id = ?", (doc_id,))
        return self.checked_number(rows[0][0]) if rows else None

    def numbers_named(self, name: str) -> list[int]:
        """The documents of a name, and those of the patent number that it writes out, ascending."""
        exact = self.number_of(name)
        return sorted({*self.numbers_of_patent(name), *(() if exact is None else (exact,))})

    def numbers_of_patent(self, written: str) -> list[int]:
        """The documents of a patent number in any customary form, ascending."""
        number = PatentNumber.parse_name(written)
        if number is None:
            return []
        return [*self.numbers("documents WHERE patent_number = ?", (number.key,)).tolist()]

    def numbers(self, condition: str, values: Sequence[Any]) -> NDArray[np.uint32]:
        """The documents that meet a condition, ascending: `documents WHERE …` or `attributes WHERE …`."""
        rows = self.rows(f"SELECT DISTINCT number FROM {condition} ORDER BY number", values)  # noqa: S608
        return np.array([self.checked_number(number) for (number,) in rows], np.uint32)

    def numbers_with_prefix(self, field: str, prefix: str) -> NDArray[np.uint32]:
        """Documents with a value that begins so in a list: `H04L`, `H04L 12/`, `H04L 12/56` in `ipc` or `cpc`."""
        condition = "attributes WHERE field = ? AND value >= ? AND value < ?"
        return self.numbers(condition, (field, prefix, prefix + "\U0010ffff"))

    def numbers_with_name(self, field: str, words: str) -> NDArray[np.uint32]:
        """Documents with these words, one after the other, in a name in `applicants` or `inventors`."""
        condition = "attributes WHERE field = ? AND instr(' ' || value || ' ', ?) > 0"
        return self.numbers(condition, (field, f" {self.name_key(words)} "))

    def name_key(self, name: str) -> str:
        """A name as `attributes` has it."""
        return name_key(name, self.names)

    def with_values(self, field: str, values: Sequence[str], numbers: Sequence[int]) -> set[int]:
        """Which of these documents have one of these values in a list."""
        having: set[int] = set()
        for value in dict.fromkeys(map(self.name_key, values) if field in PEOPLE else values):
            question = "SELECT number FROM attributes WHERE field = ? AND value = ?"
            rows = self.rows(f"{question} LIMIT ?", (field, value, FEW))
            if len(rows) == FEW:  # each of the documents is found sooner than all that have the value
                rows = self.rows_in(f"{question} AND number IN ({{}})", numbers, field, value)
            having.update(self.checked_number(number) for (number,) in rows)
        return having.intersection(numbers)

    def has_values(self, fields: Sequence[str]) -> bool:
        """Whether a document has a value in one of these lists."""
        marks = ", ".join("?" * len(fields))
        return bool(self.rows(f"SELECT 1 FROM attributes WHERE field IN ({marks}) LIMIT 1", fields))  # noqa: S608

    def numbers_by(self, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        """Value → the documents that have it in a column, ascending; values that none has are left out."""
        if column in LISTS:
            return self.numbers_by_value(f"attributes WHERE field = '{column}' AND value", "value", values)
        return self.numbers_by_value(f"documents WHERE {column}", column, values)

    def numbers_by_value(self, condition: str, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        """Value → the documents that have it, ascending; values that none has are left out."""
        by_value: dict[str, list[int]] = {}
        question = f"SELECT {column}, number FROM {condition} IN ({{}})"  # noqa: S608
        keys = list(dict.fromkeys(values))
        for value, number in self.rows_in(question, keys, each=min(len(keys), VALUES_PER_QUESTION)):
            by_value.setdefault(value, []).append(self.checked_number(number))
        for numbers in by_value.values():
            numbers.sort()
        return by_value

    def numbers_with(self, column: str, *values: str) -> NDArray[np.uint32]:
        """Documents with one of these values in a column, such as `identity`, `family_id` or `country`, ascending."""
        rows = self.rows_in(f"SELECT number FROM documents WHERE {column} IN ({{}})", values)  # noqa: S608
        return distinct(np.array([self.checked_number(number) for (number,) in rows], np.uint32))

    def numbers_known(self, column: str) -> NDArray[np.uint32]:
        """Documents with a value in a column, ascending."""
        rows = self.rows(f"SELECT number FROM documents WHERE {column} IS NOT NULL ORDER BY number")  # noqa: S608
        return np.array([self.checked_number(number) for (number,) in rows], np.uint32)

    def release_pages(self, number: int) -> None:
        """Release the memory of the records from time to time, when all are read in order."""
        if number % FORGET_EVERY == 0:
            release_pages(self.records[0])

    def problems(self) -> Iterator[str]:
        """What is wrong inside the tables: what SQLite finds, and attributes that are not those of the documents."""
        result = self.rows("PRAGMA integrity_check(1)")
        if result != [("ok",)]:
            yield printable(str(result[0][0]) if result else "SQLite cannot check it")
            return
        rows = enumerate(self.all_rows())
        attributes_of_rows = (value for number, row in rows for value in attributes_of(row, number, self.names))
        expected = (value for value in attributes_of_rows if value[0] in self.lists)
        with self.reading() as connection:
            attributes = connection.execute("SELECT field, value, number FROM attributes ORDER BY rowid")
            if any(attribute != right for attribute, right in zip_longest(attributes, expected)):
                yield "its classes, names or citations are not those of its documents"

    def all_rows(self) -> Iterator[tuple[Any, ...]]:
        """Every document's columns without its number, in order; all of them, or an error.

        What a column that is not there would have is taken from the records.
        """
        expected = 0
        question = f"{self.select(('number', *COLUMNS))} ORDER BY number"
        lacking = {*LISTS} - {*self.lists}
        with self.reading(apart=True) as connection:
            for number, *row in connection.execute(question):
                if lacking and number == expected < self.documents:
                    derived = zip(COLUMNS, row, columns_of(self.record(number)), strict=True)
                    row = [other if name in lacking else value for name, value, other in derived]
                if number != expected or expected >= self.documents or not is_row(row):
                    raise damaged(self.path, f"its document {expected} is not what was written")
                expected += 1
                yield tuple(row)
        if expected != self.documents:
            raise damaged(self.path, f"it has {expected} documents, {self.documents} were written")


def _close_all(connections: list[sqlite3.Connection]) -> None:
    for connection in connections:
        connection.close()


def _bindable(value: Any) -> Any:
    """A value for SQLite. A text that cannot be encoded, as a shell may give it, becomes bytes, which equal no text."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
    return value
