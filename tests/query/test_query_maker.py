"""From a patent to a query: how many terms, what they weigh, and what is said on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antecede.errors import InputError, UsageError
from antecede.patent import Patent
from antecede.query import parse_query
from antecede.query.query import Query
from antecede.query.query_maker import DEFAULT_METHOD, default_terms, feedback, query_table
from antecede.search.pipeline import make_query
from tests.query.plain import terms_of
from tests.query.worlds import World, patent, world
from tests.search.worlds import retrieve

if TYPE_CHECKING:
    from antecede.embedded.engine import EmbeddedEngine
    from tests.query.worlds import Worlds

TEXT = "A gear, a gear and a gear on a shaft; the hub of the hub has a lever."


@pytest.fixture
def topic() -> Patent:
    return Patent("EP9", language="en", description={"en": TEXT})


def test_a_query_says_where_it_comes_from_and_comes_back_from_json(worlds: Worlds, topic: Patent) -> None:
    query = make_query(topic, worlds.of("w0", world(0)), method="tf", terms=2)
    assert (query.terms, query.counts, query.method, query.topic, query.language) == (
        ("gear", "hub"),
        (3, 2),
        "tf",
        "EP9",
        "en",
    )
    assert query.weights.tolist() == [1.0, 2 / 3]
    again = parse_query(query.to_dict(), "here")
    assert (again.terms, again.weights.tolist()) == (query.terms, query.weights.tolist())


def test_what_terms_weigh_in_the_search(worlds: Worlds, topic: Patent) -> None:
    index = worlds.of("w0", world(0))
    found = {
        weights: make_query(topic, index, method="full", weights=weights).weights.tolist()
        for weights in ("method", "tf", "root", "none")
    }
    assert found["method"] == found["tf"] == [3.0, 2.0, 1.0, 1.0]
    assert found["root"] == pytest.approx([3**0.5, 2**0.5, 1, 1])
    assert found["none"] == [1.0] * 4
    suited = make_query(topic, index, method="logtfidf")
    assert suited.weights.tolist() == make_query(topic, index, method="logtfidf", weights="root").weights.tolist()


def test_a_term_that_a_class_brings_counts_as_one_occurrence(worlds: Worlds, topic: Patent) -> None:
    index = worlds.of("w0", world(0))
    query = make_query(replace(topic, ipc=("F16H 1/06",)), index, method="lmipc", weights="tf")
    assert 0 in query.counts
    assert query.weights.tolist() == [max(count, 1) for count in query.counts]


def test_methods_that_cut_take_so_many_terms_and_the_others_all(worlds: Worlds) -> None:
    words = [f"word{a}{b}" for a in "abcdefghij" for b in "abcdefghijkl"]
    rng = np.random.default_rng(0)
    text = " ".join(f"{word} {word}" for word in words)
    patents = tuple(patent(rng, 5000000 + number, description={"en": text}) for number in range(3))
    index = worlds.of("many", World((patents,)))
    topic = Patent("EP9", language="en", description={"en": text})
    assert {method: len(make_query(topic, index, method=method)) for method in ("tf", "lm", "full", "uft", "qr")} == {
        "tf": 75,
        "lm": 75,
        "full": len(words),
        "uft": len(words),
        "qr": len(words),
    }
    assert len(make_query(topic, index, method="full", terms=7)) == 7
    assert default_terms("fr") == 45


def test_terms_that_match_nothing_are_dropped_and_counted(worlds: Worlds, topic: Patent) -> None:
    strange = replace(topic, description={"en": TEXT + " Frumious bandersnatch, the frumious."})
    maker = worlds.maker(0)
    made = maker.make(maker.topic(strange), "tf")
    assert made.unmatched == 2
    assert made.query == maker.make(maker.topic(topic), "tf").query
    assert "2 terms of the topic are in no other document" in str(query_table(made))


def test_what_only_the_topic_itself_has_matches_nothing(worlds: Worlds) -> None:
    own = patent(np.random.default_rng(1), 6000000, description={"en": "frumious gear"}, family_id=None)
    index = worlds.of("own", World(((*world(0).parts[0], own),)))
    assert make_query(own, index, method="full").terms == ("gear",)


def test_a_field_that_had_no_text_is_warned_of(worlds: Worlds) -> None:
    topic = Patent("EP9", language="en", title={"en": "Gear hub"})
    with pytest.warns(UserWarning, match="topic EP9: has no description; its title is used"):
        query = make_query(topic, worlds.of("w0", world(0)))
    assert {*query.terms} <= {"gear", "hub"}
    assert query.method == DEFAULT_METHOD


@pytest.mark.parametrize(
    ("text", "method", "message"),
    [
        ({}, "tf", "has no text: title, abstract, claims and description are empty"),
        ({"ja": "歯車"}, "tf", "is in ja, the index has en"),
        ({"en": "frumious bandersnatch"}, "tf", "none of its 2 terms is in the index"),
        ({"en": "the of 12"}, "tf", "none of its 0 terms is in the index"),
        ({"en": TEXT}, "lm(lambda=1)", "lm(lambda=1) leaves no term of it; use another method"),
    ],
)
def test_a_topic_that_cannot_be_searched_with_is_one_clear_line(
    worlds: Worlds, text: dict[str, str], method: str, message: str
) -> None:
    with pytest.raises(InputError) as error:
        make_query(Patent("EP9", description=text), worlds.of("w0", world(0)), method=method)
    assert str(error.value).startswith(f"topic EP9: {message}")


# Relevance feedback


@pytest.fixture
def index(worlds: Worlds) -> EmbeddedEngine:
    return worlds.of("w2", world(2))


def test_a_marked_document_comes_up_and_its_words_come_in(index: EmbeddedEngine) -> None:
    query = Query.from_terms({"gear": 1.0}, "en")
    before = retrieve(index, query, 100).doc_ids
    wanted = before[-1]
    after = feedback(query, index, [wanted])
    assert retrieve(index, after, 100).doc_ids.index(wanted) < before.index(wanted)
    marked = next(each for each in world(2).patents if each.doc_id == wanted)
    assert {*after.terms} <= {"gear", *terms_of(marked)}
    assert after.method == "text+feedback"
    assert (after.weights > 0).all()


def test_what_is_marked_as_irrelevant_goes_down(index: EmbeddedEngine) -> None:
    query = Query.from_terms({"gear": 1.0, "hub": 1.0, "valve": 0.5, "rotor": 0.5}, "en")
    best = retrieve(index, query, 1).doc_ids[0]
    after = feedback(query, index, [], [best], gamma=2.0)
    assert retrieve(index, after, 1).doc_ids[0] != best


def test_without_a_share_for_the_documents_the_query_stays(index: EmbeddedEngine) -> None:
    query = Query.from_terms({"gear": 2.0, "hub": 1.0}, "en")
    after = feedback(query, index, [world(2).patents[0].doc_id], beta=0.0)
    assert {*after.terms} == {"gear", "hub"}
    weights = dict(zip(after.terms, after.weights.tolist(), strict=True))
    assert weights["gear"] == pytest.approx(2 * weights["hub"])


def test_as_many_terms_as_are_asked_for(index: EmbeddedEngine) -> None:
    names = [each.doc_id for each in world(2).patents[:5]]
    more = feedback(Query.from_terms({"gear": 1.0}, "en"), index, names, terms=12)
    fewer = feedback(Query.from_terms({"gear": 1.0}, "en"), index, names, terms=4)
    assert len(more) == 12
    assert more.terms[:4] == fewer.terms


def test_what_cannot_be_done_is_said(index: EmbeddedEngine) -> None:
    with pytest.raises(UsageError, match="at least one marked document"):
        feedback(Query.from_terms({"gear": 1.0}, "en"), index, [])
    with pytest.raises(InputError, match="document EP42: is marked, but not in the index"):
        feedback(Query.from_terms({"gear": 1.0}, "en"), index, ["EP42"])
    with pytest.raises(InputError, match="leave no term"):
        feedback(
            Query.from_terms({"gear": 1.0}, "en"), index, [], [each.doc_id for each in world(2).patents], gamma=1e6
        )
