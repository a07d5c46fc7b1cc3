"""Rankings by evidence: what every feature, and every sum of them, must keep."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.errors import InputError, UnusableIndexError, UsageError
from antecede.index import SpacePlan, learn_space
from antecede.patent.texts import FIELDS
from antecede.query.query import Query
from antecede.query.query_maker import feedback
from antecede.query.topic import text_of
from antecede.ranking import FEATURES
from antecede.ranking.evidence_ranking import normalize
from antecede.ranking.features.citations import are_alike
from antecede.ranking.features.lexical import BITS, PairReader
from antecede.search import Ranker, SearchSettings, make_query, open_index, rank, search_index
from antecede.search.batch import run_topics
from antecede.search.explain import sum_shares
from tests.ranking.worlds import (
    DOCUMENTS,
    EVERY_FEATURE,
    WORDS,
    copy_links,
    documents,
    family_links,
    name_of,
    own_links,
)
from tests.search.worlds import retrieve

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.embedded.engine import EmbeddedEngine
    from tests.search.worlds import Shelf

ALONE = [f"bm25=1,{name}=1" if name not in ("bm25", "classic") else f"{name}=1" for name in FEATURES]
TOPICS = [name_of(number) for number in range(0, DOCUMENTS, 3)]


def test_every_feature_takes_part_in_these_tests() -> None:
    assert {name.partition("=")[0] for name in EVERY_FEATURE.split(",")} == {*FEATURES}


@pytest.mark.parametrize("ranking", [EVERY_FEATURE, "auto", "classic=2,cosine=0.1"])
def test_the_shares_of_the_features_add_up_to_the_score_exactly(
    with_space: EmbeddedEngine, added: EmbeddedEngine, ranking: str
) -> None:
    for index in (with_space, added):
        for topic in TOPICS:
            for hit in search_index(index, index.patent(topic), ranking=ranking, k=DOCUMENTS).hits:
                assert sum_shares(hit.features) == hit.score
                terms = sum(share.score for share in hit.why)
                assert not hit.why or hit.more or math.isclose(terms, hit.term_score, rel_tol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("ranking", [*ALONE, EVERY_FEATURE, "auto"])
def test_scores_fall_and_neither_later_documents_nor_the_family_nor_marked_ones_are_found(
    with_space: EmbeddedEngine, ranking: str
) -> None:
    ranker = Ranker(with_space, SearchSettings(ranking=ranking, k=1000))
    for topic in TOPICS:
        patent = with_space.patent(topic)
        ranking_of = ranker.rank(patent)
        keys = [(-score, name.encode()) for score, name in zip(ranking_of.scores, ranking_of.doc_ids, strict=True)]
        assert keys == sorted(keys)
        found = [with_space.patent(name) for name in ranking_of.doc_ids]
        assert len({each.doc_id for each in found}) == len(found)
        assert patent.doc_id not in {each.doc_id for each in found}
        assert not {each.family_id for each in found} & ({patent.family_id} - {None})
        if patent.date is not None:
            assert all(each.publication_date is None or each.publication_date < patent.date for each in found)
    marked = rank(with_space, with_space.patent(TOPICS[-1]), ranking=ranking, relevant=[name_of(1)], k=1000)
    assert name_of(1) not in marked.doc_ids
    assert rank(with_space, patent, ranking=ranking, k=7).doc_ids == ranker.rank(patent).doc_ids[:7]


@pytest.mark.parametrize("ranking", [*ALONE, EVERY_FEATURE])
@pytest.mark.parametrize(
    ("number", "make", "relevant"),
    [
        *((number, own_links, ()) for number in (30, 41, 42, 59)),  # 42 has no date, and so no bound
        # The members of the family of one are earlier or without a date, those of the other later.
        *((number, family_links, ()) for number in (54, 41)),
        *((number, copy_links, ()) for number in (41, 42)),
        (41, copy_links, (name_of(7),)),  # feedback has moved the query
    ],
)
def test_the_links_of_a_topic_its_family_and_its_copies_change_nothing(
    shelf: Shelf, ranking: str, number: int, make: Callable[[int, float], Any], relevant: tuple[str, ...]
) -> None:
    """They lead to what is to be found: an examiner's report on a member of the family, or on a copy, lists it."""
    none, many = (shelf.index(f"{make.__name__}-{number}-{share}", make(number, share)) for share in (0.0, 0.8))
    one, other = (
        rank(each, each.patent(name_of(number)), ranking=ranking, relevant=relevant, k=1000) for each in (none, many)
    )
    linked = name_of(DOCUMENTS if make is copy_links else number)
    assert not none.patent(linked).citations
    assert many.patent(linked).citations
    assert make is not copy_links or {linked, name_of(DOCUMENTS + 1)} <= {*one.doc_ids}
    assert (one.doc_ids, one.scores) == (other.doc_ids, other.scores)


