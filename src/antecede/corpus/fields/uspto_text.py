"""Running text and claims of US full texts of all generations: one paragraph per line, words not joined.

A variant of `prose` for the elements of these files. Rules write into the tree, which can therefore be read only once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.fields.lines import (
    LINE,
    LINE_SEPARATOR,
    PART,
    SeparatorTable,
    read_lines,
    separate_each,
    strip_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.etree import _Element as Element

    from antecede.corpus.fields.lines import Lines, Rule

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


def drop_invisible(element: Element) -> None:
    """Keep the character of an operation if it is visible."""
    if (element.text or "").strip() in INVISIBLE:
        element.text = None


def is_nested(element: Element) -> bool:
    """Whether an element is inside another of the same name, whose processing covers both."""
    return next(element.iterancestors(element.tag), None) is not None


def separate_parts(element: Element) -> None:
    """Separate the parts of a reference: `US 1234567 A`."""
    if is_nested(element):
        return
    for each in element.iter():
        each.tail = " " + (each.tail or "")


OWN_LINE, LINE_END, CELL, SPACED = (LINE, LINE), ("", LINE), ("", " "), (" ", " ")
"""What is written before and after an element: a line of its own anywhere, or among other lines; a cell; a formula."""
TABLES_AND_MATHS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("row", "title"), LINE_END),
    **dict.fromkeys(("entry", "mi", "mn", "mtext", "ms", "mo"), CELL),
}
"""CALS tables and MathML occur in every generation."""
MATHS_RULES: Mapping[str, Rule] = {"mo": drop_invisible, "mfrac": write_fraction}
NO_SEPARATORS = SeparatorTable({})


def decode_lines(lines: Lines) -> str:
    """The lines of an element as text, other white space than that of XML replaced by single spaces."""
    return normalize_lines(lines.decode()) if lines.other_spaces else lines.decode()


def normalize_lines(text: str) -> str:
    """Replace other white space than that of XML by single spaces in lines that are normalized otherwise."""
    if text.isascii() or not (odd := [space for space in OTHER_SPACES if space in text]):
        return text
    lines = text.split("\n")
    return "\n".join(" ".join(line.split()) if any(space in line for space in odd) else line for line in lines)


def heading(element: Element | None) -> str:
    """The text of an element on one line: a title."""
    return "" if element is None else " ".join(decode_lines(read_lines(element, NO_SEPARATORS)).split("\n"))


def running_text(elements: Iterable[Element], separators: SeparatorTable) -> str:
    """The text of consecutive elements."""
    return "\n".join(filter(None, (decode_lines(read_lines(each, separators)) for each in elements)))


def numbered_claims(claims: Element | None, name: str, separators: SeparatorTable) -> tuple[str, ...]:
    """The claims in order, each with its number; designs and plants have a single one without a number."""
    if claims is None:
        return ()
    table, elements = separate_each(separators, name), list(claims.iter(name))
    lines = read_lines(claims, table)
    texts = lines.parts()  # what precedes the first is not a claim
    if len(texts) != len(elements):  # the separator occurs in the text
        elements = [each for each in elements if not is_nested(each)]
        texts = [strip_lines(read_lines(each, table, ruled=True).decode()).replace(PART, " ") for each in elements]
    if lines.other_spaces:
        texts = [normalize_lines(text) for text in texts]
    pairs = enumerate(zip(elements, texts, strict=True), start=1)
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
