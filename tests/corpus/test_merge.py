"""The documents of a patent, made into one."""

from __future__ import annotations

from datetime import date
from itertools import permutations
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.merge import identity, merge
from antecede.patent import Citation, Patent, PatentNumber, unique_citations

if TYPE_CHECKING:
    from random import Random

NUMBER = PatentNumber("EP", "1000000", "A1")
CITED = PatentNumber("DE", "3546191", "A1")
A1 = Patent(
    "EP1000000",
    NUMBER,
    ("A1",),
    "en",
    {"en": "Old title"},
    {"en": "Abstract"},
    {"en": ("1. Broad.",)},
    {"en": "As filed"},
    ("B28B 1/00",),
    publication_date=date(2000, 5, 17),
    citations=(Citation(CITED, "A", "search"),),
    source="A1.xml",
)
A3 = Patent(
    "EP1000000",
    NUMBER,
    ("A3",),
    publication_date=date(2001, 1, 3),
    citations=(Citation(CITED, "X", "search"), Citation(CITED, None, "applicant")),
    source="A3.xml",
)
B1 = Patent(
    "EP1000000",
    NUMBER,
    ("B1",),
    "en",
    {"en": "New title", "de": "Titel"},
    claims={"en": ("1. Narrow.",), "de": ("1. Eng.",), "fr": ("1. Étroit.",)},
    priority_date=date(1998, 11, 12),
    publication_date=date(2003, 2, 12),
    source="B1.xml",
)


def test_each_field_comes_from_the_latest_that_has_it() -> None:
    patent = merge([A1, B1])
    assert patent.kinds == ("A1", "B1")
    assert patent.title == {"en": "New title", "de": "Titel"}
    assert patent.abstract == {"en": "Abstract"}
    assert set(patent.claims) == {"en", "de", "fr"}
    assert patent.claims["en"] == ("1. Narrow.",)
    assert patent.description == {"en": "As filed"}
    assert (patent.priority_date, patent.publication_date) == (date(1998, 11, 12), date(2000, 5, 17))
    assert patent.source == "A1.xml + B1.xml"


def test_the_order_in_which_documents_come_does_not_matter() -> None:
    assert len({repr(merge(order)) for order in permutations([A1, A3, B1])}) == 1


TITLES = st.dictionaries(st.sampled_from(["", "de", "en"]), st.sampled_from(["", "s", "t"]), max_size=3)


@given(st.dictionaries(st.dates(date(2000, 1, 1)), TITLES, min_size=1), st.randoms())
def test_each_text_is_the_latest_of_its_language_in_any_order(titles: dict[date, Any], random: Random) -> None:
    documents = [Patent("a", NUMBER, title=title, publication_date=day) for day, title in titles.items()]
    merged = merge(documents)
    random.shuffle(documents)
    assert merge(documents) == merged
    assert merged.publication_date == min(titles)
    latest = {
        language: text for _, title in sorted(titles.items(), key=str) for language, text in title.items() if text
    }
    if len(titles) > 1:
        assert merged.title == {language: text for language, text in latest.items() if language or len(latest) == 1}


def test_of_documents_of_one_age_the_last_is_used_and_a_citation_is_as_strong_as_any() -> None:
    assert merge([Patent("a", title={"en": "one"}), Patent("b", title={"en": "two"})]).title == {"en": "two"}
    cited = [Citation(CITED, "A"), Citation(NUMBER), Citation(CITED, "X"), Citation(CITED, None, "search")]
    merged = merge([Patent("a", citations=tuple(cited[:2])), Patent("a", citations=tuple(cited[2:]))])
    assert merged.citations == (cited[2], cited[1], cited[3]) == unique_citations(cited)


def test_documents_of_a_patent_share_its_number_not_its_kind() -> None:
    other = Patent("EP-1000000-B1", PatentNumber("EP", "1000000", "B1"))
    assert identity(A1) == identity(other) == "EP1000000"
    assert identity(Patent("case-7")) == "case-7"


def test_a_patent_of_many_documents_names_the_first_of_its_sources() -> None:
    days = [date(2000, 1, 1 + at % 28) for at in range(100)]
    merged = merge(Patent("a", source=f"{at}.xml", publication_date=day) for at, day in enumerate(days))
    assert merged.source.startswith("0.xml + 28.xml + 56.xml + 84.xml + 1.xml + ")
    assert merged.source.endswith(" + 80 more")
    assert merged.source.count(" + ") == 20
