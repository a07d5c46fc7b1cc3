"""What leaves a screening: all its records with what was decided on them, the audit trail, and the tables of a report.

A record keeps the columns or tags of its source. Its label is in the column `included` (1, 0 or empty), and in RIS
among the notes, as ASReview writes and reads it. Labels that came with the file are renamed, so that there is one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from antecede.review.labels import kind_of_column
from antecede.review.lists import write_reference
from antecede.review.votes import ABSTRACT, FULL_TEXT, STAGES, VOTE
from antecede.tables import Table, as_csv, spreadsheet_text
from antecede.workbook import make_workbook

if TYPE_CHECKING:
    from antecede.patent import Patent
    from antecede.review.screening_case import ScreeningCase
    from antecede.review.votes import Votes

FORMS = ("ris", "csv", "xlsx")
LABEL, ID = "included", "record_id"
_LABELS = {True: "ASReview_relevant", False: "ASReview_irrelevant", None: "ASReview_not_seen"}
_OLD_LABEL = re.compile(r"ASReview_(relevant|irrelevant|not_seen|prior)\b|^antecede: ")
_COLUMNS = ("title_abstract", "full_text")
_PARTS = ("", "_reason", "_by", "_at", "_votes")
PREFIX = "source_"
"""Begins the name of a column of the source that would be taken for one of ours."""


def write_records(screening: ScreeningCase, form: str) -> bytes:
    """All records of a screening with their decisions: `ris`, `csv` or `xlsx`."""
    if form == "ris":
        votes = screening.votes
        names = screening.review.doc_ids
        return "".join(_write_reference(screening.record(name), votes) for name in names).encode()
    table = records_table(screening)
    if form == "csv":
        return as_csv(table, spreadsheet_text).encode("utf-8-sig")
    return make_workbook([table, screening.flow().table(), *screening.agreement().tables(), votes_table(screening)])


def final_label(votes: Votes, doc_id: str) -> bool | None:
    """Whether a record is included by the last stage that decided on it; None where none has."""
    first = votes.outcome(ABSTRACT, doc_id)
    if first is None or not first.included:
        return None if first is None else False
    last = votes.outcome(FULL_TEXT, doc_id)
    return first.included if last is None else last.included


def records_table(screening: ScreeningCase) -> Table:
    """One row per record: its own columns, or ours where it has none, and what was decided, why, by whom and when."""
    votes, rows = screening.votes, []
    for doc_id in screening.review.doc_ids:
        label = final_label(votes, doc_id)
        decided = {
            f"{column}{part}": value
            for column, stage in zip(_COLUMNS, STAGES, strict=True)
            for part, value in zip(_PARTS, _describe(votes, stage, doc_id), strict=True)
        }
        own = _own_columns(screening.record(doc_id))
        rows.append({ID: doc_id, **own, LABEL: None if label is None else int(label), **decided})
    ours = (LABEL, *(f"{column}{part}" for column in _COLUMNS for part in _PARTS))
    columns = [*dict.fromkeys(name for row in rows for name in row if name not in ours), *ours]
    return Table(tuple(columns), tuple(tuple(row.get(column) for column in columns) for row in rows), "Records")


def _describe(votes: Votes, stage: str, doc_id: str) -> tuple[Any, ...]:
    """What was decided on a record at a stage, why, by whom, when, and the votes."""
    ballot, outcome = votes.ballot(stage, doc_id), votes.outcome(stage, doc_id)
    each = "; ".join(
        f"{vote.user or 'unnamed'}: {vote.verdict}{f' ({vote.reason})' if vote.reason else ''}"
        for vote in ballot.votes.values()
    )
    if outcome is None:
        return "conflict" if ballot.in_conflict(votes.required) else None, None, None, None, each or None
    by = " and ".join(filter(None, outcome.by)) or None
    kind = f" ({outcome.kind})" if outcome.kind != VOTE else ""
    return outcome.verdict, outcome.reason or None, f"{by or ''}{kind}" or None, outcome.time, each or None


def _own_columns(record: Patent) -> dict[str, Any]:
    """The columns of a table as they were; of a reference, columns with the usual names."""
    if "TY" not in record.original and record.original:
        taken = {ID, LABEL, *(f"{column}{part}" for column in _COLUMNS for part in _PARTS)}
        return {
            f"{PREFIX}{name}" if name.casefold() in taken or kind_of_column(name) == "label" else name: cell
            for name, cell in record.original.items()
        }
    year = record.publication_year or (record.publication_date.year if record.publication_date else None)
    return {
        "title": " ".join(record.title.values()) or None,
        "abstract": "\n".join(record.abstract.values()) or None,
        "authors": "; ".join(record.authors) or None,
        "journal": record.journal or None,
        "year": year,
        "doi": record.doi,
        "keywords": "; ".join(record.keywords) or None,
    }


def _write_reference(record: Patent, votes: Votes) -> str:
    """A record in RIS with its own tags, its label, and what was decided."""
    notes = [_LABELS[final_label(votes, record.doc_id)]]
    for stage, name in STAGES.items():
        verdict, reason, by, time, each = _describe(votes, stage, record.doc_id)
        said = ", ".join(filter(None, (reason, f"by {by}" if by else None, time, f"votes: {each}" if each else None)))
        if verdict or each:
            notes.append(f"antecede: {name}: {verdict or 'undecided'}; {said}")
    return write_reference(record, notes, without=_OLD_LABEL)


def votes_table(screening: ScreeningCase) -> Table:
    """The audit trail: every vote in order, also those that were replaced or taken back."""
    rows = []
    for number, vote in enumerate(screening.votes.log, 1):
        title = " ".join(screening.record(vote.doc_id).title.values())
        rows.append(
            (number, vote.time, vote.user, STAGES[vote.stage], vote.doc_id, title, vote.kind, vote.verdict,
             vote.reason or None, vote.note or None)
        )  # fmt: skip
    columns = ("number", "time", "user", "stage", "record", "title", "kind", "decision", "reason", "note")
    return Table(columns, tuple(rows), "Audit trail")
