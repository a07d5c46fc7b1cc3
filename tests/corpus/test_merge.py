"""The documents of a patent, made into one."""

from __future__ import annotations

from datetime import date
from itertools import permutations

from antecede.corpus.merge import identity, merge
from antecede.patent import Citation, Patent, PatentNumber

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


def test_a_citation_is_kept_once_a_phase_with_the_strongest_category() -> None:
    assert merge([A1, A3, B1]).citations == (Citation(CITED, "X", "search"), Citation(CITED, None, "applicant"))


def test_a_text_of_unknown_language_gives_way() -> None:
    unknown = Patent("EP1000000", NUMBER, ("A1",), title={"": "Old title"})
    assert merge([unknown, B1]).title == {"en": "New title", "de": "Titel"}


def test_documents_of_a_patent_share_its_number_not_its_kind() -> None:
    other = Patent("EP-1000000-B1", PatentNumber("EP", "1000000", "B1"))
    assert identity(A1) == identity(other) == "EP1000000"
    assert identity(Patent("case-7")) == "case-7"
