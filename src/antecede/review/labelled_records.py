"""Screenings that somebody finished: tables of titles and abstracts with the decision on each record.

The form is that of SYNERGY and of ASReview's exports: CSV (or with semicolons or tabs), plain or compressed, with a
header. Columns are recognised by their names, whatever their case; decisions by 1 and 0 or by words.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, printable
from antecede.results import concise_repr
from antecede.trec.content import read_content, strip_compression_suffix, to_utf8

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antecede.review.reading import Bools

TITLES = ("title", "primary_title", "article_title", "ti", "t1")
ABSTRACTS = ("abstract", "abstract_note", "notes_abstract", "ab", "n2")
LABELS = (
    "label_included", "included_label", "label", "included", "final_included", "final_inclusion", "included_final",
    "asreview_label", "label_final", "inclusion", "include", "included_in_review", "decision", "final_decision",
    "screening_decision", "status",
)  # fmt: skip
"""Names of the column of decisions, the most definite first."""
YES = {"1", "true", "yes", "y", "t", "include", "included", "relevant", "accept", "accepted", "in"}
NO = {"0", "false", "no", "n", "f", "exclude", "excluded", "irrelevant", "not relevant", "reject", "rejected", "out"}
OPEN = {
    "", "-1", "na", "n/a", "nan", "none", "null", "unlabelled", "unlabeled", "unscreened", "unseen", "undecided", "?",
    "-", "maybe",
}  # fmt: skip
MAX_CELL = 1 << 26
EXAMPLE = "give a table with a header and the columns title, abstract and label_included"


@dataclass(frozen=True, eq=False)
class LabelledRecords:
    """The records of a finished screening that have a decision."""

    __repr__ = concise_repr

    name: str
    texts: tuple[str, ...]
    """Title and abstract of each record."""
    relevant: Bools
    unlabelled: int = 0
    """Records without a decision, which are left out."""
    without_title: int = 0
    without_abstract: int = 0

    def __len__(self) -> int:
        return len(self.texts)

    def describe(self) -> list[str]:
        """What is unusual about the records, in words."""
        notes = []
        if self.unlabelled:
            notes.append(f"{_count(self.unlabelled, 'record')} without a decision {_are(self.unlabelled)} left out")
        for number, part in ((self.without_title, "title"), (self.without_abstract, "abstract")):
            if number:
                notes.append(f"{_count(number, 'record')} {'has' if number == 1 else 'have'} no {part}")
        return [f"{self.name}: {note}" for note in notes]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def is_labelled(path: str | Path) -> bool:
    """Whether a file is a table of labelled records: its header names a text and a decision."""
    content = read_content(path)
    if content.is_parquet:
        return False
    first = to_utf8(content.data.lstrip()[: 1 << 16]).decode().partition("\n")[0]
    names = _normalize(next(csv.reader([first.rstrip("\r")], delimiter=_find_delimiter(first)), []))
    return _find(names, LABELS) is not None and (_find(names, TITLES), _find(names, ABSTRACTS)) != (None, None)


def read_labelled(path: str | Path) -> LabelledRecords:
    """Read a table of labelled records; what cannot be understood is refused with its line."""
    content = read_content(path)
    source = content.source
    if content.is_parquet:
        raise InputError("is Parquet, not a table of labelled records", source=source, remedy=EXAMPLE)
    text = to_utf8(content.data).decode()
    csv.field_size_limit(MAX_CELL)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_find_delimiter(text.partition("\n")[0]))
    try:
        texts, relevant, missing = _read_rows(rows, source)
    except csv.Error as error:
        raise InputError(f"is not a table ({error})", source=source, line=rows.line_num, remedy=EXAMPLE) from None
    if not any(relevant) or all(relevant):
        what = "no record is included" if not any(relevant) else "every record is included"
        raise InputError(
            f"{what}, of {len(relevant)} with a decision", source=source, remedy="give a finished screening"
        )
    name = re.sub(r"\.(csv|tsv|txt)$", "", strip_compression_suffix(content.name), flags=re.IGNORECASE)
    return LabelledRecords(name, tuple(texts), np.array(relevant, np.bool_), *missing)


def _read_rows(rows: Any, source: str) -> tuple[list[str], list[bool], list[int]]:
    """The texts and decisions of a table; and how many records have no decision, no title and no abstract."""
    names = _normalize(next(rows, []))
    label, *parts = (_find(names, known) for known in (LABELS, TITLES, ABSTRACTS))
    if label is None:
        raise InputError("has no column of decisions", source=source, line=1, remedy=EXAMPLE)
    if parts == [None, None]:
        raise InputError("has neither titles nor abstracts", source=source, line=1, remedy=EXAMPLE)
    texts, relevant, missing = [], [], [0, 0, 0]
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) <= label:
            what = f"has {_count(len(row), 'column')}, and the decision is in column {label + 1}"
            raise InputError(what, source=source, line=rows.line_num, remedy="check quotes and separators")
        decision = _read_decision(row[label], names[label], source, rows.line_num)
        if decision is None:
            missing[0] += 1
            continue
        words = [row[at].strip() if at is not None and at < len(row) else "" for at in parts]
        missing = [missing[0], missing[1] + (not words[0]), missing[2] + (not words[1])]
        texts.append(" ".join(words))
        relevant.append(decision)
    return texts, relevant, missing


def _read_decision(cell: str, column: str, source: str, line: int) -> bool | None:
    """Whether a record is included; None where nothing is decided."""
    word = cell.strip().lower()
    word = re.sub(r"\.0+$", "", word)
    for words, decision in ((YES, True), (NO, False), (OPEN, None)):
        if word in words:
            return decision
    what = f"{printable(cell.strip(), 40)!r} in the column {printable(column, 40)} is no decision"
    raise InputError(
        what, source=source, line=line, remedy="write 1 for included, 0 for excluded, nothing if undecided"
    )


def _find_delimiter(header: str) -> str:
    """The separator of the columns: the most frequent of the three in the header."""
    return max(",;\t", key=header.count)


def _normalize(header: Sequence[str]) -> list[str]:
    """Names of columns as they are compared: `Label Included` is `label_included`."""
    return [re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_") for name in header]


def _find(names: Sequence[str], known: Sequence[str]) -> int | None:
    """The first column with one of the known names, in the order of these."""
    return next((names.index(name) for name in known if name in names), None)
