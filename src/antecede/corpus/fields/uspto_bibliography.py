"""The front page of US patents, common to all generations of files: priority, classes, citations, applicants."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from lxml import etree

from antecede.patent import PatentNumber, codes, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from lxml.etree import _Element as Element

COLUMNS = re.compile(r"\s*([A-H]\d\d[A-Z])([ \d]{2}\d)(\d{2,4})\s*$")
"""An IPC symbol in the fixed columns of the grants of 2001 to 2005: three for the group, the rest for the subgroup."""
NORMAL = re.compile(r"(?:([1-9][0-9]{6}) (?:A|B1|B2)?|D(?:\. )?([1-9][0-9]{5}) (?:S1?)?)")
"""Grants and designs in the form of nearly all citations, `D. 271298` included: a full check would take longer than
everything else done for a citation."""
DELETE = "\x7f"
PHASES = {"examiner": "examination", "applicant": "applicant", "other": "applicant"}
"""«Cited by other» meant the applicant until 2012, when the wording changed."""


def add_slash(symbol: str) -> str:
    """`H01L 21302` is 21/302 and `C07C24900` is 249/00: no slash, but columns. Anything else is unchanged."""
    found = COLUMNS.match(symbol)
    return f"{found[1]} {found[2].strip()}/{found[3]}" if found else symbol


def ipc_codes(symbols: Iterable[str | None]) -> tuple[str, ...]:
    """IPC codes in normal form, from any notation of the files. The Locarno classes of designs are ignored."""
    return codes(add_slash(symbol) for symbol in symbols if symbol)


@lru_cache(maxsize=256)
def phase_of(cited_by: str | None) -> str | None:
    """The phase of a citation, from words such as «cited by examiner»; unknown words are unchanged."""
    if not cited_by or not (words := cited_by.strip().lower()):
        return None
    who = words.removeprefix("cited by ")
    return PHASES.get(who, who)


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


def select_elements(xpath: etree.XPath, element: Element) -> list[Element]:
    """The elements at a path."""
    return cast("list[Element]", xpath(element))


def compile_fields(*paths: str) -> etree.XPath:
    """Compile an XPath that reads several fields in one call: the text of the first element at each path.

    The delete character separates them, which no document contains (`parse_xml`).
    """
    separator = f", '{DELETE}', "
    return etree.XPath(f"concat({separator.join(paths)})", smart_strings=False)


def read_fields(fields: etree.XPath, element: Element) -> list[str]:
    """The texts of compiled fields, each on one line, empty where there is no element."""
    return [clean_line(text) for text in str(fields(element)).split(DELETE)]


def english_text(text: str) -> dict[str, str]:
    """A text under `en`, since the files do not give the language; empty if there is no text."""
    return {"en": text} if text else {}


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, ignoring case, in the order and spelling of its first appearance."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())


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
