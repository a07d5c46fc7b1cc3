"""The numbered terms of the compiled loops are those of an analyser, at the same places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.text.analyzer import Analyzer
from antecede.text.term_locator import TermLocator

PIECES = (
    *("The", "gears", " ", ", ", "\n", "Getriebe", "straße", "ﬁlter", "e\N{COMBINING ACUTE ACCENT}tage", "µm", "CO2"),
    *("Ver\N{SOFT HYPHEN}bindung", "l'invention", "é", "漢字", "\N{COMBINING ACUTE ACCENT}", "x" * 300, "İ", "\ud800"),
)
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize("language", ["en", "de", ""])
@given(some=st.lists(texts, max_size=4))
def test_terms_and_places_are_those_of_the_analyzer(language: str, some: list[str]) -> None:
    analyzer = Analyzer(language)
    locator = TermLocator(analyzer)
    for text in some:
        terms, starts = locator.locate(text)
        expected, places = analyzer.locate_terms(text)
        assert terms.tolist() == locator.number_terms(expected)
        assert starts.tolist() == [start for start, _ in places]


def test_terms_that_were_asked_for_first_keep_their_numbers() -> None:
    locator = TermLocator(Analyzer("en"))
    asked = locator.number_terms(["gear", "violin"])
    terms, _ = locator.locate("A gear drives gears and a shaft. " * 9000)  # more words than are scanned at a time
    assert len(terms) == 4 * 9000
    assert terms.tolist().count(asked[0]) == 2 * 9000
    assert asked[1] not in terms.tolist()
