"""The short way for dicts and frames gives the rows of the careful one, and leaves everything irregular to that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.trec.frames import rows_from_frame, to_frame
from antecede.trec.layout import QRELS, RUN
from antecede.trec.memory import scan_memory

if TYPE_CHECKING:
    from antecede.trec.layout import FileLayout
    from antecede.trec.rows import Rows

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)
SCORES = st.one_of(st.floats(-1e18, 1e18), st.integers(-(2**53), 2**53))
REGULAR = {"t1": {"a": 2.5, "b": 1}, "t2": {"a": 0.5}}


def columns_of(rows: Rows) -> tuple[object, ...]:
    ranks = None if rows.ranks is None else rows.ranks.tolist()
    return rows.topics.names, rows.topics.of_row.tolist(), rows.docs.to_list(), rows.numbers.tolist(), ranks, rows.odd


def read_with_care(given: object, layout: FileLayout) -> Rows:
    return rows_from_frame(to_frame(given, layout, "x"), "x", layout, "error")


def frame_of(run: dict[str, dict[str, Any]], value: str) -> dict[str, list[Any]]:
    rows = [(topic, doc, number) for topic, documents in run.items() for doc, number in documents.items()]
    return {name: [row[at] for row in rows] for at, name in enumerate(("topic_id", "doc_id", value))}


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, SCORES, min_size=1, max_size=5), min_size=1, max_size=4))
def test_a_run_has_the_same_rows_in_both_ways(run: dict[str, dict[str, float]]) -> None:
    columns = {name: pl.Series(values, strict=False) for name, values in frame_of(run, "score").items()}
    for form in (run, pl.DataFrame(columns), pd.DataFrame(frame_of(run, "score"))):
        rows = scan_memory(form, RUN)
        assert rows is not None
        assert columns_of(rows) == columns_of(read_with_care(form, RUN))


def test_qrels_ranks_and_lines_are_read_too() -> None:
    rows = scan_memory({"t": {"a": 1, "b": 0}}, QRELS)
    assert rows is not None
    assert rows.numbers.tolist() == [1, 0]
    assert rows.numbers.dtype == np.int64
    columns = {"qid": ["t", "t", "u"], "docno": ["a", "b", "a"], "score": [3, 2, 1], "rank": [0, 1, 0]}
    for frame in (pl.DataFrame(columns), pd.DataFrame(columns)):
        ranked = scan_memory(frame, RUN)
        assert ranked is not None
        assert columns_of(ranked) == columns_of(read_with_care(frame, RUN))
        assert ranked.line_of(2) == 3


NO_SCORE = pl.Series([None], dtype=pl.Float64)
IRREGULAR: dict[str, Any] = {
    "an empty dict": {},
    "no dicts inside": {"t": [1, 2]},
    "a number as a topic": {1: {"a": 1.0}},
    "a number as a document": {"t": {1: 1.0}},
    "an empty name": {"t": {"": 1.0}},
    "a zero byte in a document": {"t": {"a\0b": 1.0}},
    "a zero byte in a topic": {"t\0": {"a": 1.0}},
    "half a surrogate pair": {"t": {"\ud800": 1.0}},
    "a score as text": {"t": {"a": "1.5"}},
    "no score": {"t": {"a": None}},
    "not a number": {"t": {"a": float("nan")}},
    "infinite": {"t": {"a": float("inf")}},
    "an immense whole number": {"t": {"a": 2**70}},
    "a frame without scores": pl.DataFrame({"topic_id": ["t"], "doc_id": ["a"]}),
    "a missing document in polars": pl.DataFrame({"topic_id": ["t"], "doc_id": [None], "score": [1.0]}),
    "a missing score in polars": pl.DataFrame({"topic_id": ["t"], "doc_id": ["a"], "score": NO_SCORE}),
    "numbers as topics": pl.DataFrame({"topic_id": [1], "doc_id": ["a"], "score": [1.0]}),
    "a missing document in pandas": pd.DataFrame({"topic_id": ["t"], "doc_id": [None], "score": [1.0]}),
    "a missing score in pandas": pd.DataFrame({"topic_id": ["t"], "doc_id": ["a"], "score": [float("nan")]}),
    "scores as texts in pandas": pd.DataFrame({"topic_id": ["t"], "doc_id": ["a"], "score": ["1.5"]}),
    "a frame without rows": pd.DataFrame({"topic_id": [], "doc_id": [], "score": []}),
    "a lazy frame": pl.LazyFrame({"topic_id": ["t"], "doc_id": ["a"], "score": [1.0]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", IRREGULAR)
def test_what_is_irregular_is_left_to_the_careful_way(kind: str) -> None:
    assert scan_memory(IRREGULAR[kind], RUN) is None


def test_qrels_need_whole_numbers_and_no_ranks() -> None:
    assert scan_memory({"t": {"a": 0.5}}, QRELS) is None
    assert scan_memory({"t": {"a": 10**9}}, QRELS) is None
    ranked = pl.DataFrame({"topic_id": ["t"], "doc_id": ["a"], "score": [1], "rank": [1]})
    assert scan_memory(ranked, QRELS) is None
