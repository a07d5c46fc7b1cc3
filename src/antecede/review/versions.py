"""The versions of the records of a store: what changed a record last, and changes that are refused.

A change names the version of the record that its user saw. Where the record has changed since, it is left as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, printable
from antecede.review.database import Database
from antecede.review.marks import current_time
from antecede.review.schema import put_version

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence


@dataclass(frozen=True)
class Change:
    """The last change of a record: what `kind` of record, which one of that kind, and who changed it when."""

    version: int = 0
    """Its number in the store; 0 of a record that has not changed since its case was made."""
    kind: str = ""
    """`mark`, `name`, `notes`, `topic`, `people`, `query`, `search`, `chart` or `cell`."""
    key: str = ""
    """The document of a mark, the number of a search, feature and document of a cell."""
    user: str = ""
    time: str = ""


class ChangedMeanwhileError(UsageError):
    """A change was made on an old version of a record.

    `change` is what was done to it meanwhile, `current` the record as it is now (None where it is gone), and `fields`
    those of its fields that have changed since.
    """

    def __init__(self, what: str, change: Change, current: Any, fields: Sequence[str]) -> None:
        who = f" by {printable(change.user)}" if change.user else ""
        super().__init__(f"{what} was changed{who} at {change.time[11:16]} (UTC); nothing was overwritten")
        self.change, self.current, self.fields = change, current, tuple(fields)


class VersionedDatabase(Database):
    """A store whose records have versions."""

    def last_change(self, case_id: str, kind: str, key: str = "") -> Change:
        """The last change of a record."""
        return next(iter(self._changes("case_id = ? AND kind = ? AND key = ?", case_id, kind, key)), Change())

    def changes(self, case_id: str, after: int = 0) -> list[Change]:
        """The last change of each record of a case that has changed after a version, in order."""
        return self._changes("case_id = ? AND number > ? ORDER BY number", case_id, after)

    def changed_cases(self, after: int) -> tuple[set[str], int]:
        """The cases that have changed after a version, and the latest version of the store."""
        rows = self.rows("SELECT case_id, number FROM versions WHERE number > ? ORDER BY number", after)
        return {row[0] for row in rows}, rows[-1][1] if rows else after

    def _changes(self, condition: str, *values: Any) -> list[Change]:
        question = f"SELECT number, kind, key, user, time FROM versions WHERE {condition}"  # noqa: S608
        return [Change(*row) for row in self.rows(question, *values)]

    def require_seen(
        self, case_id: str, kind: str, key: str, seen: int | None, what: str, current: Any, fields: Sequence[str]
    ) -> None:
        """Refuse a change of a record by somebody who has not seen its last change."""
        if seen is None:
            return
        change = self.last_change(case_id, kind, key)
        if change.version > seen:
            raise ChangedMeanwhileError(what, change, current, fields)
        latest = self.rows("SELECT coalesce(max(seq), 0) FROM sqlite_sequence")[0][0]
        if seen > latest:  # the page was loaded from a store that has been replaced by an older copy
            raise UsageError(f"this store has no version {seen}; load the page again")


def note_change(connection: sqlite3.Connection, case_id: str, kind: str, key: str, user: str) -> int:
    """Note that a record has changed; returns its new version."""
    now = current_time()
    connection.execute("UPDATE cases SET changed = ? WHERE id = ?", (now, case_id))
    return put_version(connection, case_id, kind, key, user, now)
