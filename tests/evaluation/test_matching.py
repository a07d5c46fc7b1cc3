"""Judged documents are found in a run by key; joining texts, the plain way, finds the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import read_qrels, read_run
from antecede.evaluation.rank_table import Matcher
from antecede.trec.rows import Texts, Topics, find_duplicates, hash_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


topics = st.sampled_from(["1", "2", "3", "4"])
documents = st.sampled_from(["a", "b", "c", "aa", "é", "x" * 50, "EP-1"])

HASHES: dict[str, Callable[[Topics, Texts], NDArray[np.uint64]] | None] = {
    "real": None,  # which almost never meet
    "all equal": lambda _, docs: np.zeros(len(docs), np.uint64),
    "by first letter": lambda _, docs: np.array([ord(text[0]) for text in docs.to_list()], np.uint64),
    "small numbers, which begin alike": lambda _, docs: np.array([len(text) for text in docs.to_list()], np.uint64),
}


@pytest.mark.parametrize("kind", HASHES)
@given(
    judged=st.dictionaries(topics, st.dictionaries(documents, st.integers(0, 2), min_size=1), min_size=1),
    found=st.dictionaries(topics, st.dictionaries(documents, st.floats(0, 1), min_size=1), min_size=1),
)
def test_keys_find_what_texts_find(
    kind: str, judged: dict[str, dict[str, int]], found: dict[str, dict[str, float]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("evaluation.rank_table", "trec.runs", "trec.qrels"):
            patch.setattr(sys.modules[f"antecede.{module}"], "hash_pairs", HASHES[kind] or hash_pairs)
        qrels, run = read_qrels(judged), read_run(found)
        pairs, rows, topic_of = Matcher(qrels).match(run)
    assert len(run) == sum(map(len, found.values())), "documents with equal keys are no duplicates"
    named = [(qrels.topics[qrels.topic[pair]], qrels.doc_ids[pair]) for pair in pairs.tolist()]
    assert named == [(run.topics[run.topic[row]], run.doc_ids[row]) for row in rows.tolist()]
    assert sorted(named) == sorted((t, d) for t in judged for d in judged[t] if d in found.get(t, {}))
    assert [at >= 0 for at in topic_of.tolist()] == [topic in judged for topic in run.topics]


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=30),
    same_keys=st.booleans(),
)
def test_find_duplicates_are_those_of_a_plain_count(rows: list[tuple[int, str]], same_keys: bool) -> None:
    docs = Texts.from_list([doc for _, doc in rows])
    topics = Topics.from_series(pl.Series(["abcd"[topic] for topic, _ in rows]))
    keys = np.zeros(len(rows), np.uint64) if same_keys else hash_pairs(topics, docs)
    found = find_duplicates(keys, topics.of_row, docs)
    expected = [[at for at, each in enumerate(rows) if each == row] for row in dict.fromkeys(rows)]
    assert sorted(group.tolist() for group in found) == sorted(group for group in expected if len(group) > 1)
