"""The log of the votes of a screening, and the marks that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import AntecedeError
from antecede.review.database import StoreError
from antecede.review.mark_log import MarkLog, insert_mark
from antecede.review.marks import WITHDRAWN, Mark
from antecede.review.versions import note_change
from antecede.review.votes import ABSTRACT, PRIOR, RELEVANCE, VOTE_FIELDS, Outcome, Vote, Votes

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

COLUMNS = ", ".join(VOTE_FIELDS)
KNOWN = "prior knowledge"
"""What showed a record whose decision was known before the screening: `Mark.query`."""
SHOWN_BY = "screening"
LONGEST_USER = 100


class VoteLog(MarkLog):
    """A store with the votes of screenings. Each change of an outcome by title and abstract is a mark."""

    def votes(self, case_id: str, known: Votes) -> Votes:
        """Those known before, to which the votes are added that were given since."""
        question = f"SELECT {COLUMNS} FROM votes WHERE case_id = ? AND event > ? ORDER BY event"  # noqa: S608
        for row in self.rows(question, case_id, len(known)):
            try:
                known.add(Vote(*row))
            except AntecedeError as error:
                raise StoreError(f"the case store is damaged: {error}", remedy="restore a copy") from None
        return known

    def put_votes(
        self, case_id: str, votes: Sequence[Vote], required: int, check: Callable[[Votes, Vote], None]
    ) -> Votes:
        """Save votes with the marks that follow from them, all or none; returns all votes of the case.

        Args:
            case_id: The case.
            votes: The votes.
            required: How many screeners decide on a record.
            check: Called with the votes so far and each new one before it is saved; it refuses one by an error.
        """
        with self.change(case_id) as connection:
            log = self.votes(case_id, Votes(required))
            for vote in votes:
                check(log, vote)
                before = log.outcome(vote.stage, vote.doc_id)
                self._insert(connection, case_id, len(log) + 1, vote)
                log.add(vote)
                after = log.outcome(vote.stage, vote.doc_id)
                if vote.stage == ABSTRACT and after != before:
                    insert_mark(connection, case_id, _mark_of(vote, after), vote.user)
            note_change(connection, case_id, "votes", "", votes[-1].user if votes else "")
        return log

    def _insert(self, connection: sqlite3.Connection, case_id: str, event: int, vote: Vote) -> None:
        values = (case_id, event, *(getattr(vote, name) for name in VOTE_FIELDS))
        connection.execute(f"INSERT INTO votes VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608


def _mark_of(vote: Vote, outcome: Outcome | None) -> Mark:
    """The mark of a record after a vote: its outcome, or that it has none any more."""
    if outcome is None:
        return Mark(vote.doc_id, WITHDRAWN, user=vote.user, time=vote.time)
    people = " and ".join(filter(None, outcome.by))
    shown_by = KNOWN if outcome.kind == PRIOR else SHOWN_BY
    note = "; ".join(filter(None, (outcome.reason, vote.note)))
    return Mark(
        vote.doc_id, RELEVANCE[outcome.verdict], note=note, user=people[:LONGEST_USER], time=vote.time, query=shown_by
    )
