"""The documents of a patent, made into one."""

from __future__ import annotations

from datetime import date
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.merge import identity, merge, unique_citations
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


def test_documents_of_a_patent_share_its_number_not_its_kind() -> None:
    other = Patent("EP-1000000-B1", PatentNumber("EP", "1000000", "B1"))
    assert identity(A1) == identity(other) == "EP1000000"
    assert identity(Patent("case-7")) == "case-7"


def merged_at_once(documents: list[Patent]) -> Patent:
    """What merging means, with all documents at hand: each field from the last that has it, in order of age."""
    order = sorted(documents, key=lambda each: (each.publication_date or date.min, each.kinds, each.source))

    def texts(name: str) -> dict[str, Any]:
        found = {language: text for each in order for language, text in getattr(each, name).items() if text}
        if len(found) > 1:
            found.pop("", None)
        return found

    def last(name: str, empty: Any) -> Any:
        return next((value for each in reversed(order) if (value := getattr(each, name))), empty)

    days = [each.publication_date for each in order if each.publication_date is not None]
    return Patent(
        order[0].doc_id,
        order[0].number,
        tuple(dict.fromkeys(kind for each in order for kind in each.kinds)),
        last("language", ""),
        texts("title"),
        claims=texts("claims"),
        ipc=last("ipc", ()),
        publication_date=min(days, default=None),
        family_id=last("family_id", None),
        citations=unique_citations(citation for each in order for citation in each.citations),
        source=" + ".join(dict.fromkeys(each.source for each in order if each.source)),
    )


LANGUAGES = st.sampled_from(["", "de", "en"])
DOCUMENTS = st.builds(
    Patent,
    st.sampled_from(["a", "b"]),
    st.just(NUMBER),
    st.sampled_from([(), ("A1",), ("B1",), ("A1", "A3")]),
    LANGUAGES,
    st.dictionaries(LANGUAGES, st.sampled_from(["", "s", "t"]), max_size=3),
    claims=st.dictionaries(LANGUAGES, st.sampled_from([(), ("1. x",), ("1. y",)]), max_size=3),
    ipc=st.sampled_from([(), ("A01B 1/00",), ("B28B 1/00",)]),
    publication_date=st.sampled_from([None, date(2000, 1, 1), date(2001, 1, 1)]),
    family_id=st.sampled_from([None, "1", "2"]),
    citations=st.lists(
        st.builds(
            Citation,
            st.sampled_from([NUMBER, CITED]),
            st.sampled_from([None, "A", "X", "Y"]),
            st.sampled_from([None, "search"]),
        ),
        max_size=3,
    ).map(tuple),
    source=st.sampled_from(["", "x", "y", "z"]),
)


@given(st.lists(DOCUMENTS, min_size=2, max_size=6))
def test_merging_is_each_field_from_the_last_document_that_has_it(documents: list[Patent]) -> None:
    merged, expected = merge(iter(documents)), merged_at_once(documents)
    assert merged == expected
    assert merged.to_dict() == expected.to_dict()
    assert [list(merged.title), list(merged.claims)] == [list(expected.title), list(expected.claims)]


def test_a_patent_of_many_documents_names_the_first_of_its_sources() -> None:
    days = [date(2000, 1, 1 + at % 28) for at in range(100)]
    merged = merge(Patent("a", source=f"{at}.xml", publication_date=day) for at, day in enumerate(days))
    assert merged.source.startswith("0.xml + 28.xml + 56.xml + 84.xml + 1.xml + ")
    assert merged.source.endswith(" + 80 more")
    assert merged.source.count(" + ") == 20
