"""Hits and patents for people: tables that fit the window, blocks with reasons and marked passages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.conditions.filters import Coverage, limit_field
from antecede.patent import Citation, Patent, PatentNumber
from antecede.query.query import Query
from antecede.report.terminal_text import render_hits, render_patent
from antecede.search import Filters, Hit, Passage, SearchResult, Share
from antecede.search.hit_tables import hits_table, shorten

IN_H04L_OR_H04W_FROM_EP = limit_field("ipc", ("H04L", "H04W")), limit_field("country", ("EP",))
LONG = "Method and apparatus for the synchronisation of wireless mesh networks with battery powered nodes"


def hit(**other: object) -> Hit:
    made = Hit(
        1, "EP1", 10.0, LONG, "2001-02-03", ("H04L 12/56", "H04W 4/00"), (Share("mesh", 6.0), Share("node", 3.0))
    )
    return replace(made, **other)  # type: ignore[arg-type]


class FixedResult(SearchResult):
    title = ""
    model = "bm25"


def found(*hits: Hit, **other: object) -> SearchResult:
    """A result with these hits, without an index that they were found in."""
    known = {"queries": (Query.from_terms({"mesh": 1.0}, "en", "full"),), "filters": Filters(), "notes": ()}
    shown = {"explain": False, "passages": 0, "claims": False, "coverage": Coverage(("en",), 7)}
    result = FixedResult.__new__(FixedResult)
    result.__dict__ |= {"topic": "EP9", "title": "Mesh", "hits": hits, "merged": hits, **known, **shown, **other}
    return result


@given(width=st.integers(20, 200), title=st.text(st.sampled_from("ab c"), max_size=120))
def test_a_row_fits_into_the_window_where_it_can(width: int, title: str) -> None:
    lines = hits_table(found(hit(title=title), hit(rank=2, doc_id="EP22")), width).render("text").splitlines()[1:]
    assert max(map(len, lines)) <= max(width, 75)


def test_a_table_of_hits() -> None:
    table = hits_table(found(hit()))
    assert table.columns == ("rank", "score", "patent", "date", "title", "IPC")
    assert table.rows == ((1, 10.0, "EP1", "2001-02-03", LONG, "H04L 12/56; H04W 4/00"),)
    assert hits_table(found(hit()), 100).rows[0][5] == "H04L 12/56 +1", "a terminal has no room for all classes"
    assert hits_table(found(hit(date=None, ipc=()))).cells()[0][3::2] == ["–", "–"]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({}, "Prior art of EP9 “Mesh” (full, 1 term, en, bm25): 1 of 7 documents"),
        ({"topic": None, "title": ""}, "Found (full, 1 term, en, bm25): 1 of 7 documents"),
        (
            {"filters": Filters(date(2001, 1, 1), others=IN_H04L_OR_H04W_FROM_EP)},
            "Prior art of EP9 “Mesh” before 2001-01-01 in H04L or H04W from EP (full,",
        ),
    ],
)
def test_the_heading_says_what_was_asked(other: dict[str, object], said: str) -> None:
    assert hits_table(found(hit(), **other)).title.startswith(said)
    assert " ".join(render_hits(found(hit(), **other)).split()).startswith(said)


def test_reasons_are_named_with_their_shares_and_the_rest() -> None:
    page = render_hits(found(hit(more=2)))
    assert "why: mesh 6.00 (60%) · node 3.00 (30%) · 2 others 1.00" in page
    assert "why" not in render_hits(found(hit()), why=False)
    why = (Share("mesh", 2.0), Share(None, -5.0))
    below = render_hits(found(hit(score=-3.0, why=why)))
    assert "why: mesh 2.00 · (the document's length) -5.00" in below, "no percentages below 0"


def test_words_are_marked_and_the_number_of_a_claim_is_said_once() -> None:
    passage = Passage("claims", 2, "2. A mesh\nof   nodes.", 5.0, ("mesh",), ((5, 9), (15, 20)))
    whole = found(hit(passages=(passage,), claims=(("1. A net.", passage), ("2. A pump.", None))))
    plain, bold = render_hits(whole), render_hits(whole, bold=True)
    assert "claim 2: A *mesh* of *nodes*." in plain
    assert "claim 2: A \x1b[1mmesh\x1b[0m of \x1b[1mnodes\x1b[0m." in bold
    assert "for claim 1, “A net.” → claim 2: A *mesh* of *nodes*." in plain
    assert "for claim 2, “A pump.” → no matching passage" in plain


@given(text=st.text(max_size=80), start=st.integers(0, 80), size=st.integers(1, 10))
def test_no_text_can_steer_the_terminal(text: str, start: int, size: int) -> None:
    marks = ((start, start + size),) if start + size <= len(text) else ()
    passage = Passage("description", 1, text, 1.0, (), marks)
    page = render_hits(found(hit(title=text, doc_id="EP\x1b[2J", passages=(passage,)), title=text, notes=("note",)))
    assert all(sign.isprintable() or sign == "\n" for sign in page)
    assert page.endswith("note\n")


@given(text=st.text(max_size=60), longest=st.integers(2, 50))
def test_a_cut_text_is_short_and_says_so(text: str, longest: int) -> None:
    cut = shorten(text, longest)
    assert cut == text if len(text) <= longest else (len(cut) <= longest and cut.endswith("…"))


PATENT = Patent(
    "EP1000000",
    kinds=("A1", "B1"),
    language="en",
    title={"de": "Presse", "en": "Press"},
    abstract={"en": "A press. " * 30},
    claims={"en": ("A press.", "2. The press of claim 1."), "fr": ("1. Une presse.",)},
    description={"en": "\n".join(f"Paragraph {n}." for n in range(10))},
    ipc=("B28B 1/29",),
    publication_date=date(2000, 5, 17),
    citations=(
        Citation(PatentNumber("DE", "3546191", "A1"), "X", "search"),
        Citation(PatentNumber("DE", "3546191", "A1"), "A", "examination"),
    ),
)


def test_everything_stands_there_once_own_language_first() -> None:
    text = render_patent(PATENT, width=80)
    assert text.index("Press  [en]") < text.index("Presse  [de]")
    assert text.index("Claims, English") < text.index("Claims, French")
    assert "\n1. A press.\n2. The press of claim 1.\n" in text
    assert "X,A DE-3546191-A1         search, examination" in text
    assert "4 more paragraphs" in text
    assert max(map(len, text.splitlines())) <= 80
    whole = render_patent(PATENT, whole=True, languages=["en"])
    assert "Paragraph 9." in whole
    assert "Une presse" not in whole
