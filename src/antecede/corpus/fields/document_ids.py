"""What ST.36 has in common at all offices: a `<document-id>`, its number and date, and the names of parties.

One reference often stands in a file several times over, once in the form of each data base (`format`, `data-format`,
`document-id-type`): one of them is taken, never all.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from antecede.patent import PatentNumber, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from lxml.etree import _Element as Element

FORMS = ("format", "data-format", "document-id-type")
"""The attributes that say in whose form a number or name is written."""
NUMBERS_FIRST = ("docdb", "epo", "mxw-std", "standard", "uspto", "", "original", "epodoc")
"""Numbers: the data bases' forms before the office's own, which has blanks, slashes and imperial years in it."""
NAMES_FIRST = ("original", "", "intermediate", "docdba", "uspto", "standard", "docdb", "epo", "epodoc")
"""Names: as the office printed them before the data bases' capitals without accents."""
COUNTRY_BEHIND = re.compile(r"\s*\[[A-Z]{2}\]\s*$")
NO_NAME = re.compile(
    r"designation of (?:the )?inventor|entitlement to designation|Erfindernennung|Nennung verzichtet"
    r"|désignation de l.inventeur|renoncé à (?:sa|leur) désignation",
    re.IGNORECASE,
)
"""What the European office prints in place of an inventor who is not named."""
CARE_OF = re.compile(r"(?<![\s,])[\s,]+c/o\b.*$", re.IGNORECASE)
"""The address that is written behind a name."""
ADDRESSES = ("addressbook", "applicant-name", "inventor-name", "assignee-name")
"""The elements that hold a party's name; where there are several they are translations of one another."""


def form(element: Element) -> str:
    """In whose form an element is written: `epo`, `original`, …; empty where it does not say."""
    return next((value.lower() for name in FORMS if (value := element.get(name))), "")


def number_of(document_id: Element | None) -> PatentNumber | None:
    """The number of a `<document-id>`; None where there is none to be read."""
    if document_id is None:
        return None
    number = plain(document_id.findtext("doc-number"))
    if country := plain(document_id.findtext("country")):
        return PatentNumber.of(country, number, plain(document_id.findtext("kind")) or None) if number else None
    return PatentNumber.parse(number) if number else None


def date_of(element: Element | None) -> date | None:
    """The first date under an element, or its own if it is a `<date>`."""
    if element is None:
        return None
    found = (parse_date(each.text) for each in element.iter("date"))
    return next((day for day in found if day is not None), None)


def reference(element: Element | None) -> tuple[PatentNumber | None, date | None]:
    """Number and date of what holds one or more `<document-id>` of the same document."""
    if element is None:
        return None, None
    ids = sorted(element.iter("document-id"), key=lambda each: place(form(each), NUMBERS_FIRST))
    numbers = (number_of(each) for each in ids)
    dates = (date_of(each) for each in ids)
    return next(filter(None, numbers), None), next(filter(None, dates), None)


def names(parties: Iterable[Element]) -> tuple[str, ...]:
    """The names of applicants or inventors, each person once, in the form that is the best to read.

    The forms of one person share a `sequence`. Where that is not given, or is given twice over, the best form that
    names somebody is taken for all of them.
    """
    forms: dict[str, list[Element]] = {}
    for each in parties:
        forms.setdefault(form(each), []).append(each)
    groups = [forms[name] for name in sorted(forms, key=lambda name: place(name, NAMES_FIRST))]
    counted = [[sequence(each) for each in group] for group in groups]
    if all(None not in numbers and len(set(numbers)) == len(numbers) for numbers in counted):
        found = by_sequence(groups)
    else:
        found = next(filter(None, ([*filter(None, map(party_name, group))] for group in groups)), [])
    once: dict[str, str] = {}
    for name in found:
        once.setdefault(name.casefold(), name)
    return tuple(once.values())


def by_sequence(groups: Iterable[Iterable[Element]]) -> list[str]:
    """The names of parties that are counted, each from the first group that has it."""
    chosen: dict[int, str] = {}
    for group in groups:
        for each in group:
            number = sequence(each) or 0
            if number not in chosen and (name := party_name(each)):
                chosen[number] = name
    return [chosen[number] for number in sorted(chosen)]


def sequence(party: Element) -> int | None:
    """Which party of several it is; None where the file does not count them."""
    counted = (party.get("sequence") or "").strip()
    return int(counted) if counted.isdecimal() and len(counted) < 10 else None


def party_name(party: Element) -> str:
    """The name of one party: `Family, Given`, or that of the firm, or as the file has it in one piece."""
    books = [*party.iter(*ADDRESSES)] or [party]
    found = next((name for each in books if (name := written_name(each))), "")
    return "" if NO_NAME.search(found) else CARE_OF.sub("", found)


def written_name(book: Element) -> str:
    """The name in an address book."""
    parts = {str(each.tag): plain(each.text) for each in reversed(book)}
    if whole := parts.get("name"):
        return whole
    given = " ".join(filter(None, (parts.get("first-name"), parts.get("middle-name"))))
    if parts.get("last-name") or given:
        return ", ".join(filter(None, (parts.get("last-name"), given, parts.get("suffix"))))
    return parts.get("orgname") or parts.get("text") or ""


def plain(text: str | None) -> str:
    """A number or name on one line, without the marks that data bases hang on it."""
    if not text:
        return ""
    whole = html.unescape(text) if "&" in text else text
    return COUNTRY_BEHIND.sub("", " ".join(whole.split())).strip(" ,;")


def place(name: str, order: tuple[str, ...]) -> int:
    """How early a form comes in an order of preference; one we do not know comes last."""
    return order.index(name) if name in order else len(order)
