"""Passages: whole sentences, none lost, none too long, the fitting one first.

Claims are divided into features without losing a word, and query terms are marked without changing a text.
"""

from __future__ import annotations

from itertools import pairwise
from math import log
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antecede.conditions.parser import parse_expression
from antecede.patent import Patent
from antecede.query.query import Query, count_terms
from antecede.search import Passages
from antecede.search.passages import (
    MAX_FEATURES,
    MAX_LENGTH,
    RERANKED,
    TARGET_LENGTH,
    divide_text,
    split_features,
    split_windows,
)
from antecede.text import Analyzer

if TYPE_CHECKING:
    from antecede.embedded.engine import EmbeddedEngine
    from tests.search.worlds import Shelf

FILLER = "The housing is made of metal and painted. "
CLUTCH = "A magnetic clutch couples the shaft with the pump. "


@pytest.fixture
def index(shelf: Shelf) -> EmbeddedEngine:
    lines = [
        {"doc_id": "EP1", "language": "en", "description": {"en": FILLER * 30 + CLUTCH + FILLER * 30}},
        {
            "doc_id": "EP2",
            "language": "en",
            "description": {"en": FILLER},
            "claims": {"en": ["1. A pump.", "2. A fan."]},
        },
        {"doc_id": "EP3", "language": "en", "title": {"en": "Pump"}},
        {"doc_id": "EP4", "language": "de", "description": {"de": "Eine Kupplung verbindet Welle und Pumpe."}},
    ]
    return shelf.index("passages", lines)


def query(index: EmbeddedEngine, text: str, language: str = "en") -> Query:
    return Query.from_terms(count_terms(index.analyzer(language).terms(text)), language)


def test_the_sentence_that_answers_comes_first_with_its_words_marked(index: EmbeddedEngine) -> None:
    found = Passages(index, index.patent("EP1"), "en").find_best(query(index, "magnetic clutches of a pump"))
    assert found[0].field == "description"
    assert CLUTCH.strip() in found[0].text
    assert {found[0].text[start:end] for start, end in found[0].marks} == {"magnetic", "clutch", "pump"}
    assert set(found[0].terms) == {"magnet", "clutch", "pump"}
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@pytest.mark.parametrize(
    "where", ['"clutch plate"', "plate NEAR/3 clutch", 'pump AND "clutch plate"', "clutch ADJ/2 plat*"]
)
def test_a_passage_that_meets_the_expression_comes_before_one_with_more_of_its_words(shelf: Shelf, where: str) -> None:
    near, apart = "A clutch plate turns here. ", "This plate is a part of the clutch of the pump, not another plate. "
    line = {"doc_id": "EP1", "language": "en", "description": {"en": apart + FILLER * 20 + near + FILLER * 20}}
    index, asked = shelf.index("meeting", [line]), Query.from_terms({"clutch": 1.0, "plate": 1.0, "pump": 1.0}, "en")
    passages, node = Passages(index, index.patent("EP1"), "en"), parse_expression(where)
    assert apart.strip() in passages.find_best(asked)[0].text
    found = passages.find_best(asked, 2, node)
    assert found[0].text.startswith(near.strip())
    assert apart.strip() in found[1].text
    assert all(found[0].text[start:end].lower() in near.lower() for start, end in found[0].marks)


def test_an_expression_takes_no_passage_away(shelf: Shelf) -> None:
    text = (FILLER * 20 + "A clutch here. ") * 40 + "A clutch plate turns."
    index = shelf.index("many", [{"doc_id": "EP1", "language": "en", "description": {"en": text}}])
    passages, asked = Passages(index, index.patent("EP1"), "en"), Query.from_terms({"clutch": 1.0}, "en")
    every = passages.find_best(asked, 99)
    assert len(every) > 2 * RERANKED - 2
    found = passages.find_best(asked, 99, parse_expression('"clutch plate"'))
    assert sorted(each.place for each in found) == sorted(each.place for each in every)