@pytest.mark.parametrize(
    ("texts", "alike"),
    [
        (("a b c d e f g h i j", "a b c d e f g h i j k"), True),
        (("a b c d e f g h i j", "a b c d e f g h i k"), False),
        (("", "a b c"), False),
    ],
)
def test_texts_are_alike_if_they_share_nine_tenths_of_their_words(
    index: EmbeddedEngine, texts: tuple[str, str], alike: bool
) -> None:
    words = dict(zip("abcdefghijk", WORDS, strict=False))
    one, other = (
        replace(
            index.patent(name_of(1)), description={"en": " ".join(words[each] for each in text.split())}, abstract={}
        )
        for text in texts
    )
    assert are_alike(one, other, "en", index.analyzer("en")) is alike


@pytest.mark.slow
@pytest.mark.parametrize("ranking", [*ALONE, EVERY_FEATURE])
def test_it_does_not_matter_how_an_index_came_about(index: EmbeddedEngine, added: EmbeddedEngine, ranking: str) -> None:
    for topic in TOPICS:
        one, other = (rank(each, each.patent(topic), ranking=ranking, k=1000) for each in (index, added))
        assert one.doc_ids == other.doc_ids
        assert np.allclose(one.scores, other.scores, rtol=1e-6)


def test_a_damaged_space_is_named_and_ends_a_run(shelf: Shelf) -> None:
    shelf.index("damaged", documents())
    learn_space(shelf.built["damaged"], SpacePlan("lsa", 8), workers=1)
    (vectors,) = shelf.built["damaged"].glob("segments/space-*/en-lsa.f32")
    whole = vectors.read_bytes()
    vectors.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    index = open_index(shelf.built["damaged"])
    with pytest.raises(UnusableIndexError, match=rf"{re.escape(str(vectors))}: is damaged.*antecede verify"):
        run_topics(index, [index.patent(name) for name in TOPICS[:3]])


# What the features compute


def test_bm25_alone_ranks_as_the_classic_search_with_topical_weights(index: EmbeddedEngine) -> None:
    for topic in TOPICS:
        classic = rank(index, index.patent(topic), weights="topical", fields=FIELDS, k=1000)
        assert rank(index, index.patent(topic), ranking="bm25=1", k=1000).doc_ids == classic.doc_ids
        assert rank(index, index.patent(topic), ranking="classic=3", k=1000).doc_ids == classic.doc_ids


def test_jelinek_mercer_scores_as_a_search_with_that_model(index: EmbeddedEngine) -> None:
    patent = index.patent(name_of(55))
    query = make_query(patent, index, terms=300, weights="topical", fields=FIELDS)
    searched = retrieve(index, query, 1000, Ranker(index).filters(patent), "lm_jelinek_mercer(lambda=0.4)")
    ranked = rank(index, patent, ranking="jelinek_mercer(lambda=0.4)=1", k=1000)
    assert ranked.doc_ids == searched.doc_ids
    assert np.allclose(ranked.scores, searched.scores / searched.scores[0], atol=1e-5)


