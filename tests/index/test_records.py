"""A patent comes back from its record as it was."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from antecede.index.records import Packer, unpack
from antecede.patent import Citation, Patent, PatentNumber

text = st.text(st.characters(codec="utf-8"), max_size=30)
languages = st.sampled_from(["en", "de", "", "ja"])
names = st.lists(text.filter(bool), max_size=3).map(tuple)
numbers = st.integers(1000000, 1999999).map(lambda number: PatentNumber("EP", str(number), "A1"))
day = st.none() | st.dates(min_value=date(1800, 1, 1))
patents = st.builds(
    Patent,
    doc_id=text.filter(bool),
    number=st.none() | numbers,
    kinds=names,
    language=languages,
    title=st.dictionaries(languages, text),
    abstract=st.dictionaries(languages, text),
    claims=st.dictionaries(languages, st.lists(text, max_size=3).map(tuple)),
    description=st.dictionaries(languages, text),
    ipc=names,
    cpc=names,
    priority_date=day,
    filing_date=day,
    publication_date=day,
    applicants=names,
    inventors=names,
    family_id=st.none() | text.filter(bool),
    citations=st.lists(st.builds(Citation, numbers, st.none() | st.just("X"), st.none() | st.just("search"))).map(
        tuple
    ),
    source=text,
)


@given(patents)
def test_a_patent_comes_back_as_it_was(patent: Patent) -> None:
    found = unpack(Packer().pack(patent))
    assert found == patent
    assert [list(getattr(found, name)) for name in ("title", "claims")] == [list(patent.title), list(patent.claims)]
