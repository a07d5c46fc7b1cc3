"""Properties that hold for every registered query method. A new method is tested here without another line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.patent import Citation, PatentNumber
from antecede.query.methods import METHODS
from antecede.query.query_maker import first_terms
from tests.query.methods.test_against_plain import SEEDS, made, topic_of
from tests.query.plain import Plain, terms_of
from tests.query.worlds import World, make_maker, patent, world

if TYPE_CHECKING:
    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.query.query_maker import TermWeights
    from tests.query.worlds import Worlds

DRAWS = st.integers(0, 200)
every_method = pytest.mark.parametrize("method", [*METHODS])


def query_of(index: Index, topic: Patent, method: str) -> Query:
    maker = make_maker(index)
    return maker.make(maker.topic(topic), method).query


@every_method
@given(seed=SEEDS, draw=DRAWS)
def test_terms_come_from_the_topic_or_its_class_and_match_something(
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
    assert {*query.terms} <= allowed
    assert len({*query.terms}) == len(query)
    assert query.df == tuple(plain.df[term] for term in query.terms)
    assert query.counts == tuple(plain.whole[term] for term in query.terms)
    assert min(query.df) > 0


@every_method
@given(seed=SEEDS, draw=DRAWS)
def test_weights_are_finite_above_zero_and_fall(worlds: Worlds, method: str, seed: int, draw: int) -> None:
    query = made(worlds, seed, topic_of(seed, draw), method)
    if query is not None:
        assert np.isfinite(query.weights).all()
        assert (query.weights > 0).all()
        assert (np.diff(query.weights) <= 0).all()


@every_method
@given(seed=SEEDS, draw=DRAWS, number=st.integers(1, 30), weights=st.sampled_from(["method", "tf", "root", "none"]))
def test_fewer_terms_are_the_first_of_more(
    worlds: Worlds, method: str, seed: int, draw: int, number: int, weights: TermWeights
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
    one, other = worlds.index("w0", whole), worlds.index("without", without)
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
    one = worlds.index("earlier", World((tuple(patents),)))
    other_index = worlds.index("turned", World((tuple(turned),)))
    assert query_of(one, topic, method) == query_of(other_index, topic, method)


def test_without_ipc_lmipc_is_lm_and_says_so(worlds: Worlds) -> None:
    maker = worlds.maker(0)
    topic = maker.topic(replace(topic_of(0, 2), ipc=()))
    made_query = maker.make(topic, "lmipc")
    assert made_query.notes == ("topic EP2000002: has no IPC code; lmipc is lm here",)
    assert dict(zip(made_query.query.terms, made_query.query.weights, strict=True)) == dict(
        zip(*(lambda lm: (lm.terms, lm.weights))(maker.make(topic, "lm").query), strict=True)
    )


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
