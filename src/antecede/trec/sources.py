"""One door for every kind of input: a path, `-`, a frame or a dict → rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from antecede.trec.content import read_content
from antecede.trec.header import header_of
from antecede.trec.rows import Rows, rows_of
from antecede.trec.scanning import scan

if TYPE_CHECKING:
    from antecede.trec.layout import Layout
    from antecede.trec.policies import Malformed


class Loaded(NamedTuple):
    source: str
    """What messages call it."""
    name: str
    """What tables call it."""
    rows: Rows


def load(given: object, layout: Layout, malformed: Malformed, name: str | None, *, with_rank: bool = False) -> Loaded:
    """The rows of whatever was given, told apart by what it is.

    A clean TREC file is scanned. All else goes through frames: only then is polars loaded, which takes a while.
    """
    wanted = ("topic_id", "doc_id", layout.value, *(["rank"] if with_rank else []))
    if not isinstance(given, str | Path):
        from antecede.trec.named import as_frame, from_frame

        called = name or f"the {layout.kind} given"
        columns = from_frame(as_frame(given, layout, called), called, layout, malformed, wanted)
        return Loaded(called, name or layout.kind, rows_of(columns, layout))
    content = read_content(given, zeros_checked=False)
    named = content.is_parquet or header_of(content.data) is not None
    rows = None if named or with_rank else scan(content.data, layout)
    if rows is None:
        from antecede.trec.columns import read_columns
        from antecede.trec.named import read_named

        if not content.is_parquet:
            content.refuse_zeros()
        read = read_named if named else read_columns
        rows = rows_of(read(content, layout, malformed, wanted), layout)
    return Loaded(content.source, name or content.name, rows)
