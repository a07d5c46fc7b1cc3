"""The front page of US patents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.prose import LINE, LINE_SEPARATOR, PART, SeparatorTable
from antecede.corpus.uspto import (
    CELL,
    LINE_END,
    MATHS_RULES,
    NORMAL,
    OWN_LINE,
    TABLES_AND_MATHS,
    numbered_claims,
    remove_layout,
    running_text,
    us_number,
)
from antecede.patent import PatentNumber


@pytest.mark.slow
@given(st.from_regex(NORMAL, fullmatch=True))
def test_the_short_way_to_a_number_leads_where_the_long_one_does(written: str) -> None:
    number, _, kind = written.rpartition(" ")
    assert us_number("US", number, kind) == us_number("", number, kind) == PatentNumber.of("US", number, kind or None)


# Running text and claims


SIGNS = SeparatorTable({"p": LINE_END, "li": OWN_LINE, "entry": CELL, **TABLES_AND_MATHS}, rules=MATHS_RULES)
WORD = st.text("abcß\u03bb漢", min_size=1, max_size=5)
SPACE = st.text(" \t\n\u00a0\u2003\u2009", min_size=1, max_size=3)
PARAGRAPH = st.lists(WORD, min_size=1, max_size=6)


@given(st.lists(PARAGRAPH, min_size=1, max_size=6), st.data())
def test_words_in_paragraphs_come_out_as_they_went_in(paragraphs: list[list[str]], data: st.DataObject) -> None:
    root = etree.Element("description")
    for words in paragraphs:
        each = etree.SubElement(root, "p")
        each.text = "".join(word + data.draw(SPACE) for word in words)
        each.tail = data.draw(st.sampled_from(["", "\n", None]))
    assert running_text([root], SIGNS) == "\n".join(" ".join(words) for words in paragraphs)


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<d><p>H<sub>2</sub>O<ul><li>one</li><li>two</li></ul>rest</p><p>next</p></d>", "H2O\none\ntwo\nrest\nnext"),
        ("<d><p><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>\u2062</mo><mi>b</mi><mo>+</mo></p></d>", "a / 2 b +"),
        (f"<p> a\u2003 b {LINE}{LINE} \u00a0{LINE}c{LINE_SEPARATOR} {LINE_SEPARATOR}d</p>", "a b\nc\nd"),
    ],
)
def test_inline_markup_glues_and_blocks_part(xml: str, text: str) -> None:
    assert running_text([etree.XML(xml)], SIGNS) == text


def test_claims_with_our_own_sign_in_them_are_still_apart() -> None:
    root = etree.XML(f"<claims><claim>1. A{PART}b</claim><claim num='2'>C</claim></claims>")
    assert numbered_claims(root, "claim", SIGNS) == ("1. A\nb", "2. C")


def test_claim_numbers_from_text_attribute_or_place() -> None:
    root = etree.XML(
        "<claims><claim>2.5 kg of it</claim><claim id='CLM-00007'>B</claim><claim num='00009'>C</claim>"
        "<claim num='1'>4 . D</claim><claim/><claim ID='X'>E</claim></claims>"
    )
    assert numbered_claims(root, "claim", SIGNS) == ("1. 2.5 kg of it", "7. B", "9. C", "4 . D", "6. E")
    assert numbered_claims(None, "claim", SIGNS) == ()


def test_layout_goes_and_text_stays() -> None:
    root = etree.XML("<t><a>H</a>\n <b>\n<a>2</a></b>\n<a> </a>\n<a>O</a></t>")
    for each in (root, *root.iter("b")):
        remove_layout(each)
    assert root.xpath("string()") == "H2 O"
