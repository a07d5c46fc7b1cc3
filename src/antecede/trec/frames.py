"""Tables with named columns → rows: CSV, TSV and Parquet files, polars and pandas frames, and dicts of dicts.

Also the judgements of a public test collection by its name in ir_datasets, as `irds:antique/test`: the package is
loaded only for such a name, and downloads what it does not have yet.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from antecede.errors import InputError, MalformedInputError, UsageError, describe_given, printable, spell, suggest_names
from antecede.trec.content import to_utf8
from antecede.trec.layout import find_column, find_separator
from antecede.trec.rows import Rows

if TYPE_CHECKING:
    from antecede.trec.content import Content
    from antecede.trec.layout import FileLayout
    from antecede.trec.reader import Malformed


def read_table(content: Content, layout: FileLayout, malformed: Malformed, with_ranks: bool = False) -> Rows:
    try:
        if content.is_parquet:
            frame = pl.read_parquet(io.BytesIO(content.data))
        else:
            separator = find_separator(content.data) or ","
            # Blanks around a value and empty lines at the end have no meaning.
            text = to_utf8(content.data.rstrip(b"\r\n"))
            frame = pl.read_csv(text, separator=separator, infer_schema=False)
            frame = frame.select(pl.all().str.strip_chars(" \t"))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:  # it panics on damaged Parquet
        reason = printable(str(error).splitlines()[0])
        raise MalformedInputError(f"cannot be read as a table ({reason})", source=content.source) from None
    first = 1 if content.is_parquet else 2  # line 1 of a CSV file has the names
    return rows_from_frame(frame, content.source, layout, malformed, with_ranks, first_line=first)


def rows_from_frame(
    frame: pl.DataFrame,
    source: str,
    layout: FileLayout,
    malformed: Malformed,
    with_ranks: bool = False,
    first_line: int | None = 1,
) -> Rows:
    """The rows of a frame, whose columns are found by name or alias. Those of a dict have no line."""
    chosen = {}
    for name in ("topic_id", "doc_id", layout.value, *(["rank"] if "rank" in layout.fields else [])):
        theirs = find_column(frame.columns, name)
        if name == "rank" and not with_ranks and (theirs is None or frame.schema[theirs].is_nested()):
            continue
        if theirs is None:
            has = printable(", ".join(frame.columns))
            raise InputError(
                f"has no column {name}", source=source, remedy=f"rename one of its columns ({has}) to {name}"
            )
        chosen[name] = pl.col(theirs)
    refuse_run_as_qrels(frame, source, layout)
    picked = frame.select(**chosen)
    if picked.is_empty():
        raise InputError("is empty", source=source, remedy="check how it was made")
    number = pl.col(layout.value)
    if picked.schema[layout.value] == pl.String:
        number = number.str.strip_chars()
    number = number.cast(pl.Float64, strict=False)
    is_whole = number == number.round(0) if layout.whole else pl.lit(value=True)
    value_ok = (number.is_between(-layout.limit, layout.limit, closed="none") & is_whole).fill_null(value=False)
    ids = {name: cast_id(name, picked.schema[name]) for name in chosen if name != layout.value}
    ids_ok = pl.all_horizontal(is_id(column) for name, column in ids.items() if name != "rank")
    try:
        checked = picked.select(number.alias(layout.value), **ids, value_ok=value_ok, ids_ok=ids_ok)
    except pl.exceptions.PolarsError as error:
        reason = printable(str(error).splitlines()[0])
        raise MalformedInputError(f"its columns hold neither texts nor numbers ({reason})", source=source) from None
    good = checked["value_ok"] & checked["ids_ok"]
    rows = good.arg_true()
    if len(rows) < checked.height and malformed == "error":
        bad = int((~good).arg_true()[0])
        what = f"{layout.value} {printable(str(picked[layout.value][bad]))!r} is not {layout.number_is}"
        known = bool(checked["ids_ok"][bad])
        raise MalformedInputError(
            what if known else "topic or document is missing, or contains a zero byte",
            source=source,
            line=None if first_line is None else bad + first_line,
            topic_id=checked["topic_id"][bad] if known and first_line is None else None,
            doc_id=checked["doc_id"][bad] if known and first_line is None else None,
            remedy=f"correct it, or pass {spell('malformed', 'skip')}",
        )
    if not len(rows):
        raise MalformedInputError(f"no row can be read as {layout.noun}", source=source)
    odd = {"malformed": checked.height - len(rows), "bad_scores": int((checked["ids_ok"] & ~checked["value_ok"]).sum())}
    kept = checked.filter(good).cast({layout.value: pl.Int64 if layout.whole else pl.Float64})
    return Rows.from_frame(
        kept, layout.value, lambda row: None if first_line is None else int(rows[row]) + first_line, odd
    )


def is_id(column: pl.Expr) -> pl.Expr:
    """Which texts can be ids: those that are not empty and contain no zero byte, as in TREC files."""
    text = column.fill_null("")
    return (text.str.len_bytes() > 0) & ~text.str.contains("\0", literal=True)


def cast_id(name: str, kind: pl.DataType) -> pl.Expr:
    """A column of ids as text. Frames hold whole numbers as floats where some are missing."""
    column = pl.col(name)
    if not kind.is_float():
        return column.cast(pl.String)
    integer = column.cast(pl.Int64, strict=False)
    return pl.when(integer == column).then(integer.cast(pl.String)).otherwise(column.fill_nan(None).cast(pl.String))


def refuse_run_as_qrels(frame: pl.DataFrame, source: str, layout: FileLayout) -> None:
    """Refuse a run given as qrels: the relevance may be called score, but only a run has ranks too."""
    value = str(find_column(frame.columns, layout.value)).strip().lower()
    if layout.value == "relevance" and value == "score" and find_column(frame.columns, "rank"):
        what = "has a rank and a score, so it is a run, not qrels"
        raise InputError(what, source=source, remedy="give the qrels first, then the runs")


def to_frame(given: object, layout: FileLayout, source: str) -> pl.DataFrame:
    """A polars frame from a frame of polars or pandas, a dict, or what ranx and ir_measures hold runs and qrels in."""
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if isinstance(given, Mapping):
        return frame_from_dict(given, layout, source)
    if hasattr(given, "columns") and hasattr(given, "to_dict"):  # pandas, which may not be installed
        theirs: Any = given
        columns: dict[str, list[Any]] = theirs.astype(object).where(theirs.notna(), None).to_dict("list")
        return pl.DataFrame({str(name): to_series(values) for name, values in columns.items()})
    if hasattr(given, "to_dict") and hasattr(given, "keys"):  # Run and Qrels of ranx
        return to_frame(given.to_dict(), layout, source)
    if isinstance(given, Iterable) and not isinstance(given, bytes | np.ndarray | pl.Series):
        return _frame_from_records([*given], layout, source)
    what = f"{describe_given(given)} is not {layout.noun}"
    raise InputError(what, source=source, remedy="give a path, a frame or a dict of dicts")


def _frame_from_records(records: list[Any], layout: FileLayout, source: str) -> pl.DataFrame:
    """A frame from `Qrel` or `ScoredDoc` of ir_measures, or others with these attributes."""
    names = ("query_id", "doc_id", layout.value)
    odd = next((at for at, record in enumerate(records) if not all(hasattr(record, name) for name in names)), None)
    if odd is not None:
        raise InputError(
            f"is not {layout.noun}: entry {odd} is {describe_given(records[odd])} without {', '.join(names)}",
            source=source,
            remedy="give a path, a frame, a dict of dicts, or a list of ir_measures",
        )
    topics, docs, values = ([getattr(record, name) for record in records] for name in names)
    return pl.DataFrame({"topic_id": to_series(topics), "doc_id": to_series(docs), layout.value: to_series(values)})


def to_series(values: list[Any]) -> pl.Series:
    """Values of any type. A numpy number among them would convert the others to its type and cut off digits."""
    return pl.Series([value.item() if isinstance(value, np.generic) else value for value in values], strict=False)


def frame_from_dict(given: Mapping[Any, Any], layout: FileLayout, source: str) -> pl.DataFrame:
    topics, docs, values = list[str](), list[str](), list[Any]()
    for topic, numbers in given.items():
        if not isinstance(numbers, Mapping):
            what, remedy = f"holds {describe_given(numbers)}", "give {topic: {document: number}}"
            raise InputError(what, source=source, topic_id=str(topic), remedy=remedy)
        topics += [str(topic)] * len(numbers)
        docs += [str(doc) for doc in numbers]
        values += numbers.values()
    return pl.DataFrame(
        {"topic_id": topics, "doc_id": docs, layout.value: to_series(values)},
        schema_overrides={"topic_id": pl.String, "doc_id": pl.String},
    )


def _open_collection(given: str) -> Any:
    name = given.partition(":")[2]
    try:
        import ir_datasets
    except ImportError:
        raise UsageError(
            f"{printable(given)}: needs the package ir_datasets, which is not installed; pip "
            f"install ir_datasets, or give "
            "the qrels as a file"
        ) from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        near = suggest_names(name, list(ir_datasets.registry))
        raise InputError(
            f"ir_datasets has no such collection{near}", source=printable(given), remedy="see https://ir-datasets.com"
        ) from None


def read_named_qrels(given: str) -> pl.DataFrame:
    """topic_id, doc_id and relevance of every judgement of a collection."""
    collection = _open_collection(given)
    if not collection.has_qrels():
        raise InputError(
            "this collection has no judgements", source=printable(given), remedy="name one of its parts that has qrels"
        )
    try:
        rows = [(qrel.query_id, qrel.doc_id, int(qrel.relevance)) for qrel in collection.qrels_iter()]
    except Exception as error:  # noqa: BLE001 - a download or a parser of another package may fail in any way
        raise InputError(
            f"ir_datasets cannot load it ({printable(str(error) or type(error).__name__, 200)})",
            source=printable(given),
            remedy="check the network, or give the qrels as a file",
        ) from None
    if not rows:
        raise InputError("this collection has no judgements", source=printable(given))
    return pl.DataFrame(rows, schema={"topic_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64}, orient="row")
