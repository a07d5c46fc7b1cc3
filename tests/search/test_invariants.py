"""Properties that hold for every registered ranking model. A new model is tested here without another line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.query.query import Query
from antecede.ranking.models import CollectionFacts, Postings
from antecede.search import Searcher, explain, parse_model
from antecede.search.explain import sum_shares
from tests.search import plain
from tests.search.worlds import (
    EVERY_MODEL,
    WITH_PARAMETERS,
    Document,
    collections,
    memory_index,
    queries,
    usual_queries,
)

MODELS = [parse_model(each) for each in WITH_PARAMETERS]
UNUSUAL = {"pl2"}
"""Measures how far a count is from what chance gives: a term that is rarer than chance says counts for more, too."""
steady = [each for each in MODELS if each.definition.name not in UNUSUAL]


@st.composite
def a_posting(draw: st.DrawFn) -> tuple[int, int, int, int, CollectionFacts]:
    """Count, length, df and cf of a term in a document of some collection that could be."""
    documents = draw(st.integers(2, 10**7))
    average = draw(st.floats(10, 5000))
    count = draw(st.integers(1, 1000))
    length = draw(st.integers(count, count + 10**5))
    df = draw(st.integers(1, documents))
    cf = draw(st.integers(max(df, count), max(df, count) + 10**6))
    tokens = max(int(documents * average), cf + length)
    return count, length, df, cf, CollectionFacts(documents, tokens, tokens / documents)


def impacts(model: object, count: object, length: object, df: object, cf: object, facts: CollectionFacts) -> np.ndarray:
    values = np.broadcast_arrays(*(np.atleast_1d(np.asarray(each, np.float64)) for each in (count, length, df, cf)))
    found: np.ndarray = model.impacts(Postings(*values), facts)  # type: ignore[attr-defined]
    return found


def test_every_model_has_a_plain_one_to_be_compared_with() -> None:
    assert set(EVERY_MODEL) == set(plain.MODELS)


@given(model=st.sampled_from(MODELS), posting=a_posting())
def test_an_impact_is_a_finite_number(model: object, posting: tuple[int, int, int, int, CollectionFacts]) -> None:
    assert np.isfinite(impacts(model, *posting)).all()


@given(model=st.sampled_from(steady), posting=a_posting(), more=st.integers(1, 100))
def test_more_occurrences_never_lower_the_score(
    model: object, posting: tuple[int, int, int, int, CollectionFacts], more: int
) -> None:
    count, length, df, cf, facts = posting
    few, many = impacts(model, [count, count + more], length + more, df, cf + more, facts)
    assert many >= few


@given(model=st.sampled_from(steady), posting=a_posting(), factor=st.integers(2, 50))
def test_a_rarer_term_weighs_more(
    model: object, posting: tuple[int, int, int, int, CollectionFacts], factor: int
) -> None:
    count, length, df, cf, facts = posting
    common = min(df * factor, facts.documents)
    if common > df:
        rare, often = impacts(model, count, length, [df, common], [cf, cf * factor], facts)
        assert rare > often


@given(model=st.sampled_from(steady), posting=a_posting())
def test_a_posting_counts_for_the_document(model: object, posting: tuple[int, int, int, int, CollectionFacts]) -> None:
    assert impacts(model, *posting)[0] > 0


@pytest.mark.parametrize("model", WITH_PARAMETERS)
def test_an_impact_does_not_depend_on_its_neighbours(model: str) -> None:
    """Else one go and bit by bit could differ in the last digit."""
    random = np.random.default_rng(3)
    size = 1000
    count = random.integers(1, 60, size)
    df = random.integers(1, 9000, size)
    length, cf = count + random.integers(1, 4000, size), df + count
    facts = CollectionFacts(10_000, 10**7, 1000.0)
    parsed = parse_model(model)
    whole = impacts(parsed, count, length, df, cf, facts)
    for start, end in [(0, 1), (1, 2), (3, 10), (5, 22), (900, 1000), (999, 1000)]:
        here = slice(start, end)
        part = impacts(parsed, count[here], length[here], df[here], cf[here], facts)
        assert part.tobytes() == whole[start:end].tobytes()
    counts, lengths = count.astype(np.float64), length.astype(np.float64)
    alone = parsed.impacts(Postings(counts, lengths, np.array([7.0]), np.array([70.0])), facts)
    assert alone.tobytes() == impacts(parsed, count, length, 7, 70, facts).tobytes()


@pytest.mark.slow
@given(model=st.sampled_from(WITH_PARAMETERS), segments=collections, query=usual_queries, seed=st.integers(0, 99))
def test_the_order_of_terms_does_not_matter(
    model: str, segments: list[list[Document]], query: dict[str, float], seed: int
) -> None:
    searcher = Searcher(memory_index(*segments), model)
    straight = Query.from_terms(query, "en")
    mixed = np.random.default_rng(seed).permutation(len(straight))
    turned = Query(tuple(straight.terms[at] for at in mixed.tolist()), straight.weights[mixed], "en")
    one, other = searcher.search(straight, 100), searcher.search(turned, 100)
    scores = dict(zip(other.doc_ids, other.scores.tolist(), strict=True))
    assert set(scores) == set(one.doc_ids)
    for rank, (name, score) in enumerate(zip(one.doc_ids, one.scores.tolist(), strict=True), 1):
        added = sum(abs(share.score) for share in explain(searcher, straight, one, rank))
        assert scores[name] == pytest.approx(score, abs=1e-6 * added)


@pytest.mark.slow
@given(model=st.sampled_from(WITH_PARAMETERS), segments=collections, query=queries)
def test_shares_add_up_to_the_score_bit_for_bit(
    model: str, segments: list[list[Document]], query: dict[str, float]
) -> None:
    searcher = Searcher(memory_index(*segments), model)
    asked = Query.from_terms(query, "en")
    found = searcher.search(asked, 100)
    there = {each.name: each for part in segments for each in part}
    for rank, name in enumerate(found.doc_ids, 1):
        shares = explain(searcher, asked, found, rank)
        assert np.float32(sum_shares(shares)).tobytes() == (found.scores[rank - 1] + np.float32(0)).tobytes()
        named = [share.term for share in shares if share.term is not None]
        assert named == [term for term in asked.terms if term in there[name].terms and query[term] != 0]
