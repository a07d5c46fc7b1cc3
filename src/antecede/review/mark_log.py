"""The log of the marks of a case: every mark in order, those that hold now, and the documents that were opened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, UsageError, printable
from antecede.review.database import StoreError
from antecede.review.marks import MARK_FIELDS, WITHDRAWN, Mark, Marks, current_time
from antecede.review.schema import MARK_COLUMNS
from antecede.review.versions import VersionedDatabase, note_change

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from antecede.review.store import CaseRow

READ_MARK = f"{MARK_COLUMNS}, version"
PROVENANCE = {"search", "rank", "query", "title"}
"""What a mark says of how its document was found."""
SEE = "INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class MarkChange:
    """What a change did to the mark of a document."""

    doc_id: str
    mark: Mark | None
    """The mark as it is now; None where it was taken back."""
    version: int
    before: int
    """The version that the mark had before; 0 where there was none. `CaseStore.restore_mark` goes back to it."""


class MarkLog(VersionedDatabase):
    """A store with the marks of its cases."""

    def marks(self, case: CaseRow, known: Marks | None = None) -> Marks:
        """The marks of a case; with those known before, what was added since is added to them."""
        marks = known if known is not None else Marks(case.topic_id)
        question = f"SELECT {READ_MARK} FROM marks WHERE case_id = ? AND event > ? ORDER BY event"  # noqa: S608
        for row in self.rows(question, case.id, len(marks)):
            marks.add(_mark_row(row))
        return marks

    def mark(self, case_id: str, doc_id: str) -> Mark | None:
        question = f"SELECT {READ_MARK} FROM current_marks WHERE case_id = ? AND doc_id = ?"  # noqa: S608
        rows = self.rows(question, case_id, doc_id)
        return _mark_row(rows[0]) if rows else None

    def _mark_at(self, case_id: str, doc_id: str, version: int) -> Mark | None:
        """The mark of a document as it was at a version; None where it had none."""
        question = f"""SELECT {READ_MARK} FROM marks WHERE case_id = ? AND doc_id = ? AND version <= ?
            ORDER BY event DESC LIMIT 1"""  # noqa: S608
        rows = self.rows(question, case_id, doc_id, version)
        mark = _mark_row(rows[0]) if rows else None
        return mark if mark is not None and mark.relevance != WITHDRAWN else None

    def put_marks(self, case_id: str, marks: Sequence[Mark]) -> None:
        """Mark documents, all or none; they also count as seen. When this returns, the marks are on disk."""
        with self.change(case_id) as connection:
            for mark in marks:
                insert_mark(connection, case_id, mark, mark.user)

    def change_mark(self, case_id: str, doc_id: str, user: str, seen: int | None = None, **values: Any) -> MarkChange:
        """Change some fields of the mark of a document, or mark it; the others stay as they are.

        Args:
            case_id: The case.
            doc_id: The document.
            user: Who changes it.
            seen: The version of the mark that the user saw, 0 for none; None where that is certainly the current one.
            values: Fields of `Mark`.
        """

        def change(before: Mark | None) -> Mark:
            if before is None:
                if "relevance" not in values:
                    raise UsageError(f"{printable(doc_id)} has no mark; mark it as relevant, maybe or not first")
                return Mark(doc_id, **values, user=user, time=current_time())
            changed = {name: value for name, value in values.items() if getattr(before, name) != value}
            if not changed.keys() - PROVENANCE:  # the same again: who found it first, and how, stays
                return before
            if "relevance" in changed and "grade" not in values:
                changed["grade"] = None
            return replace(before, **changed, user=user, time=current_time())

        return self._replace_mark(case_id, doc_id, user, seen, change)

    def remove_mark(self, case_id: str, doc_id: str, user: str, seen: int | None = None) -> MarkChange:
        """Take a mark back."""

        def withdraw(before: Mark | None) -> Mark:
            if before is None:
                raise UsageError(f"document {printable(doc_id)} has no mark")
            return Mark(doc_id, WITHDRAWN, user=user, time=current_time())

        return self._replace_mark(case_id, doc_id, user, seen, withdraw)

    def restore_mark(self, case_id: str, doc_id: str, to: int, user: str, seen: int | None = None) -> MarkChange:
        """The mark of a document as it was at a version, with the search and the rank that it was found by."""

        def restore(before: Mark | None) -> Mark | None:
            return self._mark_at(case_id, doc_id, to) or (
                Mark(doc_id, WITHDRAWN, user=user, time=current_time()) if before is not None else None
            )

        return self._replace_mark(case_id, doc_id, user, seen, restore)

    def _replace_mark(
        self, case_id: str, doc_id: str, user: str, seen: int | None, change: Callable[[Mark | None], Mark | None]
    ) -> MarkChange:
        """Replace the mark of a document by what a function makes of it, unless the user has not seen it."""
        with self.change(case_id) as connection:
            before = self.mark(case_id, doc_id)
            known = self._mark_at(case_id, doc_id, seen) if seen is not None else before
            names = [name for name in MARK_FIELDS if getattr(before, name, None) != getattr(known, name, None)]
            self.require_seen(case_id, "mark", doc_id, seen, f"the mark of {printable(doc_id)}", before, names)
            after = change(before)
            version = before.version if before is not None else self.last_change(case_id, "mark", doc_id).version
            if after is not None and after != before:
                version = insert_mark(connection, case_id, after, user)
                after = replace(after, version=version)
            held = after if after is not None and after.relevance != WITHDRAWN else None
            return MarkChange(doc_id, held, version, before.version if before is not None else 0)

    def see(self, case_id: str, doc_id: str, user: str, search: int | None, rank: int | None) -> None:
        with self.change(case_id) as connection:
            connection.execute(SEE, (case_id, doc_id, user, current_time(), search, rank))

    def seen(self, case_id: str) -> list[str]:
        return [row[0] for row in self.rows("SELECT doc_id FROM seen WHERE case_id = ? ORDER BY time, rowid", case_id)]


def _mark_row(row: sqlite3.Row) -> Mark:
    try:
        return Mark(*row)
    except AntecedeError as error:
        raise StoreError(f"the case store is damaged: {error}", remedy="restore a copy") from None


def insert_mark(connection: sqlite3.Connection, case_id: str, mark: Mark, user: str) -> int:
    """Add a mark to the log of a case; returns the version of the change."""
    version = note_change(connection, case_id, "mark", mark.doc_id, user)
    values = [*(getattr(mark, name) for name in MARK_FIELDS), version]
    connection.execute(
        f"""INSERT INTO marks SELECT ?, coalesce(max(event), 0) + 1{", ?" * len(values)}
            FROM marks WHERE case_id = ?""",  # noqa: S608
        (case_id, *values, case_id),
    )
    connection.execute(SEE, (case_id, mark.doc_id, mark.user, mark.time, mark.search, mark.rank))
    return version
