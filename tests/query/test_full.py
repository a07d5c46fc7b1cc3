"""FULL: every term of the description, by how often it occurs."""

from __future__ import annotations

import pytest

from antecede.errors import InputError
from antecede.patent import Patent
from antecede.query import full


def test_every_term_of_the_description_with_its_count() -> None:
    topic = Patent("EP1", description={"en": "b a b c b a"}, claims={"en": ("z",)}, title={"en": "y"})
    query = full(topic, "en", str.split)
    assert (query.terms, query.weights.tolist(), query.counts) == (("b", "a", "c"), [3.0, 2.0, 1.0], (3, 2, 1))
    assert (query.method, query.language, query.topic) == ("full", "en", "EP1")


def test_claims_then_abstract_then_title_stand_in() -> None:
    claims = Patent("EP1", description={"de": "d"}, claims={"en": ("a b", "a")}, abstract={"en": "x"})
    assert full(claims, "en", str.split).terms == ("a", "b")
    assert full(Patent("EP1", abstract={"en": "x"}, title={"en": "t"}), "en", str.split).terms == ("x",)
    assert full(Patent("EP1", title={"": "t"}), "", str.split).terms == ("t",)


def test_a_topic_without_a_word_is_refused() -> None:
    with pytest.raises(InputError, match="topic EP1: has no text in language 'fr' to search with"):
        full(Patent("EP1", title={"en": "t"}), "fr", str.split)
    with pytest.raises(InputError, match="has no text"):
        full(Patent("EP1", title={"en": "the"}), "en", lambda _: [])
