"""The search against one written down term by term, in memory and on disk, and what holds for every ranking model."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.conditions.filters import limit_field
from antecede.embedded.searcher import Searcher
from antecede.engine import read_headers, read_record
from antecede.errors import UsageError
from antecede.models import CollectionFacts, Postings
from antecede.query.query import Query, count_terms
from antecede.search import Filters, explain, parse_model
from antecede.search.explain import sum_shares
from antecede.search.hits import Ranking
from tests.search import plain
from tests.search.worlds import (
    EVERY_MODEL,
    WITH_PARAMETERS,
    Document,
    collections,
    memory_index,
    queries,
    search,
)

if TYPE_CHECKING:
    from tests.search.worlds import Shelf

TOLERANCE = 1e-5
"""Of 32-bit numbers, relative to what was added up."""


@pytest.mark.slow
@given(model=st.sampled_from(WITH_PARAMETERS), segments=collections, query=queries, k=st.integers(1, 30))
def test_scores_are_those_of_the_books_best_first_and_equal_ones_by_name(
    model: str, segments: list[list[Document]], query: dict[str, float], k: int
) -> None:
    index = memory_index(*segments)
    parsed = parse_model(model)
    searcher = Searcher(index, model)
    found, whole = (search(searcher, Query.from_terms(query, "en"), most) for most in (k, 100))
    assert (found.doc_ids, found.scores.tolist()) == (whole.doc_ids[:k], whole.scores.tolist()[:k])
    pairs = [(-score, name.encode()) for score, name in zip(whole.scores.tolist(), whole.doc_ids, strict=True)]
    assert pairs == sorted({*pairs})
    query = {term: weight if abs(weight) > 1e-44 else 0.0 for term, weight in query.items()}
    wanted = plain.scores(index.live, query, parsed.definition.name, parsed.definition.spell(parsed.parameters))
    assert len(found) == min(k, len(wanted))
    for name, score in zip(found.doc_ids, found.scores.tolist(), strict=True):
        exact, added = wanted[name]
        assert abs(score - exact) <= TOLERANCE * added + 1e-37, name
    # No document that is left out is clearly better than the last one found.
    if len(found):
        last, added = wanted[found.doc_ids[-1]]
        for name in set(wanted) - set(found.doc_ids):
            assert wanted[name][0] <= last + 2 * TOLERANCE * max(added, wanted[name][1])


@given(terms=st.lists(st.sampled_from(["axle", "bolt"]), min_size=1, max_size=4), cut=st.integers(0, 20))
def test_documents_that_are_equal_are_in_the_order_of_their_bytes(terms: list[str], cut: int) -> None:
    names = [f"EP{number}" for number in range(18)] + ["ÉP1", "Zürich"]
    documents = [Document(name, tuple(terms)) for name in reversed(names)]
    index = memory_index(documents[:cut], documents[cut:]) if 0 < cut < 20 else memory_index(documents)
    for k in (1, 3, 19, 20, 100):
        found = search(Searcher(index), Query.from_terms({"axle": 1.0, "bolt": 2.0}, "en"), k)
        assert list(found.doc_ids) == sorted(names, key=str.encode)[:k]


def test_many_threads_on_one_searcher_learn_the_same_terms_at_once() -> None:
    random = np.random.default_rng(1)
    words = [f"w{number}" for number in range(3000)]
    documents = [
        Document(f"EP{at}", tuple(random.choice(words, 40).tolist() + random.choice(words[:20], 20).tolist()))
        for at in range(300)
    ]
    index = memory_index(documents)
    asked = [Query.from_terms(dict.fromkeys(random.choice(words, 60).tolist(), 1.0), "en") for _ in range(80)]
    wanted = [search(Searcher(index), query, 50).doc_ids for query in asked]
    for _ in range(3):
        searcher = Searcher(index)
        with ThreadPoolExecutor(8) as pool:
            assert [each.doc_ids for each in pool.map(lambda q: search(searcher, q, 50), asked)] == wanted  # noqa: B023


def test_weights_below_what_32_bits_can_tell_from_0_still_find_their_documents() -> None:
    searcher = Searcher(
        memory_index([Document("EP1", ("axle",)), Document("EP2", ("bolt",)), Document("EP3", ("cam",))])
    )
    found = search(searcher, Query.from_terms({"axle": 1.0, "bolt": 1e-40}, "en"), 10)
    assert found.doc_ids == ("EP1", "EP2")


def test_what_cannot_be_searched_is_said() -> None:
    searcher = Searcher(memory_index([Document("EP1", ("axle",))]))
    with pytest.raises(UsageError, match="k must be 1 or more, not 0"):
        search(searcher, Query.from_terms({"axle": 1.0}, "en"), 0)
    with pytest.raises(UsageError, match="no documents in language 'ru'; it has en"):
        search(searcher, Query.from_terms({"axle": 1.0}, "ru"), 5)
    with pytest.raises(UsageError, match="2 terms has 1 weights"):
        Query(("axle", "bolt"), np.ones(1), "en")


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
        filters = Filters(without=("EP1000012",), others=(limit_field("country", ("EP",)),))
        found = {name: search(Searcher(index, model), query, 60, filters) for name, index in kinds.items()}
        assert len(found["one"]) > 20
        for each in found.values():
            assert each.doc_ids == found["one"].doc_ids
            assert each.scores.tobytes() == found["one"].scores.tobytes()


@pytest.mark.parametrize("model", EVERY_MODEL)
def test_scores_on_disk_are_those_of_the_books(shelf: Shelf, model: str) -> None:
    index = shelf.index("adds", FIRST, SECOND, THIRD)
    analyze = index.analyzer("en").terms
    documents = [Document(name, tuple(analyze(each["description"]["en"]))) for name, each in LAST.items()]
    query = dict(Counter(analyze("axle axle clutch joint housing engine engine engine")))
    wanted = plain.scores(documents, {term: float(n) for term, n in query.items()}, model, {})
    searcher = Searcher(index, model)
    asked = Query.from_terms({term: float(n) for term, n in query.items()}, "en")
    found = search(searcher, asked, 1000)
    assert set(found.doc_ids) == set(wanted)
    assert len({*np.searchsorted(index.offsets, found.numbers, side="right").tolist()}) == 3
    assert [each.doc_id for each in read_headers(index, found.numbers)] == list(found.doc_ids)
    assert read_record(index, int(found.numbers[6])).doc_id == found.doc_ids[6]
    for number, name, score in zip(found.numbers.tolist(), found.doc_ids, found.scores.tolist(), strict=True):
        assert score == pytest.approx(wanted[name][0], abs=1e-5 * wanted[name][1])
        assert sum_shares(explain(index, asked, number, model)) == score


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
        return search(
            searcher, Query.from_terms(count_terms(index.analyzer(language).terms(text)), language), 10
        ).doc_ids

    assert names("en", "axle") == ("EP2", "EP1")
    assert set(names("de", "Achse")) == {"EP1", "EP3"}
    assert names("fr", "essieu") == ("EP1",)
    assert names("fr", "roue") == ("EP3",)
    assert names("de", "axle") == ()
    # Rows are not documents here: those of German are the first and the last.
    assert search(searcher, Query.from_terms({"rad": 1.0}, "de"), 5, Filters(without=("EP1",))).doc_ids == ("EP3",)
    hits = search(searcher, Query.from_terms({"rad": 1.0}, "de"), 5)
    assert read_record(index, int(hits.numbers[0])).doc_id == "EP3"
    assert [each.title for each in read_headers(index, hits.numbers)] == ["roue"]


MODELS = [parse_model(each) for each in WITH_PARAMETERS]
UNUSUAL = {"pl2"}
"""Measures how far a count is from what chance gives: a term that is rarer than chance says counts for more, too."""
steady = [each for each in MODELS if each.definition.name not in UNUSUAL]


@st.composite
def a_posting(draw: st.DrawFn) -> tuple[int, int, int, int, CollectionFacts]:
    """Count, length, df and cf of a term in a document of some collection that could be."""
    documents = draw(st.integers(2, 10**7))
    average = draw(st.floats(10, 5000))
    count = draw(st.integers(1, 1000))
    length = draw(st.integers(count, count + 10**5))
    df = draw(st.integers(1, documents))
    cf = draw(st.integers(max(df, count), max(df, count) + 10**6))
    tokens = max(int(documents * average), cf + length)
    return count, length, df, cf, CollectionFacts(documents, tokens, tokens / documents)


def impacts(model: object, count: object, length: object, df: object, cf: object, facts: CollectionFacts) -> np.ndarray:
    values = np.broadcast_arrays(*(np.atleast_1d(np.asarray(each, np.float64)) for each in (count, length, df, cf)))
    found: np.ndarray = model.impacts(Postings(*values), facts)  # type: ignore[attr-defined]
    return found


def test_every_model_has_a_plain_one_to_be_compared_with() -> None:
    assert set(EVERY_MODEL) == set(plain.MODELS)


@given(model=st.sampled_from(MODELS), posting=a_posting())
def test_an_impact_is_finite_and_counts_for_the_document(
    model: object, posting: tuple[int, int, int, int, CollectionFacts]
) -> None:
    found = impacts(model, *posting)
    assert np.isfinite(found).all()
    assert model not in steady or found > 0


@given(model=st.sampled_from(steady), posting=a_posting(), more=st.integers(1, 100))
def test_more_occurrences_never_lower_the_score(
    model: object, posting: tuple[int, int, int, int, CollectionFacts], more: int
) -> None:
    count, length, df, cf, facts = posting
    few, many = impacts(model, [count, count + more], length + more, df, cf + more, facts)
    assert many >= few


@given(model=st.sampled_from(steady), posting=a_posting(), factor=st.integers(2, 50))
def test_a_rarer_term_weighs_more(
    model: object, posting: tuple[int, int, int, int, CollectionFacts], factor: int
) -> None:
    count, length, df, cf, facts = posting
    common = min(df * factor, facts.documents)
    if common > df:
        rare, often = impacts(model, count, length, [df, common], [cf, cf * factor], facts)
        assert rare > often


@pytest.mark.parametrize("model", WITH_PARAMETERS)
def test_an_impact_does_not_depend_on_its_neighbours(model: str) -> None:
    """Else one go and bit by bit could differ in the last digit."""
    random = np.random.default_rng(3)
    size = 1000
    count = random.integers(1, 60, size)
    df = random.integers(1, 9000, size)
    length, cf = count + random.integers(1, 4000, size), df + count
    facts = CollectionFacts(10_000, 10**7, 1000.0)
    parsed = parse_model(model)
    whole = impacts(parsed, count, length, df, cf, facts)
    for start, end in [(0, 1), (1, 2), (3, 10), (5, 22), (900, 1000), (999, 1000)]:
        here = slice(start, end)
        part = impacts(parsed, count[here], length[here], df[here], cf[here], facts)
        assert part.tobytes() == whole[start:end].tobytes()
    counts, lengths = count.astype(np.float64), length.astype(np.float64)
    alone = parsed.impacts(Postings(counts, lengths, np.array([7.0]), np.array([70.0])), facts)
    assert alone.tobytes() == impacts(parsed, count, length, 7, 70, facts).tobytes()


@pytest.mark.slow
@given(model=st.sampled_from(WITH_PARAMETERS), segments=collections, query=queries)
def test_shares_add_up_to_the_score_bit_for_bit(
    model: str, segments: list[list[Document]], query: dict[str, float]
) -> None:
    index, asked = memory_index(*segments), Query.from_terms(query, "en")
    found = Ranking.of(index.retrieve(asked, 100, model=model), index)
    there = {each.name: each for part in segments for each in part}
    for rank, name in enumerate(found.doc_ids, 1):
        shares = explain(index, asked, int(found.numbers[rank - 1]), model)
        assert np.float32(sum_shares(shares)).tobytes() == (found.scores[rank - 1] + np.float32(0)).tobytes()
        named = [share.term for share in shares if share.term is not None]
        assert named == [term for term in asked.terms if term in there[name].terms and query[term] != 0]
