"""Any input → rows: a path, `-`, a frame, a dict of dicts, or the name of a collection in ir_datasets.

TREC files are read in `text`, what is regular in memory in `memory`; CSV, TSV and Parquet files and other objects in
`frames`. All need polars and are loaded on first use, since policies are declared here and shown without reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypedDict, get_args

from antecede.errors import InputError, UsageError, printable
from antecede.operations import READING, Bundle, Help
from antecede.ranges import DOCUMENTS
from antecede.trec.content import read_content
from antecede.trec.layout import QRELS, find_separator
from antecede.trec.run_names import own_name

if TYPE_CHECKING:
    from antecede.trec.content import Content
    from antecede.trec.layout import FileLayout
    from antecede.trec.rows import Rows

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
            raise UsageError(f"depth: {printable(str(self.depth), 30)} is out of range; give 1 to {LARGEST_RANK}")
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


COLLECTION_PREFIXES = ("irds:", "ir_datasets:")


def is_collection_name(given: object) -> bool:
    """Whether a text names a collection of ir_datasets, as `irds:antique/test` does, rather than a file."""
    return isinstance(given, str) and given.startswith(COLLECTION_PREFIXES) and not Path(given).exists()


class LabelledRows(NamedTuple):
    """An input that was read."""

    label: str
    """How messages refer to it: the path as it was given."""
    name: str
    """How tables refer to it."""
    rows: Rows


def load(
    given: object, layout: FileLayout, malformed: Malformed, name: str | None, *, with_ranks: bool = False
) -> LabelledRows:
    """Read whatever is given, recognised by its type."""
    if is_collection_name(given):
        if layout.kind != QRELS.kind:
            raise InputError("names a test collection, not a run", source=str(given), remedy="give a file with a run")
        from antecede.trec.frames import read_named_qrels, rows_from_frame

        rows = rows_from_frame(read_named_qrels(str(given)), str(given), layout, malformed)
        source = LabelledRows(str(given), name or str(given), rows)
    elif isinstance(given, str | Path):
        content = read_content(given)
        rows = read_rows(content, layout, malformed, with_ranks)
        source = LabelledRows(content.source, name or content.name, rows)
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
        source = LabelledRows(label, name or layout.kind, rows)
    # A byte-order mark inside a file, left from joining files, would be read as part of a topic and add one.
    marked = next((topic for topic in source.rows.topics.names if topic.startswith("\ufeff")), None)
    if marked is not None:
        raise InputError(
            "begins with a byte-order mark", source=source.label, topic_id=marked, remedy="remove the mark (U+FEFF)"
        )
    return source


def read_rows(content: Content, layout: FileLayout, malformed: Malformed, with_ranks: bool) -> Rows:
    if content.is_parquet or find_separator(content.data) is not None:
        from antecede.trec.frames import read_table

        return read_table(content, layout, malformed, with_ranks)
    from antecede.trec.text import read_text

    return read_text(content.data, content.source, layout, malformed)
