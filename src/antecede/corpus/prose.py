"""Text out of XML: paragraphs one a line, white space settled, table cells kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

BREAKS = ("p", "P", "heading", "claim", "claim-text", "row", "tr", "li", "dt", "dd", "br", "BR", "title", "entry", "td")
"""Elements after which a new line begins (`entry` and `td`: a space, see CELLS). Without a namespace, as all real
full texts; a reader of others passes its own."""
CELLS = frozenset({"entry", "td"})


def prose(element: Element | None, breaks: tuple[str, ...] = BREAKS) -> str:
    """The text under an element. It writes line breaks into the tree, so it is for a tree that is read once."""
    if element is None:
        return ""
    for each in element.iter(*breaks):
        sign = " " if each.tag in CELLS else "\n"
        each.tail = sign + (each.tail or "")
        each.text = sign + (each.text or "")
    return settled(str(element.xpath("string()")))


def settled(text: str) -> str:
    """Lines without white space at their ends or twice in a row, and no empty lines."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def one_line(element: Element | None) -> str:
    """The text under an element as one line: a title, a name, a code."""
    return "" if element is None else " ".join(str(element.xpath("string()")).split())
