"""Documents as they must never be, for readers that must not fall over them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.safe_xml import parse_xml
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element as Element

    from antecede.patent import Patent


def parsed(text: str, file: str = "a.xml") -> Element:
    """The root of a document as readers get it."""
    return parse_xml(RawDocument(text.encode(), "x", file))


def number(country: str, digits: str, kind: str | None = None) -> PatentNumber:
    found = PatentNumber.of(country, digits, kind)
    assert found is not None
    return found


def outcome(read: Callable[[Element, str], Patent], root: Element) -> str:
    """The name of the patent that a reader made of a document, or its reason not to; nothing else may happen."""
    try:
        return read(root, "a.xml").doc_id
    except DocumentError as error:
        return error.reason


def drop(element: Element, other: Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def double(element: Element, other: Element) -> None:
    element.addnext(deepcopy(element)) if element.getparent() is not None else None


def move(element: Element, other: Element) -> None:
    if element.getparent() is not None and element is not other and element not in other.iterancestors():
        other.append(element)


def bare(element: Element, other: Element) -> None:
    element.attrib.clear()


def empty(element: Element, other: Element) -> None:
    del element[:]
    element.text = None


def swap(element: Element, other: Element) -> None:
    element.text, other.text = other.text, element.text


def mistake(element: Element, other: Element) -> None:
    for name in element.attrib:
        element.set(name, "\u0663 ¼ -1 [")
    element.text = "0\u0661²/ 99999999999999999999 \ud7ff"


MISHAPS: tuple[Callable[[Element, Element], None], ...] = (drop, double, move, bare, empty, swap, mistake)


def mangled(text: str) -> st.SearchStrategy[Element]:
    """A document with some of its elements dropped, doubled, moved, emptied or filled with what is no number."""
    place = st.integers(0, 10_000)

    def spoilt(steps: list[tuple[Callable[[Element, Element], None], int, int]]) -> Element:
        root = parsed(text)
        for mishap, one, other in steps:
            elements = list(root.iter())
            mishap(elements[one % len(elements)], elements[other % len(elements)])
        return root

    return st.lists(st.tuples(st.sampled_from(MISHAPS), place, place), max_size=8).map(spoilt)


def indented(text: str) -> Element:
    """The same document as an editor lays it out, where that changes no text: between blocks only."""
    root = parsed(text)
    etree.indent(root, space="    ")
    return root
