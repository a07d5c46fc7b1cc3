"""The query methods: how they are written, their formulas worked out plainly, and what holds for every one of them.

A new method is tested here without another line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.conditions.filters import prior_art
from antecede.errors import InputError, UsageError
from antecede.patent import Citation, PatentNumber
from antecede.query.methods import LISTING, METHODS, parse_method
from antecede.query.query_maker import first_terms
from antecede.registry import write_call
from tests.query.plain import Plain, terms_of
from tests.query.worlds import World, make_maker, patent, world
from tests.search.worlds import retrieve

if TYPE_CHECKING:
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.query.query_maker import WeightEdits
    from tests.query.worlds import Worlds

SEEDS, DRAWS = st.integers(0, 8), st.integers(0, 200)
FORMULAS: dict[str, dict[str, st.SearchStrategy[float]]] = {
    **{name: {} for name in ("full", "uft", "tf", "tfidf", "logtfidf")},
    "bm25": {
        "k1": st.sampled_from([0.0, 1.2, 3.75]),
        "b": st.sampled_from([0.0, 0.75, 1.0]),
        "k3": st.sampled_from([0.1, 7.0, 50.0]),
    },
    "lm": {"lambda": st.sampled_from([0.0, 0.1, 0.5, 0.9])},
    "lmipc": {
        "lambda": st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        "fewest": st.sampled_from([1, 3, 6, 50]),
        "rounds": st.integers(0, 3),
    },
}
"""The methods whose formulas `Plain` works out without an index, with their parameters."""
every_method = pytest.mark.parametrize("method", [*METHODS])


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("bm25", "bm25"),
        (" BM25 ( k1 = 2 , b=0.5 ) ", "bm25(k1=2,b=0.5)"),
        ("lm(lambda=0.3)", "lm(lambda=0.3)"),
        ("lmipc(level=subclass,fewest=10)", "lmipc(level=subclass,fewest=10)"),
        ("qr(r=5,tau=1)", "qr(r=5,tau=1)"),
    ],
)
def test_what_is_written_is_read(written: str, plain: str) -> None:
    assert str(parse_method(written)) == plain
    assert str(parse_method(plain)) == plain


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("tfidff", "did you mean tfidf"),
        ("", "unknown query method ''; available: bm25, full"),
        ("full(k1=1)", "it takes none"),
        ("lmipc(level=class)", "level 'class' is not one of group, main, subclass"),
        ("bm25(k1=1", "unknown query method"),
        ("bm25(b=2)", "b must be between 0 and 1"),
        ("qr(lambda=1)", "lambda must be 0 or more and less than 1"),
    ],
)
def test_what_is_wrong_is_said(written: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_method(written)
    assert message in str(error.value)


@every_method
def test_every_parameter_is_explained(method: str) -> None:
    for name in METHODS[method].defaults:
        assert name in LISTING.as_text([method])


# Formulas


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


@pytest.mark.parametrize("method", FORMULAS)
@given(seed=SEEDS, draw=DRAWS, data=st.data())
def test_a_formula(worlds: Worlds, method: str, seed: int, draw: int, data: st.DataObject) -> None:
    topic, given_ = topic_of(seed, draw), data.draw(st.fixed_dictionaries(FORMULAS[method]))
    query = made(worlds, seed, topic, write_call(method, given_))
    assert_same(query, getattr(Plain(topic, world(seed).patents), method)(*(given_[name] for name in FORMULAS[method])))


@given(seed=SEEDS, draw=DRAWS, r=st.integers(1, 25), tau=st.sampled_from([0.3, 0.5, 0.9, 1.0]))
def test_qr(worlds: Worlds, seed: int, draw: int, r: int, tau: float) -> None:
    topic = topic_of(seed, draw)
    plain = Plain(topic, world(seed).patents)
    whole = made(worlds, seed, topic, "full")
    query = made(worlds, seed, topic, f"qr(r={r},tau={tau},lambda=0.5)")
    if whole is None:
        assert query is None
        return
    assert_same(made(worlds, seed, topic, "qr(tau=1,segments=2)"), plain.full())
    best = list(retrieve(worlds.maker(seed).index, whole, r, prior_art(topic)).doc_ids)
    assert_same(query, plain.qr(best, tau))


# What holds for every method


def query_of(index: EmbeddedEngine, topic: Patent, method: str) -> Query:
    maker = make_maker(index)
    return maker.make(maker.topic(topic), method).query


@every_method
@given(seed=SEEDS, draw=DRAWS)
def test_terms_come_from_the_topic_or_its_class_match_something_and_weights_fall(
    worlds: Worlds, method: str, seed: int, draw: int
) -> None:
    topic = topic_of(seed, draw)
    query = made(worlds, seed, topic, method)
    if query is None:
        return
    plain = Plain(topic, world(seed).patents)
    allowed = {*plain.n}
    if method == "lmipc":
        allowed |= {term for d in plain.same_class(50) for term in plain.bags[d]}
    assert np.isfinite(query.weights).all()
    assert (query.weights > 0).all()
    assert (np.diff(query.weights) <= 0).all()
    assert {*query.terms} <= allowed
    assert len({*query.terms}) == len(query)
    assert query.df == tuple(plain.df[term] for term in query.terms)
    assert query.counts == tuple(plain.whole[term] for term in query.terms)
    assert min(query.df) > 0


@every_method
@given(seed=SEEDS, draw=DRAWS, number=st.integers(1, 30), weights=st.sampled_from(["method", "tf", "root", "none"]))
def test_fewer_terms_are_the_first_of_more(
    worlds: Worlds, method: str, seed: int, draw: int, number: int, weights: WeightEdits
) -> None:
    topic = topic_of(seed, draw)
    whole = made(worlds, seed, topic, method)
    if whole is None:
        return
    maker = worlds.maker(seed)
    more = maker.make(maker.topic(topic), method, terms=10**6, weights=weights).query
    fewer = maker.make(maker.topic(topic), method, terms=number, weights=weights).query
    assert fewer == first_terms(more, number)
    assert more.terms == whole.terms


@every_method
@given(seed=SEEDS, draw=DRAWS)
def test_its_citations_change_nothing(worlds: Worlds, method: str, seed: int, draw: int) -> None:
    topic = topic_of(seed, draw)
    number = PatentNumber.parse(world(seed).patents[0].doc_id)
    assert number is not None
    citing = replace(topic, citations=(Citation(number, "X", "search"),))
    numbers = replace(topic, description={k: f"{t} See EP-A-{draw + 1000000}." for k, t in topic.description.items()})
    others = replace(topic, description={k: f"{t} See US 5,{draw:03d},456." for k, t in topic.description.items()})
    assert made(worlds, seed, citing, method) == made(worlds, seed, topic, method)
    assert made(worlds, seed, numbers, method) == made(worlds, seed, others, method)


@every_method
def test_whether_the_topic_and_its_family_are_in_the_index_changes_nothing(worlds: Worlds, method: str) -> None:
    """But for QR, whose first search ranks by the statistics of the index; see the next test."""
    if method == "qr":
        return
    whole = world(0)
    topic = next(each for each in whole.patents if each.family_id and each.description and each.ipc)
    without = World(
        tuple(
            tuple(each for each in part if each.doc_id != topic.doc_id and each.family_id != topic.family_id)
            for part in whole.parts
        )
    )
    assert len(without.patents) < len(whole.patents) - 1
    one, other = worlds.of("w0", whole), worlds.of("without", without)
    assert query_of(one, topic, method) == query_of(other, topic, method)


@every_method
def test_what_came_later_or_is_of_the_family_is_not_looked_at(worlds: Worlds, method: str) -> None:
    """Let the documents that must not be seen change texts: all statistics stay, and so must the query."""
    rng = np.random.default_rng(5)
    patents = [patent(rng, 3000000 + number, family_id=None, abstract={}) for number in range(40)]
    patents = [replace(each, description=each.description or {"en": "Gear and hub."}) for each in patents]
    dates = sorted(each.publication_date for each in patents if each.publication_date is not None)
    topic = patent(rng, 4000000, publication_date=dates[len(dates) // 2], ipc=("F16H 1/06", "B60K 17/02"))
    topic = replace(topic, description={"en": "A gear on a shaft turns. The hub has a lever. A rotor and its valve."})
    hidden = [
        at
        for at, each in enumerate(patents)
        if topic.date and each.publication_date and each.publication_date >= topic.date
    ]
    turned = [*patents]
    for at, other in zip(hidden, hidden[1:] + hidden[:1], strict=True):
        turned[at] = replace(patents[at], title=patents[other].title, description=patents[other].description)
    assert len(hidden) > 10
    one = worlds.of("earlier", World((tuple(patents),)))
    other_index = worlds.of("turned", World((tuple(turned),)))
    assert query_of(one, topic, method) == query_of(other_index, topic, method)


def test_without_ipc_lmipc_is_lm_and_says_so(worlds: Worlds) -> None:
    maker = worlds.maker(0)
    topic = maker.topic(replace(topic_of(0, 2), ipc=()))
    made_query = maker.make(topic, "lmipc")
    assert made_query.notes == ("topic EP2000002: has no IPC code; lmipc is lm here",)
    lm = maker.make(topic, "lm").query
    assert (made_query.query.terms, made_query.query.weights.tolist()) == (lm.terms, lm.weights.tolist())


def test_a_class_brings_words_that_the_topic_lacks(worlds: Worlds) -> None:
    maker = worlds.maker(0)
    topic = replace(topic_of(0, 2), ipc=("F16H 1/06",), description={"en": "Gear"}, publication_date=None)
    query = maker.make(maker.topic(topic), "lmipc").query
    assert len(query) > 1
    assert {*query.terms} - {"gear"} <= {term for each in world(0).patents for term in terms_of(each)}


def test_of_too_many_classmates_the_nearest_are_taken(worlds: Worlds) -> None:
    """With one document at most it is the one that shares most codes, and of these the latest."""
    maker = worlds.maker(0)
    topic = replace(topic_of(0, 2), ipc=("F16H 1/06", "F16D 3/00"), publication_date=None, family_id=None)
    plain = Plain(topic, world(0).patents)
    patents = {each.doc_id: each for each in plain.others}

    def nearness(name: str) -> tuple[int, int]:
        each = patents[name]
        return len({*each.ipc} & {*topic.ipc}), each.publication_date.toordinal() if each.publication_date else -1

    best = max(plain.same_class(1), key=nearness)
    query = maker.make(maker.topic(topic), "lmipc(lambda=0,most=1,fewest=1)", terms=10**6).query
    assert {*query.terms} == {*plain.bags[best]}