def test_a_phrase_late_in_a_long_sentence_has_some_words_before_it(shelf: Shelf) -> None:
    text = "A wheel " + "of a car and of a bicycle " * 10 + "has a clutch plate of steel and a drum."
    index = shelf.index("late", [{"doc_id": "EP1", "language": "en", "description": {"en": text}}])
    asked, node = Query.from_terms({"wheel": 1.0, "plate": 1.0}, "en"), parse_expression('"clutch plate"')
    (found,) = Passages(index, index.patent("EP1"), "en").find_best(asked, 1, node)
    assert text.endswith(found.text)
    assert 20 < found.text.index("clutch plate") <= 100
    assert [found.text[start:end] for start, end in found.marks] == ["plate"]


def test_a_title_is_looked_at_only_where_there_is_nothing_else(index: EmbeddedEngine) -> None:
    asked = query(index, "pump")
    assert [each.field for each in Passages(index, index.patent("EP3"), "en").find_best(asked)] == ["title"]


def test_nothing_fits_where_no_word_is_met(index: EmbeddedEngine) -> None:
    assert Passages(index, index.patent("EP2"), "en").find_best(query(index, "violin")) == []
    assert Passages(index, index.patent("EP4"), "en").find_best(query(index, "pump")) == []
    assert Passages(index, index.patent("EP4"), "en").find_best(Query.from_terms({}, "de")) == []


def test_each_claim_finds_its_passage_and_formulas_count_for_nothing(index: EmbeddedEngine) -> None:
    claims = (
        "1. A clutch coupling a shaft.",
        "2. The clutch of claim 1, wherein said metal is painted.",
        "3. A violin.",
    )
    topic = Patent("T", language="en", claims={"en": claims})
    found = Passages(index, index.patent("EP1"), "en").match_claims(topic)
    assert [claim for claim, _ in found] == list(claims)
    first, second, third = (passage for _, passage in found)
    assert first is not None
    assert "couples the shaft" in first.text
    assert second is not None
    assert third is None


def rank_pieces(
    index: EmbeddedEngine, parts: list[tuple[str, int, str]], asked: Query
) -> list[tuple[str, int, str, float]]:
    """The passages of a document, piece by piece: BM25 with the average length of all its pieces."""
    analyzer, statistics = index.analyzer("en"), index.statistics("en")
    pieces = []
    for field, number, part in parts:
        tokens = analyzer.tokens(part)
        for start, end in split_windows(part, "en"):
            terms = [each.term for each in tokens if start <= each.start < end]
            pieces.append((field, number or part.count("\n", 0, start) + 1, part[start:end], terms))
    average = max(1.0, sum(len(each[3]) for each in pieces) / max(1, len(pieces)))
    df = dict(zip(asked.terms, statistics.frequencies(asked.terms).documents.tolist(), strict=True))
    found = []
    for field, place, text, terms in pieces:
        score = 0.0
        for term in dict.fromkeys(each for each in terms if each in asked.terms):
            count, weight = terms.count(term), asked.weights[asked.terms.index(term)]
            idf = log(1 + (statistics.documents - df[term] + 0.5) / (df[term] + 0.5))
            score += weight * idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(terms) / average))
        if score > 0:
            found.append((field, place, text, score))
    return sorted(found, key=lambda each: -each[3])


WORDS = (
    "A magnetic clutch. ",
    "The pump\n",
    "metal housing, ",
    "größe ",
    "“Shaft” ",
    "Fig. 2 ",
    "x" * 750,
    "fan; ",
    "\n",
)
parts_of_words = st.lists(st.sampled_from(WORDS), max_size=60).map("".join)


