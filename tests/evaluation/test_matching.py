"""Judged documents are found in a run by key; joining texts, the plain way, finds the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from antecede import Run, read_qrels, read_run
from antecede.evaluation.rank_table import Matcher
from antecede.trec.rows import Texts, Topics, find_duplicates, hash_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from numpy.typing import NDArray


topics = st.sampled_from(["1", "2", "3", "4"])
documents = st.sampled_from(["a", "b", "c", "aa", "é", "x" * 50, "EP-1"])


def replace_hashes(monkeypatch: pytest.MonkeyPatch, hashes: Callable[[Topics, Texts], NDArray[np.uint64]]) -> None:
    for module in ("evaluation.rank_table", "trec.runs", "trec.qrels"):
        monkeypatch.setattr(sys.modules[f"antecede.{module}"], "hash_pairs", hashes)


@given(
    judged=st.dictionaries(topics, st.dictionaries(documents, st.integers(0, 2), min_size=1), min_size=1),
    found=st.dictionaries(topics, st.dictionaries(documents, st.floats(0, 1), min_size=1), min_size=1),
)
def test_keys_find_what_texts_find(judged: dict[str, dict[str, int]], found: dict[str, dict[str, float]]) -> None:
    qrels, run = read_qrels(judged), read_run(found)
    pairs, _, _ = Matcher(qrels).match(run)
    named = {(qrels.topics[qrels.topic[pair]], qrels.doc_ids[pair]) for pair in pairs.tolist()}
    assert named == {(t, d) for t in judged for d in judged[t] if d in found.get(t, {})}


def test_documents_whose_keys_meet_are_told_apart_by_their_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    # Real hashes almost never meet; here all do.
    monkeypatch.setattr(Texts, "hashes", property(lambda texts: np.zeros(len(texts), np.uint64)))
    judged = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"a": 1}}
    run = read_run({"1": {"c": 3.0, "x": 2.0, "a": 1.0}, "2": {"b": 1.0, "a": 0.5}, "9": {"a": 1.0}})
    qrels = read_qrels(judged)
    assert len(run) == 6, "documents with equal keys are no duplicates"
    pairs, rows, _ = Matcher(qrels).match(run)
    found = {
        (qrels.topics[qrels.topic[pair]], run.doc_ids[row], int(run.ranks[row]))
        for pair, row in zip(pairs.tolist(), rows.tolist(), strict=True)
    }
    assert found == {("1", "c", 1), ("1", "a", 3), ("2", "a", 2)}


def test_a_key_of_the_run_that_meets_a_judged_one_is_not_taken_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_sign(_topics: Topics, docs: Texts) -> NDArray[np.uint64]:
        return np.array([ord(text[0]) for text in docs.to_series()], np.uint64)

    replace_hashes(monkeypatch, first_sign)
    matcher = Matcher(read_qrels({"1": {"a1": 1, "b1": 1}}))
    run = read_run({"1": {"a2": 3.0, "b1": 2.0, "b2": 1.0}, "2": {"a1": 1.0}})
    assert [run.doc_ids[row] for row in matcher.match(run)[1].tolist()] == ["b1"]


def test_judged_documents_whose_keys_begin_alike_are_all_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def number(_topics: Topics, docs: Texts) -> NDArray[np.uint64]:
        return np.array([int(text) for text in docs.to_list()], np.uint64)

    replace_hashes(monkeypatch, number)
    judged = {"1": {"3": 1, "5": 1, "9": 0}}
    _, rows, _ = Matcher(read_qrels(judged)).match(read_run({"1": {"5": 3.0, "4": 2.0, "3": 1.0, "9": 0.5}}))
    assert sorted(rows.tolist()) == [0, 2, 3]


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


def test_a_run_of_other_topics_matches_nothing() -> None:
    run: Run = read_run({"9": {"a": 1.0}})
    pairs, _, topic_of = Matcher(read_qrels({"1": {"a": 1}})).match(run)
    assert (len(pairs), topic_of.tolist()) == (0, [-1])
