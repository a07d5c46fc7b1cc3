"""A topic: which text, in which language, with what masked, counted how."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import InputError
from antecede.patent import Patent
from antecede.query.topic import language_for, make_topic, mask_numbers, take_claim
from antecede.text import Analyzer

ENGLISH = Analyzer("en")
WHOLE = Patent(
    "EP1",
    language="en",
    title={"en": "Gears", "de": "Getriebe"},
    abstract={"en": "Toothed wheels."},
    claims={"en": ("1. A gear.", "2. A wheel."), "de": ("1. Ein Getriebe.",)},
    description={"en": "A shaft turns a gear. The gear turns."},
)


def test_the_description_is_the_text_unless_told_otherwise() -> None:
    topic = make_topic(WHOLE, ENGLISH, "en")
    assert dict(zip(topic.terms, topic.counts.tolist(), strict=True)) == {"shaft": 1, "turn": 2, "gear": 2}
    assert (topic.fields, topic.notes, topic.length) == (("description",), (), 5)


def test_fields_are_put_together() -> None:
    topic = make_topic(WHOLE, ENGLISH, "en", ("title", "abstract"))
    assert topic.terms == ("gear", "tooth", "wheel")
    assert make_topic(WHOLE, ENGLISH, "en", ("claims",)).terms == ("gear", "wheel")


def test_a_claim_is_taken_with_those_it_refers_to() -> None:
    claims = ("1. A gear.", "2. The gear of claim 1, with a hub.", "3. A shaft.", "4. The gear of claim 2 or 3, hot.")
    patent = Patent("EP1", language="en", title={"en": "Hubs"}, claims={"en": claims, "de": ("1. Ein Getriebe.",)})
    assert take_claim(patent, 4).claims == {"en": (claims[0], claims[1], claims[3])}
    assert take_claim(patent, 3).claims == {"en": (claims[2],)}
    assert take_claim(patent, 1).claims == {"en": claims[:1], "de": ("1. Ein Getriebe.",)}
    assert take_claim(patent, 1).title == {}
    with pytest.raises(InputError, match="topic EP1: has 4 claims, none of them number 5"):
        take_claim(patent, 5)
    with pytest.raises(InputError, match="topic EP1: has no claims"):
        take_claim(Patent("EP1"), 1)
    kept = Patent("EP1", claims={"en": ("11. A gear.", "12. A hub.", "14. The hub of claim 12 or of claim 13.")})
    assert take_claim(kept, 14).claims == {"en": kept.claims["en"][1:]}
    with pytest.raises(InputError, match="none of them number 1;"):
        take_claim(kept, 1)
    unnumbered = Patent("EP1", claims={"en": ("A gear.", "The gear of claim 1, hot.")})
    assert take_claim(unnumbered, 2).claims == unnumbered.claims
    circular = Patent("EP1", claims={"en": ("1. The gear of claim 1.", "2. The gear of claim 3.", "3. Of claim 2.")})
    assert take_claim(circular, 3).claims == {"en": circular.claims["en"][1:]}


@pytest.mark.parametrize(
    ("patent", "terms", "fallback"),
    [
        (Patent("EP1", language="en", claims={"en": ("a gear",)}, title={"en": "hub"}), ("gear",), "claims are"),
        (
            Patent("EP1", language="en", abstract={"en": "cam"}, title={"en": "hub"}),
            ("cam", "hub"),
            "abstract and title are",
        ),
        (Patent("EP1", language="en", title={"en": "hub"}), ("hub",), "title is"),
    ],
)
def test_claims_then_abstract_then_title_stand_in_and_it_is_said(
    patent: Patent, terms: tuple[str, ...], fallback: str
) -> None:
    topic = make_topic(patent, ENGLISH, "en")
    assert topic.terms == terms
    assert topic.notes == (f"topic EP1: has no description; its {fallback} used",)


def test_one_of_several_fields_is_enough() -> None:
    topic = make_topic(Patent("EP1", language="en", title={"en": "hub"}), ENGLISH, "en", ("title", "abstract"))
    assert (topic.fields, topic.notes) == (("title",), ())


def test_the_language_is_the_patents_own_if_the_index_has_it() -> None:
    assert language_for(WHOLE, ("description",), ("de", "en")) == "en"
    assert language_for(WHOLE, ("claims",), ("de",)) == "de"
    assert language_for(WHOLE, ("description",), ("en", "de"), "de") == "de"
    german = make_topic(WHOLE, Analyzer("de"), "de")
    assert german.notes[-1] == "topic EP1: is in en; its text in de is searched with"


@pytest.mark.parametrize(
    ("patent", "there", "wanted", "message"),
    [
        (Patent("EP1"), ("en",), None, "topic EP1: has no text"),
        (Patent("EP1", title={"en": " "}), ("en",), None, "has no text"),
        (WHOLE, ("fr", "ja"), None, "is in en, de, the index has fr, ja"),
        (WHOLE, ("fr",), "fr", "has no text in language 'fr'; it has en, de"),
        (WHOLE, ("fr",), "de", "is in de, the index has fr"),
    ],
)
def test_a_language_that_is_not_there_is_said(
    patent: Patent, there: tuple[str, ...], wanted: str | None, message: str
) -> None:
    with pytest.raises(InputError) as error:
        language_for(patent, ("description",), there, wanted)
    assert message in str(error.value)


def test_patent_numbers_are_masked_with_their_announcement() -> None:
    text = "As in U.S. Pat. No. 5,123,456 and EP-A-0 680 812 the hub turns."
    assert mask_numbers(text, "en").split() == ["As", "in", "and", "the", "hub", "turns."]
    topic = make_topic(Patent("EP1", language="en", description={"en": text}), ENGLISH, "en")
    assert topic.terms == ("hub", "turn")


@given(text=st.text(st.sampled_from("abcdefgh ABC.\n,;12'-é\u0301ßΩ特。!?"), max_size=200))
def test_the_counts_are_those_of_the_analyser_and_of_all_sentences(text: str) -> None:
    patent = Patent("EP1", language="en", description={"en": f"gear {text}"})
    topic = make_topic(patent, ENGLISH, "en")
    assert dict(zip(topic.terms, topic.counts.tolist(), strict=True)) == Counter(ENGLISH.terms(topic.text))
    assert list(topic.terms) == sorted(topic.terms)
    pieces = topic.sentences
    total = np.bincount(pieces.terms, weights=pieces.counts, minlength=len(topic.terms))
    assert total.tolist() == topic.counts.tolist()


def test_half_a_sign_does_not_stop_it() -> None:
    assert make_topic(Patent("EP1", description={"en": "gear \ud800 hub"}), ENGLISH, "en").terms == ("gear", "hub")


@pytest.mark.parametrize(
    ("language", "second", "reference", "parents"),
    [
        ("en", "claim 1", "according to any one of the preceding claims", (1,)),
        ("en", "claim 1", "as claimed in any previous claim", (1,)),
        ("en", "", "of any of the foregoing claims", (2,)),
        ("en", "claim 1", "according to one of the claims above", (1,)),
        ("de", "Anspruch 1", "nach einem der vorhergehenden Ansprüche", (1,)),
        ("de", "Anspruch 1", "NACH EINEM DER VORANGEHENDEN PATENTANSPRUECHE", (1,)),
        ("de", "", "gemäß einem der vorstehenden Anspru\u0308che", (2,)),
        ("de", "Patentanspruch 1", "nach Patentanspruch 2", (1, 2)),
        ("de", "Anspruch 1", "nach einem der Ansprüche 1 bis 2", (1,)),
        ("fr", "la revendication 1", "selon l'une quelconque des revendications précédentes", (1,)),
        ("fr", "", "SELON LES REVENDICATIONS PRECEDENTES", (2,)),
        ("fr", "la revendication 1", "selon la revendication n° 2", (1, 2)),
        ("en", "claim 1", "with a plurality of valves", ()),
    ],
)
def test_references_to_claims_before_bring_their_parents(
    language: str, second: str, reference: str, parents: tuple[int, ...]
) -> None:
    claims = ("1. A pump.", f"2. A pump, {second}, with a seat.", f"3. A pump, {reference}, with a valve.")
    taken = take_claim(Patent("EP1", claims={language: claims}), 3)
    assert taken.claims[language] == tuple(claims[number - 1] for number in (*parents, 3))


def test_a_claim_of_many_that_refer_to_any_before_is_read_at_once() -> None:
    claims = ("1. A pump.", *(f"{n}. A pump of any preceding claim." for n in range(2, 400)))
    assert take_claim(Patent("EP1", claims={"en": claims}), 399).claims["en"] == (claims[0], claims[398])
