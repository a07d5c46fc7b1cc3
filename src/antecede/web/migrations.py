"""The tables of the case store, as numbered migrations: a store of an older version is brought up to date when opened.

cases      one row per case: its topic, its notes, its claim chart, its place in the history of queries
drafts     the history of the query, for undo and redo
searches   each search with its settings, the state of the index it ran against, and its ranking
marks      the judgement of each document
judgements every judgement in order, also those that were replaced or withdrawn
seen       documents that were opened
cells      cells of the claim chart that were edited
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
VERSION_2 = "".join(
    f"CREATE INDEX {table}_check ON {table} (row_check({columns}));\n" for table, columns in CHECKED.items()
)

MIGRATIONS = (VERSION_1, VERSION_2)
"""Migration n brings a store of version n − 1 to version n."""
CHILDREN = ("drafts", "searches", "marks", "judgements", "seen", "cells")
"""The tables with rows of a case, besides `cases`."""
