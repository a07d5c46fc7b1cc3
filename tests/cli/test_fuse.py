"""Fused runs: every method against plain Python, topic by topic."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import UsageError, fuse, read_run
from antecede.fusion import FUSIONS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Program

Run = dict[str, dict[str, float]]


def plainly(name: str, rankings: list[dict[str, float]]) -> dict[str, float]:
    votes: dict[str, list[float]] = {doc: [] for ranking in rankings for doc in ranking}
    pool = len(votes)
    for ranking in rankings:
        low, high = min(ranking.values()), max(ranking.values())
        order = sorted(ranking, key=lambda doc: (ranking[doc], doc.encode()), reverse=True)
        for rank, doc in enumerate(order, 1):
            scaled = (ranking[doc] - low) / (high - low) if high > low else 1.0
            absent = (pool - len(ranking) + 1) / 2 if len(ranking) < pool else 0.0
            by_rank = {"rrf": 1 / (60 + rank), "isr": 1 / rank**2, "borda": pool - rank + 1 - absent}
            votes[doc].append(by_rank.get(name, scaled))
    combinations: dict[str, Callable[[list[float]], float]] = {
        "combmnz": lambda each: sum(each) * len(each),
        "isr": lambda each: sum(each) * len(each),
        "combanz": lambda each: sum(each) / len(each),
        "combmax": max,
        "combmin": min,
        "combmed": median,
    }
    combine = combinations.get(name, sum)
    return {doc: float(combine(each)) for doc, each in votes.items()}


runs = st.lists(
    st.dictionaries(
        st.sampled_from(["1", "2"]),
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 6).map(float), min_size=1),
        min_size=1,
    ),
    min_size=2,
    max_size=4,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUSIONS)
@given(given_runs=runs)
def test_every_method_is_what_it_says(name: str, given_runs: list[Run]) -> None:
    fused = fuse(given_runs, name).to_polars()
    for topic in {topic for run in given_runs for topic in run}:
        expected = plainly(name, [run[topic] for run in given_runs if topic in run])
        found = fused.filter(fused["topic_id"] == topic)
        assert dict(zip(found["doc_id"], found["score"], strict=True)) == pytest.approx(expected)
        assert found["score"].to_list() == sorted(found["score"], reverse=True)


def test_borda_by_hand() -> None:
    """Three candidates; a ranking of two gives 3 and 2, and the third document the point that is left."""
    fused = fuse([{"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3.0, "c": 2.0, "a": 1.0}}], "borda").to_polars()
    # a: 3 + 1, b: 2 + 3, c: 1 + 2; one point is taken from each, since the first ranking gives it to everybody.
    assert dict(zip(fused["doc_id"], fused["score"], strict=True)) == {"b": 4.0, "a": 3.0, "c": 2.0}


def test_weights_multiply_the_votes() -> None:
    one, other = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"c": 9.0, "a": 1.0}, "2": {"x": 1.0}}
    fused = fuse([one, other], "combsum", weights=[2, 0.5]).to_polars()
    # a: 2 · 1 + .5 · 0, b: 2 · .5, c: 2 · 0 + .5 · 1; topic 2 is in the second run only.
    assert list(fused.select("doc_id", "score").iter_rows()) == [("a", 2.0), ("b", 1.0), ("c", 0.5), ("x", 0.5)]
    for name in FUSIONS:
        plain, doubled = (fuse([one, other], name, weights=each).to_polars() for each in ([1, 1], [2, 2]))
        assert plain.equals(fuse([one, other], name).to_polars())
        assert doubled["score"].to_list() == (2 * plain["score"]).to_list()


def test_the_best_k_and_what_is_refused() -> None:
    one, other = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3.0, "c": 2.0}, "2": {"x": 1.0}}
    assert len(fuse([one, other], k=1)) == 2
    with pytest.raises(UsageError, match="needs at least two runs, but got 1"):
        fuse([one])
    with pytest.raises(UsageError, match="unknown fusion 'sum'; available: rrf, combsum"):
        fuse([one, other], "sum")
    with pytest.raises(UsageError, match="k must be 1 or more"):
        fuse([one, other], k=0)
    with pytest.raises(UsageError, match="a fusion of 2 runs needs 2 weights, but got 1"):
        fuse([one, other], weights=[1])
    with pytest.raises(UsageError, match="weights must be"):
        fuse([one, other], weights=[1, float("nan")])


def test_k_is_the_number_of_documents_and_rrf_k_the_constant_of_rrf(here: Path, program: Program) -> None:
    small = program("fuse", "good.run", "poor.run", "--by", "rrf", "-k", "60", "--out", "a.run", "--json")
    assert small.err == "antecede: -k 60 is the number of documents per topic; the constant of rrf is --rrf-k (60)\n"
    assert small.json["rrf_k"] == 60
    given_constant = program("fuse", "good.run", "poor.run", "--rrf-k", "1", "-k", "2", "--out", "b.run")
    assert given_constant.err == ""
    assert given_constant.out == "b.run: rrf (constant 1) of 2 runs, 3 topics, 4 documents\n"
    found = read_run("b.run").to_polars()
    # Topic 1: x is third and first, b second in both; of a, which is first once, two documents are ahead.
    assert found.filter(found["topic_id"] == "1")["doc_id"].to_list() == ["x", "b"]
    assert found["score"].to_list()[:2] == pytest.approx([1 / 4 + 1 / 2, 1 / 3 + 1 / 3])
    assert program("fuse", "good.run", "poor.run", "--out", "c.run").err == ""


def test_the_verb_writes_a_run_that_is_read_again(here: Path, program: Program) -> None:
    done = program("fuse", "good.run", "poor.run", "--by", "combsum", "--out", "fused.run", "--json")
    assert done.code == 0, done.err
    assert done.json == {
        "fusion": "combsum",
        "runs": ["good.run", "poor.run"],
        "topics": 3,
        "documents": 5,
        "out": "fused.run",
    }
    run = read_run("fused.run")
    assert run.tag == "combsum"
    assert run.odd["rank_conflicts"] == 0
    first = run.to_polars().filter(run.to_polars()["topic_id"] == "1")
    # x: 0 + 1, a: 1 + nothing, b: 0.5 + 0; equal sums by name, descending.
    assert first["doc_id"].to_list() == ["x", "a", "b"]
    assert first["score"].to_list() == [1.0, 1.0, 0.5]
    refused = program("fuse", "good.run", "poor.run", "--by", "borda", "--rrf-k", "60", "--out", "x.run")
    assert refused.err == ("antecede: rrf_k is the constant of rrf, and borda has none; leave it out, or fuse by rrf\n")
    refused = program("fuse", "good.run", "poor.run", "--out", "good.run")
    assert (refused.code, "is read by this call" in refused.err) == (2, True)
    refused = program("fuse", "good.run", "--out", "x.run")
    assert refused.err == "antecede: a fusion needs at least two runs, but got 1; add another run\n"
    by_rank = program("fuse", "good.run", "poor.run", "--order", "rank", "--by", "combsum", "--out", "ranks.run")
    assert by_rank.code == 0
