"""The same results on a cluster of three nodes and on one machine: rankings, scores, statistics, counts."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.address import parse_address
from antecede.conditions.filters import Filters, condition_on, limit_field, prior_art
from antecede.conditions.parser import parse_expression
from antecede.corpus import Collection
from antecede.errors import UsageError, spell
from antecede.index import build_index
from antecede.models import MODELS
from antecede.opensearch import ranking as cluster_ranking
from antecede.opensearch.load import load_collection
from antecede.query.methods import METHODS
from antecede.query.query import Query, count_terms
from antecede.search import open_index
from antecede.search.batch import run_topics
from antecede.search.engine import search_index
from antecede.search.pipeline import make_query

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.patent import Patent
    from tests.opensearch.local_cluster import LocalCluster

SHARDS = (1, 3, 6)


@pytest.fixture(scope="module")
def topics(collection: Path) -> list[Patent]:
    return list(Collection(collection / "topics").patents())


@pytest.fixture(scope="module")
def few(topics: list[Patent]) -> list[Patent]:
    """Every third topic: one in each language, and another."""
    chosen = topics[1::3]
    assert {each.language for each in chosen} == {"de", "en", "fr"}
    return chosen


@pytest.fixture(scope="module")
def opened(loaded: Callable[[int], str]) -> Callable[[int], Any]:
    found: dict[int, Any] = {}

    def open_with(shards: int) -> Any:
        if shards not in found:
            found[shards] = open_index(loaded(shards))
        return found[shards]

    return open_with


def answers(index: Any, topics: list[Patent], **settings: Any) -> list[Any]:
    found = run_topics(index, topics, threads=2, **settings).answers
    return [(each.topic_id, each.doc_ids, each.scores, each.failed, each.queries, each.notes) for each in found]


@pytest.mark.parametrize("shards", SHARDS)
def test_the_default_ranking_is_the_same(opened: Any, embedded: Any, few: list[Patent], shards: int) -> None:
    """All topics are searched by the program, see `test_the_program_on_a_cluster`."""
    found = answers(opened(shards), few, k=100)
    assert found == answers(embedded, few, k=100)
    assert sum(len(each[1]) for each in found) > 5 * len(few)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_gives_the_same_run(opened: Any, embedded: Any, topics: list[Patent], method: str) -> None:
    for at, shards in enumerate(SHARDS):
        some = topics[at :: len(SHARDS)]  # each topic once
        assert answers(opened(shards), some, method=method, k=50) == answers(embedded, some, method=method, k=50)


@pytest.mark.parametrize(
    "model", [*sorted(MODELS), "bm25(k1=0.4,b=0.9)", "bm25(k1=3,b=0.1)", "bm25(b=0)", "bm25(k1=0)"]
)
def test_every_model_gives_the_same_run(opened: Any, embedded: Any, few: list[Patent], model: str) -> None:
    found = run_topics(opened(3), few, threads=2, model=model, k=20)
    assert found.rankings == run_topics(embedded, few, model=model, k=20).rankings
    assert found.to_dict()["certificate"]["exact"] == len(few)
    if model != "bm25":  # the scores of a script are those of the model: the bound is as tight as can be
        assert all((each.certificate or {})["candidates"] <= 1.06 * 20 + 40 for each in found.answers)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_scores_on_the_cluster_are_those_of_the_model(
    opened: Any, topics: list[Patent], model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranking = cluster_ranking.ranking_for(opened(3), model)
    built = make_query(topics[0], opened(3), method="full")
    mixed = replace(built, weights=np.where(np.arange(len(built)) % 3, built.weights, -built.weights))
    for query in (built, mixed):
        resolved = ranking.resolve(query)
        way = ranking.scripted_way(resolved, 0.0)
        rows, found = ranking.candidates(way, 1000, None)
        exact = ranking.score(resolved, rows).astype(np.float64)
        assert len(rows) > 20
        size = np.abs(found).max() + way.offset
        assert (way.bounds(found) - exact >= -1e-5 * size).all()
        if query is built and model != "pl2":  # of which a term may be negative, which a cluster does not allow
            assert np.abs(way.bounds(found) - exact).max() <= 1e-5 * size


EXPRESSIONS = (
    "signal", "the", "signal AND NOT device", "signal OR verfahren OR procédé", "die", "NOT signal",
    '"the signal"', '"of the"', '"signal quality"', '"synthetic text made by"', '"die erfindung"', '"compos* for"',
    "signal NEAR/3 good", "good ADJ/1 signal", "signal ADJ/5 good", "invention NEAR/30 invention",
    "(signal OR polymer) NEAR/4 (method OR the)", '("the invention" OR polymer) NEAR/6 ("relates to" OR grain)',
    '"the invention" ADJ/8 for', "(invention NEAR/6 relates) NEAR/4 the", "(the ADJ/2 invention) ADJ/3 to",
    "compos*", "in?ention*", "proc*", "ti:compos*", "ti:(for OR mit)", "ab:the", "cl:(the NEAR/9 according)",
    'desc:"of the" NOT ti:for', "ctxt:the AND pd:1990..2001", "ipc:C08 OR ipc:A61", "pd:<1995", "NOT pd:<1995",
)  # fmt: skip


@pytest.mark.parametrize("shards", [1, 3])
def test_expressions_mean_the_same_sets(opened: Any, embedded: Any, shards: int) -> None:
    def documents(index: Any, text: str) -> set[str]:
        filters = Filters(others=(condition_on(index, parse_expression(text)),))
        return {*index.select(filters).names((), 10_000)}

    sizes = {}
    for text in EXPRESSIONS:
        expected = documents(embedded, text)
        assert documents(opened(shards), text) == expected, text
        sizes[text] = len(expected)
    assert sum(0 < size < embedded.documents for size in sizes.values()) > 20, sizes
    for index in (opened(shards), embedded):
        with pytest.raises(UsageError, match="matches words of 66 letters and more, but the index has the first 64 of"):
            documents(index, f"signal OR ff*{'f' * 64}")
        for pattern in (f"ff{'*f' * 30}x", f"ff*f{'?' * 8}x"):
            assert documents(index, pattern) == set()
    wide = f"ff*f{'?' * 30}x"
    assert documents(embedded, wide) == set()
    with pytest.raises(UsageError, match=r"can match words in too many ways for a cluster; write fewer \? after a \*"):
        documents(opened(shards), wide)


def test_many_occurrences_of_a_term(cluster: LocalCluster, tmp_path: Path) -> None:
    """The number of occurrences follows from a 32-bit score: exactly for few, as a range for thousands."""
    counts = [1, 2, 3, 7, 50, 999, 1000, 1001, 20_000, 20_001, 100_000]
    texts = {f"US-{7600000 + at}": "valve " * count + "piston " * (at + 1) for at, count in enumerate(counts)}
    texts |= {f"US-{7700000 + at}": "spring " * (at + 1) for at in range(20)}
    lines = [
        json.dumps({"doc_id": name, "language": "en", "description": {"en": text}}) for name, text in texts.items()
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    address = parse_address(cluster.address("many-occurrences"))
    load_collection(tmp_path / "a.jsonl", address, shards=2, replicas=0, workers=1)
    build_index(tmp_path / "a.jsonl", tmp_path / "index", workers=1)
    for model in MODELS:
        found = [
            [(hit.doc_id, hit.score) for hit in index.search("valve piston", k=4, model=model).hits]
            for index in (open_index(str(address)), open_index(tmp_path / "index"))
        ]
        assert found[0] == found[1]
        assert len(found[0]) == 4


@pytest.mark.parametrize(
    "settings",
    [
        {"language": "all"},
        {"method": ("tfidf", "lm"), "fusion": "rrf"},
        {"ipc_boost": 0.3},
        {"cited": True},
        {"before": "off", "country": "EP"},
        {"undated": "drop", "after": "1990-01-01"},
        {"document_language": ("de", "fr")},
        {"add_words": "signal network"},
        {"must": ("signal",)},
        {"must_not": ('"the signal"',)},
    ],
    ids=str,
)
def test_settings_give_the_same_run(opened: Any, embedded: Any, few: list[Patent], settings: dict[str, Any]) -> None:
    assert answers(opened(3), few, k=30, **settings) == answers(embedded, few, k=30, **settings)


def test_feedback_gives_the_same_run(opened: Any, embedded: Any, topics: list[Patent]) -> None:
    first = next(each for each in topics if len(embedded.search(each, k=3)) == 3)
    relevant, other = (each.doc_id for each in embedded.search(first, k=2).hits)
    marked = {"relevant": (relevant,), "irrelevant": (other,), "k": 30}
    assert answers(opened(3), [first], **marked) == answers(embedded, [first], **marked)


def test_a_search_shows_the_same(opened: Any, embedded: Any, topics: list[Patent]) -> None:
    for topic in topics[:3]:
        shown = [
            search_index(index, topic, k=5, explain=True, passages=2, bibliography=True).to_dict()
            for index in (opened(3), embedded)
        ]
        certificate = shown[0].pop("certificate")
        assert certificate["exact"]
        assert certificate["searches"] >= 1
        for each in shown:
            each.get("ranking", {}).pop("milliseconds", None)
        assert shown[0] == shown[1]


def test_filters_count_the_same(opened: Any, embedded: Any, topics: list[Patent]) -> None:
    patent = embedded.patent(embedded.search(topics[0], k=1).hits[0].doc_id)
    every = [
        Filters(),
        Filters(before=date(2000, 1, 1)),
        Filters(before=date(2000, 1, 1), after=date(1995, 1, 1), undated="drop"),
        Filters(others=(limit_field("ipc", ("H", "G06")),)),
        Filters(others=(limit_field("ipc", patent.ipc[:1]), limit_field("country", ("EP", "US")))),
        Filters(others=(limit_field("language", ("de",)),)),
        Filters(others=(limit_field("applicant", patent.applicants[:1]),)),
        Filters(others=(limit_field("inventor", ("no such person",)),)),
        Filters(without=(patent.doc_id,), without_family=patent.family_id),
        prior_art(topics[0]),
    ]
    everything = embedded.all_numbers()
    for filters in every:
        expected = embedded.select(filters)
        for shards in SHARDS:
            selection = opened(shards).select(filters)
            for language in embedded.languages:
                assert selection.count(language) == expected.count(language)
        assert opened(6).select(filters).coverage(["en"]) == expected.coverage(["en"])
        assert opened(3).select(filters).contains(everything).tolist() == expected.contains(everything).tolist()
    assert opened(3).names(everything) == embedded.names(everything)


def test_a_filter_that_matches_nothing_on_a_shard_changes_no_score(opened: Any, embedded: Any) -> None:
    everything = embedded.names(embedded.all_numbers())
    one, others = everything[3], [name for at, name in enumerate(everything) if at != 3]
    text = embedded.patent(one).abstract or embedded.patent(one).description
    language, words = next(iter(text.items()))
    query = Query.from_terms(count_terms(embedded.analyzer(language).terms(words)), language)
    filters = Filters(without=tuple(others))
    found = [index.retrieve(query, 5, index.select(filters)) for index in (embedded, opened(6))]
    assert embedded.names(found[0].numbers) == opened(6).names(found[1].numbers) == [one]
    assert found[0].scores.tolist() == found[1].scores.tolist()


def test_candidates_are_few_and_more_are_fetched_where_they_do_not_suffice(
    opened: Any, embedded: Any, topics: list[Patent], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = run_topics(opened(3), topics, k=10, model="bm25")
    few = [each.certificate["candidates"] <= 1.1 * 10 + 50 for each in usual.answers if each.certificate is not None]
    assert sum(few) >= len(topics) // 2  # texts of so few words have nearly equal lengths and scores
    assert usual.to_dict()["certificate"]["exact"] == len(topics)
    monkeypatch.setattr(cluster_ranking, "MARGIN", 1.0)
    monkeypatch.setattr(cluster_ranking, "PLUS", 0)
    forced = run_topics(opened(3), topics, k=10, model="bm25")
    assert forced.to_dict()["certificate"]["widened"] > 0
    assert forced.rankings == run_topics(embedded, topics, k=10, model="bm25").rankings


def test_a_model_without_a_script_is_refused_or_named_approximate(
    opened: Any, embedded: Any, topics: list[Patent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS.entries, "pl2", replace(MODELS["pl2"], script=None))  # as one of another package may be
    few = answers(opened(3), topics[:3], k=3, model="pl2")
    assert few == answers(embedded, topics[:3], k=3, model="pl2")  # all documents with a term are scored
    monkeypatch.setattr(cluster_ranking, "MAX_SCORED", 5)
    refused = run_topics(opened(3), topics[:1], k=3, model="pl2").answers[0]
    assert refused.failed is not None
    assert f"accept {spell('approximate', True)}" in refused.failed
    result = search_index(opened(3), topics[0], k=3, model="pl2", approximate=True)
    assert any(note.startswith("approximate: only the ") for note in result.notes)
    assert result.to_dict()["certificate"]["exact"] is False
