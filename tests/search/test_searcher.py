"""The search against one written down term by term, and the order it must keep."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.query.query import Query
from antecede.search import Searcher, parse_model
from tests.search import plain
from tests.search.worlds import (
    WITH_PARAMETERS,
    Document,
    collections,
    live_documents,
    memory_index,
    queries,
    usual_queries,
)

TOLERANCE = 1e-5
"""Of 32-bit numbers, relative to what was added up."""


@pytest.mark.slow
@given(model=st.sampled_from(WITH_PARAMETERS), segments=collections, query=queries, k=st.integers(1, 30))
def test_scores_are_those_of_the_books_best_first_and_equal_ones_by_name(
    model: str, segments: list[list[Document]], query: dict[str, float], k: int
) -> None:
    index = memory_index(*segments)
    parsed = parse_model(model)
    searcher = Searcher(index, model)
    found, whole = (searcher.search(Query.from_terms(query, "en"), most) for most in (k, 100))
    assert (found.doc_ids, found.scores.tolist()) == (whole.doc_ids[:k], whole.scores.tolist()[:k])
    pairs = [(-score, name.encode()) for score, name in zip(whole.scores.tolist(), whole.doc_ids, strict=True)]
    assert pairs == sorted({*pairs})
    query = {term: weight if abs(weight) > 1e-44 else 0.0 for term, weight in query.items()}
    wanted = plain.scores(
        live_documents(index), query, parsed.definition.name, parsed.definition.spell(parsed.parameters)
    )
    assert len(found) == min(k, len(wanted))
    for name, score in zip(found.doc_ids, found.scores.tolist(), strict=True):
        exact, added = wanted[name]
        assert abs(score - exact) <= TOLERANCE * added + 1e-37, name
    # No document that is left out is clearly better than the last one found.
    if len(found):
        last, added = wanted[found.doc_ids[-1]]
        for name in set(wanted) - set(found.doc_ids):
            assert wanted[name][0] <= last + 2 * TOLERANCE * max(added, wanted[name][1])


@given(terms=st.lists(st.sampled_from(["axle", "bolt"]), min_size=1, max_size=4), cut=st.integers(0, 20))
def test_documents_that_are_equal_are_in_the_order_of_their_bytes(terms: list[str], cut: int) -> None:
    names = [f"EP{number}" for number in range(18)] + ["ÉP1", "Zürich"]
    documents = [Document(name, tuple(terms)) for name in reversed(names)]
    index = memory_index(documents[:cut], documents[cut:]) if 0 < cut < 20 else memory_index(documents)
    for k in (1, 3, 19, 20, 100):
        found = Searcher(index).search(Query.from_terms({"axle": 1.0, "bolt": 2.0}, "en"), k)
        assert list(found.doc_ids) == sorted(names, key=str.encode)[:k]


@pytest.mark.slow
@given(model=st.sampled_from(WITH_PARAMETERS), segments=collections, query=queries)
def test_one_go_and_bit_by_bit_agree_to_the_last_digit(
    model: str, segments: list[list[Document]], query: dict[str, float]
) -> None:
    apart = memory_index(*segments)
    together = memory_index(live_documents(apart))
    one, other = (Searcher(index, model).search(Query.from_terms(query, "en"), 50) for index in (apart, together))
    assert one.doc_ids == other.doc_ids
    assert one.scores.tobytes() == other.scores.tobytes()
    assert set(one.unmatched) == set(other.unmatched)


def test_many_threads_on_one_searcher_learn_the_same_terms_at_once() -> None:
    random = np.random.default_rng(1)
    words = [f"w{number}" for number in range(3000)]
    documents = [
        Document(f"EP{at}", tuple(random.choice(words, 40).tolist() + random.choice(words[:20], 20).tolist()))
        for at in range(300)
    ]
    index = memory_index(documents)
    asked = [Query.from_terms(dict.fromkeys(random.choice(words, 60).tolist(), 1.0), "en") for _ in range(80)]
    wanted = [Searcher(index).search(query, 50).doc_ids for query in asked]
    for _ in range(3):
        searcher = Searcher(index)
        with ThreadPoolExecutor(8) as pool:
            assert [each.doc_ids for each in pool.map(lambda q: searcher.search(q, 50), asked)] == wanted  # noqa: B023


@given(segments=collections, query=usual_queries)
def test_unknown_terms_are_named_and_change_nothing(segments: list[list[Document]], query: dict[str, float]) -> None:
    searcher = Searcher(memory_index(*segments))
    known = {term for each in live_documents(searcher.index) for term in each.terms}
    plain_one = searcher.search(Query.from_terms(query, "en"), 50)
    odd = searcher.search(Query.from_terms({**query, "nowhere": 3.0}, "en"), 50)
    assert odd.doc_ids == plain_one.doc_ids
    assert odd.scores.tobytes() == plain_one.scores.tobytes()
    assert set(odd.unmatched) == {"nowhere", *query} - known


@given(segments=collections, query=queries)
def test_a_term_of_weight_0_is_as_good_as_not_there(segments: list[list[Document]], query: dict[str, float]) -> None:
    searcher = Searcher(memory_index(*segments), "lm_dirichlet")
    bare = {term: weight for term, weight in query.items() if weight}
    with_it, without = (searcher.search(Query.from_terms(each, "en"), 50) for each in ({**bare, "gear": 0.0}, bare))
    if "gear" not in bare:
        assert with_it.doc_ids == without.doc_ids
        assert with_it.scores.tobytes() == without.scores.tobytes()


def test_weights_below_what_32_bits_can_tell_from_0_still_find_their_documents() -> None:
    searcher = Searcher(
        memory_index([Document("EP1", ("axle",)), Document("EP2", ("bolt",)), Document("EP3", ("cam",))])
    )
    found = searcher.search(Query.from_terms({"axle": 1.0, "bolt": 1e-40}, "en"), 10)
    assert found.doc_ids == ("EP1", "EP2")


def test_a_document_that_only_counts_against_the_query_comes_last() -> None:
    documents = [Document("EP1", ("axle",)), Document("EP2", ("axle", "bolt")), Document("EP3", ("bolt",))]
    found = Searcher(memory_index(documents)).search(Query.from_terms({"axle": 2.0, "bolt": -1.0}, "en"), 10)
    assert found.doc_ids == ("EP1", "EP2", "EP3")
    assert found.scores[2] < 0 < found.scores[0]


def test_what_cannot_be_searched_is_said() -> None:
    searcher = Searcher(memory_index([Document("EP1", ("axle",))]))
    with pytest.raises(UsageError, match="k must be 1 or more, not 0"):
        searcher.search(Query.from_terms({"axle": 1.0}, "en"), 0)
    with pytest.raises(UsageError, match="no documents in language 'ru'; it has en"):
        searcher.search(Query.from_terms({"axle": 1.0}, "ru"), 5)
    with pytest.raises(UsageError, match="2 terms has 1 weights"):
        Query(("axle", "bolt"), np.ones(1), "en")
