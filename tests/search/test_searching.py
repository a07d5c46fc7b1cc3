"""A search as a person asks for it."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from antecede.embedded.searcher import searcher_for
from antecede.errors import InputError, UsageError
from antecede.models import parse_model
from antecede.patent import Patent
from antecede.query.query import Query
from antecede.search import Filters, Ranker, SearchSettings, make_query, open_index, search_index
from antecede.search.batch import run_topics
from antecede.search.engine import find_topic
from antecede.search.explain import sum_shares

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine
    from tests.search.worlds import Shelf

MORE: list[tuple[str, str, str, dict[str, Any]]] = [
    ("EP1000002", "2000-02-02", "Messages are routed through a network of sensors. The route is stored.",
     {"title": "Routing", "ipc": ["H04L 45/00"]}),
    ("US7000003", "2003-01-01", "A later mesh network of sensors which routes messages.", {}),
    ("US7000004", "1999-01-01", "Of the same family: a mesh network of sensors that routes messages.",
     {"family_id": "F1"}),
    ("DE5", "1998-01-01", "Ein Maschennetz aus Sensoren, die Nachrichten weiterleiten.",
     {"language": "de", "title": "Maschennetz"}),
]  # fmt: skip
LINES: list[dict[str, Any]] = [
    {
        "doc_id": "EP1000001",
        "priority_date": "2001-05-01",
        "publication_date": "2002-11-06",
        "family_id": "F1",
        "language": "en",
        "title": "Mesh network",
        "ipc": ["H04L 12/56", "H04W 40/00"],
        "claims": {"en": ["1. A mesh network of battery powered sensors."], "de": ["1. Maschennetz mit Sensoren."]},
        "description": "Sensors form a mesh network. Each sensor routes messages of its neighbours.",
    },
    *({"doc_id": name, "publication_date": day, "language": "en", "description": text, **more}
      for name, day, text, more in MORE),
]  # fmt: skip


@pytest.fixture
def index(shelf: Shelf) -> EmbeddedEngine:
    return shelf.index("searching", LINES)


def test_a_patent_finds_what_came_before_it_but_not_itself_nor_its_family(index: EmbeddedEngine) -> None:
    found = search_index(index, index.patent("EP1000001"))
    assert [hit.doc_id for hit in found.hits] == ["EP1000002"]
    assert found.filters == Filters(date(2001, 5, 1), without=("EP1000001",), without_family="F1")
    assert (found.topic, found.title, found.query.method, found.query.language) == (
        "EP1000001",
        "Mesh network",
        "logtfidf",
        "en",
    )
    assert (found.allowed, found.coverage.unsearched, found.coverage.others) == (1, 1, {"de": 1})
    assert found.notes == (
        (
            "1 document has no text in en and was not searched (de 1); "
            'language="all" searches in every language that the patent has text in'
        ),
    )
    hit = found.hits[0]
    assert (hit.rank, hit.title, hit.date, hit.ipc) == (1, "Routing", "2000-02-02", ("H04L 45/00",))


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({"before": "off"}, {"EP1000002", "US7000003"}),
        ({"before": None}, {"EP1000002", "US7000003"}),
        ({"before": "2003-01-02"}, {"EP1000002", "US7000003"}),
        ({"before": date(2003, 1, 1)}, {"EP1000002"}),
        ({"before": "off", "country": ["US"]}, {"US7000003"}),
        ({"before": "off", "ipc": ["H04L"]}, {"EP1000002"}),
        ({"before": "off", "language": "de"}, {"DE5"}),
    ],
)
def test_filters_are_as_asked(index: EmbeddedEngine, how: dict[str, Any], wanted: set[str]) -> None:
    assert {hit.doc_id for hit in search_index(index, index.patent("EP1000001"), **how).hits} == wanted


def test_a_query_that_names_its_topic_does_not_find_it(index: EmbeddedEngine) -> None:
    query = Query.from_terms({"mesh": 1.0, "sensor": 1.0}, "en", "edited", topic="EP1000001")
    assert [hit.doc_id for hit in search_index(index, query).hits] == ["EP1000002"]
    nobody = Query.from_terms({"mesh": 1.0}, "", "edited", topic="XX9")
    assert len(search_index(index, nobody).hits) == 3


def test_shares_are_the_largest_ten_or_all(index: EmbeddedEngine) -> None:
    for model in ("bm25", "lm_dirichlet"):
        few = search_index(index, index.patent("EP1000001"), before="off", model=model)
        whole = search_index(index, index.patent("EP1000001"), before="off", model=model, explain=True)
        for one, all_of_it in zip(few.hits, whole.hits, strict=True):
            assert one.why == all_of_it.why[:10]
            assert len(one.why) + one.more == len(all_of_it.why)
            sizes = [abs(share.score) for share in all_of_it.why]
            assert sizes == sorted(sizes, reverse=True)
            assert sum_shares(all_of_it.why) == pytest.approx(all_of_it.score, rel=1e-5)


def test_json_is_what_the_manual_says(index: EmbeddedEngine) -> None:
    found = json.loads(json.dumps(search_index(index, index.patent("EP1000001")).to_dict()))
    assert list(found) == ["topic", "query", "ranking", "documents", "notes", "hits"]
    assert list(found["ranking"]) == ["weights", "absent", "candidates", "sources", "milliseconds"]
    counts = {"searched": 1, "unsearched": 1, "unsearched_languages": {"de": 1}}
    excluded = {"excluded": {"date": 2, "topic": 1}, "undated": 0, "dated_by_year": 0}
    assert found["documents"] == {**counts, **excluded}
    assert list(found["hits"][0]) == ["rank", "doc_id", "score", "title", "date", "ipc", "why", "features"]
    assert list(found["hits"][0]["why"][0]) == ["term", "word", "score"]
    assert list(found["hits"][0]["features"][0]) == ["feature", "score"]
    assert found["query"]["method"] == "logtfidf"
    more = search_index(index, index.patent("EP1000001"), passages=2, claims=True).to_dict()["hits"][0]
    assert list(more["passages"][0]) == ["field", "place", "text", "score", "terms", "marks"]
    assert more["claims"][0]["claim"] == "1. A mesh network of battery powered sensors."
    assert more["claims"][0]["passage"]["field"] == "description"


def test_a_claim_is_searched_with_in_the_languages_that_have_it(index: EmbeddedEngine) -> None:
    patent = Patent(
        "EP9",
        language="en",
        claims={"en": ("1. A mesh network.", "2. The network of claim 1, with sensors.")},
        description={"en": "A violin.", "de": "Eine Geige."},
    )
    found = search_index(index, patent, language="all", from_claim=2, before="off")
    assert (found.searched, found.query_sets[0].fields) == (("en",), ("claims",))
    assert "mesh" in found.query.terms
    assert "violin" not in found.query.terms
    with pytest.raises(InputError, match="topic EP9: has 2 claims, none of them number 3"):
        search_index(index, patent, from_claim=3)


def test_it_is_said_when_nothing_is_found(index: EmbeddedEngine) -> None:
    assert search_index(index, "mesh", ipc=["A01B"]).notes == (
        "no document passes the filters (dates, classes, names, words; never the topic or its family)",
    )
    assert search_index(index, "violin concert", k=5).notes == (
        "2 of 2 terms occur in no document: concert, violin",
        "no document that passes the filters has a term of the query",
        '1 document has no text in en and was not searched (de 1); language="all" searches them',
    )
    edited = search_index(index, Query.from_terms({"Routing": 1.0, "mesh": 1.0}, "en", "edited"))
    assert edited.notes == (
        "1 of 2 terms occur in no document: Routing",
        "a query has the terms of the index: write rout for Routing",
        "1 document has no text in en and was not searched (de 1)",
    )


def test_claims_need_a_patent_that_has_some(index: EmbeddedEngine) -> None:
    with pytest.raises(UsageError, match="none is searched with"):
        search_index(index, "mesh", claims=True)
    with pytest.raises(UsageError, match="EP1000002 has none in en"):
        search_index(index, index.patent("EP1000002"), claims=True)


def test_a_topic_comes_from_the_index_or_a_file(index: EmbeddedEngine, tmp_path: Path) -> None:
    assert find_topic(index, "EP-1000001-B1").doc_id == "EP1000001"
    one = tmp_path / "one.jsonl"
    one.write_text(json.dumps(LINES[1]))
    assert find_topic(index, str(one)).doc_id == "EP1000002"
    several = tmp_path / "several.jsonl"
    several.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    with pytest.raises(
        InputError, match=r"holds 5 patents \(EP1000001, EP1000002, US7000003 …\); choose one: antecede show"
    ):
        find_topic(index, str(several))
    with pytest.raises(InputError, match="EP9: is neither a file nor a patent of the index"):
        find_topic(index, "EP9")


def test_a_method_and_its_terms_are_as_asked(index: EmbeddedEngine) -> None:
    topic = index.patent("EP1000001")
    found = search_index(index, topic, before="off", method="tf", terms=2, fields="claims", weights="none")
    assert (found.query.method, found.query.weights.tolist()) == ("tf", [1.0, 1.0])
    assert open_index(index.folder).search(topic, method="full").query == make_query(topic, index, method="full")


def test_every_language_of_a_patent_is_searched_and_fused(index: EmbeddedEngine) -> None:
    topic = index.patent("EP1000001")
    found = search_index(index, topic, before="off", language="all", explain=True)
    assert [query.language for query in found.queries] == ["en", "de"]
    alone = [search_index(index, topic, before="off", language=language) for language in ("en", "de")]
    sums: dict[str, float] = {}
    for language, each in zip(("en", "de"), alone, strict=True):
        for hit in each.hits:
            number = index.numbers_of(hit.doc_id)
            words = {code: max(int(index.lengths(number, code)[0]), 0) for code in ("en", "de")}
            share = words[language] / sum(words.values())
            sums[hit.doc_id] = sums.get(hit.doc_id, 0.0) + share / (60 + hit.rank)
    assert {hit.doc_id: pytest.approx(hit.score) for hit in found.hits} == sums
    assert "DE5" in sums
    for hit in found.hits:
        assert sum(share.score for share in hit.why) == pytest.approx(hit.term_score)
        assert sum(share.score for share in hit.features) == pytest.approx(hit.score)
    assert [each["language"] for each in found.to_dict()["queries"]] == ["en", "de"]
    (answer,) = run_topics(index, [topic], before="off", language="all", method="full").answers
    assert [*answer.queries] == ["full (en)", "full (de)"]
    assert "en + de" in str(found)
    for model in ("bm25", "lm_dirichlet(mu=1)", "lm_dirichlet(mu=5000)"):
        for hit in search_index(index, topic, before="off", language="all", model=model, explain=True).hits:
            assert all(share.score >= 0 for share in hit.why if share.term is not None)
            assert not hit.why or sum(share.score for share in hit.why) == pytest.approx(hit.score, abs=1e-6)
    with pytest.raises(UsageError, match="the terms of a query are in one language"):
        search_index(index, Query.from_terms({"mesh": 1.0}, "en"), language="all")
    with pytest.raises(InputError, match="is in fr, the index has en, de"):
        search_index(index, Patent("FR1", language="fr", title={"fr": "Réseau"}), language="all")


def test_a_marked_document_moves_the_query_and_is_not_found_again(index: EmbeddedEngine) -> None:
    topic = index.patent("EP1000001")
    found = search_index(index, topic, before="off", relevant=["US7000003"])
    assert found.query.method == "logtfidf+feedback"
    assert "later" in found.query.terms
    assert [hit.doc_id for hit in found.hits] == ["EP1000002"]
    with pytest.raises(InputError, match="XX1: is marked, but not in the index"):
        search_index(index, topic, irrelevant=["XX1"])


def test_a_boost_by_class_raises_the_shares_with_the_score(index: EmbeddedEngine) -> None:
    topic = index.patent("EP1000001")
    plain, raised = (search_index(index, topic, before="off", ipc_boost=each, explain=True) for each in (0.0, 0.9))
    scores = {hit.doc_id: hit.score for hit in plain.hits}
    for hit in raised.hits:
        near = 1 / 3 if hit.doc_id == "EP1000002" else 0.0  # H04L in common, not the main group
        assert hit.score == pytest.approx(scores[hit.doc_id] * (1 + 0.9 * near))
        assert sum(share.score for share in hit.why) == pytest.approx(hit.term_score)
        assert sum(share.score for share in hit.features) == pytest.approx(hit.score)


def test_the_next_search_finds_its_terms_weighed(index: EmbeddedEngine) -> None:
    first = search_index(index, "mesh network of sensors")
    kept = searcher_for(index, "bm25")
    assert search_index(index, "mesh network of sensors").hits == first.hits
    assert searcher_for(index, "bm25") is kept
    assert search_index(index, "mesh network", model="bm25(k1=2)").model == "bm25(k1=2)"
    assert searcher_for(index, "bm25(k1=2)") is not kept
    assert search_index(index, "mesh network of sensors").hits == first.hits


def test_a_model_that_is_changed_is_not_the_one_that_was_kept(index: EmbeddedEngine) -> None:
    changing = parse_model("bm25")
    before = search_index(index, "mesh network of sensors", model=changing)
    changing.parameters["k1"] = 5.0
    after = search_index(index, "mesh network of sensors", model=changing)
    assert after.model == "bm25(k1=5)"
    assert after.hits == search_index(index, "mesh network of sensors", model="bm25(k1=5)").hits
    assert [hit.score for hit in after.hits] != [hit.score for hit in before.hits]


def test_feedback_moves_the_edited_query_and_leaves_out_what_was_left_out(index: EmbeddedEngine) -> None:
    topic = index.patent("EP1000001")
    settings = SearchSettings(before="off", relevant=("US7000003",), ranking="classic")
    plain = Ranker(index, SearchSettings(before="off", ranking="classic")).build_queries(topic)[0].queries[0]
    moved = Ranker(index, settings).build_queries(topic)[0].queries[0]
    (heaviest, weight), *_, (lightest, _) = zip(plain.terms, plain.weights.tolist(), strict=True)
    edits = {"en": {heaviest: 1.1 * weight, lightest: 0.0}}
    edited = Ranker(index, settings).build_queries(topic, edits)[0].queries[0]
    before, after = (dict(zip(each.terms, each.weights.tolist(), strict=True)) for each in (moved, edited))
    assert before[heaviest] < after[heaviest] < 1.2 * before[heaviest]
    assert lightest not in after


SCRIPT = """
import sys
from antecede.ranking.features import lexical
from antecede.search.engine import find_topic
from antecede.search import open_index
from antecede.search.engine import search_index
print(*sys.modules)
"""


def test_a_search_loads_no_reader_of_files() -> None:
    loaded = {
        *subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True).stdout.split()
    }
    assert "antecede.search.engine" in loaded
    readers = {"lxml", "antecede.corpus.collection", "antecede.corpus.applications", "antecede.corpus.splitter"}
    assert not loaded & {*readers, "antecede.index.chunk", "antecede.index.build"}
