"""A case as a file: everything that the store has of it, as JSON with a checksum; it can be imported elsewhere."""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError, shown
from antecede.web.migrations import CHILDREN, MIGRATIONS
from antecede.web.store import to_json

if TYPE_CHECKING:
    from antecede.web.store import CaseStore

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
        store.load(case_id, tables)
    except (sqlite3.Error, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"is not a valid case ({shown(str(error))})", source=source) from None
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
    tables = whole.get("case")
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
