"""Texts typed as lines: what is a line, what only looks like one."""

from __future__ import annotations

from html import escape

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.fields.prose import typed_lines

WORDS = st.lists(st.sampled_from(["ein", "mot", "word", "H2O", "½", "水", "[0001]"]), min_size=1, max_size=8)


def lines(xml: str) -> str:
    return typed_lines(etree.fromstring(f"<d>{xml}</d>"))


def test_lines_and_paragraphs() -> None:
    assert lines("<p>\nField\n </p><p>one\ntwo</p>three") == "Field\none\ntwo\nthree"


def test_what_an_editor_indented_is_one_line() -> None:
    assert lines("<p>one\n   two\n\tthree</p>") == "one two\nthree"


def test_tables_and_images_are_marked_with_words_that_are_no_text() -> None:
    assert lines("<p>&lt;tb>Name&lt;sep>Value\n&lt;tb>a&lt;sep>1 &lt;IMAGE></p>") == "Name Value\na 1"
    assert lines("<p>Ca&lt;2+> and A[beta]</p>") == "Ca<2+> and A[beta]"


def test_marks_inside_a_line_break_nothing() -> None:
    assert lines("<p>see <bibl>A. Author,\nTitle</bibl>, page 3</p>") == "see A. Author,\nTitle, page 3"


def test_nothing_is_no_text() -> None:
    assert typed_lines(None) == lines("") == ""


@given(st.lists(WORDS, max_size=8))
def test_lines_come_back_as_they_were_typed(written: list[list[str]]) -> None:
    typed = "\n".join("   ".join(words) + " " for words in written)
    assert lines(f"<p>{escape(typed)}</p>") == "\n".join(" ".join(words) for words in written)
