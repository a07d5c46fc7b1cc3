"""Running text and claims of US full texts of all generations: one paragraph per line, words not joined.

A variant of `prose` for the elements of these files: separators are written into the tree, which can therefore be
read only once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from antecede.corpus.fields.lines import LINE, LINE_SEPARATOR, PART, decode_lines, normal_lines, split_parts, text_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lxml.etree import _Element as Element

    Separator = tuple[str, str] | Callable[[Element], None]
    """What is written before and after an element, or a function that writes it."""

NORMALIZED_TEXT = etree.XPath("normalize-space()", smart_strings=False)
"""Faster than `normal_lines` where most lines of a file begin with several spaces."""
OTHER_SPACES = (
    "\x85",
    "\xa0",
    *(space for space in map(chr, range(0x2001, 0x2060)) if space.isspace() and space != LINE_SEPARATOR),
)
"""White space other than that of XML: fixed, thin and em spaces."""
INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")
"""Invisible operators of MathML: function application, product."""
NUMBERED = re.compile(r"\d+(?:\s*[-–—]\s*\d+)?\s*[.):](?!\d)")
"""The number at the beginning of a claim; cancelled claims appear as `1-10. (canceled)`."""
DIGITS = re.compile(r"\d{1,9}")


def write_fraction(element: Element) -> None:
    """One half is `1/2`, not `12`."""
    for each in list(element)[1:]:
        each.text = "/ " + (each.text or "")


def write_operator(element: Element) -> None:
    """Keep the character of an operation if it is visible."""
    if (element.text or "").strip() in INVISIBLE:
        element.text = None
    element.tail = " " + (element.tail or "")


def is_nested(element: Element) -> bool:
    """Whether an element is inside another of the same name, whose processing covers both."""
    return next(element.iterancestors(element.tag), None) is not None


def separate_parts(element: Element) -> None:
    """Separate the parts of a reference: `US 1234567 A`."""
    if is_nested(element):
        return
    for each in element.iter():
        each.tail = " " + (each.tail or "")


def separate_from_next(element: Element) -> None:
    """Add a space after a text that has a following sibling; without one it may be part of a word."""
    if element.getnext() is not None:
        element.tail = " " + (element.tail or "")


OWN_LINE: Separator = (LINE, LINE)
"""A line of its own, anywhere."""
LINE_END: Separator = ("", LINE)
"""A line of its own among other lines: half the work."""
CELL: Separator = ("", " ")
SPACED: Separator = (" ", " ")
TABLES_AND_MATHS: Mapping[str, Separator] = {
    **dict.fromkeys(("row", "title"), LINE_END),
    **dict.fromkeys(("entry", "mi", "mn", "mtext", "ms"), CELL),
    "mo": write_operator,
    "mfrac": write_fraction,
}
"""CALS tables and MathML occur in every generation."""


def write_separators(element: Element, separators: Mapping[str, Separator]) -> None:
    """Write separators into the tree below an element."""
    for each in element.iter(*separators):
        separator = separators[each.tag]
        if not isinstance(separator, tuple):
            separator(each)
            continue
        before, after = separator
        if before:
            each.text = before + (each.text or "")
        if after:
            each.tail = after + (each.tail or "")


def gather_text(element: Element) -> str:
    """The text of a marked element, line by line."""
    text = str(NORMALIZED_TEXT(element))
    lines = (text if text.isascii() else text.replace(LINE_SEPARATOR, LINE)).split(LINE)
    return normalize_lines("\n".join(filter(None, map(str.strip, lines))))


def normalize_lines(text: str) -> str:
    """Replace other white space than that of XML by single spaces in lines that are normalized otherwise."""
    if text.isascii() or not (odd := [space for space in OTHER_SPACES if space in text]):
        return text
    lines = text.split("\n")
    return "\n".join(" ".join(line.split()) if any(space in line for space in odd) else line for line in lines)


def heading(element: Element | None) -> str:
    """The text of an element on one line: a title."""
    return "" if element is None else " ".join(gather_text(element).split("\n"))


def running_text(elements: Iterable[Element], separators: Mapping[str, Separator]) -> str:
    """The text of consecutive elements."""
    texts: list[str] = []
    for element in elements:
        write_separators(element, separators)
        texts.append(gather_text(element))
    return "\n".join(filter(None, texts))


def numbered_claims(claims: Element | None, name: str, separators: Mapping[str, Separator]) -> tuple[str, ...]:
    """The claims in order, each with its number; designs and plants have a single one without a number."""
    if claims is None:
        return ()
    write_separators(claims, {**separators, name: (PART, "")})
    elements = list(claims.iter(name))
    texts = split_parts(normal_lines(text_bytes(claims)))  # what precedes the first is not a claim
    if len(texts) != len(elements):  # the separator occurs in the text
        elements = [each for each in elements if not is_nested(each)]
        texts = [decode_lines(normal_lines(text_bytes(each))).replace(PART, " ") for each in elements]
    pairs = enumerate(zip(elements, map(normalize_lines, texts), strict=True), start=1)
    return tuple(add_number(text, claim, place) for place, (claim, text) in pairs if text)


def add_number(text: str, claim: Element, place: int) -> str:
    """The claim with its number in front."""
    return text if NUMBERED.match(text) else f"{claim_number(claim, place)}. {text}"


def claim_number(claim: Element, place: int) -> int:
    """The number of a claim in its attributes, else its position."""
    written = DIGITS.search(claim.get("num") or claim.get("id") or claim.get("ID") or "")
    return int(written[0]) if written else place


def remove_layout(element: Element) -> None:
    """Remove white space from an element that contains only elements: `H`, line feed, `<SB>2</SB>` is H2."""
    if (text := element.text) and text.isspace():
        element.text = None
    for each in element:
        if (tail := each.tail) and tail.isspace():
            each.tail = None
