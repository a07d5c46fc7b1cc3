"""Columns that carry names: CSV, TSV and Parquet files, polars and pandas frames, and dicts of dicts."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from antecede.errors import InputError, MalformedInputError, shown
from antecede.trec.columns import Columns, Layout

if TYPE_CHECKING:
    from antecede.trec.content import Content
    from antecede.trec.policies import Malformed

OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "topic_id": ("topic", "topicid", "query_id", "queryid", "qid", "q_id", "query", "query-id"),
    "doc_id": ("doc", "docid", "docno", "document", "document_id", "corpus-id", "patent"),
    "score": ("sim", "similarity", "value"),
    "relevance": ("rel", "label", "grade", "judgment", "judgement", "qrel", "score"),
    "rank": ("position",),
}
"""What others call our columns (PyTerrier, ir_measures, ranx, BEIR, …)."""


def header_of(data: bytes) -> str | None:
    """The separator of a file whose first line names its columns, or None if it does not."""
    first = data[: data.find(b"\n") + 1 or len(data)].decode("utf-8", "replace").strip()
    for separator in (",", "\t", ";"):
        names = next(csv.reader([first], delimiter=separator), [])
        if len(names) >= 3 and find(names, "topic_id") and find(names, "doc_id"):
            return separator
    return None


def find(names: list[str], wanted: str) -> str | None:
    """The name among `names` that means `wanted`."""
    lowered = {name.strip().strip('"').lower(): name for name in reversed(names)}
    return next((lowered[n] for n in (wanted, *OTHER_NAMES.get(wanted, ())) if n in lowered), None)


def read_named(content: Content, layout: Layout, malformed: Malformed, wanted: tuple[str, ...]) -> Columns:
    """The columns `wanted` of a CSV, TSV or Parquet file."""
    try:
        if content.is_parquet:
            frame = pl.read_parquet(io.BytesIO(content.data))
        else:
            separator = header_of(content.data) or ","
            frame = pl.read_csv(content.data, separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
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
    picked = frame.select(**chosen)
    if picked.is_empty():
        raise InputError("is empty", source=source, remedy="check how it was made")
    text = [name for name in wanted if name != layout.value]
    number = pl.col(layout.value).cast(pl.Float64, strict=False)
    if frame.schema[str(find(frame.columns, layout.value))] == pl.String:
        number = pl.col(layout.value).str.strip_chars().cast(pl.Float64, strict=False)
    whole = number == number.round(0) if layout.dtype is pl.Int64 else pl.lit(value=True)
    value_ok = (number.is_finite() & whole).fill_null(value=False)
    ids = [pl.col(name).cast(pl.String) for name in text]
    ids_ok = pl.all_horizontal(
        pl.col(name).cast(pl.String).fill_null("").str.len_bytes() > 0 for name in text if name != "rank"
    )
    checked = picked.select(*ids, number.alias(layout.value), value_ok=value_ok, ids_ok=ids_ok)
    good = checked["value_ok"] & checked["ids_ok"]
    rows = good.arg_true()
    if len(rows) < checked.height and malformed == "error":
        bad = int((~good).arg_true()[0])
        what = f"{layout.value} {shown(str(picked[layout.value][bad]))!r} is not {layout.number_is}"
        raise MalformedInputError(
            what if checked["ids_ok"][bad] else "topic or document is missing",
            source=source,
            line=bad + first_line,
            remedy="correct it, or pass --malformed skip",
        )
    if not len(rows):
        raise MalformedInputError(f"no row can be read as {layout.kind}", source=source)
    odd = {"malformed": checked.height - len(rows), "bad_scores": int((checked["ids_ok"] & ~checked["value_ok"]).sum())}
    kept = checked.filter(good).select(*text, pl.col(layout.value).cast(layout.dtype)).select(*wanted)
    return Columns(kept.rechunk(), lambda row: int(rows[row]) + first_line, odd)


def as_frame(given: object, layout: Layout, source: str) -> pl.DataFrame:
    """A polars frame from a polars or pandas frame, or from a dict {topic: {document: number}}."""
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if isinstance(given, Mapping):
        return from_dict(given, layout, source)
    if hasattr(given, "columns") and hasattr(given, "to_dict"):  # pandas, which need not be installed
        columns: dict[str, list[Any]] = given.to_dict("list")
        return pl.DataFrame({str(name): pl.Series(values, strict=False) for name, values in columns.items()})
    raise InputError(f"a {type(given).__name__} is no {layout.kind}", remedy="give a path, a frame or a dict of dicts")


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
        {"topic_id": topics, "doc_id": docs, layout.value: pl.Series(values, strict=False)},
        schema_overrides={"topic_id": pl.String, "doc_id": pl.String},
    )