def test_feedback_scores_as_a_search_moved_towards_the_best_documents(index: EmbeddedEngine) -> None:
    patent = index.patent(name_of(55))
    query = make_query(patent, index, terms=300, weights="topical", fields=FIELDS)
    model, filters = "lm_jelinek_mercer(lambda=0.7)", Ranker(index).filters(patent)
    first = retrieve(index, query, 1000, filters, model)
    best = first.doc_ids[0]
    moved = retrieve(index, feedback(query, index, [best], beta=0.5, terms=200), 1000, filters, model)
    ranked = rank(index, patent, ranking="feedback(documents=1,beta=0.5)=1", k=1000)
    assert ranked.doc_ids == tuple(name for name in moved.doc_ids if name in {*first.doc_ids})
    assert np.allclose(ranked.scores[:20], moved.scores[:20] / moved.scores[0], atol=1e-5)
    marked = rank(index, patent, ranking="feedback=1", relevant=[best], k=1000)
    assert marked.doc_ids == rank(index, patent, ranking="jelinek_mercer=1", relevant=[best], k=1000).doc_ids


def test_feedback_does_not_bring_back_a_term_that_was_taken_out(index: EmbeddedEngine) -> None:
    patent = index.patent(name_of(55))
    query = make_query(patent, index, terms=300, weights="topical", fields=FIELDS)
    best = retrieve(index, query, 1, model="lm_jelinek_mercer(lambda=0.7)").doc_ids
    term = next(term for term in query.terms if term in feedback(query, index, best, terms=200).terms)
    edited = replace(query, weights=np.where([each == term for each in query.terms], 0.0, query.weights))
    assert term not in feedback(edited, index, best, terms=200).terms


def test_feedback_finds_no_document_without_a_word_that_was_asked_for(index: EmbeddedEngine) -> None:
    asked = WORDS[0]
    found = rank(index, asked, ranking="feedback=1", k=1000)
    assert {*found.doc_ids} == {*rank(index, asked, ranking="classic", k=1000).doc_ids}


def test_the_cosine_is_that_of_the_vectors(index: EmbeddedEngine) -> None:
    patent = index.patent(name_of(57))
    analyzer = index.analyzer("en")
    texts = {each["doc_id"]: f"{each['title']} {each['description']['en']}" for each in documents()}
    counts = {name: Counter(analyzer.terms(text)) for name, text in texts.items()}
    df = Counter(term for each in counts.values() for term in each)

    def vector(terms: Counter[str]) -> dict[str, float]:
        return {term: (1 + math.log(n)) * math.log((DOCUMENTS + 1) / df[term]) for term, n in terms.items()}

    own = vector(Counter(analyzer.terms(text_of(patent, FIELDS, "en"))))
    wanted = {}
    for name, each in counts.items():
        other = vector(each)
        product = sum(own[term] * other[term] for term in own.keys() & other.keys())
        wanted[name] = product / math.sqrt(sum(value**2 for value in other.values()))
    found = rank(index, patent, ranking="bm25=0.0000001,cosine=1", k=1000)
    most = max(wanted[name] for name in found.doc_ids)
    assert np.allclose(found.scores, [wanted[name] / most for name in found.doc_ids], atol=1e-5)


def shares_of(index: EmbeddedEngine, topic: str, feature: str) -> dict[str, float]:
    """What a feature contributes to each document."""
    hits = search_index(index, index.patent(topic), ranking=f"bm25=1,{feature}=1", k=1000).hits
    return {hit.doc_id: hit.features[1].score for hit in hits}