@given(claims=st.lists(parts_of_words, max_size=3), description=parts_of_words, abstract=parts_of_words)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_pieces_are_ranked_as_small_documents(
    index: EmbeddedEngine, claims: list[str], description: str, abstract: str
) -> None:
    patent = Patent(
        "EP9",
        language="en",
        claims={"en": tuple(claims)},
        description={"en": description},
        abstract={"en": abstract},
    )
    asked = query(index, "the magnetic clutch of the pump, the pump and its metal shaft")
    parts = [("claims", at, text) for at, text in enumerate(claims, 1)]
    parts += [("description", 0, description), ("abstract", 0, abstract)]
    expected = rank_pieces(index, parts, asked)
    for _ in range(2):  # the second time from memory
        found = Passages(index, patent, "en").find_best(asked, 99)
        assert [(each.field, each.place, each.text) for each in found] == [each[:3] for each in expected]
        assert [each.score for each in found] == pytest.approx([each[3] for each in expected], rel=1e-12)
        for each in found:
            for (start, end), term in each.marked_words:
                assert index.analyzer("en").terms(each.text[start:end]) == [term]


texts = st.lists(
    st.sampled_from(
        ["Gear one. ", "The axle turns; ", "it is long, ", "and so on ", "x" * 300, "\n", "Fig. 2 shows it. "]
    ),
    max_size=60,
).map("".join)


@given(text=texts)
def test_windows_lose_nothing_and_stay_short(text: str) -> None:
    places = list(split_windows(text, "en"))
    covered = "".join(text[start:end] for start, end in places)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(start < end <= after for (start, end), (after, _) in pairwise(places))
    assert all(end - start <= MAX_LENGTH for start, end in places)
    # Only the last, or one before a long sentence, is shorter than it might be.
    for (start, end), (_, following) in pairwise(places):
        assert end - start >= TARGET_LENGTH or following - start > TARGET_LENGTH


CLAIM_WORDS = st.lists(
    st.sampled_from(["a valve", "comprising:", "a seat;", ",", "wherein", "said spring", "characterised in that", "\n",
                     "und", "wobei", "ledit ressort", "is of flat wire.", "ö😀", ";", ":", "1."]),
    max_size=60,
)  # fmt: skip


@given(CLAIM_WORDS)
def test_features_are_the_claim(words: list[str]) -> None:
    claim = " ".join(words)
    found = split_features(f"3. {claim}")
    assert "".join("".join(found).split()) in ("".join(claim.split()), "".join(claim.split()).removeprefix("1."))
    assert all(each == each.strip() and each for each in found)
    assert len(found) <= MAX_FEATURES


@pytest.mark.parametrize(
    ("claim", "number"),
    [
        ("1. A lamp.", 1),
        ("1. A lamp comprising: a housing made of glass; a filament; and a socket for the filament.", 2),
        ("1. Lampe mit einem Gehäuse aus Glas, dadurch gekennzeichnet, dass der Glühfaden gewendelt ist.", 2),
        ("1. Lampe avec un boîtier en verre, caractérisée en ce que le filament est enroulé.", 2),
        ("1. A method in which a packet is sent,\nwherein the packet has a header,\nand the header is checked.", 3),
    ],
)
def test_features_end_where_a_reader_would_end_them(claim: str, number: int) -> None:
    assert len(split_features(claim)) == number, split_features(claim)


@given(st.text(max_size=300))
def test_marked_runs_are_the_text(text: str) -> None:
    text += " Routing routers ROUTED 😀 route."
    analyzer = Analyzer("en")
    numbers = {"rout": 7, "router": 8}
    marks = ((each.start, each.end, numbers[each.term]) for each in analyzer.tokens(text) if each.term in numbers)
    runs = divide_text(text, marks)
    assert "".join(run if isinstance(run, str) else run[0] for run in runs) == text
    assert {run[1] for run in runs if not isinstance(run, str)} == {7, 8}
    for run in runs:
        if not isinstance(run, str):
            assert analyzer.terms(run[0]) == [{7: "rout", 8: "router"}[run[1]]]
