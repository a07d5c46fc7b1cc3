"""The tables of the case store.

cases      one row per case: its topic, its notes, how it is read, its claim chart, its place in the history of queries
drafts     the history of the query, for undo and redo
searches   each search with its settings, the state of the index it ran against, its ranking, and its name if it has one
marks      every mark in order, also those that were replaced or withdrawn; `current_marks` has those that hold
seen       documents that were opened
cells      cells of the claim chart that were edited
votes      of a screening, every vote in order, also those that were replaced or withdrawn; marks follow from them
places     where the index and the calibration of a case are on this machine
people     with whom the owner of a case shares it, and whether they may change it
versions   the last change of each record of a case: its number, who made it, and when

The last three do not leave the store: `places`, `people` and `versions` are about one machine, its users and its pages.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

from antecede.errors import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

VERSION = 6
"""The version of the tables, in the header of a store; an older store is migrated, any other is refused."""
OLDEST = 4
OF_CASE = "case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE"
TABLES = {
    "cases": """id TEXT PRIMARY KEY, name TEXT NOT NULL, user TEXT NOT NULL, shared INTEGER NOT NULL,
        created TEXT NOT NULL, changed TEXT NOT NULL, source TEXT NOT NULL, topic TEXT NOT NULL, notes TEXT NOT NULL,
        chart TEXT NOT NULL, position INTEGER NOT NULL, plan TEXT NOT NULL""",
    "drafts": f"{OF_CASE}, position INTEGER NOT NULL, state TEXT NOT NULL",
    "searches": f"""{OF_CASE}, number INTEGER NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL, time TEXT NOT NULL,
        user TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, settings TEXT NOT NULL, index_state TEXT NOT NULL,
        facts TEXT NOT NULL, ranking TEXT NOT NULL, name TEXT NOT NULL""",
    "marks": f"""{OF_CASE}, event INTEGER NOT NULL, doc_id TEXT NOT NULL, relevance TEXT NOT NULL, grade INTEGER,
        category TEXT, claims TEXT NOT NULL, note TEXT NOT NULL, user TEXT NOT NULL, time TEXT NOT NULL, search INTEGER,
        query TEXT NOT NULL, rank INTEGER, title TEXT NOT NULL, version INTEGER NOT NULL""",
    "seen": f"{OF_CASE}, doc_id TEXT NOT NULL, user TEXT NOT NULL, time TEXT NOT NULL, search INTEGER, rank INTEGER",
    "cells": f"{OF_CASE}, feature INTEGER NOT NULL, doc_id TEXT NOT NULL, text TEXT NOT NULL",
    "votes": f"""{OF_CASE}, event INTEGER NOT NULL, doc_id TEXT NOT NULL, stage TEXT NOT NULL, verdict TEXT NOT NULL,
        kind TEXT NOT NULL, reason TEXT NOT NULL, note TEXT NOT NULL, user TEXT NOT NULL, time TEXT NOT NULL""",
    "places": "case_id TEXT PRIMARY KEY REFERENCES cases (id) ON DELETE CASCADE, index_place TEXT, calibration TEXT",
    "people": f"{OF_CASE}, user TEXT NOT NULL, may TEXT NOT NULL",
    "versions": f"""number INTEGER PRIMARY KEY AUTOINCREMENT, {OF_CASE}, kind TEXT NOT NULL, key TEXT NOT NULL,
        user TEXT NOT NULL, time TEXT NOT NULL""",
}
"""`versions.number` rises with every change of any case of the store and is never given twice, as `AUTOINCREMENT` has
it. `marks.version` is the number of the change that a mark was made by: the log has earlier versions of marks, too."""
KEYS = {
    "drafts": "case_id, position",
    "searches": "case_id, number",
    "marks": "case_id, event",
    "seen": "case_id, doc_id",
    "cells": "case_id, feature, doc_id",
    "votes": "case_id, event",
}
"""The tables with rows of a case that leave and enter with it, besides `cases`, and their primary keys."""
PRIMARY_KEYS = {**KEYS, "people": "case_id, user"}
MARK_COLUMNS = "doc_id, relevance, grade, category, claims, note, user, time, search, query, rank, title"
"""The columns of a mark that leave and enter with it; with its version they are the fields of `Mark`."""


def row_check(*values: str | int | None) -> int:
    """The checksum of a row; the same for ever, since it is stored."""
    return crc32(json.dumps(values).encode())


def _create(table: str, definitions: str) -> str:
    """The statements that create a table.

    SQLite has no checksums. It keeps an index of those of the rows up to date by itself, and its check compares the
    two.
    """
    key = f", PRIMARY KEY ({PRIMARY_KEYS[table]})" if table in PRIMARY_KEYS else ""
    columns = ", ".join(definition.split()[0] for definition in definitions.split(","))
    return (
        f"CREATE TABLE {table} ({definitions}{key}) STRICT;\n"
        f"CREATE INDEX {table}_check ON {table} (row_check({columns}));\n"
    )


def make_schema(tables: Mapping[str, str]) -> dict[str, str]:
    """The statements that create tables and what belongs to them, by name."""
    made = {table: _create(table, definitions) for table, definitions in tables.items()}
    made["searches"] += "CREATE INDEX searches_by_key ON searches (case_id, key);\n"
    made["marks"] += "CREATE INDEX marks_by_document ON marks (case_id, doc_id, event);\n"
    if "versions" in made:
        made["versions"] += "CREATE UNIQUE INDEX versions_by_record ON versions (case_id, kind, key);\n"
    made["current_marks"] = CURRENT_MARKS
    return made


CURRENT_MARKS = """
CREATE VIEW current_marks AS SELECT * FROM marks AS one WHERE relevance != 'withdrawn' AND event =
    (SELECT max(event) FROM marks AS other WHERE other.case_id = one.case_id AND other.doc_id = one.doc_id);
