"""A case as a file: everything that the store has of it, as JSON with a checksum; it can be imported elsewhere."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from typing import Any

from pydantic import BaseModel, TypeAdapter

from antecede.errors import InputError, UsageError, shown
from antecede.web.answers import DocumentCounts, Feature, Mark, ShownTerm
from antecede.web.migrations import CHILDREN, MIGRATIONS
from antecede.web.requests import PatentRecord, QueryState
from antecede.web.store import CaseStore, to_json
from antecede.web.workbench import read_patent

FORMAT = "antecede case"
MOST_ROWS = 1_000_000
JSON_COLUMNS = {"cases": (7, 9), "drafts": (2,), "searches": (7, 8, 10, 11)}
"""The columns of each table that are JSON."""


class CaseConflictError(UsageError):
    """Another case with the same id is in the store."""


def export_case(store: CaseStore, case_id: str) -> bytes:
    """A case as the bytes of a file; the same case always gives the same bytes."""
    tables = store.dump(case_id)
    if not tables["cases"]:
        raise UsageError(f"there is no case {shown(case_id)!r}")
    text = to_json(tables)
    whole = {"format": FORMAT, "version": len(MIGRATIONS), "sha256": sha256(text.encode()).hexdigest(), "case": tables}
    return (to_json(whole) + "\n").encode()


def import_case(store: CaseStore, data: bytes, *, source: str = "the file", user: str | None = None) -> str:
    """Add the case in a file to a store; returns its id.

    The same case is not added twice; a different one with its id is refused. `user` becomes its owner where given.
    """
    tables = read_case_file(data, source)
    case_id = tables["cases"][0][0]
    if user is not None:
        tables["cases"][0][2] = user
    present = store.dump(case_id)
    if present["cases"]:
        if present == tables:
            return str(case_id)
        what = f"holds case {shown(str(case_id))}, of which another state is in the store"
        raise CaseConflictError(f"{source}: {what}; delete that one first, or use another store")
    try:
        with closing(CaseStore(":memory:")) as trial:
            trial.load(case_id, tables)
            check_content(trial, case_id)
        store.load(case_id, tables)
    except (sqlite3.Error, TypeError, ValueError, OverflowError, KeyError, IndexError, UsageError) as error:
        reason = shown(" ".join(str(error).split()), 200)
        raise InputError(f"is not a valid case ({reason})", source=source) from None
    return str(case_id)


def read_case_file(data: bytes, source: str) -> dict[str, list[list[Any]]]:
    """The rows in a case file, checked."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("is not a case file: it is not JSON", source=source) from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise InputError("is not a case file; export one with `antecede case export`", source=source)
    if whole.get("version") != len(MIGRATIONS):
        what = f"is a case file of version {shown(str(whole.get('version')))}; this program reads {len(MIGRATIONS)}"
        raise InputError(what, source=source, remedy="use the same version of antecede on both sides")
    tables: Any = whole.get("case")
    try:
        damaged = whole.get("sha256") != sha256(to_json(tables).encode()).hexdigest()
    except (ValueError, RecursionError, TypeError):
        damaged = True
    if damaged:
        raise InputError("is damaged: its checksum does not match", source=source, remedy="export it again")
    problem = find_problem(tables)
    if problem:
        raise InputError(f"is not a valid case: {problem}", source=source)
    found: dict[str, list[list[Any]]] = tables
    return found


def find_problem(tables: Any) -> str:
    """What is wrong with the rows of a case; empty where nothing is."""
    if not isinstance(tables, dict) or tables.keys() != {"cases", *CHILDREN}:
        return "its tables are not those of a case"
    if not all(isinstance(rows, list) and all(isinstance(row, list) for row in rows) for rows in tables.values()):
        return "its tables are not lists of rows"
    if sum(map(len, tables.values())) > MOST_ROWS or len(tables["cases"]) != 1:
        return "it has too many rows, or not exactly one case"
    case = tables["cases"][0]
    if not case or not isinstance(case[0], str) or not case[0]:
        return "it has no id"
    if any(not row or row[0] != case[0] for name in CHILDREN for row in tables[name]):
        return "a row belongs to another case"
    return find_json_problem(tables)


def find_json_problem(tables: dict[str, list[list[Any]]]) -> str:
    """What is wrong with the columns that are JSON."""
    for name, columns in JSON_COLUMNS.items():
        for row in tables[name]:
            for at in columns:
                try:
                    json.loads(row[at])
                except (ValueError, TypeError, IndexError, RecursionError):
                    return f"column {at + 1} of {name} is not JSON"
    return ""


class ChartPart(BaseModel):
    """The claim chart as it is stored."""

    features: list[Feature] | None = None
    documents: list[str] | None = None


class Facts(BaseModel):
    """What is stored of a search besides its ranking."""

    topic: str
    notes: list[str]
    documents: DocumentCounts
    model: str
    terms: list[ShownTerm]
    languages: list[str]
    new: list[str]
    relevant_marks: int
    index: str
    index_documents: int


class UsedSettings(BaseModel):
    """The settings of a stored search that are used again."""

    relevant: list[str]
    irrelevant: list[str]


RANKING = TypeAdapter(list[tuple[str, float]])


def check_content(store: CaseStore, case_id: str) -> None:
    """Raise an error where what was loaded is not what the page can show."""
    case = store.case(case_id)
    read_patent(PatentRecord.model_validate(case.topic).model_dump())
    ChartPart.model_validate(case.chart)
    state, undo, redo = store.draft(case_id)
    for row in store.rows("SELECT state FROM drafts WHERE case_id = ?", case_id):
        QueryState.model_validate_json(row[0])
    if not undo >= 0 or not redo >= 0 or not state:
        raise ValueError("the history of its query is broken")
    for mark in store.marks(case_id):
        Mark.model_validate(mark.to_dict())
    for search in store.searches(case_id):
        QueryState.model_validate(search.state)
        Facts.model_validate(search.facts)
        UsedSettings.model_validate(search.settings)
        RANKING.validate_python(search.ranking)
        if search.kind not in ("query", "feedback"):
            raise ValueError(f"search {search.number} is of an unknown kind")