def test_citations_lead_to_what_the_best_documents_cite(index: EmbeddedEngine) -> None:
    topic = name_of(58)
    shares = shares_of(index, topic, "cited_by_hits")
    hits = rank(index, index.patent(topic), ranking="bm25=1", k=50)
    weights = {name: score / hits.scores[0] for name, score in zip(hits.doc_ids, hits.scores, strict=True)}
    dated = [name for name in hits.doc_ids if index.patent(name).publication_date is not None]
    wanted: dict[str, float] = defaultdict(float)
    for name in dated:
        cited = {str(each.number).replace(" ", "") for each in index.patent(name).citations}
        for each in cited:
            wanted[each] += weights[name] / math.sqrt(len(cited))
    assert sum(share > 0 for share in shares.values()) > 5
    assert all(math.isclose(share, min(wanted[name], 1.0), abs_tol=1e-5) for name, share in shares.items())


def test_the_same_applicant_whatever_the_spelling(index: EmbeddedEngine) -> None:
    topic = next(each for each in documents()[50:] if each["applicants"] == ["GEARS CO"])["doc_id"]
    shares = shares_of(index, topic, "same_applicant")
    for name, share in shares.items():
        assert share == (index.patent(name).applicants[0] in ("Gears & Co.", "GEARS CO"))
    assert {*shares.values()} == {0.0, 1.0}


def test_the_more_classes_are_shared_the_better(index: EmbeddedEngine) -> None:
    topic = name_of(56)
    own = {*index.patent(topic).ipc}
    shares = shares_of(index, topic, "classes")
    both = [share for name, share in shares.items() if {*index.patent(name).ipc} == own]
    none = [
        share
        for name, share in shares.items()
        if not {code[:4] for code in index.patent(name).ipc} & {c[:4] for c in own}
    ]
    others = [share for name, share in shares.items() if len({*index.patent(name).ipc} & own) == 1]
    assert both
    assert {*both} == {1.0}
    assert {*none} == {0.0}
    assert all(0 < share < 1 for share in others)


@pytest.mark.parametrize(
    ("scores", "full", "normal"),
    [
        ([1.0, 4.0, 0.0], None, [0.25, 1.0, 0.0]),
        ([-2.0, 0.0, 2.0], None, [0.0, 0.5, 1.0]),
        ([0.0, 0.0], None, [0.0, 0.0]),
        ([], None, []),
        ([0.0, 0.25, 3.0], 1.0, [0.0, 0.25, 1.0]),
        ([], 1.0, []),
    ],
)
def test_scores_are_divided_by_the_largest_or_by_what_counts_fully(
    scores: list[float], full: float | None, normal: list[float]
) -> None:
    assert normalize(np.array(scores), full).tolist() == normal


def test_a_single_citation_by_a_poor_hit_does_not_count_fully(shelf: Shelf) -> None:
    """Divided by the largest score of the pool, the only citation there is would have the full weight."""
    lines, (citing, *cited) = documents(), (name_of(31), name_of(1), name_of(2))
    for line in lines:
        line["citations"] = [{"number": each} for each in cited] if line["doc_id"] == citing else []
    index = shelf.index("one citing", lines)
    hits = rank(index, index.patent(name_of(58)), ranking="bm25=1", k=50)
    score = hits.scores[hits.doc_ids.index(citing)] / hits.scores[0]
    shares = shares_of(index, name_of(58), "cited_by_hits")
    assert score < 0.9
    assert {name: share for name, share in shares.items() if share} == pytest.approx(
        dict.fromkeys(cited, score / math.sqrt(2)), rel=1e-5
    )


# What a topic or an index lacks


def test_what_cannot_be_computed_is_said(index: EmbeddedEngine) -> None:
    found = search_index(index, index.patent(name_of(50)), ranking="bm25=1,latent_space=1,classes=1")
    assert "topic EP1000050: classes is not part of the ranking: the topic has no class" in found.notes
    no_space = "the index has no space of kind lsa; `antecede learn space` adds one"
    assert f"topic EP1000050: latent_space is not part of the ranking: {no_space}" in found.notes
    assert [each.feature for each in found.hits[0].features] == ["bm25"]
    assert not search_index(index, index.patent(name_of(50)), ranking="classes=1").hits
    one = replace(index.patent(name_of(58)), title={}, description={"en": "gear"})
    assert any("no two words" in note for note in search_index(index, one, ranking="bm25=1,bigrams=1").notes)
    with pytest.raises(UsageError, match="ranking: unknown feature 'cosin'; did you mean cosine"):
        rank(index, "gear", ranking="cosin=1")
    text = search_index(index, "gear shaft motor", ranking="bm25=1,title=1,bigrams=1")
    for name in ("title", "bigrams"):
        assert f"{name} is not part of the ranking: the topic is not a patent" in text.notes
    assert len(text.hits)


