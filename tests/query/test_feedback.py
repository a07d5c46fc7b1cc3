"""A query moved by documents that a person marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.errors import InputError, UsageError
from antecede.query.query import Query
from antecede.query.query_maker import feedback
from antecede.search.searcher import Searcher
from tests.query.plain import terms_of
from tests.query.worlds import world

if TYPE_CHECKING:
    from antecede.index import Index
    from tests.query.worlds import Worlds


@pytest.fixture
def index(worlds: Worlds) -> Index:
    return worlds.of("w2", world(2))


def test_a_marked_document_comes_up_and_its_words_come_in(worlds: Worlds, index: Index) -> None:
    query = Query.from_terms({"gear": 1.0}, "en")
    searcher = Searcher(worlds.maker(2).index)
    before = searcher.search(query, 100).doc_ids
    wanted = before[-1]
    after = feedback(query, index, [wanted])
    assert searcher.search(after, 100).doc_ids.index(wanted) < before.index(wanted)
    marked = next(each for each in world(2).patents if each.doc_id == wanted)
    assert {*after.terms} <= {"gear", *terms_of(marked)}
    assert after.method == "text+feedback"
    assert (after.weights > 0).all()


def test_what_is_marked_as_irrelevant_goes_down(worlds: Worlds, index: Index) -> None:
    query = Query.from_terms({"gear": 1.0, "hub": 1.0, "valve": 0.5, "rotor": 0.5}, "en")
    searcher = Searcher(worlds.maker(2).index)
    best = searcher.search(query, 1).doc_ids[0]
    after = feedback(query, index, [], [best], gamma=2.0)
    assert searcher.search(after, 1).doc_ids[0] != best


def test_without_a_share_for_the_documents_the_query_stays(index: Index) -> None:
    query = Query.from_terms({"gear": 2.0, "hub": 1.0}, "en")
    after = feedback(query, index, [world(2).patents[0].doc_id], beta=0.0)
    assert {*after.terms} == {"gear", "hub"}
    weights = dict(zip(after.terms, after.weights.tolist(), strict=True))
    assert weights["gear"] == pytest.approx(2 * weights["hub"])


def test_as_many_terms_as_are_asked_for(index: Index) -> None:
    names = [each.doc_id for each in world(2).patents[:5]]
    more = feedback(Query.from_terms({"gear": 1.0}, "en"), index, names, terms=12)
    fewer = feedback(Query.from_terms({"gear": 1.0}, "en"), index, names, terms=4)
    assert len(more) == 12
    assert more.terms[:4] == fewer.terms


def test_what_cannot_be_done_is_said(index: Index) -> None:
    with pytest.raises(UsageError, match="at least one marked document"):
        feedback(Query.from_terms({"gear": 1.0}, "en"), index, [])
    with pytest.raises(InputError, match="document EP42: is marked, but not in the index"):
        feedback(Query.from_terms({"gear": 1.0}, "en"), index, ["EP42"])
    with pytest.raises(InputError, match="leave no term"):
        feedback(
            Query.from_terms({"gear": 1.0}, "en"), index, [], [each.doc_id for each in world(2).patents], gamma=1e6
        )
