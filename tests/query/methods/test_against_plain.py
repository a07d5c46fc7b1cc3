"""Each method gives what its formula says, worked out plainly from the texts of random collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import InputError
from antecede.index.filters import prior_art
from antecede.search.searcher import Searcher
from tests.query.plain import Plain
from tests.query.worlds import patent, world

if TYPE_CHECKING:
    from antecede.patent import Patent
    from antecede.query import Query
    from tests.query.worlds import Worlds

SEEDS = st.integers(0, 8)
PLAINLY = ("full", "uft", "tf", "tfidf", "logtfidf", "bm25", "lm")


def topic_of(seed: int, draw: int) -> Patent:
    """A patent of the world, or a new one that looks like it."""
    if draw % 2:
        patents = world(seed).patents
        return patents[draw % len(patents)]
    return patent(np.random.default_rng(draw), 2000000 + draw, family_id=f"F{draw % 12}")


def made(worlds: Worlds, seed: int, topic: Patent, method: str) -> Query | None:
    """All terms that a method gives, with their weights; None where it leaves none."""
    maker = worlds.maker(seed)
    try:
        return maker.make(maker.topic(topic), method, terms=10**6, weights="method").query
    except InputError:
        return None


def assert_same(query: Query | None, expected: dict[str, float]) -> None:
    expected = {term: weight for term, weight in expected.items() if weight > 1e-12}
    found = {} if query is None else dict(zip(query.terms, query.weights.tolist(), strict=True))
    found = {term: weight for term, weight in found.items() if weight > 1e-12}
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method", PLAINLY)
@given(seed=SEEDS, draw=st.integers(0, 200))
def test_a_formula(worlds: Worlds, method: str, seed: int, draw: int) -> None:
    topic = topic_of(seed, draw)
    assert_same(made(worlds, seed, topic, method), getattr(Plain(topic, world(seed).patents), method)())


@given(seed=SEEDS, draw=st.integers(0, 200), k1=st.floats(0, 5), b=st.floats(0, 1), k3=st.floats(0.1, 50))
def test_bm25_with_parameters(worlds: Worlds, seed: int, draw: int, k1: float, b: float, k3: float) -> None:
    topic = topic_of(seed, draw)
    k1, b, k3 = round(k1, 3), round(b, 3), round(k3, 3)
    query = made(worlds, seed, topic, f"bm25(k1={k1},b={b},k3={k3})")
    assert_same(query, Plain(topic, world(seed).patents).bm25(k1, b, k3))


@given(seed=SEEDS, draw=st.integers(0, 200), lam=st.sampled_from([0.0, 0.25, 0.5, 0.9]))
def test_lm_with_parameters(worlds: Worlds, seed: int, draw: int, lam: float) -> None:
    topic = topic_of(seed, draw)
    assert_same(made(worlds, seed, topic, f"lm(lambda={lam})"), Plain(topic, world(seed).patents).lm(lam))


@given(
    seed=SEEDS,
    draw=st.integers(0, 200),
    lam=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    fewest=st.sampled_from([1, 3, 6, 50]),
    rounds=st.integers(0, 3),
)
def test_lmipc(worlds: Worlds, seed: int, draw: int, lam: float, fewest: int, rounds: int) -> None:
    topic = topic_of(seed, draw)
    query = made(worlds, seed, topic, f"lmipc(lambda={lam},fewest={fewest},rounds={rounds})")
    assert_same(query, Plain(topic, world(seed).patents).lmipc(lam, fewest, rounds))


@given(seed=SEEDS, draw=st.integers(0, 200), r=st.integers(1, 25), tau=st.sampled_from([0.3, 0.5, 0.9, 1.0]))
def test_qr(worlds: Worlds, seed: int, draw: int, r: int, tau: float) -> None:
    topic = topic_of(seed, draw)
    plain = Plain(topic, world(seed).patents)
    whole = made(worlds, seed, topic, "full")
    query = made(worlds, seed, topic, f"qr(r={r},tau={tau},lambda=0.5)")
    if whole is None:
        assert query is None
        return
    best = list(Searcher(worlds.maker(seed).index).search(whole, r, prior_art(topic)).doc_ids)
    assert_same(query, plain.qr(best, tau))


@given(seed=SEEDS, draw=st.integers(0, 200))
def test_qr_keeps_all_where_all_are_wanted(worlds: Worlds, seed: int, draw: int) -> None:
    topic = topic_of(seed, draw)
    assert_same(made(worlds, seed, topic, "qr(tau=1)"), Plain(topic, world(seed).patents).full())
    assert_same(made(worlds, seed, topic, "qr(tau=1,segments=2)"), Plain(topic, world(seed).patents).full())
