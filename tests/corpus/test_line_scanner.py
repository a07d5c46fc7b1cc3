"""The compiled loop that reads lines from XML, compared with a reading of the tree, character by character."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.prose import LINE, SeparatorTable, read_lines, separate_each, strip_lines

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

SEPARATORS = {
    "p": (LINE, LINE),
    "entry": ("", " "),
    "paragraph-federal-research-statement": ("", LINE),
    "number": (" ", ""),
    "text": ("", "; "),
    "dt": (LINE, " "),
}
TABLE = SeparatorTable(SEPARATORS)
PLAIN = ("b", "pp", "para", "n", "textual")
"""Elements without separators; the names of some begin like those of others."""
TEXTS = st.one_of(
    st.text("abcdefgh ", max_size=40),
    st.text("ab  \t\n\r&<>\"'/;#é\u00a0\u00ac\u00ad\u2003\u2028漢\u3000\U0001f600x", max_size=30),
    st.sampled_from(["", "<tb>", "a<sep>b", "\n", "\n  ", "\n x", "a b c d e f g h i j k", "&lt;", "&amp;#13;"]),
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> Element:
    element = etree.Element(draw(st.sampled_from([*SEPARATORS, *PLAIN])))
    element.text = draw(TEXTS)
    for name, value in draw(st.dictionaries(st.sampled_from(["num", "id"]), st.text("0a>'\"<& /", max_size=6))).items():
        element.set(name, value)
    if depth:
        for child in draw(st.lists(trees(depth - 1), max_size=3)):
            child.tail = draw(TEXTS)
            element.append(child)
    return element


def written(element: Element) -> str:
    """The text of an element with its separators."""
    before, after = SEPARATORS.get(element.tag, ("", ""))
    return before + (element.text or "") + "".join(written(each) + (each.tail or "") for each in element) + after


def expected(text: str) -> str:
    """The lines of a text."""
    lines = (re.sub("[ \t\r\n]+", " ", line).strip(" ") for line in re.split(f"[{LINE}\u2028]", text))
    return "\n".join(filter(None, lines))


@given(trees())
def test_lines_are_those_of_the_tree(root: Element) -> None:
    lines = read_lines(root, TABLE)
    assert lines.data.decode() == expected(written(root))
    text = lines.data.decode()
    assert lines.other_spaces == any(each in text for each in "\u00a0\u2003\u3000")
    assert lines.marks >= any(each in text for each in "<\u00ac\u00ad")
    assert lines.separated == any(each.tag in SEPARATORS for each in root.iter())
    assert lines.decode() == (strip_lines(text) if lines.other_spaces else text)


@pytest.mark.parametrize("length", range(40))
@pytest.mark.parametrize("special", [" ", "  ", "\n", "&", "é", "漢", "<", "\u2028"])
def test_special_characters_at_every_place(length: int, special: str) -> None:
    root = etree.Element("p")
    root.text = "x" * length + special + "yz" * 12 + special + "w"
    assert read_lines(root, TABLE).data.decode() == expected(root.text)


def test_all_white_space_of_unicode_is_noticed() -> None:
    spaces = [chr(code) for code in range(0x80, 0x10000) if chr(code).isspace() and code != 0x2028]
    assert len(spaces) > 15
    for space in spaces:
        root = etree.Element("p")
        root.text = f"a{space}b"
        assert read_lines(root, TABLE).other_spaces, hex(ord(space))


def test_parts_and_nested_parts() -> None:
    root = etree.XML("<claims>Claims<claim> A <p>b</p></claim> and <claim/>\n<claim>C</claim>.</claims>")
    assert read_lines(root, separate_each(TABLE, "claim")).parts() == ["A\nb", "", "C"]


def test_rules_are_applied_once_and_only_where_needed() -> None:
    called: list[str] = []

    def shout(element: Element) -> None:
        called.append(element.tag)
        element.text = (element.text or "").upper()

    table = SeparatorTable({"p": (LINE, LINE)}, rules={"b": shout})
    assert read_lines(etree.XML("<d><p>a</p><i>b</i></d>"), table).data == b"a\nb"
    assert called == []
    root = etree.XML("<d><p>a <b>b</b></p><b>c</b></d>")
    assert read_lines(root, table).data == b"a B\nC"
    assert read_lines(root, table, ruled=True).data == b"a B\nC"
    assert called == ["b", "b"]


def test_tables_have_limits() -> None:
    many = SeparatorTable({f"element-{number}": (LINE, "") for number in range(255)})
    root = etree.XML(
        "<d>" + "".join(f"<element-{number}>{number}</element-{number}>" for number in range(260)) + "</d>"
    )
    assert read_lines(root, many).data.decode().split("\n")[:255] == [*map(str, range(254)), "254255256257258259"]
    with pytest.raises(ValueError, match="at most 255"):
        SeparatorTable({f"element-{number}": ("", "") for number in range(256)})
    with pytest.raises(ValueError, match="more than 3 bytes"):
        SeparatorTable({"p": ("----", "")})
