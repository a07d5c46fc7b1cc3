"""Cases in a list, and a case by the name that a user gives it on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, shown
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.web.store import CaseCounts, CaseRow, CaseStore

MOST_NAMED = 5


def describe_case(counts: CaseCounts) -> dict[str, Any]:
    """A case in a JSON-compatible form."""
    row = counts.row
    return {
        "id": row.id,
        "name": row.name,
        "topic": row.topic.get("doc_id"),
        "user": row.user,
        "created": row.created,
        "changed": row.changed,
        "searches": counts.searches,
        "relevant": counts.relevant,
        "maybe": counts.maybe,
        "not": counts.irrelevant,
    }


def case_table(found: Sequence[CaseCounts]) -> Table:
    """One row per case."""
    described = [describe_case(each) for each in found]
    columns = ("id", "name", "topic", "changed", "searches", "relevant", "maybe", "not")
    rows = tuple(
        tuple(each["changed"][:16].replace("T", " ") if name == "changed" else each[name] for name in columns)
        for each in described
    )
    return Table(columns, rows)


def find_case(store: CaseStore, name: str) -> CaseRow:
    """The case with this id, beginning of an id, or name."""
    rows = [each.row for each in store.cases()]
    found = [row for row in rows if row.id == name] or [
        row for row in rows if row.name == name or (len(name) > 3 and row.id.startswith(name))
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"{shown(str(store.path), 200)}: has no case {shown(name)!r}; `antecede case list` lists them")
    ids = ", ".join(row.id for row in found[:MOST_NAMED])
    raise UsageError(f"{shown(name)!r} is the name of {len(found)} cases; give the id of one: {ids}")
