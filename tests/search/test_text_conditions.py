"""Words and phrases that documents must or must not have: exact, complete, and counted."""

from __future__ import annotations

import re
import unicodedata
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from antecede.errors import UsageError
from antecede.search import SearchSettings, search_index
from antecede.search.text_conditions import TextCondition, parse_expression

if TYPE_CHECKING:
    from antecede.index import Index
    from tests.search.worlds import Shelf

WORDS = ("mesh", "Network", "networks", "the", "network-mesh")


@pytest.fixture(scope="module")
def index(shelf: Shelf) -> Index:
    """Every sequence of three of some words, in two segments, with a document in German and one of unknown language."""
    lines: list[dict[str, Any]] = [
        {"doc_id": f"EP{1000000 + at}", "language": "en", "description": {"en": f"hub\n{a}  {b} {c}."}}
        for at, (a, b, c) in enumerate(product(WORDS, repeat=3))
    ]
    lines[3]["claims"] = {"en": ["1. A mesh,", "2. A network"]}  # two claims are two texts
    german = {"doc_id": "DE1", "language": "de", "title": {"de": "Ein Mesh Netz im Mesh"}}
    unknown = {"doc_id": "XX1", "title": {"": "hub mesh network"}}
    accented = {**german, "doc_id": "DE2", "title": {"de": unicodedata.normalize("NFD", "Im Mesh größer")}}
    return shelf.index("conditions", lines[:60], [*lines[60:], german, accented, unknown])


def texts(index: Index) -> dict[str, list[str]]:
    found = {}
    for segment in index.segments:
        for number in range(segment.documents):
            patent = segment.store.record(number)
            claims = [claim for each in patent.claims.values() for claim in each]
            found[patent.doc_id] = [*patent.title.values(), *patent.description.values(), *claims]
    return found


def meets(index: Index, expression: str, *, wanted: bool = True) -> set[str]:
    condition = TextCondition(index, expression, wanted=wanted)
    return {doc_id for segment in index.segments for doc_id in segment.doc_ids(condition.allowed(segment).nonzero()[0])}


@pytest.mark.parametrize(
    "phrase",
    [
        "mesh network",
        "network mesh",
        "the network",
        "network the mesh",
        "networks the",
        "network-mesh",
        "mesh mesh mesh",
        "the",
    ],
)
def test_a_phrase_is_found_in_exactly_the_documents_that_have_it(index: Index, phrase: str) -> None:
    pattern = re.compile("(?<![a-z])" + phrase.replace(" ", "[ \n]+") + "(?![a-z])", re.IGNORECASE)
    wanted = {doc_id for doc_id, each in texts(index).items() if any(map(pattern.search, each))}
    assert 0 < len(wanted) < len(texts(index))
    assert meets(index, phrase) == meets(index, f"“{phrase}”") == wanted
    assert meets(index, phrase, wanted=False) == {*texts(index)} - wanted


def test_a_word_stands_for_its_forms_unless_it_is_quoted(index: Index) -> None:
    every = texts(index)
    assert meets(index, "networking") == {name for name, each in every.items() if "network" in " ".join(each).lower()}
    exact = {name for name, each in every.items() if re.search(r"(?<!\w)networks(?!\w)", " ".join(each))}
    assert meets(index, '"networks"') == exact
    assert "DE1" in meets(index, "mesh")
    assert "XX1" in meets(index, "mesh network")


def test_accented_letters_are_the_same_in_one_character_or_two(index: Index) -> None:
    composed, decomposed = (unicodedata.normalize(form, "Im Mesh größer") for form in ("NFC", "NFD"))
    assert composed != decomposed
    assert meets(index, composed) == meets(index, decomposed) == {"DE2"}


def test_a_search_leaves_out_and_counts_what_does_not_meet_them(index: Index) -> None:
    found = search_index(index, "hub", k=1000, must=["mesh network", "networks"], must_not="the")
    wanted = meets(index, "mesh network") & meets(index, "networks") - meets(index, '"the"')
    assert {hit.doc_id for hit in found.hits} == wanted
    assert found.coverage.searched == len(wanted)
    assert sum(found.coverage.excluded.values()) == len(texts(index)) - len(wanted)
    assert 'with "mesh network" with networks without the' in found.table().title


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("mesh", "mesh"),
        (" mesh   network ", '"mesh network"'),
        ("“mesh”", '"mesh"'),
        ("Wi-Fi", '"Wi-Fi"'),
        ("5G", '"5G"'),
    ],
)
def test_an_expression_has_a_normal_form(written: str, normal: str) -> None:
    assert parse_expression(written) == normal
    assert parse_expression(normal) == normal
    assert SearchSettings(must=(written,)).must == (normal,)


def test_what_no_index_can_answer_is_refused(index: Index) -> None:
    for empty in ("", " ", '""', "–"):
        with pytest.raises(UsageError, match="has no word"):
            SearchSettings(must=(empty,))
    assert search_index(index, "hub", must=("802.11",)).hits == ()


def test_words_besides_a_topic_weigh_as_much_as_its_heaviest_term(index: Index) -> None:
    patent = index.patent("EP1000000")
    plain = search_index(index, patent, before="off").query
    query = search_index(index, patent, before="off", add_words="networks hub hub").query
    weights, before = (dict(zip(each.terms, each.weights.tolist(), strict=True)) for each in (query, plain))
    heaviest = max(before.values())
    assert weights == {**before, "network": heaviest, "hub": before.get("hub", 0) + 2 * heaviest}
    assert dict(zip(query.terms, query.df, strict=True))["network"] > 0
    with pytest.raises(UsageError, match="no word to search for in 'the'"):
        search_index(index, patent, add_words="the")