def test_by_default_only_what_the_topic_itself_lacks_is_said(index: EmbeddedEngine) -> None:
    assert not [note for note in search_index(index, "gear shaft").notes if "ranking" in note]
    notes = search_index(index, index.patent(name_of(50))).notes
    assert [note for note in notes if "ranking" in note] == [
        "topic EP1000050: classes is not part of the ranking: the topic has no class"
    ]


@pytest.mark.parametrize("feature", ["classes", "cosine", "cited_by_hits", "same_applicant"])
def test_a_ranking_without_a_feature_that_finds_documents_ranks_those_of_the_classic_search(
    index: EmbeddedEngine, feature: str
) -> None:
    topic = index.patent(name_of(58))
    found = search_index(index, topic, ranking=f"{feature}=1", k=1000)
    assert "no feature of the ranking finds documents: those of the classic search are ranked" in found.notes
    # The same documents and shares as beside a search that has almost no weight.
    beside = search_index(index, topic, ranking=f"classic=1e-9,{feature}=1", k=1000)
    shares = {hit.doc_id: hit.features[-1].score for hit in beside.hits}
    assert any(shares.values())
    if feature == "cited_by_hits":  # it leads on from the best documents, which a weight of nearly 0 leaves the same
        assert {hit.doc_id for hit in found.hits} == {*shares}
    assert {hit.doc_id: hit.score for hit in found.hits} == pytest.approx(shares, abs=1e-5)


def test_a_query_is_searched_with_as_it_is_unless_a_ranking_is_given(index: EmbeddedEngine) -> None:
    query = Query.from_terms({"gear": 2.0, "rotor": 1.0}, "en", "edited", topic=name_of(59))
    classic = rank(index, query)
    assert classic.languages[0].evidence is None
    assert classic.scores == rank(index, query, ranking="classic").scores
    methods: Any = {"method": ("tfidf", "lm"), "fusion": "rrf", "ranking": "classic=1,cosine=0.5"}
    fused = search_index(index, index.patent(name_of(59)), **methods)
    assert [each.feature for each in fused.hits[0].features] == ["classic", "cosine"]
    assert {query.method for query in fused.queries} == {"tfidf", "lm"}
    found = search_index(index, query, ranking="bm25=1,cosine=1,classes=1")
    assert [each.feature for each in found.hits[0].features] == ["bm25", "cosine", "classes"]
    assert name_of(59) not in {hit.doc_id for hit in found.hits}


def test_feedback_moves_what_the_text_features_look_for(index: EmbeddedEngine) -> None:
    patent = index.patent(name_of(59))
    before = rank(index, patent, k=1000)
    last = before.doc_ids[-1]
    after = rank(index, patent, relevant=[last], k=1000)
    assert after.languages[0].evidence is not None
    assert last not in after.doc_ids
    near = rank(index, index.patent(last), before="off", ranking="bm25=1", k=5).doc_ids
    rank_of = {name: at for at, name in enumerate(before.doc_ids)}
    moved = {name: at for at, name in enumerate(after.doc_ids)}
    assert sum(moved[name] - rank_of[name] for name in near if name in moved) < 0
    with pytest.raises(InputError, match="is marked, but not in the index"):
        rank(index, patent, relevant=["EP9999999"])


