"""Text out of XML: nothing glued, torn, lost or doubled."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.prose import normalize_lines, one_line, prose, texts_of_each, typed_lines


def of(xml: str) -> str:
    return prose(etree.fromstring(xml))


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<d><p>One.</p><p>Two.</p></d>", "One.\nTwo."),
        ("<d>\n  <heading>Field</heading>\n  <p>A pump\nwith   a\tvalve.</p>\n</d>", "Field\nA pump with a valve."),
        ("<p>H<sub>2</sub>O and 10<sup>-3</sup> m</p>", "H2O and 10-3 m"),
        ("<d><p>see <ref>US 1,234,567</ref>, <figref>fig.<b>2</b></figref>.</p></d>", "see US 1,234,567, fig.2."),
        ("<d><p>of:<ul><li>iron</li><li>tin</li></ul>or both</p></d>", "of:\niron\ntin\nor both"),
        ("<d><p>a<br/>b</p><b>c</b></d>", "a\nb\nc"),
        ("<d>loose<p>a</p>between<p>b</p>behind</d>", "loose\na\nbetween\nb\nbehind"),
        ("<d><p>a</p><i>b</i><i>c</i><p>d</p></d>", "a\nbc\nd"),
        (
            "<d><p>in<dl><dt>R</dt><dd>hydrogen</dd><dt>X</dt><dd>oxygen</dd></dl>end</p></d>",
            "in\nR hydrogen\nX oxygen\nend",
        ),
        ("<t><row><entry>a</entry><entry>1</entry></row><row><entry>b</entry><entry>2</entry></row></t>", "a 1\nb 2"),
        ("<p>is <maths><mfrac><mn>1</mn><mn>2</mn></mfrac></maths>of it</p>", "is 1/2 of it"),
        ("<p>v<df>s<frac>a<over>b</over></frac></df>w</p>", "v sa/b w"),
        (
            "<c><claim-text>A pump:<claim-text>a valve;</claim-text><claim-text>a seat.</claim-text></claim-text></c>",
            "A pump:\na valve;\na seat.",
        ),
        ("<d>one\n line\n\n two </d>", "one line\ntwo"),
        ("<d>one\n two <b>x</b>y</d>", "one\ntwo xy"),
        (
            "<p>Saug¬ und Druckleitung, aspira\u00ad et refoulement, Saug¬ undicht</p>",
            "Saug- und Druckleitung, aspira- et refoulement, Saugundicht",
        ),
        ("<p>substan¬ tially bear\u00ading, a ¬ b, x¬y, 3¬ 4</p>", "substantially bearing, a ¬ b, x¬y, 3¬ 4"),
        ("<d><p>of formula &lt;EMI ID=3.1&gt; where</p><p>&lt;IMAGE&gt;</p><p>it</p></d>", "of formula where\nit"),
        ("<p>H&lt;SUB&gt;2&lt;/SUB&gt;, a &lt; b</p>", "H2, a < b"),
        ("<d><p>a\xa0\u2003 b\u3000</p><p>\u2009</p><p>\xa0c</p></d>", "a b\nc"),
        ("<d/>", ""),
        ("<d><p/> <p> </p></d>", ""),
    ],
)
def test_lines_are_where_the_document_has_them(xml: str, text: str) -> None:
    assert of(xml) == text


@pytest.mark.parametrize(
    ("pre", "text"),
    [
        ("<pre>a 1\nb 2</pre>", "a 1\nb 2"),
        ("<pre>one\n line\n\n<ref>two</ref>\n words</pre>", "one line\ntwo words"),
        ("<pre listing-type='tabular'>a 1\n\nb 2\nc 3</pre>", "a 1\nb 2\nc 3"),
    ],
)
def test_typed_lines_are_kept_and_wrapped_ones_joined(pre: str, text: str) -> None:
    assert of(f"<d><p>x{pre}y</p></d>") == f"x\n{text}\ny"


def test_nothing_is_no_text() -> None:
    assert prose(None) == one_line(None) == typed_lines(None) == ""


def test_texts_one_by_one() -> None:
    claims = etree.fromstring(
        "<claims>What is claimed:<claim><claim-text>a<claim-text>b</claim-text></claim-text></claim><claim/>"
        "<heading>more</heading><claim>c<b>d</b></claim></claims>"
    )
    assert [text for _, text in texts_of_each(claims, "claim")] == ["a\nb", "", "cd"]
    assert texts_of_each(etree.fromstring("<claims>a</claims>"), "claim") == []


words = st.text(alphabet="abcäß漢 \n", max_size=6)


def element(names: list[str], inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """One of some elements with what may stand in it."""
    return st.builds("<{0}>{1}</{0}>".format, st.sampled_from(names), st.lists(inner, max_size=3).map("".join))


inline = st.recursive(words, lambda inner: element(["b", "sub", "ref"], inner))
rows = element(["row"], element(["entry"], inline))
breaks = st.just("<br/>")
blocks = st.recursive(
    inline | rows | breaks, lambda inner: element(["p", "li", "ul", "claim-text"], inner), max_leaves=12
)


@given(blocks, blocks)
def test_every_letter_is_there_once_and_blocks_part_words(one: str, other: str) -> None:
    xml = f"<d>{one}<p>{other}</p></d>"
    parted = re.sub(r"</?(?:p|li|claim-text|row|entry|br)/?>", " ", xml)
    assert sorted(of(xml).split()) == sorted(re.sub(r"<[^>]*>", "", parted).split())
    assert of(xml) == normalize_lines(of(xml))


# Texts typed as lines: what is a line, what only looks like one


WORDS = st.lists(st.sampled_from(["ein", "mot", "word", "H2O", "½", "水", "[0001]"]), min_size=1, max_size=8)


def lines(xml: str) -> str:
    return typed_lines(etree.fromstring(f"<d>{xml}</d>"))


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<p>\nField\n </p><p>one\ntwo</p>three", "Field\none\ntwo\nthree"),
        ("<p>one\n   two\n\tthree</p>", "one two\nthree"),
        ("<p>&lt;tb>Name&lt;sep>Value\n&lt;tb>a&lt;sep>1 &lt;IMAGE></p>", "Name Value\na 1"),
        ("<p>Ca&lt;2+> and A[beta]</p>", "Ca<2+> and A[beta]"),
        ("<p>see <bibl>A. Author,\nTitle</bibl>, page 3</p>", "see A. Author,\nTitle, page 3"),
        ("", ""),
    ],
)
def test_typed_texts_keep_their_lines(xml: str, text: str) -> None:
    assert lines(xml) == text


@given(st.lists(WORDS, max_size=8))
def test_lines_come_back_as_they_were_typed(written: list[list[str]]) -> None:
    typed = "\n".join("   ".join(words) + " " for words in written)
    assert lines(f"<p>{escape(typed)}</p>") == "\n".join(" ".join(words) for words in written)
