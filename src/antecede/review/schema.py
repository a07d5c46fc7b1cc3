"""The tables of the case store, as numbered migrations: a store of an older version is brought up to date when opened.

cases      one row per case: its topic, its notes, how it is read, its claim chart, its place in the history of queries
drafts     the history of the query, for undo and redo
searches   each search with its settings, the state of the index it ran against, its ranking, and its name if it has one
marks      every mark in order, also those that were replaced or withdrawn; `current_marks` has those that hold
seen       documents that were opened
cells      cells of the claim chart that were edited
places     where the index and the calibration of a case are on this machine; it does not leave the machine
"""

from __future__ import annotations

import json
from zlib import crc32


def row_check(*values: str | int | None) -> int:
    """The checksum of a row; the same for ever, since it is stored."""
    return crc32(json.dumps(values).encode())


VERSION_1 = """
CREATE TABLE cases (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, user TEXT NOT NULL, shared INTEGER NOT NULL,
    created TEXT NOT NULL, changed TEXT NOT NULL, source TEXT NOT NULL, topic TEXT NOT NULL, notes TEXT NOT NULL,
    chart TEXT NOT NULL, position INTEGER NOT NULL
) STRICT;
CREATE TABLE drafts (
    case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE, position INTEGER NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (case_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE searches (
    case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE, number INTEGER NOT NULL,
    kind TEXT NOT NULL, label TEXT NOT NULL, time TEXT NOT NULL, user TEXT NOT NULL, key TEXT NOT NULL,
    state TEXT NOT NULL, settings TEXT NOT NULL, index_state TEXT NOT NULL, facts TEXT NOT NULL, ranking TEXT NOT NULL,
    PRIMARY KEY (case_id, number)
) STRICT;
CREATE INDEX searches_by_key ON searches (case_id, key);
CREATE TABLE marks (
    case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE, doc_id TEXT NOT NULL,
    relevance TEXT NOT NULL, category TEXT, claims TEXT NOT NULL, note TEXT NOT NULL, user TEXT NOT NULL,
    time TEXT NOT NULL, search INTEGER, rank INTEGER, title TEXT NOT NULL,
    PRIMARY KEY (case_id, doc_id)
) STRICT;
CREATE TABLE judgements (
    case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE, event INTEGER NOT NULL, doc_id TEXT NOT NULL,
    relevance TEXT, user TEXT NOT NULL, time TEXT NOT NULL, search INTEGER, rank INTEGER,
    PRIMARY KEY (case_id, event)
) STRICT;
CREATE TABLE seen (
    case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE, doc_id TEXT NOT NULL,
    user TEXT NOT NULL, time TEXT NOT NULL, search INTEGER, rank INTEGER,
    PRIMARY KEY (case_id, doc_id)
) STRICT;
CREATE TABLE cells (
    case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE, feature INTEGER NOT NULL, doc_id TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (case_id, feature, doc_id)
) STRICT;
"""

CHECKED = {
    "cases": "id, name, user, shared, created, changed, source, topic, notes, chart, position",
    "drafts": "case_id, position, state",
    "searches": "case_id, number, kind, label, time, user, key, state, settings, index_state, facts, ranking",
    "marks": "case_id, doc_id, relevance, category, claims, note, user, time, search, rank, title",
    "judgements": "case_id, event, doc_id, relevance, user, time, search, rank",
    "seen": "case_id, doc_id, user, time, search, rank",
    "cells": "case_id, feature, doc_id, text",
}
# SQLite has no checksums. It keeps an index of those of the rows up to date by itself, and its check compares the two.
CHECK = "CREATE INDEX {table}_check ON {table} (row_check({columns}));\n"
VERSION_2 = "".join(CHECK.format(table=table, columns=columns) for table, columns in CHECKED.items())