def test_several_languages_are_ranked_each_and_fused(shelf: Shelf) -> None:
    lines = [*documents()[:20]]
    for line in lines[::2]:
        line["description"] = {**line["description"], "de": "Zahnrad Welle Motor Getriebe Feder " * 3}
    index = shelf.index("two-languages", lines)
    found = search_index(index, index.patent(name_of(18)), language="all", before="off")
    assert {query.language for query in found.queries} == {"en", "de"}
    assert found.ranking is not None
    assert {*found.ranking["weights"]} == {"en", "de"}
    for hit in found.hits:
        assert math.isclose(sum(each.score for each in hit.features), hit.score, rel_tol=1e-6)


def test_words_that_are_added_count_in_a_ranking_by_evidence(index: EmbeddedEngine) -> None:
    patent = index.patent(name_of(59))
    plain, more = (search_index(index, patent, add_words=words, k=1000) for words in (None, "laser mirror"))
    assert more.query.terms[:2] == ("laser", "mirror")
    has = [
        name for name, each in ((each["doc_id"], each["description"]["en"]) for each in documents()) if "laser" in each
    ]
    ranks = [{hit.doc_id: hit.rank for hit in each.hits} for each in (plain, more)]
    assert sum(ranks[1][name] - ranks[0][name] for name in has if name in ranks[0] and name in ranks[1]) < 0


def test_a_boost_and_named_documents_still_work(index: EmbeddedEngine) -> None:
    patent = replace(index.patent(name_of(59)), description={"en": "A gear and a rotor as in EP 1000002 B1."})
    found = search_index(index, patent, cited=True, ipc_boost=0.5)
    assert found.hits[0].doc_id == name_of(2)
    assert found.hits[0].cited
    assert not found.hits[0].features
    assert all(math.isclose(sum(s.score for s in hit.features), hit.score, rel_tol=1e-5) for hit in found.hits[1:])


# Pairs of words


def test_pairs_of_words_are_those_of_the_texts_without_stop_words(index: EmbeddedEngine) -> None:
    reader = PairReader(index, "en")
    texts = ["The gears of the shaft; a Gear shaft.", "", "gear", "of the motor shaft motor"]
    found = [
        [(reader.names[key >> BITS], reader.names[key & 0xFFFFFFFF]) for key in each.tolist()]
        for each in reader.read([text.encode() for text in texts])
    ]
    gear, shaft, motor = index.analyzer("en").terms("gear shaft motor")
    assert found == [[(gear, shaft), (shaft, gear), (gear, shaft)], [], [], [(motor, shaft), (shaft, motor)]]
    assert reader.read([]) == []


def test_bigrams_count_pairs_as_their_formula_says(index: EmbeddedEngine) -> None:
    topic, analyzer = name_of(58), index.analyzer("en")
    texts = {each["doc_id"]: f"{each['title']}\n{each['description']['en']}" for each in documents()}
    pairs = {name: Counter(pairwise(analyzer.terms(text))) for name, text in texts.items()}
    df = Counter(term for text in texts.values() for term in {*analyzer.terms(text)})
    own = Counter(pairwise(analyzer.terms(index.patent(topic).description["en"])))
    rarity = {pair: sum(math.log((DOCUMENTS + 1) / df[term]) for term in pair) for pair in own}

    def score(name: str) -> float:
        shared = own.keys() & pairs[name].keys()
        return sum(
            math.sqrt(own[pair]) * rarity[pair] * 2.2 * pairs[name][pair] / (pairs[name][pair] + 1.2) for pair in shared
        )

    shares = shares_of(index, topic, "bigrams")
    most = max(score(name) for name in shares)
    assert most > 0
    for name, share in shares.items():
        assert math.isclose(share, score(name) / most, rel_tol=1e-5, abs_tol=1e-6)
    first = rank(index, index.patent(topic), ranking="bm25=1", k=5).doc_ids
    few = shares_of(index, topic, "bigrams(most=5)")
    assert {name for name, share in few.items() if share > 0} <= {*first}