"""
ADDED = {"people": 5, "versions": 5, "votes": 6}
"""The version of the store in which a table was added; the marks of version 4 have no version."""


def _tables_of(version: int) -> dict[str, str]:
    """The tables of a version of the store."""
    tables = {table: definitions for table, definitions in TABLES.items() if ADDED.get(table, OLDEST) <= version}
    if version == OLDEST:
        tables["marks"] = tables["marks"].replace(", version INTEGER NOT NULL", "")
    return tables


SCHEMAS = {version: make_schema(_tables_of(version)) for version in range(OLDEST, VERSION + 1)}
"""How the tables of each version of a store are made."""

OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_master"
"""The question whose answer `find_difference` takes."""
STATISTICS = frozenset(("sqlite_stat1", "sqlite_stat4"))
"""Tables that SQLite makes by itself where somebody asks it to analyse a store."""


@cache
def _own_objects(version: int) -> Counter[tuple[str | None, ...]]:
    """The tables, indexes and views of a store as SQLite lists them, its own indexes of primary keys among them."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function("row_check", -1, row_check, deterministic=True)
        connection.executescript("".join(SCHEMAS[version].values()))
        return Counter(connection.execute(OBJECTS).fetchall())


def find_difference(objects: Sequence[Sequence[str | None]], version: int = VERSION) -> str:
    """What differs between the tables, indexes, views and triggers of a file and those of a store; empty if nothing."""
    own = _own_objects(version)
    present = Counter(tuple(row) for row in objects if row[0] != "table" or row[1] not in STATISTICS)
    added, missing = present - own, own - present
    names = [{row[:2] for row in rows} for rows in (added, missing)]
    for rows, what in (
        (names[0] & names[1], "is not as it was made"),
        (names[0], "was added"),
        (names[1], "is missing"),
    ):
        if rows:
            kind, name = min((str(kind), str(name)) for kind, name in rows)
            return f"{printable(kind)} {printable(name)} {what}"
    return ""


def migrate(connection: sqlite3.Connection) -> None:
    """Give an older store the tables that were added since, and the marks of version 4 versions; all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
        for table, version in ADDED.items():
            if before < version:
                _execute_each(connection, SCHEMAS[VERSION][table])
        if before == OLDEST:
            _version_marks(connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _version_marks(connection: sqlite3.Connection) -> None:
    """Make the table of marks anew, with a version for each."""
    for name in ("VIEW current_marks", "INDEX marks_check", "INDEX marks_by_document"):
        connection.execute(f"DROP {name}")
    connection.execute("ALTER TABLE marks RENAME TO old_marks")
    for name in ("marks", "current_marks"):
        _execute_each(connection, SCHEMAS[VERSION][name])
    marks = f"SELECT case_id, event, {MARK_COLUMNS} FROM old_marks ORDER BY case_id, event"  # noqa: S608
    for row in connection.execute(marks).fetchall():
        insert_unversioned_mark(connection, row)
    connection.execute("DROP TABLE old_marks")


def _execute_each(connection: sqlite3.Connection, statements: str) -> None:
    """Execute statements one by one: `executescript` would commit first."""
    for statement in statements.split(";\n"):
        connection.execute(statement)


def insert_unversioned_mark(connection: sqlite3.Connection, row: Sequence[Any]) -> None:
    """Add a row of a log that has no versions: `case_id`, `event` and `MARK_COLUMNS`."""
    mark = dict(zip(MARK_COLUMNS.split(", "), row[2:], strict=True))
    values = (*row, put_version(connection, row[0], "mark", mark["doc_id"], mark["user"], mark["time"]))
    connection.execute(f"INSERT INTO marks VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608


def put_version(connection: sqlite3.Connection, *change: str) -> int:
    """Note the last change of a record: its case, its kind, its key, who made it and when; returns its version."""
    put = "INSERT OR REPLACE INTO versions (case_id, kind, key, user, time) VALUES (?, ?, ?, ?, ?)"
    return connection.execute(put, change).lastrowid or 0
