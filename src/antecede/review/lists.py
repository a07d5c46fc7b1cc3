"""A list of records given back in its own columns and form, with what a review made of it.

A table keeps its columns, with five more; a reference keeps its tags, with the decision among its notes as ASReview
writes it. Both are read back by the readers they came from.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from antecede.engine import read_record
from antecede.errors import UsageError, printable
from antecede.files import write_whole
from antecede.review.marks import MAYBE, NOT, RELEVANT
from antecede.tables import Table, as_csv, spreadsheet_text
from antecede.workbook import CHARACTERS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable
    from pathlib import Path

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.case import Review
    from antecede.review.marks import Mark

MARK_COLUMNS = ("antecede_rank", "antecede_mark", "antecede_category", "antecede_claims", "antecede_note")
_LABELS = {RELEVANT: "ASReview_relevant", NOT: "ASReview_irrelevant", MAYBE: "antecede_maybe"}
_RIS_TAGS = {
    "title": "TI", "abstract": "AB", "authors": "AU", "inventors": "AU", "applicants": "PB", "journal": "T2",
    "keywords": "KW", "doi": "DO",
}  # fmt: skip
FORMS = (".csv", ".xlsx", ".ris")


def write_list(review: Review | None, index: Engine, path: Path) -> int:
    """Write the records of an index, with the ranks and marks of a case, and return how many.

    Args:
        review: The case; None if there is none yet.
        index: The index with the records.
        path: The file: `.csv`, `.xlsx` or `.ris`.
    """
    if path.suffix.lower() not in FORMS:
        raise UsageError(f"{printable(str(path))}: a list is written as {', '.join(FORMS)}")
    records = [read_record(index, number) for number in range(index.documents)]
    marks = {} if review is None else review.marks.current
    ranks = {} if review is None else {name: rank + 1 for name, rank in review.places.items()}
    rows = [(record, ranks.get(record.doc_id), marks.get(record.doc_id)) for record in records]
    if path.suffix.lower() == ".ris":
        text = "".join(_write_reference(record, rank, mark) for record, rank, mark in rows)
        write_whole(path, text.encode())
    else:
        table = _tabulate(rows)
        data = as_csv(table, spreadsheet_text).encode("utf-8-sig") if path.suffix.lower() == ".csv" else _xlsx(table)
        write_whole(path, data)
    return len(rows)


def _tabulate(rows: Iterable[tuple[Patent, int | None, Mark | None]]) -> Table:
    """The records in their own columns, or in ours where they have none, and what was made of each."""
    filled = []
    for record, rank, mark in rows:
        own = dict(record.original) or {
            "doc_id": record.doc_id,
            "title": next(iter(record.title.values()), ""),
            "abstract": next(iter(record.abstract.values()), ""),
        }
        made: tuple[Any, ...] = (rank, None, None, None, None)
        if mark is not None:
            made = (rank, mark.relevance, mark.category, mark.claims or None, mark.note or None)
        filled.append({**own, **dict(zip(MARK_COLUMNS, made, strict=True))})
    columns = [*dict.fromkeys(name for row in filled for name in row if name not in MARK_COLUMNS), *MARK_COLUMNS]
    return Table(tuple(columns), tuple(tuple(row.get(column) for column in columns) for row in filled))


def _xlsx(table: Table) -> bytes:
    """A workbook of one sheet; every text is a text, and no cell a formula."""
    import xlsxwriter

    data = io.BytesIO()
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}
    with xlsxwriter.Workbook(data, options) as book:
        sheet = book.add_worksheet("Records")
        for at, row in enumerate((table.columns, *table.rows)):
            for column, cell in enumerate(row):
                if isinstance(cell, str) and len(cell) > CHARACTERS:
                    where = f"row {at}, column {printable(table.columns[column])!r}"
                    raise UsageError(
                        f"{where}: {len(cell):,} characters, a cell holds {CHARACTERS:,}; write .csv or .ris"
                    )
                if isinstance(cell, str):
                    sheet.write_string(at, column, cell)
                elif cell is not None:
                    sheet.write_number(at, column, cell)
    return data.getvalue()


def _write_reference(record: Patent, rank: int | None, mark: Mark | None) -> str:
    """A record in RIS, with its mark and its rank among the notes."""
    notes = []
    if mark is not None:
        notes += [_LABELS[mark.relevance], *(f"antecede: {text}" for text in (mark.category, mark.note) if text)]
    if rank is not None:
        notes.append(f"antecede_rank {rank}")
    return write_reference(record, notes)


def write_reference(record: Patent, notes: Iterable[str], *, without: re.Pattern[str] | None = None) -> str:
    """A record in RIS: with its own tags, else with those of its fields; and notes after them.

    Notes of its own in which `without` is found are left out.
    """
    lines: list[tuple[str, str]] = []
    own = {tag: value for tag, value in record.original.items() if len(tag) == 2 and tag.isupper()}
    if "TY" in own:
        lines += [(tag, line) for tag, value in own.items() for line in value.split("\n")]
        lines = [(tag, line) for tag, line in lines if tag != "N1" or without is None or not without.search(line)]
    else:
        lines.append(("TY", "PAT" if record.known_number is not None else "JOUR"))
        for ours, tag in _RIS_TAGS.items():
            value = getattr(record, ours)
            texts = value.values() if hasattr(value, "values") else [value] if isinstance(value, str) else value or ()
            lines += [(tag, " ".join(text.split())) for text in texts if text]
        if record.publication_year or record.publication_date:
            lines.append(("PY", str(record.publication_year or record.publication_date)[:4]))
        if record.publication_date is not None:
            lines.append(("DA", f"{record.publication_date:%Y/%m/%d}"))
        if record.known_number is not None:
            lines.append(("M1", str(record.known_number)))
        lines.append(("ID", record.doc_id))
    lines += [("N1", note) for note in notes]
    return "".join(f"{tag}  - {' '.join(value.split())}\n" for tag, value in lines) + "ER  - \n\n"