MARK_COLUMNS = "doc_id, relevance, grade, category, claims, note, user, time, search, query, rank, title"
"""The columns of a mark, which are the fields of `Mark`."""
CHANGED = {
    "cases": f"{CHECKED['cases']}, plan",
    "marks": f"case_id, event, {MARK_COLUMNS}",
    "places": "case_id, index_place, calibration",
}
LATEST = "(SELECT max(event) FROM {table} AS other WHERE other.case_id = {one}.case_id AND other.doc_id = {one}.doc_id)"
# The details of a mark were kept of the latest one only; of earlier ones, who and what and when.
VERSION_3 = f"""
DROP INDEX cases_check; DROP INDEX marks_check; DROP INDEX judgements_check;
ALTER TABLE cases ADD COLUMN plan TEXT NOT NULL DEFAULT '{{}}';
ALTER TABLE marks RENAME TO old_marks;
CREATE TABLE marks (
    case_id TEXT NOT NULL REFERENCES cases (id) ON DELETE CASCADE, event INTEGER NOT NULL, doc_id TEXT NOT NULL,
    relevance TEXT NOT NULL, grade INTEGER, category TEXT, claims TEXT NOT NULL, note TEXT NOT NULL,
    user TEXT NOT NULL, time TEXT NOT NULL, search INTEGER, query TEXT NOT NULL, rank INTEGER, title TEXT NOT NULL,
    PRIMARY KEY (case_id, event)
) STRICT;
INSERT INTO marks
    SELECT one.case_id, row_number() OVER (PARTITION BY one.case_id ORDER BY event), one.doc_id,
        CASE WHEN event = {LATEST.format(table="judgements", one="one")}
            THEN coalesce(held.relevance, 'withdrawn') ELSE coalesce(one.relevance, 'withdrawn') END,
        NULL, category, coalesce(claims, ''), coalesce(note, ''), coalesce(held.user, one.user),
        coalesce(held.time, one.time), coalesce(held.search, one.search), '', coalesce(held.rank, one.rank),
        coalesce(title, '')
    FROM judgements AS one LEFT JOIN old_marks AS held ON held.case_id = one.case_id AND held.doc_id = one.doc_id
        AND event = {LATEST.format(table="judgements", one="one")};
INSERT INTO marks
    SELECT case_id, coalesce((SELECT max(event) FROM marks WHERE marks.case_id = held.case_id), 0)
            + row_number() OVER (PARTITION BY case_id ORDER BY time, doc_id),
        doc_id, relevance, NULL, category, claims, note, user, time, search, '', rank, title
    FROM old_marks AS held WHERE NOT EXISTS
        (SELECT 1 FROM judgements WHERE judgements.case_id = held.case_id AND judgements.doc_id = held.doc_id);
DROP TABLE old_marks; DROP TABLE judgements;
CREATE INDEX marks_by_document ON marks (case_id, doc_id, event);
CREATE VIEW current_marks AS SELECT * FROM marks
    WHERE event = {LATEST.format(table="marks", one="marks")} AND relevance != 'withdrawn';
CREATE TABLE places (
    case_id TEXT PRIMARY KEY REFERENCES cases (id) ON DELETE CASCADE, index_place TEXT, calibration TEXT
) STRICT;
"""  # noqa: S608 - names of tables
VERSION_3 += "".join(CHECK.format(table=table, columns=columns) for table, columns in CHANGED.items())
CHECKED |= CHANGED
del CHECKED["judgements"]

CHECKED["searches"] += ", name"
VERSION_4 = f"""
DROP INDEX searches_check;
ALTER TABLE searches ADD COLUMN name TEXT NOT NULL DEFAULT '';
{CHECK.format(table="searches", columns=CHECKED["searches"])}"""

MIGRATIONS = (VERSION_1, VERSION_2, VERSION_3, VERSION_4)
"""Migration n brings a store of version n − 1 to version n."""
CHILDREN = ("drafts", "searches", "marks", "seen", "cells")
"""The tables with rows of a case that leave and enter with it, besides `cases`."""
