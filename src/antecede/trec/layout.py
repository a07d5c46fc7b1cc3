"""What the files of runs and qrels look like: their columns, what a number may be, and what tables call them."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class FileLayout:
    """The columns of a kind of file."""

    kind: str
    fields: tuple[str, ...]
    """All columns in order; a line may lack columns at the end, but has at least `fewest`."""
    fewest: int
    wider: bool
    """Whether a line may have more columns than `fields`, which are then ignored."""
    value: str
    """The column that holds the number."""
    number: re.Pattern[bytes]
    """What a number looks like."""
    limit: float
    """Numbers lie between −limit and limit."""
    whole: bool
    """Whether they are whole numbers."""
    number_is: str

    @property
    def noun(self) -> str:
        """The kind as a sentence uses it: «a run», «qrels»."""
        return self.kind if self.kind.endswith("s") else f"a {self.kind}"

    @property
    def line_format(self) -> str:
        return " ".join(self.fields[: self.fewest])

    def allows_width(self, width: int) -> bool:
        """Whether a line may have so many columns."""
        return width >= self.fewest and (self.wider or width <= len(self.fields))


RUN = FileLayout(
    kind="run",
    fields=("topic_id", "Q0", "doc_id", "rank", "score", "tag"),
    fewest=6,
    wider=True,
    value="score",
    number=re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    limit=float("inf"),
    whole=False,
    number_is="a finite number",
)
QRELS = FileLayout(
    kind="qrels",
    fields=("topic_id", "iteration", "doc_id", "relevance", "note"),
    fewest=4,
    wider=False,
    value="relevance",
    number=re.compile(rb"[+-]?\d+"),
    limit=1e9,
    whole=True,
    number_is="a whole number of at most nine digits",
)

COLUMN_ALIASES: dict[str, tuple[str, ...]] = {
    "topic_id": ("topic", "topicid", "query_id", "queryid", "qid", "q_id", "query", "query-id"),
    "doc_id": ("doc", "docno", "docid", "document", "document_id", "corpus-id", "patent"),
    "score": ("sim", "similarity", "value"),
    "relevance": ("rel", "label", "grade", "judgment", "judgement", "qrel", "score"),
    "rank": ("position",),
}
"""Names that other programs give to the columns (PyTerrier, ir_measures, ranx, BEIR, …), the first one that is there.
PyTerrier's results have both: `docno` is the document, and `docid` its number in the index."""

MAX_HEADER_LENGTH = 1 << 16
"""Bytes of the first line that are searched for column names. The CSV reader refuses longer fields."""


def find_separator(data: bytes) -> str | None:
    """The separator of a CSV or TSV file, whose first line names its columns; None for any other file."""
    first = data[:MAX_HEADER_LENGTH].partition(b"\n")[0].partition(b"\r")[0].decode("utf-8", "replace").strip()
    for separator in (",", "\t", ";"):
        names = next(csv.reader([first], delimiter=separator), [])
        if len(names) >= 3 and find_column(names, "topic_id") and find_column(names, "doc_id"):
            return separator
    return None


def find_column(names: list[str], field: str) -> str | None:
    """The one among `names` that is the field's name or an alias of it."""
    lowered = {name.strip().strip('"').lower(): name for name in reversed(names)}
    return next((lowered[name] for name in (field, *COLUMN_ALIASES.get(field, ())) if name in lowered), None)
