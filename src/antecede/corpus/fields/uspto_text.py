"""Running text and claims of US full texts, whatever their generation: a paragraph a line, nothing glued together.

What `prose` does for every office, done here for many documents a second: line breaks are written into the tree, then
libxml2 itself gathers the text and settles the white space. The tree is for one reading.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from antecede.corpus.fields.prose import LINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lxml.etree import _Element as Element

    Separator = tuple[str, str] | Callable[[Element], None]
    """What is written before and after an element, or a function that writes it."""

NORMALIZED_TEXT = etree.XPath("normalize-space()", smart_strings=False)
OTHER_SPACES = ("\x85", "\xa0", *(sign for sign in map(chr, range(0x2001, 0x2060)) if sign.isspace() and sign != LINE))
"""White space that XML does not count as such: fixed, thin and em spaces."""
INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")
"""Operators of MathML that nobody sees: a function applied, a product."""
CLAIM = "\u2029"
"""Unicode's paragraph separator parts the claims while their text is gathered."""
NUMBERED = re.compile(r"\d+(?:\s*[-–—]\s*\d+)?\s*[.):](?!\d)")
"""The number a claim begins with; cancelled claims come as `1-10. (canceled)`."""
DIGITS = re.compile(r"\d{1,9}")


def write_fraction(element: Element) -> None:
    """One half is `1/2`, not `12`."""
    for each in list(element)[1:]:
        each.text = "/ " + (each.text or "")


def write_operator(element: Element) -> None:
    """The sign of an operation, if it can be seen."""
    if (element.text or "").strip() in INVISIBLE:
        element.text = None
    element.tail = " " + (element.tail or "")


def is_nested(element: Element) -> bool:
    """Whether it stands in another of its kind, as none should; what is done for that one is done for both."""
    return next(element.iterancestors(element.tag), None) is not None


def separate_parts(element: Element) -> None:
    """Part the pieces of a reference: `US 1234567 A`."""
    if is_nested(element):
        return
    for each in element.iter():
        each.tail = " " + (each.tail or "")


def separate_from_next(element: Element) -> None:
    """A space behind a text that another of its kind follows; alone it may be part of a word."""
    if element.getnext() is not None:
        element.tail = " " + (element.tail or "")


OWN_LINE: Separator = (LINE, LINE)
"""A line of its own, wherever it stands."""
LINE_END: Separator = ("", LINE)
"""A line of its own among others that are: half the work."""
CELL: Separator = ("", " ")
SPACED: Separator = (" ", " ")
TABLES_AND_MATHS: Mapping[str, Separator] = {
    **dict.fromkeys(("row", "title"), LINE_END),
    **dict.fromkeys(("entry", "mi", "mn", "mtext", "ms"), CELL),
    "mo": write_operator,
    "mfrac": write_fraction,
}
"""CALS tables and MathML stand in every generation."""


def write_separators(element: Element, signs: Mapping[str, Separator]) -> None:
    """Write breaks into the tree below an element."""
    for each in element.iter(*signs):
        sign = signs[each.tag]
        if not isinstance(sign, tuple):
            sign(each)
            continue
        before, after = sign
        if before:
            each.text = before + (each.text or "")
        if after:
            each.tail = after + (each.tail or "")


def gather_text(element: Element) -> str:
    """The text of a marked element, line by line."""
    return split_lines(str(NORMALIZED_TEXT(element)))


def split_lines(text: str) -> str:
    """Marked text as lines."""
    odd = () if text.isascii() else [sign for sign in OTHER_SPACES if sign in text]
    lines = text.split(LINE)
    if odd:
        lines = [" ".join(line.split()) if any(sign in line for sign in odd) else line for line in lines]
    return "\n".join(filter(None, map(str.strip, lines)))


def heading(element: Element | None) -> str:
    """The text of an element on one line: a title."""
    return "" if element is None else " ".join(gather_text(element).split("\n"))


def running_text(elements: Iterable[Element], signs: Mapping[str, Separator]) -> str:
    """The text of elements that follow one another."""
    texts: list[str] = []
    for element in elements:
        write_separators(element, signs)
        texts.append(gather_text(element))
    return "\n".join(filter(None, texts))


def numbered_claims(claims: Element | None, name: str, signs: Mapping[str, Separator]) -> tuple[str, ...]:
    """The claims in order, each with its number; designs and plants have but one, without."""
    if claims is None:
        return ()
    write_separators(claims, {**signs, name: (CLAIM, "")})
    elements = list(claims.iter(name))
    texts = str(NORMALIZED_TEXT(claims)).split(CLAIM)[1:]  # what stands before the first is no claim
    if len(texts) != len(elements):  # one has our sign in its text
        elements = [each for each in elements if not is_nested(each)]
        texts = [str(NORMALIZED_TEXT(each)).replace(CLAIM, " ") for each in elements]
    pairs = enumerate(zip(elements, map(split_lines, texts), strict=True), start=1)
    return tuple(add_number(text, claim, place) for place, (claim, text) in pairs if text)


def add_number(text: str, claim: Element, place: int) -> str:
    """A claim that begins with its number."""
    return text if NUMBERED.match(text) else f"{claim_number(claim, place)}. {text}"


def claim_number(claim: Element, place: int) -> int:
    """The number its attributes give a claim, else its place."""
    written = DIGITS.search(claim.get("num") or claim.get("id") or claim.get("ID") or "")
    return int(written[0]) if written else place


def remove_layout(texts: Iterable[str]) -> None:
    """Take out the white space among texts that stand where only elements should: `H`, line feed, `<SB>2</SB>` is H2.

    Wants what an XPath found: strings that know their place.
    """
    for text in texts:
        if (
            isinstance(text, etree._ElementUnicodeResult)
            and text.isspace()
            and (holder := text.getparent()) is not None
        ):
            if text.is_tail:
                holder.tail = None
            else:
                holder.text = None
