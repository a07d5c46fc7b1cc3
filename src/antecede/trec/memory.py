"""Runs and qrels in memory → rows, without a copy of each name: dicts of dicts, and frames of polars and pandas.

This is the short way for input in which nothing is irregular. Of everything else `scan_memory` returns None, and
`frames` reads it with care and says what is wrong. Ten runs of TREC-8 as dicts take a quarter of the time so, as pandas
frames a tenth.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.trec.reader import RUN, find_column
from antecede.trec.rows import WINDOW, ByteTexts, Rows, RowTopics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.trec.reader import Layout

    Numbers = NDArray[np.number[Any]]

SEPARATOR = "\0"
"""Between joined names. No name may contain it, so joined names that have one more of them are irregular."""
LARGEST_WHOLE = 2.0**63
"""Whole numbers below this are floating-point numbers in every way of reading them."""


def scan_memory(given: object, layout: Layout, *, with_ranks: bool = False) -> Rows | None:
    """The rows of regular input, with a rank column if it is needed; None where one has to look with care."""
    if isinstance(given, Mapping):
        return None if with_ranks else _scan_dict(given, layout)
    framed = type(given).__name__ == "DataFrame" and (_is_of(given, "pandas") or _is_of(given, "polars"))
    return _scan_frame(given, layout, with_ranks=with_ranks) if framed else None


def _scan_dict(given: Mapping[Any, Any], layout: Layout) -> Rows | None:
    """The rows of {topic: {document: number}}."""
    filled = {topic: documents for topic, documents in given.items() if documents}
    if not filled or not all(isinstance(documents, dict) for documents in filled.values()):
        return None
    values = [*chain.from_iterable(documents.values() for documents in filled.values())]
    kinds = {*map(type, values)}
    if not kinds <= {float, int, np.float64, np.float32, np.int64, np.int32}:
        return None
    lengths = np.fromiter(map(len, filled.values()), np.int64, len(filled))
    docs = join_names([*chain.from_iterable(filled.values())])
    numbers = _check_numbers(_to_array(values, whole=int in kinds), layout)
    topics = _make_topics([*filled], np.cumsum(lengths) - lengths, len(values))
    if docs is None or numbers is None or topics is None:
        return None
    return Rows(topics, docs, numbers, lambda _: None, {"malformed": 0, "bad_scores": 0})


def _to_array(values: list[Any], *, whole: bool) -> Numbers | None:
    """Numbers as an array; None where a whole one is too large to be read alike in every form."""
    try:
        numbers = np.array(values, np.float64)
    except OverflowError:
        return None
    return None if whole and np.abs(numbers).max() >= LARGEST_WHOLE else numbers


def join_names(names: Sequence[Any]) -> ByteTexts | None:
    """Names as bytes; None if one of them is empty, is no text, cannot be encoded, or contains a zero byte."""
    try:
        data = (SEPARATOR.join(names) + SEPARATOR * WINDOW).encode()
    except (TypeError, UnicodeEncodeError):
        return None
    return _split_names(data, len(names))


def _split_names(data: bytes, number: int) -> ByteTexts | None:
    """Names that were joined by separators, and followed by as many as a window has bytes."""
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == 0)
    if len(ends) != number - 1 + WINDOW or not number:
        return None
    ends = ends[:number]
    begin = np.concatenate(([0], ends[:-1] + 1))
    return ByteTexts(data, begin, ends - begin) if (ends > begin).all() else None


def _check_numbers(numbers: Numbers | None, layout: Layout) -> Numbers | None:
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


def _scan_frame(frame: Any, layout: Layout, *, with_ranks: bool) -> Rows | None:
    """The rows of a frame whose names are texts and whose numbers are numbers, none of them missing."""
    names = [*frame.columns]
    if not all(isinstance(name, str) for name in names) or len({*names}) < len(names) or not len(frame):
        return None
    topic, doc, value, rank = (find_column(names, name) for name in ("topic_id", "doc_id", layout.value, "rank"))
    if topic is None or doc is None or value is None or (rank is None and with_ranks) or (rank and layout is not RUN):
        return None
    stored = [frame[name] for name in (value, *([] if rank is None else [rank]))]
    numbers, *ranks = (_check_numbers(_stored_numbers(column), layout) for column in stored)
    if numbers is None or (rank is not None and ranks[0] is None):
        return None
    read = _read_polars if _is_of(frame, "polars") else _read_pandas
    topics, docs = read(frame[topic], frame[doc])
    if topics is None or docs is None:
        return None
    return Rows(
        topics, docs, numbers, lambda row: row + 1, {"malformed": 0, "bad_scores": 0}, ranks[0] if ranks else None
    )


def _is_of(frame: Any, library: str) -> bool:
    return type(frame).__module__.partition(".")[0] == library


def _stored_numbers(column: Any) -> Numbers | None:
    """The numbers of a column without missing ones."""
    return None if _is_of(column, "polars") and column.null_count() else column.to_numpy()


def _read_polars(topic: Any, doc: Any) -> tuple[RowTopics | None, ByteTexts | None]:
    if any(str(column.dtype) != "String" or column.null_count() for column in (topic, doc)):
        return None, None
    changes = topic.rle().struct.unnest()
    lengths = changes["len"].to_numpy().astype(np.int64)
    joined = doc.str.join(SEPARATOR)[0] + SEPARATOR * WINDOW
    return _make_topics(changes["value"].to_list(), np.cumsum(lengths) - lengths, len(doc)), _split_names(
        joined.encode(), len(doc)
    )


def _read_pandas(topic: Any, doc: Any) -> tuple[RowTopics | None, ByteTexts | None]:
    topics = topic.to_numpy(dtype=object)
    try:
        starts = np.flatnonzero(np.concatenate(([True], topics[1:] != topics[:-1])))
    except (TypeError, ValueError):  # values that cannot be compared, such as missing ones
        return None, None
    docs = join_names(doc.to_numpy(dtype=object).tolist())
    return (None, None) if docs is None else (_make_topics(topics[starts].tolist(), starts, len(topics)), docs)


def _make_topics(names: list[Any], starts: NDArray[np.int64], rows: int) -> RowTopics | None:
    """The topic of each row, from those where it changes."""
    return None if join_names(names) is None else RowTopics.from_changes(names, starts, rows)
