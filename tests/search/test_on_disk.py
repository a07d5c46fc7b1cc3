"""The search on indexes as they are on disk: built in one go, in three adds, merged; in several languages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.query.query import Query, count_terms
from antecede.search import Filters, Searcher, explain
from antecede.search.explain import sum_shares
from tests.search import plain
from tests.search.worlds import EVERY_MODEL, Document

if TYPE_CHECKING:
    from tests.search.worlds import Shelf

WORDS = ["axle", "bolt", "clutch", "damper", "engine", "flange", "gasket", "housing", "injector", "joint"]


def line(name: str, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, len(WORDS) + 1)
    words = random.choice(WORDS, int(random.integers(1, 60)), p=chances / chances.sum())
    return {"doc_id": name, "language": "en", "description": {"en": " ".join(words)}}


NAMES = [f"EP{1000000 + number}" for number in range(90)]
FIRST = [line(name, at) for at, name in enumerate(NAMES[:40])]
SECOND = [line(name, 100 + at) for at, name in enumerate(NAMES[30:60])]
THIRD = [line(name, 200 + at) for at, name in enumerate([*NAMES[60:90], *NAMES[10:15]])]
LAST = {each["doc_id"]: each for each in [*FIRST, *SECOND, *THIRD]}


@pytest.mark.parametrize("model", EVERY_MODEL)
def test_one_go_three_adds_and_a_merge_rank_alike_to_the_last_digit(shelf: Shelf, model: str) -> None:
    kinds = {
        "one": shelf.index("one", list(LAST.values())),
        "adds": shelf.index("adds", FIRST, SECOND, THIRD),
        "merged": shelf.index("merged", FIRST, SECOND, THIRD, merge=True),
    }
    assert [len(each.segments) for each in kinds.values()] == [1, 3, 1]
    random = np.random.default_rng(5)
    for _ in range(10):
        terms = kinds["one"].analyzer("en").terms(" ".join(random.choice(WORDS, 7)))
        query = Query.from_terms({**count_terms(terms), "zzz": 2.0}, "en")
        filters = Filters(without=("EP1000012",), countries=("EP",))
        found = {name: Searcher(index, model).search(query, 60, filters) for name, index in kinds.items()}
        assert len(found["one"]) > 20
        for each in found.values():
            assert each.doc_ids == found["one"].doc_ids
            assert each.scores.tobytes() == found["one"].scores.tobytes()


@pytest.mark.parametrize("model", EVERY_MODEL)
def test_scores_are_those_of_the_books(shelf: Shelf, model: str) -> None:
    index = shelf.index("adds", FIRST, SECOND, THIRD)
    analyze = index.analyzer("en").terms
    documents = [Document(name, tuple(analyze(each["description"]["en"]))) for name, each in LAST.items()]
    query = dict(Counter(analyze("axle axle clutch joint housing engine engine engine")))
    wanted = plain.scores(documents, {term: float(n) for term, n in query.items()}, model, {})
    searcher = Searcher(index, model)
    asked = Query.from_terms({term: float(n) for term, n in query.items()}, "en")
    found = searcher.search(asked, 1000)
    assert set(found.doc_ids) == set(wanted)
    assert len({*found.places[:, 0].tolist()}) == 3
    assert [each.doc_id for each in found.headers()] == list(found.doc_ids)
    assert found.patent(7).doc_id == found.doc_ids[6]
    for rank, (name, score) in enumerate(zip(found.doc_ids, found.scores.tolist(), strict=True), 1):
        assert score == pytest.approx(wanted[name][0], abs=1e-5 * wanted[name][1])
        assert sum_shares(explain(searcher, asked, found, rank)) == score


def test_a_document_is_found_in_each_of_its_languages(shelf: Shelf) -> None:
    index = shelf.index(
        "languages",
        [
            {"doc_id": "EP1", "language": "de", "claims": {"de": ["Achse mit Nabe"], "en": ["axle"], "fr": ["essieu"]}},
            {"doc_id": "EP2", "language": "en", "claims": {"en": ["axle axle axle of a wheel"]}},
            {"doc_id": "EP3", "language": "fr", "title": {"fr": "roue"}, "claims": {"de": ["Rad ohne Achse"]}},
        ],
    )
    searcher = Searcher(index)

    def names(language: str, text: str) -> tuple[str, ...]:
        return searcher.search(
            Query.from_terms(count_terms(index.analyzer(language).terms(text)), language), 10
        ).doc_ids

    assert names("en", "axle") == ("EP2", "EP1")
    assert set(names("de", "Achse")) == {"EP1", "EP3"}
    assert names("fr", "essieu") == ("EP1",)
    assert names("fr", "roue") == ("EP3",)
    assert names("de", "axle") == ()
    # Rows are not documents here: those of German are the first and the last.
    assert searcher.search(Query.from_terms({"rad": 1.0}, "de"), 5, Filters(without=("EP1",))).doc_ids == ("EP3",)
    hits = searcher.search(Query.from_terms({"rad": 1.0}, "de"), 5)
    assert hits.patent(1).doc_id == "EP3"
    assert [each.title for each in hits.headers()] == ["roue"]
