"""Queries as data: written, edited, read again; what is wrong with one is said."""

from __future__ import annotations

import io
import json
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import InputError, UsageError
from antecede.query import Query, parse_query, read_query
from antecede.query.query import edit_query, find_words, most_frequent

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine
    from tests.query.worlds import Worlds

finite = st.floats(-1e30, 1e30)
weighted = st.dictionaries(st.text(min_size=1, max_size=8), finite, max_size=8)


@given(terms=weighted, language=st.sampled_from(["en", "de", ""]), topic=st.one_of(st.none(), st.text(max_size=8)))
def test_a_query_comes_back_as_it_was(terms: dict[str, float], language: str, topic: str | None) -> None:
    query = Query.from_terms(terms, language, "tfidf", topic=topic)
    assert parse_query(json.loads(json.dumps(query.to_dict())), "here") == query


@given(terms=weighted, seed=st.integers(0, 99))
def test_the_heaviest_term_comes_first_and_equal_ones_by_name(terms: dict[str, float], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(terms)).tolist()
    mixed = [list(terms.items())[at] for at in order]
    query = Query.from_terms(dict(mixed), "en")
    assert query == Query.from_terms(terms, "en")
    pairs = [(-weight, term) for weight, term in zip(query.weights.tolist(), query.terms, strict=True)]
    assert pairs == sorted(pairs)


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        ([], "is not a query: it must be"),
        ({"terms": {"a": 1}}, "is not a query: it must be"),
        ({"terms": ["axle"]}, 'term 1 is not {"term"'),
        ({"terms": [{"term": 7}]}, "term 1 is not"),
        ({"terms": [{"term": "a"}, {"term": "b", "weight": "1"}]}, "term 2, 'b': weight 1 is not a number"),
        ({"terms": [{"term": "a", "weight": True}]}, "weight True is not a number"),
        ({"terms": [{"term": "a", "weight": float("nan")}]}, "weight nan is not a number"),
        ({"terms": [{"term": "a", "weight": float("inf")}]}, "weight inf is not a number, or beyond 1e+30"),
        ({"terms": [{"term": "a", "weight": 10**400}]}, "is not a number, or beyond 1e+30"),
        ({"terms": [{"term": "a"}, {"term": "a"}]}, "term 2, 'a', occurs twice; keep one of them"),
        ({"terms": [], "language": 5}, "language must be a text"),
        ({"terms": [], "topic": ["EP1"]}, "topic must be a text"),
    ],
)
def test_a_broken_query_is_refused_with_a_reason(whole: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_query(whole, "q.json")
    assert str(caught.value).startswith("q.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_query_is_read_from_a_file_or_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"language": "de", "terms": [{"term": "öse"}]}'
    path = tmp_path / "q.json"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert (read_query(path).terms, read_query(path).weights.tolist()) == (("öse",), [1.0])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read_query("-") == read_query(path)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_file_that_is_no_json_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "q.json"
    with pytest.raises(InputError, match=r"cannot be read \(No such file"):
        read_query(path)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"is not JSON .*write it as `antecede query --json` does"):
        read_query(path)


# Edited queries: only what was edited changes

QUERY = Query(("b", "a", "c"), np.array([3.0, 2.0, 1.0]), "en", counts=(3, 2, 1), df=(30, 20, 10), topic="t")
INDEX = cast(
    "Any",
    SimpleNamespace(
        statistics=lambda _: SimpleNamespace(
            frequencies=lambda terms: SimpleNamespace(documents=np.full(len(terms), 7))
        )
    ),
)


def test_only_what_was_edited_changes() -> None:
    edited = edit_query(INDEX, QUERY, {"a": 9.0, "c": 0.0, "z": 5.0})
    assert edited.terms == ("z", "b", "a")
    assert edited.weights.tolist() == [5.0, 3.0, 9.0]
    assert (edited.counts, edited.df, edited.topic) == ((0, 3, 2), (7, 30, 20), "t")
    assert edited.to_dict()["terms"][0] == {"term": "z", "weight": 5.0, "count": 0, "df": 7}
    assert edit_query(INDEX, QUERY, {}) == QUERY
    assert edit_query(INDEX, QUERY, {"not there": 0.0}) == QUERY


def test_weights_that_mean_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match=r"beyond 1e\+30"):
        Query.from_terms({"a": 2e30}, "en")
    for weight in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="weight"):
            edit_query(INDEX, QUERY, {"a": weight})
    with pytest.raises(UsageError, match="no term"):
        edit_query(INDEX, QUERY, dict.fromkeys("abc", 0.0))


# Words for people in place of terms: the most frequent form, always a word that a text has

TEXTS = {
    "EP1": "Routing a packet. Routed packets are routing packets.",
    "EP2": "A route. Routes, routes and frequencies; frequency TDMA",
}
LINES = [
    *({"doc_id": doc_id, "language": "en", "description": {"en": text}} for doc_id, text in TEXTS.items()),
    {"doc_id": "EP3", "title": {"": "unknown words of gearboxes"}},
]


@pytest.fixture
def index(worlds: Worlds) -> EmbeddedEngine:
    return worlds.index("forms", LINES)


def test_the_most_frequent_form_is_chosen() -> None:
    assert most_frequent(Counter({"Routing": 2, "routing": 1, "routed": 2})) == "Routing"
    assert most_frequent(Counter({"Routing": 1, "routing": 1, "routed": 1})) == "routing"
    assert most_frequent(Counter({"TDMA": 3, "tdma": 1})) == "TDMA"
    assert most_frequent(Counter({"b": 1, "a": 1})) == "a"


def test_forms_are_those_of_the_text_that_a_query_was_made_from(index: EmbeddedEngine) -> None:
    terms = ["rout", "packet"]
    assert find_words(index, "en", terms, ["Routed packet, routed packets, packets"]) == ["routed", "packets"]


def test_other_terms_are_looked_up_in_the_index_and_what_it_lacks_stands_for_itself(index: EmbeddedEngine) -> None:
    terms = ["rout", "frequenc", "tdma", "gearbox", "nowher"]
    assert find_words(index, "en", terms, [""]) == ["routing", "frequencies", "TDMA", "gearboxes", "nowher"]


def test_every_term_of_an_index_has_a_word_that_is_analysed_as_that_term(index: EmbeddedEngine) -> None:
    for language in ("en", ""):
        analyzer = index.analyzer(language)
        for _, matrix in index.matrices(language):
            terms = matrix.all_terms()
            assert analyzer.resolve(find_words(index, language, terms, [])) == terms
