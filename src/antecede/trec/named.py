"""Columns that carry names: CSV, TSV and Parquet files, polars and pandas frames, and dicts of dicts."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from antecede.errors import InputError, MalformedInputError, shown
from antecede.trec.columns import Columns, as_utf8, number_type
from antecede.trec.header import find, header_of

if TYPE_CHECKING:
    from antecede.trec.content import Content
    from antecede.trec.layout import Layout
    from antecede.trec.policies import Malformed


def read_named(content: Content, layout: Layout, malformed: Malformed, wanted: tuple[str, ...]) -> Columns:
    """The columns `wanted` of a CSV, TSV or Parquet file."""
    try:
        if content.is_parquet:
            frame = pl.read_parquet(io.BytesIO(content.data))
        else:
            separator = header_of(content.data) or ","
            # Nobody means the blanks around a value, or the empty lines at the end.
            text = as_utf8(content.data.rstrip(b"\r\n"))
            frame = pl.read_csv(text, separator=separator, infer_schema=False)
            frame = frame.select(pl.all().str.strip_chars(" \t"))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # it panics on bad Parquet
        reason = shown(str(error).splitlines()[0])
        raise MalformedInputError(f"cannot be read as a table ({reason})", source=content.source) from None
    first = 1 if content.is_parquet else 2  # in a CSV the names stand on line 1
    return from_frame(frame, content.source, layout, malformed, wanted, first_line=first)


def from_frame(
    frame: pl.DataFrame, source: str, layout: Layout, malformed: Malformed, wanted: tuple[str, ...], first_line: int = 1
) -> Columns:
    """The columns `wanted` of a frame, by their names or the names others give them."""
    chosen = {}
    for name in wanted:
        theirs = find(frame.columns, name)
        if theirs is None:
            has = shown(", ".join(frame.columns))
            raise InputError(
                f"has no column {name}", source=source, remedy=f"rename one of its columns ({has}) to {name}"
            )
        chosen[name] = pl.col(theirs)
    refuse_run_as_qrels(frame, source, layout)
    picked = frame.select(**chosen)
    if picked.is_empty():
        raise InputError("is empty", source=source, remedy="check how it was made")
    text = [name for name in wanted if name != layout.value]
    number = pl.col(layout.value).cast(pl.Float64, strict=False)
    if frame.schema[str(find(frame.columns, layout.value))] == pl.String:
        number = pl.col(layout.value).str.strip_chars().cast(pl.Float64, strict=False)
    whole = number == number.round(0) if layout.whole else pl.lit(value=True)
    value_ok = (number.is_between(-layout.limit, layout.limit, closed="none") & whole).fill_null(value=False)
    ids = {name: as_id(name, picked.schema[name]) for name in text}
    ids_ok = pl.all_horizontal(is_id(each) for name, each in ids.items() if name != "rank")
    try:
        checked = picked.select(number.alias(layout.value), **ids, value_ok=value_ok, ids_ok=ids_ok)
    except pl.exceptions.PolarsError as error:
        reason = shown(str(error).splitlines()[0])
        raise MalformedInputError(f"its columns hold neither texts nor numbers ({reason})", source=source) from None
    good = checked["value_ok"] & checked["ids_ok"]
    rows = good.arg_true()
    if len(rows) < checked.height and malformed == "error":
        bad = int((~good).arg_true()[0])
        what = f"{layout.value} {shown(str(picked[layout.value][bad]))!r} is not {layout.number_is}"
        raise MalformedInputError(
            what if checked["ids_ok"][bad] else "topic or document is missing, or contains a zero byte",
            source=source,
            line=bad + first_line,
            remedy="correct it, or pass --malformed skip",
        )
    if not len(rows):
        raise MalformedInputError(f"no row can be read as {layout.called}", source=source)
    odd = {"malformed": checked.height - len(rows), "bad_scores": int((checked["ids_ok"] & ~checked["value_ok"]).sum())}
    kept = checked.filter(good).select(*text, pl.col(layout.value).cast(number_type(layout))).select(*wanted)
    return Columns(kept.rechunk(), lambda row: int(rows[row]) + first_line, odd)


def is_id(column: pl.Expr) -> pl.Expr:
    """Which texts can be ids: those that are not empty and contain no zero byte, as in TREC files."""
    text = column.fill_null("")
    return (text.str.len_bytes() > 0) & ~text.str.contains("\0", literal=True)


def as_id(name: str, kind: pl.DataType) -> pl.Expr:
    """A column of ids as text. Numbers with a point are whole ones that a frame holds so since some are missing."""
    column = pl.col(name)
    if not kind.is_float():
        return column.cast(pl.String)
    whole = column.cast(pl.Int64, strict=False)
    return pl.when(whole == column).then(whole.cast(pl.String)).otherwise(column.fill_nan(None).cast(pl.String))


def refuse_run_as_qrels(frame: pl.DataFrame, source: str, layout: Layout) -> None:
    """Some call the relevance a score, as a run does; but only a run ranks its documents."""
    value = str(find(frame.columns, layout.value)).strip().lower()
    if layout.value == "relevance" and value == "score" and find(frame.columns, "rank"):
        what = "has a rank and a score, so it is a run, not qrels"
        raise InputError(what, source=source, remedy="give the qrels first, then the runs")


def as_frame(given: object, layout: Layout, source: str) -> pl.DataFrame:
    """A polars frame from a polars or pandas frame, or from a dict {topic: {document: number}}."""
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if isinstance(given, Mapping):
        return from_dict(given, layout, source)
    if hasattr(given, "columns") and hasattr(given, "to_dict"):  # pandas, which need not be installed
        theirs: Any = given
        columns: dict[str, list[Any]] = theirs.astype(object).where(theirs.notna(), None).to_dict("list")
        return pl.DataFrame({str(name): as_series(values) for name, values in columns.items()})
    raise InputError(f"a {type(given).__name__} is no {layout.kind}", remedy="give a path, a frame or a dict of dicts")


def as_series(values: list[Any]) -> pl.Series:
    """Values of any kind. A numpy number among them would make the rest of its own kind, and so cut off digits."""
    return pl.Series([value.item() if isinstance(value, np.generic) else value for value in values], strict=False)


def from_dict(given: Mapping[Any, Any], layout: Layout, source: str) -> pl.DataFrame:
    topics: list[str] = []
    docs: list[str] = []
    values: list[Any] = []
    for topic, found in given.items():
        if not isinstance(found, Mapping):
            raise InputError(
                f"holds a {type(found).__name__}",
                source=source,
                topic_id=str(topic),
                remedy="give {topic: {document: number}}",
            )
        topics += [str(topic)] * len(found)
        docs += [str(doc) for doc in found]
        values += found.values()
    return pl.DataFrame(
        {"topic_id": topics, "doc_id": docs, layout.value: as_series(values)},
        schema_overrides={"topic_id": pl.String, "doc_id": pl.String},
    )
