"""One door for every kind of input: a path, `-`, a frame or a dict → rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from antecede.errors import InputError
from antecede.trec.content import read_content
from antecede.trec.header import header_of
from antecede.trec.normalization import normalize, nth_data_line
from antecede.trec.rows import Rows, rows_of
from antecede.trec.scanning import scan

if TYPE_CHECKING:
    from antecede.trec.content import Content
    from antecede.trec.layout import Layout
    from antecede.trec.policies import Malformed


class Loaded(NamedTuple):
    source: str
    """What messages call it."""
    name: str
    """What tables call it."""
    rows: Rows


def load(given: object, layout: Layout, malformed: Malformed, name: str | None, *, with_rank: bool = False) -> Loaded:
    """The rows of whatever was given, told apart by what it is."""
    wanted = ("topic_id", "doc_id", layout.value, *(["rank"] if with_rank else []))
    if isinstance(given, str | Path):
        content = read_content(given, zeros_checked=False)
        found = Loaded(content.source, name or content.name, read_rows(content, layout, malformed, wanted))
    else:
        from antecede.trec.named import as_frame, from_frame

        called = name or f"the {layout.kind} given"
        columns = from_frame(as_frame(given, layout, called), called, layout, malformed, wanted)
        found = Loaded(called, name or layout.kind, rows_of(columns, layout))
    refuse_marked_topics(found)
    return found


def read_rows(content: Content, layout: Layout, malformed: Malformed, wanted: tuple[str, ...]) -> Rows:
    """The rows of a file.

    A TREC file is scanned, if need be once it is normalized. All else goes through frames: only then is polars loaded,
    which takes a while.
    """
    named = content.is_parquet or header_of(content.data) is not None
    rows = None if named or "rank" in wanted else scan_any(content.data, layout)
    if rows is not None:
        return rows
    from antecede.trec.columns import read_columns
    from antecede.trec.named import read_named

    if not content.is_parquet:
        content.refuse_zeros()
    read = read_named if named else read_columns
    return rows_of(read(content, layout, malformed, wanted), layout)


def scan_any(data: bytes, layout: Layout) -> Rows | None:
    """The rows of a TREC file that can be scanned as it is, or once it is normalized; else None."""
    rows = scan(data, layout)
    if rows is not None or not data.isascii():
        return rows
    text, comments, wide = normalize(data, layout)
    rows = scan(text, layout)
    if rows is None:
        return None
    return rows._replace(line_of=lambda row: nth_data_line(data, row), odd={"comments": comments, "wide": wide})


def refuse_marked_topics(found: Loaded) -> None:
    """A byte-order mark inside a file is left from joining files. Read as part of a topic, it would make another."""
    marked = next((name for name in found.rows.topics.names if name.startswith("\ufeff")), None)
    if marked is not None:
        raise InputError(
            "begins with a byte-order mark", source=found.source, topic_id=marked, remedy="remove the mark (U+FEFF)"
        )
