"""Words for people in place of terms: the most frequent form, always a word that a text has."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.index import build_index, open_index
from antecede.query.surface_forms import find_words, frequent_forms, most_frequent
from antecede.text.analyzer import Analyzer

if TYPE_CHECKING:
    from antecede.index import Index

TEXTS = {
    "EP1": "Routing a packet. Routed packets are routing packets.",
    "EP2": "A route. Routes, routes and frequencies; frequency TDMA",
}
LINES = [
    *({"doc_id": doc_id, "language": "en", "description": {"en": text}} for doc_id, text in TEXTS.items()),
    {"doc_id": "EP3", "title": {"": "unknown words of gearboxes"}},
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("forms")
    (folder / "patents.jsonl").write_text("\n".join(map(json.dumps, LINES)))
    build_index(Collection(folder / "patents.jsonl"), folder / "index", workers=1)
    return open_index(folder / "index")


def test_the_most_frequent_form_is_chosen() -> None:
    assert most_frequent(Counter({"Routing": 2, "routing": 1, "routed": 2})) == "Routing"
    assert most_frequent(Counter({"Routing": 1, "routing": 1, "routed": 1})) == "routing"
    assert most_frequent(Counter({"TDMA": 3, "tdma": 1})) == "TDMA"
    assert most_frequent(Counter({"b": 1, "a": 1})) == "a"


def test_forms_are_those_of_the_text_that_a_query_was_made_from(index: Index) -> None:
    terms = ["rout", "packet"]
    assert find_words(index, "en", terms, ["Routed packet, routed packets, packets"]) == ["routed", "packets"]


def test_other_terms_are_looked_up_in_the_index_and_what_it_lacks_stands_for_itself(index: Index) -> None:
    terms = ["rout", "frequenc", "tdma", "gearbox", "nowher"]
    assert find_words(index, "en", terms, [""]) == ["routing", "frequencies", "TDMA", "gearboxes", "nowher"]


def test_every_term_of_an_index_has_a_word_that_is_analysed_as_that_term(index: Index) -> None:
    for language in ("en", ""):
        analyzer = index.analyzer(language)
        for _, matrix in index.matrices(language):
            terms = matrix.all_terms()
            assert analyzer.resolve(find_words(index, language, terms, [])) == terms


def test_nothing_is_analysed_where_nothing_is_wanted() -> None:
    assert frequent_forms(Analyzer("en"), "a mesh of nodes", []) == {}
