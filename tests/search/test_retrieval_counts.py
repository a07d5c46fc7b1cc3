"""Counting retrievals equals searching with every method and model, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import antecede as ac
from antecede.errors import AntecedeError, UsageError
from antecede.models import MODELS
from antecede.query.methods import METHODS
from antecede.search import Ranker
from antecede.search.retrieval_counts import count_retrievals

if TYPE_CHECKING:
    from tests.search.worlds import Shelf

WORDS = ("valve", "seat", "spring", "pump", "node", "mesh", "router", "packet", "lens", "mirror", "laser", "beam")


@pytest.fixture(scope="module")
def index(shelf: Shelf) -> ac.Index:
    """Twenty-four made-up patents in two parts."""
    rng = np.random.default_rng(1)
    patents = []
    for number in range(24):
        words = rng.choice(WORDS, 40, p=rng.dirichlet(np.full(len(WORDS), 0.4)))
        sentences = ". ".join(" ".join(words[at : at + 8]) for at in range(0, 40, 8))
        patents.append(
            {
                "doc_id": f"EP{1000001 + number}",
                "language": "en",
                "publication_date": f"{1990 + number % 5}-05-01",
                "ipc": ["H04L 12/56" if number % 2 else "F16K 1/00"],
                "title": " ".join(words[:2]),
                "description": {"en": f"{sentences}. Patent {number}."},
            }
        )
    return shelf.index("retrievals", patents[:16], patents[16:])


@pytest.mark.slow
def test_every_method_and_model_as_if_searched_alone(index: ac.Index) -> None:
    topics = [index.patent(f"EP{1000001 + number}") for number in range(0, 24, 3)]
    counts = count_retrievals(index, topics, cutoffs=[2, 5])
    assert counts.systems == tuple((method, model) for method in METHODS for model in MODELS)
    at = {doc_id: place for place, doc_id in enumerate(counts.doc_ids)}
    assert len(at) == 24
    for system, (method, model) in enumerate(counts.systems):
        expected = np.zeros((2, 24))
        ranker = Ranker(index, ac.SearchSettings(method=(method,), model=model, k=5, before="off"))
        queries = 0
        for topic in topics:
            try:
                ranking = ranker.rank(topic)
            except AntecedeError:  # so few words that a method leaves none of them
                continue
            queries += 1
            for rank, found in enumerate(ranking.doc_ids, 1):
                expected[0, at[found]] += rank <= 2
                expected[1, at[found]] += 1
        assert np.array_equal(counts.weights[system], expected), (method, model)
        assert counts.queries[system] == queries
    assert counts.queries.sum() + sum(counts.failed.values()) == len(topics) * len(counts.systems)


def test_the_sum_of_gravity_scores_and_what_is_known_of_the_documents(index: ac.Index) -> None:
    counts = count_retrievals(index, methods=["tf"], models=["bm25"], cutoffs=[3], sample=None, gravity=1.0)
    assert counts.weights.sum() == pytest.approx(24 * (1 + 1 / 2 + 1 / 3))
    assert counts.attributes["class"][:2] == ("F16", "H04")
    assert counts.attributes["year"][:2] == ("1990", "1991")
    assert set(counts.attributes["language"]) == {"en"}
    assert (counts.lengths > 30).all()


def test_a_sample_is_reproducible_and_has_its_size(index: ac.Index) -> None:
    one, same = (count_retrievals(index, methods=["tf"], models=["bm25"], sample=6, seed=3) for _ in range(2))
    assert np.array_equal(one.weights, same.weights)
    assert one.topics == one.queries[0] == 6


def test_short_queries_are_words_of_the_documents(index: ac.Index) -> None:
    counts = count_retrievals(index, models=["bm25", "tfidf"], sample=None, words=2, cutoffs=[24])
    assert counts.systems == (("words", "bm25"), ("words", "tfidf"))
    assert counts.queries.tolist() == [24, 24]
    assert (counts.weights[:, 0].sum(axis=1) >= 24).all()


def test_given_texts_and_the_ranks_of_relevant_documents(index: ac.Index) -> None:
    patent = index.patent("EP1000003")
    first = Ranker(index, ac.SearchSettings(method=("tf",), model="bm25", before="off")).rank(patent).doc_ids
    counts = count_retrievals(
        index, [patent], methods=["tf"], models=["bm25"], judgements={"EP1000003": [first[0], first[2], "EP1"]}
    )
    assert counts.judged == tuple(("EP1000003", doc_id) for doc_id in (first[0], first[2], "EP1"))
    assert counts.ranks is not None
    assert counts.ranks.tolist() == [[1, 3, 0]]
    texts = count_retrievals(index, ["valve spring", "zzz"], methods=["tf"], models=["bm25"], cutoffs=[24])
    assert texts.topics == 2
    assert texts.weights.sum() > 0


@pytest.mark.slow
def test_several_processes_count_the_same(index: ac.Index) -> None:
    one, two = (
        count_retrievals(index, methods=["tf", "qr"], models=["bm25"], sample=None, workers=workers)
        for workers in (1, 2)
    )
    assert np.array_equal(one.weights, two.weights)


def test_failures_are_counted_and_bad_arguments_refused(index: ac.Index) -> None:
    empty = ac.Patent(doc_id="EP9", language="en", title={"en": "qqq"})
    counts = count_retrievals(index, [empty, index.patent("EP1000001")], methods=["tf"], models=["bm25"])
    assert sum(counts.failed.values()) == 1
    assert counts.queries.tolist() == [1]
    with pytest.raises(UsageError, match="no topic"):
        count_retrievals(index, [])
    with pytest.raises(UsageError, match="cut-off must be"):
        count_retrievals(index, cutoffs=[0])
    with pytest.raises(UsageError, match="sample must be"):
        count_retrievals(index, sample=0)
