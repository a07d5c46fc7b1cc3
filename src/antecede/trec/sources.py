"""One door for every kind of input: a path, `-`, a frame or a dict → columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from antecede.trec.columns import Columns, Layout, read_columns
from antecede.trec.content import read_content
from antecede.trec.named import as_frame, from_frame, header_of, read_named

if TYPE_CHECKING:
    from antecede.trec.policies import Malformed


class Loaded(NamedTuple):
    source: str
    """What messages call it."""
    name: str
    """What tables call it."""
    columns: Columns


def load(given: object, layout: Layout, malformed: Malformed, wanted: tuple[str, ...], name: str | None) -> Loaded:
    """The columns `wanted` of whatever was given, told apart by what it is."""
    if not isinstance(given, str | Path):
        called = name or f"the {layout.kind} given"
        frame = as_frame(given, layout, called)
        return Loaded(called, name or layout.kind, from_frame(frame, called, layout, malformed, wanted))
    content = read_content(given)
    named = content.is_parquet or header_of(content.data) is not None
    read = read_named if named else read_columns
    return Loaded(content.source, name or content.name, read(content, layout, malformed, wanted))
