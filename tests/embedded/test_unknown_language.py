"""Documents whose language is not known are searched in every language, as if they were filed under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.errors import UsageError
from antecede.index.matrix import AssumedLanguageMatrix
from antecede.models import MODELS
from antecede.patent import Patent
from antecede.query.query import Query
from antecede.query.topic import choose_text_language
from antecede.search import SearchResult, search_index
from antecede.search.batch import run_topics
from antecede.search.settings import SearchSettings

if TYPE_CHECKING:
    from antecede.embedded.engine import EmbeddedEngine
    from tests.search.worlds import Shelf

ENGLISH = [
    ("EP1", "The mesh network of the sensors routes messages. Each sensor is a node of the network.", ["H04L 12/56"]),
    ("EP2", "A battery for the sensor is in the housing. The housing has a lid.", ["H01M 2/10"]),
    ("EP3", "The routing of messages in a network of nodes is stored in a table.", ["H04L 45/00"]),
    ("EP4", "A valve with the spring that closes the pipe and is opened by a lever.", ["F16K 1/00"]),
    ("EP5", "The gear of the engine drives a shaft which is in the housing.", ["F16H 1/00"]),
]
SHORT = [
    ("US11", "Routed networks", ["H04L 12/56"]),
    ("US12", "Battery housing, batteries, expandable housings", ["H01M 2/10"]),
    ("US13", "Tunable rocker", []),
    ("US14", "Mesh networking nodes: routing tables", ["H04L 45/00"]),
    ("US15", "OF", []),
]
GERMAN = [("DE21", "Das Maschennetz mit den Sensoren und der Batterie im Gehäuse.", ["H04L 12/56"])]


def lines(given: list[tuple[str, str, list[str]]], language: str | None) -> list[dict[str, Any]]:
    known = {"language": language} if language is not None else {}
    return [{"doc_id": name, "description": text, "ipc": ipc, **known} for name, text, ipc in given]


@pytest.fixture
def undetected(monkeypatch: pytest.MonkeyPatch) -> None:
    """No text gives anything to detect its language by."""
    monkeypatch.setattr("antecede.corpus.formats.jsonl.detect_language", lambda _: "")


@pytest.fixture
def unknown(shelf: Shelf, undetected: None) -> EmbeddedEngine:
    """English documents, and short ones whose language is not known."""
    found = shelf.index("unknown", [*lines(ENGLISH, "en"), *lines(SHORT, None)])
    assert found.languages == ("", "en")
    return found


@pytest.fixture
def filed(shelf: Shelf) -> EmbeddedEngine:
    """The same documents, all filed as English."""
    return shelf.index("filed", [*lines(ENGLISH, "en"), *lines(SHORT, "en")])


@pytest.fixture
def mixed(shelf: Shelf, undetected: None) -> EmbeddedEngine:
    return shelf.index("mixed", [*lines(ENGLISH, "en"), *lines(SHORT, None), *lines(GERMAN, "de")])


def ranking(found: SearchResult) -> list[tuple[str, float]]:
    return [(hit.doc_id, hit.score) for hit in found.hits]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        *(("routing network", {"model": model}) for model in MODELS),
        *((text, {"model": "lm_dirichlet"}) for text in ("battery housing lid", "tunable rocker", "of mesh tables")),
        ("network routing", {"ipc": ["H04L 12"], "country": ["US"]}),
        ("sensor", {"relevant": ["US14"], "irrelevant": ["US12"]}),
    ],
)
def test_the_ranking_is_that_of_an_index_where_they_are_filed_under_the_language(
    unknown: EmbeddedEngine, filed: EmbeddedEngine, text: str, settings: dict[str, Any]
) -> None:
    found, wanted = (search_index(each, text, language="en", explain=True, **settings) for each in (unknown, filed))
    assert found.query == wanted.query
    assert ranking(found) == ranking(wanted)
    assert [hit.why for hit in found.hits] == [hit.why for hit in wanted.hits]
    assert {hit.doc_id for hit in found.hits} & {"US11", "US12", "US13", "US14"} or "relevant" in settings


@pytest.mark.parametrize("method", ["full", "tfidf", "logtfidf", "lm", "lmipc", "qr", "bm25"])
def test_every_method_sees_them_and_a_topic_changes_no_statistics_of_its_own(
    unknown: EmbeddedEngine, filed: EmbeddedEngine, method: str
) -> None:
    for topic in ("EP1", "EP2"):
        patent = filed.patent(topic)
        found, wanted = (search_index(each, patent, method=method, language="en") for each in (unknown, filed))
        assert found.query == wanted.query
        assert ranking(found) == ranking(wanted)


def test_a_topic_of_unknown_language_is_searched_for_where_its_words_are_known(
    unknown: EmbeddedEngine, filed: EmbeddedEngine
) -> None:
    found = search_index(unknown, unknown.patent("US14"))
    assert (found.query.language, found.allowed) == ("en", 9)
    assert "topic US14: its language is not known; it is searched for in en" in found.notes
    assert ranking(found) == ranking(search_index(filed, filed.patent("US14")))
    named = search_index(unknown, unknown.patent("US14"), language="en")
    assert ranking(named) == ranking(found)
    outside = Patent("XX1", description={"": "routing tables"})
    assert search_index(filed, outside).query.language == "en"
    assert search_index(filed, outside, language="all").query.language == "en"


def test_a_batch_searches_them_too(unknown: EmbeddedEngine, filed: EmbeddedEngine) -> None:
    names = [name for name, _, _ in (*ENGLISH, *SHORT[:3])]
    for plan in (
        SearchSettings(),
        SearchSettings(("tfidf", "lmipc")),
        SearchSettings(ipc_boost=0.3),
        SearchSettings(language="all"),
    ):
        found, wanted = (run_topics(each, [each.patent(name) for name in names], plan) for each in (unknown, filed))
        assert found.rankings == wanted.rankings
        assert (
            found.notes["its language is not known; it is searched for in en"] == 2
        )  # no other document has a term of US13


def test_added_and_replaced_documents_of_unknown_language(shelf: Shelf) -> None:
    again = [("US11", "Wireless routed networks", ["H04L 12/56"]), ("US16", "Sensor lid", [])]
    found = shelf.index("unknown-added", [*lines(ENGLISH, "en"), *lines(SHORT, None)], lines(again, None))
    wanted = shelf.index("filed-added", [*lines(ENGLISH, "en"), *lines(SHORT, "en")], lines(again, "en"))
    for text in ("routing network wireless", "sensor lid"):
        for model in ("bm25", "lm_dirichlet"):
            assert ranking(search_index(found, text, model=model, language="en")) == ranking(
                search_index(wanted, text, model=model, language="en")
            )


def test_a_document_with_text_in_the_language_is_found_by_that_text_alone(unknown: EmbeddedEngine) -> None:
    segment, matrix = unknown.filed_matrices("")[0]
    (known,) = unknown.numbers_of("US12").tolist()
    elsewhere = np.array([known], np.uint32)
    rest = AssumedLanguageMatrix(matrix, unknown.analyzer("en"), elsewhere)
    assert segment.doc_ids(rest.documents) == ["US11", "US13", "US14", "US15"]
    assert rest.lengths.tolist() == [2, 2, 5, 0]
    terms = {term: (df, cf) for term, df, cf in zip(rest.all_terms(), rest.df.tolist(), rest.cf.tolist(), strict=True)}
    once = dict.fromkeys(["mesh", "node", "rocker", "tabl", "tunabl"], (1, 1))
    assert {term: counts for term, counts in terms.items() if counts != (0, 0)} == {
        **once,
        "network": (2, 2),
        "rout": (2, 2),
    }


def test_a_passage_of_a_document_of_unknown_language_is_shown(unknown: EmbeddedEngine) -> None:
    found = search_index(unknown, "expandable housing", passages=1)
    assert found.hits[0].doc_id == "US12"
    assert found.hits[0].passages[0].text == "Battery housing, batteries, expandable housings"
    assert len(found.hits[0].passages[0].marks) == 3


def test_in_all_languages_a_document_of_unknown_language_has_one_vote(mixed: EmbeddedEngine) -> None:
    found = search_index(mixed, "mesh sensoren routing", language="all")
    assert {query.language for query in found.queries} == {"en", "de"}
    assert found.coverage.unsearched == 0
    scores = dict(ranking(found))
    assert "DE21" in scores
    apart = [search_index(mixed, "mesh sensoren routing", language=each) for each in ("en", "de")]
    ranks = [{hit.doc_id: hit.rank for hit in each.hits} for each in apart]
    assert "US14" in ranks[0]
    assert "US14" in ranks[1]
    assert scores["US14"] == pytest.approx(1 / (60 + min(each["US14"] for each in ranks)))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("wireless mesh", "en"),
        ("routing", "en"),
        ("batterie gehäuse", "de"),
        ("xyzzy", "en"),
        ("tunable rocker", "en"),
        ("réseau", "en"),
        ("the valve of the housing", "en"),
        ("das Maschennetz und der Sensor", "de"),
    ],
)
def test_a_short_text_is_searched_where_its_words_are_known(mixed: EmbeddedEngine, text: str, language: str) -> None:
    assert choose_text_language(mixed, text).searched == language


def test_a_search_says_what_it_did_not_look_at(mixed: EmbeddedEngine) -> None:
    found = search_index(mixed, "mesh network")
    assert (found.coverage.searched, found.coverage.unsearched, found.coverage.others) == (10, 1, {"de": 1})
    assert found.notes[-1] == '1 document has no text in en and was not searched (de 1); language="all" searches them'
    assert search_index(mixed, "mesh", language="all").coverage.unsearched == 0
    german = search_index(mixed, "sensoren", ipc=["H04L"], language="de")
    assert (german.coverage.searched, german.coverage.others) == (3, {"en": 2})
    batch = run_topics(mixed, [mixed.patent("EP1")])
    assert batch.notes["1 document has no text in en and was not searched (de 1)"] == 1


def test_a_text_in_a_language_that_the_index_lacks_says_so(mixed: EmbeddedEngine) -> None:
    found = search_index(mixed, "la red de los sensores para el agua")
    assert "the text appears to be in es, which no document is in; searched in en" in found.notes
    with pytest.raises(UsageError, match="the index has no documents in language 'xx'; it has unknown, en, de"):
        search_index(mixed, "mesh", language="xx")


def test_a_query_without_a_language_is_in_a_known_one(mixed: EmbeddedEngine, unknown: EmbeddedEngine) -> None:
    for index in (mixed, unknown):
        found = search_index(index, Query.from_terms({"mesh": 1.0}, ""))
        assert found.query.language == "en"
        assert {hit.doc_id for hit in found.hits} == {"EP1", "US14"}


def test_an_index_of_unknown_language_alone_is_searched_as_it_is(shelf: Shelf, undetected: None) -> None:
    index = shelf.index("only-unknown", lines(SHORT, None))
    found = search_index(index, "routing tables")
    assert (found.query.language, found.hits[0].doc_id, found.coverage.unsearched) == ("", "US14", 0)
    assert search_index(index, Patent("EP7", language="fr", title={"fr": "réseau"}, claims={"": ("rocker",)})).hits
