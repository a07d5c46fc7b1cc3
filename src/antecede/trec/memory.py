"""Runs and qrels in memory → rows, at once: dicts of dicts, and frames of polars and pandas.

This is the short way for input in which nothing is irregular. Of everything else `scan_memory` returns None, and
`frames` reads it with care and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from antecede.trec.layout import RUN, find_column
from antecede.trec.rows import Rows, RowTopics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.trec.layout import FileLayout

    Numbers = NDArray[np.number[Any]]

LARGEST_WHOLE = 2.0**63
"""Whole numbers below this are floating-point numbers in every way of reading them."""


def scan_memory(given: object, layout: FileLayout, *, with_ranks: bool = False) -> Rows | None:
    """The rows of regular input, with a rank column if it is needed; None where one has to look with care."""
    if isinstance(given, Mapping):
        return None if with_ranks else _scan_dict(given, layout)
    framed = type(given).__name__ == "DataFrame" and (_is_of(given, "pandas") or _is_of(given, "polars"))
    return _scan_frame(given, layout, with_ranks=with_ranks) if framed else None


def _scan_dict(given: Mapping[Any, Any], layout: FileLayout) -> Rows | None:
    """The rows of {topic: {document: number}}."""
    filled = {topic: documents for topic, documents in given.items() if documents}
    if not filled or not all(isinstance(documents, dict) for documents in filled.values()):
        return None
    values = [*chain.from_iterable(documents.values() for documents in filled.values())]
    kinds = {*map(type, values)}
    if not kinds <= {float, int, np.float64, np.float32, np.int64, np.int32}:
        return None
    topics, docs = _make_column([*filled]), _make_column([*chain.from_iterable(filled.values())])
    numbers = _check_numbers(_to_array(values, whole=int in kinds), layout)
    if topics is None or docs is None or numbers is None:
        return None
    lengths = np.fromiter(map(len, filled.values()), np.int64, len(filled))
    of_row = np.repeat(np.arange(len(filled), dtype=np.int32), lengths)
    return Rows(RowTopics(tuple(filled), of_row), docs, numbers, lambda _: None, {"malformed": 0, "bad_scores": 0})


def _to_array(values: list[Any], *, whole: bool) -> Numbers | None:
    """Numbers as an array; None where a whole one is too large to be read alike in every form."""
    try:
        numbers = np.array(values, np.float64)
    except OverflowError:
        return None
    return None if whole and np.abs(numbers).max() >= LARGEST_WHOLE else numbers


def _make_column(names: list[Any]) -> pl.Series | None:
    """A column of names; None if one of them is empty, is no text, or cannot be encoded."""
    try:
        return _check_column(pl.Series(names, dtype=pl.String))
    except (TypeError, ValueError):  # of other types, or half a surrogate pair
        return None


def _check_column(names: pl.Series) -> pl.Series | None:
    """The column, if no name in it is missing, empty or has a zero byte, which is refused."""
    if names.dtype != pl.String or names.null_count():
        return None
    # Looking for the zero byte in each name takes twice as long as in all of them, joined.
    irregular = (names.str.len_bytes() == 0).any() or "\0" in names.str.join()[0]
    return None if irregular else names.rechunk()


def _check_numbers(numbers: Numbers | None, layout: FileLayout) -> Numbers | None:
    """Scores, or relevance as whole numbers; None where one is out of range or not a number."""
    if numbers is None or numbers.dtype.kind not in "fiu":
        return None
    values = numbers.astype(np.float64, copy=False)
    largest = float(np.abs(values).max(initial=0))  # NaN if any is
    if not largest < layout.limit:
        return None
    if not layout.whole:
        return values
    return values.astype(np.int64) if (values == np.round(values)).all() else None


def _scan_frame(frame: Any, layout: FileLayout, *, with_ranks: bool) -> Rows | None:
    """The rows of a frame whose names are texts and whose numbers are numbers, none of them missing."""
    names = [*frame.columns]
    if not all(isinstance(name, str) for name in names) or len({*names}) < len(names) or not len(frame):
        return None
    topic, doc, value, rank = (find_column(names, name) for name in ("topic_id", "doc_id", layout.value, "rank"))
    if topic is None or doc is None or value is None or (rank is None and with_ranks) or (rank and layout is not RUN):
        return None
    numbers = _check_numbers(_stored_numbers(frame[value]), layout)
    places = None if rank is None else _check_numbers(_stored_numbers(frame[rank]), layout)
    if numbers is None or (rank is not None and places is None):
        return None
    make = _check_column if _is_of(frame, "polars") else _read_pandas
    topics, docs = make(frame[topic]), make(frame[doc])
    if topics is None or docs is None:
        return None
    ranks = None if places is None else places.astype(np.float64, copy=False)
    return Rows(
        RowTopics.from_column(topics), docs, numbers, lambda row: row + 1, {"malformed": 0, "bad_scores": 0}, ranks
    )


def _is_of(frame: Any, library: str) -> bool:
    return type(frame).__module__.partition(".")[0] == library


def _stored_numbers(column: Any) -> Numbers | None:
    """The numbers of a column without missing ones."""
    return None if _is_of(column, "polars") and column.null_count() else column.to_numpy()


def _read_pandas(names: Any) -> pl.Series | None:
    return _make_column(names.to_numpy(dtype=object).tolist())
