"""The columns of a run and of qrels: as TREC lays them out, and by name as CSV files and frames have them."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
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
    """What a number looks like: what `float` accepts of texts that consist of `number_characters`."""
    number_characters: bytes
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
        """The columns of a line, as messages show them."""
        return " ".join(self.fields[: self.fewest])


RUN = Layout(
    kind="run",
    fields=("topic_id", "Q0", "doc_id", "rank", "score", "tag"),
    fewest=6,
    wider=True,
    value="score",
    number=re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"),
    number_characters=b"0123456789+-.eE",
    limit=float("inf"),
    whole=False,
    number_is="a finite number",
)
QRELS = Layout(
    kind="qrels",
    fields=("topic_id", "iteration", "doc_id", "relevance", "note"),
    fewest=4,
    wider=False,
    value="relevance",
    number=re.compile(rb"[+-]?\d+"),
    number_characters=b"0123456789+-",
    limit=1e9,
    whole=True,
    number_is="a whole number of at most nine digits",
)

COLUMN_ALIASES: dict[str, tuple[str, ...]] = {
    "topic_id": ("topic", "topicid", "query_id", "queryid", "qid", "q_id", "query", "query-id"),
    "doc_id": ("doc", "docid", "docno", "document", "document_id", "corpus-id", "patent"),
    "score": ("sim", "similarity", "value"),
    "relevance": ("rel", "label", "grade", "judgment", "judgement", "qrel", "score"),
    "rank": ("position",),
}
"""Names that other programs give to the columns (PyTerrier, ir_measures, ranx, BEIR, …)."""

LONGEST_HEADER = 1 << 16
"""Bytes of the first line that are searched for column names. The CSV reader refuses longer fields."""


def find_separator(data: bytes) -> str | None:
    """The separator of a CSV or TSV file, whose first line names its columns; None for any other file."""
    first = data[:LONGEST_HEADER].partition(b"\n")[0].partition(b"\r")[0].decode("utf-8", "replace").strip()
    for separator in (",", "\t", ";"):
        names = next(csv.reader([first], delimiter=separator), [])
        if len(names) >= 3 and find_column(names, "topic_id") and find_column(names, "doc_id"):
            return separator
    return None


def find_column(names: list[str], wanted: str) -> str | None:
    """The one among `names` that is `wanted` or an alias of it."""
    lowered = {name.strip().strip('"').lower(): name for name in reversed(names)}
    return next((lowered[name] for name in (wanted, *COLUMN_ALIASES.get(wanted, ())) if name in lowered), None)
