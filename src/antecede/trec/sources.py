"""Any input → rows: a path, `-`, a frame, a dict of dicts, or the name of a collection in ir_datasets.

A TREC file goes through the byte scanner, and line by line where the scanner cannot read it. CSV, TSV and Parquet
files, frames and dicts go through polars, which is loaded only then since that takes a while.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import InputError
from antecede.trec.content import read_content
from antecede.trec.layout import QRELS, find_separator
from antecede.trec.lines import read_lines, to_utf8
from antecede.trec.named_collections import is_collection_name
from antecede.trec.scanner import scan_text

if TYPE_CHECKING:
    from antecede.trec.content import Content
    from antecede.trec.layout import Layout
    from antecede.trec.policies import Malformed
    from antecede.trec.rows import Rows


class Source(NamedTuple):
    """An input that was read."""

    label: str
    """How messages refer to it: the path as it was given."""
    name: str
    """How tables refer to it."""
    rows: Rows
    tag: str | None = None
    """The name that the file itself gives to a run, on its first line."""


def load(given: object, layout: Layout, malformed: Malformed, name: str | None, *, with_ranks: bool = False) -> Source:
    """Read whatever is given, recognised by its type."""
    if is_collection_name(given):
        found = load_collection(str(given), layout, malformed, name)
    elif isinstance(given, str | Path):
        content = read_content(given, check_zeros=False)
        rows = read_rows(content, layout, malformed, with_ranks)
        found = Source(content.source, name or content.name, rows, find_tag(content, layout))
    else:
        from antecede.trec.frames import rows_from_frame, to_frame

        label = name or f"the {layout.kind} given"
        rows = rows_from_frame(to_frame(given, layout, label), label, layout, malformed, with_ranks)
        found = Source(label, name or layout.kind, rows)
    refuse_marked_topics(found)
    return found


def load_collection(given: str, layout: Layout, malformed: Malformed, name: str | None) -> Source:
    """The judgements of a collection that is given by its name in ir_datasets."""
    if layout.kind != QRELS.kind:
        raise InputError("names a test collection, not a run", source=given, remedy="give a file with a run")
    from antecede.trec.frames import rows_from_frame
    from antecede.trec.named_collections import read_named_qrels

    return Source(given, name or given, rows_from_frame(read_named_qrels(given), given, layout, malformed))


def read_rows(content: Content, layout: Layout, malformed: Malformed, with_ranks: bool) -> Rows:
    """The rows of a file."""
    if content.is_parquet or find_separator(content.data) is not None:
        from antecede.trec.frames import read_table

        return read_table(content, layout, malformed, with_ranks)
    rows = scan_text(content.data, layout, with_ranks=with_ranks)
    if rows is not None and "rank" in layout.fields and rows.ranks is None and rows.rank_keys is None:
        # Ranks that are not short whole numbers; NaN where they are not numbers either.
        rows = scan_text(content.data, layout, with_ranks=True) or rows._replace(
            ranks=np.full(len(rows.numbers), np.nan)
        )
    if rows is not None:
        return rows
    content.refuse_zeros()
    return read_lines(to_utf8(content.data), content.source, layout, malformed)


def find_tag(content: Content, layout: Layout) -> str | None:
    """The tag on the first line of a TREC run."""
    if "tag" not in layout.fields or content.is_parquet or find_separator(content.data) is not None:
        return None
    begin = 0
    while begin < len(content.data):
        end = content.data.find(b"\n", begin) + 1 or len(content.data)
        columns = to_utf8(content.data[begin:end]).split()
        if len(columns) > layout.fields.index("tag") and not columns[0].startswith(b"#"):
            return columns[layout.fields.index("tag")].decode()
        begin = end
    return None


def refuse_marked_topics(found: Source) -> None:
    """Refuse a byte-order mark inside a file, left from joining files: read as part of a topic, it would add one."""
    marked = next((name for name in found.rows.topics.names if name.startswith("\ufeff")), None)
    if marked is not None:
        raise InputError(
            "begins with a byte-order mark", source=found.label, topic_id=marked, remedy="remove the mark (U+FEFF)"
        )
