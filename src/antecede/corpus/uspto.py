"""What all generations of US files share: the front page, running text and claims."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lxml import etree

from antecede.corpus import prose
from antecede.corpus.st36 import unique_names
from antecede.patent import PatentNumber, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from lxml.etree import _Element as Element

    from antecede.corpus.prose import Lines, Rule, Text

NORMAL = re.compile(r"(?:([1-9][0-9]{6}) (?:A|B1|B2)?|D(?:\. )?([1-9][0-9]{5}) (?:S1?)?)")
"""Grants and designs in the form of nearly all citations, `D. 271298` included: a full check would take longer than
everything else done for a citation."""
_DELETE = "\x7f"
_PHASES = {"examiner": "examination", "applicant": "applicant", "other": "applicant"}
"""«Cited by other» meant the applicant until 2012, when the wording changed."""


@lru_cache(maxsize=256)
def phase_of(cited_by: str | None) -> str | None:
    """The phase of a citation, from words such as «cited by examiner»; unknown words are unchanged."""
    if not cited_by or not (words := cited_by.strip().lower()):
        return None
    who = words.removeprefix("cited by ")
    return _PHASES.get(who, who)


def earliest_priority(written: Iterable[str], filing: date | None) -> date | None:
    """The earliest priority date of a US application.

    That is the earliest of its foreign priorities, its provisional applications, the applications it continues or was
    divided from, the patent it reissues, and the international application it came from. An application it merely
    substitutes gives no date (MPEP 201.09). A date after the filing date is an error of the file and ignored.
    """
    days = (day for text in written if (day := parse_date(text)) is not None)
    return min((day for day in days if filing is None or day <= filing), default=None)


def choose_applicants(
    applied: Iterable[str], firms: bool, assignees: Iterable[str], inventors: tuple[str, ...]
) -> tuple[str, ...]:
    """The applicants of a US patent.

    Until September 2012 only inventors could apply under US law; the company is the assignee. So: applicants who are
    not inventors, after the assignees if no company is among them (`firms`); the inventors if there is nobody else.
    """
    them = set(inventors)
    others = [name for name in applied if name not in them]
    return unique_names(others if firms else [*assignees, *others]) or inventors


def compile_paths(*written: str) -> tuple[etree.XPath, ...]:
    """Compile XPaths, to be evaluated one after the other: libxml2 computes unions of node sets in quadratic time."""
    return tuple(etree.XPath(path, smart_strings=False) for path in written)


def select_texts(xpaths: Iterable[etree.XPath], element: Element) -> list[str]:
    """The texts at all paths."""
    return [
        text for path in xpaths if isinstance(texts := path(element), list) for text in texts if isinstance(text, str)
    ]


def compile_fields(*paths: str) -> etree.XPath:
    """Compile an XPath that reads several fields in one call: the text of the first element at each path.

    The delete character separates them, which no document contains (`parse_xml`).
    """
    separator = f", '{_DELETE}', "
    return etree.XPath(f"concat({separator.join(paths)})", smart_strings=False)


def read_fields(fields: etree.XPath, element: Element) -> list[str]:
    """The texts of compiled fields, each on one line, empty where there is no element."""
    return [clean_line(text) for text in str(fields(element)).split(_DELETE)]


def by_language(text: Text, language: str = "en") -> dict[str, Text]:
    """A text or claims under the language, which only the files since 2005 give; empty if there is no text."""
    return {language: text} if text else {}


def clean_line(text: str | None) -> str:
    """A name or number on one line."""
    return " ".join(text.split()) if text else ""


def lines_by_name(element: Element) -> dict[str, str]:
    """The text of each child by name, on one line, the first of several."""
    return {each.tag: clean_line(each.text) for each in reversed(element)}


def full_name(family: str, given: str = "", suffix: str = "") -> str:
    """`Family, Given, Jr.`"""
    return ", ".join(part for part in (family, given, suffix) if part)


def us_number(country: str, number: str, kind: str | None) -> PatentNumber | None:
    """A number in a US file; without a country it is a US number."""
    if (country == "US" or not country) and (found := NORMAL.fullmatch(f"{number} {kind or ''}")) is not None:
        return PatentNumber("US", found[1] or f"D{found[2]}", kind or None)
    return PatentNumber.of(country or "US", number, kind or None) if number else None


# Running text and claims: one paragraph per line, words not joined.
#
# A variant of `prose` for the elements of these files. Rules write into the tree, which can be read only once.

_INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")
"""Invisible operators of MathML: function application, product."""
_NUMBERED = re.compile(r"\d+(?:\s*[-–—]\s*\d+)?\s*[.):](?!\d)")
"""The number at the beginning of a claim; cancelled claims appear as `1-10. (canceled)`."""
_DIGITS = re.compile(r"\d{1,9}")


def _write_fraction(element: Element) -> None:
    """One half is `1/2`, not `12`."""
    for each in list(element)[1:]:
        each.text = "/ " + (each.text or "")


def _drop_invisible(element: Element) -> None:
    """Keep the character of an operation if it is visible."""
    if (element.text or "").strip() in _INVISIBLE:
        element.text = None


def _is_nested(element: Element) -> bool:
    """Whether an element is inside another of the same name, whose processing covers both."""
    return next(element.iterancestors(element.tag), None) is not None


def separate_parts(element: Element) -> None:
    """Separate the parts of a reference: `US 1234567 A`."""
    if _is_nested(element):
        return
    for each in element.iter():
        each.tail = " " + (each.tail or "")


OWN_LINE, LINE_END, CELL, SPACED = (prose.LINE, prose.LINE), ("", prose.LINE), ("", " "), (" ", " ")
"""What is written before and after an element: a line of its own anywhere, or among other lines; a cell; a formula."""
TABLES_AND_MATHS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("row", "title"), LINE_END),
    **dict.fromkeys(("entry", "mi", "mn", "mtext", "ms", "mo"), CELL),
}
"""CALS tables and MathML occur in every generation."""
MATHS_RULES: Mapping[str, Rule] = {"mo": _drop_invisible, "mfrac": _write_fraction}
_NO_SEPARATORS = prose.SeparatorTable({})


def _decode_lines(lines: Lines) -> str:
    """The lines of an element as text, other white space than that of XML replaced by single spaces."""
    return prose.clean_spaces(lines.decode()) if lines.other_spaces else lines.decode()


def heading(element: Element | None) -> str:
    """The text of an element on one line: a title."""
    return "" if element is None else " ".join(_decode_lines(prose.read_lines(element, _NO_SEPARATORS)).split("\n"))


def running_text(elements: Iterable[Element], separators: prose.SeparatorTable) -> str:
    """The text of consecutive elements."""
    return "\n".join(filter(None, (_decode_lines(prose.read_lines(element, separators)) for element in elements)))


def numbered_claims(claims: Element | None, name: str, separators: prose.SeparatorTable) -> tuple[str, ...]:
    """The claims in order, each with its number; designs and plants have a single one without a number."""
    if claims is None:
        return ()
    texts = prose.texts_of_each(claims, name, separators, prose.clean_spaces)
    return tuple(
        text if _NUMBERED.match(text) else f"{_claim_number(claim, place)}. {text}"
        for place, (claim, text) in enumerate(texts, start=1)
        if text
    )


def _claim_number(claim: Element, place: int) -> int:
    written = _DIGITS.search(claim.get("num") or claim.get("id") or claim.get("ID") or "")
    return int(written[0]) if written else place


def remove_layout(element: Element) -> None:
    """Remove white space from an element that contains only elements: `H`, line feed, `<SB>2</SB>` is H2."""
    if (text := element.text) and text.isspace():
        element.text = None
    for each in element:
        if (tail := each.tail) and tail.isspace():
            each.tail = None
