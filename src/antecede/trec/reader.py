"""Any input → rows: a path, `-`, a frame, a dict of dicts, or the name of a collection in ir_datasets.

A TREC file goes through the fast reader (`scanner`), and where that cannot read it through the careful one below, line
by line, which gives the reason for each line that cannot be read. CSV, TSV and Parquet files, frames and dicts go
through polars (`frames`), which is loaded only then since that takes a while; what is regular in memory needs it not.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypedDict, get_args

import numpy as np

from antecede.errors import InputError, MalformedInputError, UsageError, shown, spell
from antecede.operations import READING, Bundle, Help
from antecede.ranges import DOCUMENTS
from antecede.trec.content import data_lines, read_content, to_utf8
from antecede.trec.rows import ByteTexts, Rows, RowTopics, count_tags
from antecede.trec.run_names import own_name
from antecede.trec.scanner import scan_text

if TYPE_CHECKING:
    from antecede.trec.content import Content, Line

# What to do with input that is not clean. The defaults are strict: nothing is corrected silently.

Duplicates = Literal["error", "first", "last", "keep"]
Malformed = Literal["error", "skip"]
Ties = Literal["docid", "input", "rank"]
Order = Literal["score", "rank", "input"]

LARGEST_RANK = 2**31 - 1
"""The largest rank that a rank table holds."""


_policy = partial(Help, heading=READING)


@dataclass(frozen=True)
class Policies(Bundle):
    """How irregular runs and qrels are treated."""

    duplicates: Annotated[
        Duplicates,
        _policy(
            "A document that occurs twice in a topic: refuse the file, use its first or last line, or count each copy."
        ),
    ] = "error"
    malformed: Annotated[
        Malformed, _policy("A line that cannot be read: refuse the file, or leave the line out and count it.")
    ] = "error"
    ties: Annotated[
        Ties,
        _policy("Equal scores: by document id descending (as trec_eval), as in the file, or by the rank column."),
    ] = "docid"
    depth: Annotated[
        int | None, DOCUMENTS, _policy("Read only the first N documents of each topic (trec_eval's -M).")
    ] = None
    order: Annotated[
        Order,
        _policy("What a ranking is ordered by: its scores (as trec_eval), its rank column, or the order of the file."),
    ] = "score"

    def __post_init__(self) -> None:
        for name, kind in {"duplicates": Duplicates, "malformed": Malformed, "ties": Ties, "order": Order}.items():
            choices, value = get_args(kind), getattr(self, name)
            if value not in choices:
                raise UsageError(f"{name}: there is no {value!r}; choose one of {', '.join(choices)}")
        if self.depth is not None and not 1 <= self.depth <= LARGEST_RANK:
            raise UsageError(f"depth: {shown(str(self.depth), 30)} is out of range; give 1 to {LARGEST_RANK}")
        if self.order != "score" and self.ties != "docid":
            raise UsageError(
                f"ties: equal scores matter only where documents are ordered by score; leave it out with {self.order}"
            )


class GivenPolicies(TypedDict, total=False):
    """The policies as keyword arguments, for type checkers."""

    duplicates: Duplicates
    malformed: Malformed
    ties: Ties
    depth: int | None
    order: Order


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


def find_column(names: list[str], wanted: str) -> str | None:
    """The one among `names` that is `wanted` or an alias of it."""
    lowered = {name.strip().strip('"').lower(): name for name in reversed(names)}
    return next((lowered[name] for name in (wanted, *COLUMN_ALIASES.get(wanted, ())) if name in lowered), None)


COLLECTION_PREFIXES = ("irds:", "ir_datasets:")


def is_collection_name(given: object) -> bool:
    """Whether a text names a collection of ir_datasets, as `irds:antique/test` does, rather than a file."""
    return isinstance(given, str) and given.startswith(COLLECTION_PREFIXES) and not Path(given).exists()


class Source(NamedTuple):
    """An input that was read."""

    label: str
    """How messages refer to it: the path as it was given."""
    name: str
    """How tables refer to it."""
    rows: Rows


def load(given: object, layout: Layout, malformed: Malformed, name: str | None, *, with_ranks: bool = False) -> Source:
    """Read whatever is given, recognised by its type."""
    if is_collection_name(given):
        if layout.kind != QRELS.kind:
            raise InputError("names a test collection, not a run", source=str(given), remedy="give a file with a run")
        from antecede.trec.frames import read_named_qrels, rows_from_frame

        rows = rows_from_frame(read_named_qrels(str(given)), str(given), layout, malformed)
        source = Source(str(given), name or str(given), rows)
    elif isinstance(given, str | Path):
        content = read_content(given)
        rows = read_rows(content, layout, malformed, with_ranks)
        source = Source(content.source, name or content.name, rows)
    else:
        from antecede.trec.frames import rows_from_frame, to_frame
        from antecede.trec.memory import scan_memory

        name = name or own_name(given)
        label = name or f"the {layout.kind} given"
        first = (
            None if hasattr(given, "keys") and not hasattr(given, "columns") else 1
        )  # a dict, or what ranx makes of one
        rows = scan_memory(given, layout, with_ranks=with_ranks) or rows_from_frame(
            *(to_frame(given, layout, label), label, layout, malformed, with_ranks, first)
        )
        source = Source(label, name or layout.kind, rows)
    # A byte-order mark inside a file, left from joining files, would be read as part of a topic and add one.
    marked = next((topic for topic in source.rows.topics.names if topic.startswith("\ufeff")), None)
    if marked is not None:
        raise InputError(
            "begins with a byte-order mark", source=source.label, topic_id=marked, remedy="remove the mark (U+FEFF)"
        )
    return source


def read_rows(content: Content, layout: Layout, malformed: Malformed, with_ranks: bool) -> Rows:
    if content.is_parquet or find_separator(content.data) is not None:
        from antecede.trec.frames import read_table

        return read_table(content, layout, malformed, with_ranks)
    rows = scan_text(content.data, layout) or read_lines(to_utf8(content.data), content.source, layout, malformed)
    return rows._replace(tag=_find_tag(content.data)) if "tag" in layout.fields else rows


def _find_tag(data: bytes) -> str | None:
    at = RUN.fields.index("tag")
    for line in io.BytesIO(data):
        columns = to_utf8(line).split()
        if len(columns) > at and not columns[0].startswith(b"#"):
            return columns[at].decode()
    return None


def read_lines(data: bytes, source: str, layout: Layout, malformed: Malformed) -> Rows:
    """The rows of a TREC file in UTF-8; a line that cannot be read is refused, or left out and counted."""
    topic_at, doc_at, value_at = (layout.fields.index(name) for name in ("topic_id", "doc_id", layout.value))
    topics, docs, values, ranks = list[str](), list[str](), list[float](), list[float]()
    line_numbers: list[int] = []
    odd = {"malformed": 0, "bad_scores": 0, "wide": 0}
    tags: set[bytes] = set()
    rank_at = layout.fields.index("rank") if "rank" in layout.fields else None
    for line in data_lines(data):
        problem = _check_columns(line, layout) or _check_number(line, layout)
        if problem and malformed == "error":
            raise _malformed_line(problem, line, source, layout, first=not topics)
        if problem:
            odd["malformed"] += 1
            odd["bad_scores"] += _check_columns(line, layout) is None
            continue
        odd["wide"] += len(line.columns) > len(layout.fields)
        topics.append(line.columns[topic_at].decode())
        docs.append(line.columns[doc_at].decode())
        values.append(float(line.columns[value_at]))
        if rank_at is not None:
            rank = line.columns[rank_at]
            ranks.append(float(rank) if RUN.number.fullmatch(rank) else float("nan"))
            tags.add(line.columns[layout.fields.index("tag")])
        line_numbers.append(line.number)
    if not topics:
        raise MalformedInputError(
            f"no line can be read as {layout.noun}", source=source, remedy=f"its lines should be: {layout.line_format}"
        )
    odd["comments"] = data.count(b"#") and sum(text.lstrip().startswith(b"#") for text in data.splitlines())
    return Rows(
        RowTopics.from_changes(topics, np.arange(len(topics)), len(topics)),
        ByteTexts.from_list(docs),
        np.array(values, np.int64 if layout.whole else np.float64),
        line_numbers.__getitem__,
        odd | count_tags(tags),
        np.array(ranks) if rank_at is not None else None,
    )


def _check_columns(line: Line, layout: Layout) -> str | None:
    width = len(line.columns)
    if width < layout.fewest or (width > len(layout.fields) and not layout.wider):
        return f"{width} column{'s' * (width != 1)} where {layout.noun} has {layout.fewest} ({layout.line_format})"
    return None


def _check_number(line: Line, layout: Layout) -> str | None:
    text = line.columns[layout.fields.index(layout.value)]
    if layout.number.fullmatch(text) and abs(float(text)) < layout.limit:
        return None
    return f"{layout.value} {_excerpt(text)!r} is not {layout.number_is}"


def _excerpt(text: bytes) -> str:
    """The beginning of a text, to be shown in a message; lines may be millions of bytes long."""
    return shown(text[:1000].decode("utf-8", "replace"))


def _malformed_line(problem: str, line: Line, source: str, layout: Layout, *, first: bool) -> MalformedInputError:
    """The error for one line; for the first one of a file, with a guess at what the file really is."""
    text = _excerpt(line.text.strip())
    remedy = f"correct it, or pass {spell('malformed', 'skip')}: «{text}»"
    other = QRELS if layout is RUN else RUN
    could_be_other = not _check_columns(line, other) and not _check_number(line, other)
    if first and could_be_other and len(line.columns) != 5:  # with five it could be either
        remedy = f"it looks like {other.noun}: give the qrels first, then the runs: «{text}»"
    return MalformedInputError(problem, source=source, line=line.number, remedy=remedy)
