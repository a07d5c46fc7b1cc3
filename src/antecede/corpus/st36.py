"""The parts of WIPO standard ST.36 that all offices share: document ids, parties, classification symbols, citations.

One reference often appears several times in a file, once in the form of each database (`format`, `data-format`,
`document-id-type`): one of them is used, never all.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.patent import Citation, PatentNumber, codes, parse_date
from antecede.patent.record import unique_citations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from lxml.etree import _Element as Element

# Document ids and parties


_FORMS = ("format", "data-format", "document-id-type")
"""The attributes that name the form of a number or name."""
_NUMBERS_FIRST = ("docdb", "epo", "mxw-std", "standard", "uspto", "", "original", "epodoc")
"""Numbers: the forms of the databases before the office's own, which contains spaces, slashes and imperial years."""
NAMES_FIRST = ("original", "", "intermediate", "docdba", "uspto", "standard", "docdb", "epo", "epodoc")
"""Names: as printed by the office before the databases' capitals without accents."""
_COUNTRY_SUFFIX = re.compile(r"\s*\[[A-Z]{2}\]\s*$")
_NO_NAME = re.compile(
    r"designation of (?:the )?inventor|entitlement to designation|Erfindernennung|Nennung verzichtet"
    r"|désignation de l.inventeur|renoncé à (?:sa|leur) désignation",
    re.IGNORECASE,
)
"""What the EPO prints instead of an inventor who is not named."""
_CARE_OF = re.compile(r"(?<![\s,])[\s,]+c/o\b.*$", re.IGNORECASE)
"""An address after a name."""
_ADDRESSES = ("addressbook", "applicant-name", "inventor-name", "assignee-name")
"""The elements that contain a party's name; if there are several, they are translations of each other."""

_NAME_PARTS = frozenset({"name", "first-name", "middle-name", "last-name", "suffix", "orgname", "text"})


def form_of(element: Element) -> str:
    """The form of an element: `epo`, `original`, …; empty if it is not given."""
    for name in _FORMS:
        if value := element.get(name):
            return value.lower()
    return ""


def _texts_by_name(element: Element) -> dict[str, str]:
    """The text of each child by name, the first of several: one pass is faster than a few calls of `findtext`."""
    return {each.tag: each.text or "" for each in reversed(element)}


def number_of(document_id: Element | None) -> PatentNumber | None:
    """The number of a `<document-id>`; None if there is no valid one."""
    if document_id is None:
        return None
    parts = _texts_by_name(document_id)
    number = clean_line(parts.get("doc-number"))
    if country := clean_line(parts.get("country")):
        return PatentNumber.of(country, number, clean_line(parts.get("kind")) or None) if number else None
    return PatentNumber.parse(number) if number else None


def date_of(element: Element | None) -> date | None:
    """The first date in an element, or its own if it is a `<date>`."""
    if element is None:
        return None
    for each in element.iter("date"):
        if (day := parse_date(each.text)) is not None:
            return day
    return None


def document_ids(element: Element) -> list[Element]:
    """The `<document-id>` elements in an element that refers to one document, those in the preferred form first."""
    ids = [*element.iter("document-id")]
    return sorted(ids, key=_rank_of_number) if len(ids) > 1 else ids


def ids_of_references(elements: Iterable[Element]) -> Iterator[Element]:
    """The `<document-id>` elements of a document to which several elements refer, each in the form of a database."""
    return (each for element in sorted(elements, key=_rank_of_number) for each in document_ids(element))


def _rank_of_number(element: Element) -> int:
    return preference_of(form_of(element), _NUMBERS_FIRST)


def first_number(ids: Iterable[Element]) -> PatentNumber | None:
    """The first valid number of several `<document-id>` elements."""
    return next(filter(None, map(number_of, ids)), None)


def first_date(ids: Iterable[Element]) -> date | None:
    """The first date of several `<document-id>` elements."""
    return next(filter(None, map(date_of, ids)), None)


def party_names(parties: Iterable[Element]) -> tuple[str, ...]:
    """The names of applicants or inventors, each person once, in the most readable form.

    The forms of one person share a `sequence`. If that is missing or ambiguous, the best form with names is used for
    all of them.
    """
    forms: dict[str, list[Element]] = {}
    for each in parties:
        forms.setdefault(form_of(each), []).append(each)
    groups = [forms[name] for name in sorted(forms, key=lambda name: preference_of(name, NAMES_FIRST))]
    counted = [[_sequence_of(each) for each in group] for group in groups]
    if all(None not in numbers and len(set(numbers)) == len(numbers) for numbers in counted):
        found = _names_by_sequence(groups)
    else:
        found = next(filter(None, ([*filter(None, map(party_name, group))] for group in groups)), [])
    return unique_names(found)


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, ignoring case, in the order and spelling of its first appearance."""
    once: dict[str, str] = {}
    for name in filter(None, names):
        once.setdefault(name.casefold(), name)
    return tuple(once.values())


def _names_by_sequence(groups: Iterable[Iterable[Element]]) -> list[str]:
    """The names of numbered parties, each from the first group that has it."""
    chosen: dict[int, str] = {}
    for group in groups:
        for each in group:
            number = _sequence_of(each) or 0
            if number not in chosen and (name := party_name(each)):
                chosen[number] = name
    return [chosen[number] for number in sorted(chosen)]


def _sequence_of(party: Element) -> int | None:
    counted = (party.get("sequence") or "").strip()
    return int(counted) if counted.isdecimal() and len(counted) < 10 else None


def party_name(party: Element) -> str:
    """The name of one party: `Family, Given`, or that of the company, or an undivided name."""
    books = [*party.iter(*_ADDRESSES)] or [party]
    found = next((name for each in books if (name := _name_in(each))), "")
    words = found.lower()
    if ("signation" in words or "nennung" in words) and _NO_NAME.search(found) is not None:  # quickly excluded
        return ""
    return _CARE_OF.sub("", found) if "/" in found else found


def _name_in(book: Element) -> str:
    parts = {name: clean_line(text) for name, text in _texts_by_name(book).items() if name in _NAME_PARTS}
    if whole := parts.get("name"):
        return whole
    given = " ".join(filter(None, (parts.get("first-name"), parts.get("middle-name"))))
    if parts.get("last-name") or given:
        return ", ".join(filter(None, (parts.get("last-name"), given, parts.get("suffix"))))
    return parts.get("orgname") or parts.get("text") or ""


def clean_line(text: str | None) -> str:
    """A number or name on one line, without the suffixes of databases."""
    if not text:
        return ""
    whole = " ".join((html.unescape(text) if "&" in text else text).split())
    return (_COUNTRY_SUFFIX.sub("", whole) if "[" in whole else whole).strip(" ,;")


def preference_of(name: str, order: Sequence[str]) -> int:
    """The rank of a form in an order of preference; unknown forms come last."""
    return order.index(name) if name in order else len(order)


# The publication that a document is

_NOTICES = {
    "not found": "the service has no such document (status «not found»)",
    "d": "a notice that the document was deleted from the database (status «D»), without the document",
}
"""Values of `status` of an element without a document."""


def read_publication(root: Element) -> tuple[PatentNumber, date | None]:
    """Number and date of publication of a document; raises `DocumentError` if it has no number."""
    references = root.findall("bibliographic-data/publication-reference")
    country, name, kind = (root.get(part, "").strip() for part in ("country", "doc-number", "kind"))
    number = PatentNumber.of(country, name, kind or None) if country and name else None
    number = number or first_number(ids_of_references(references))
    if number is None:
        raise DocumentError(f"no publication number in {root.tag}")
    if (notice := _NOTICES.get(root.get("status", "").strip().lower())) is not None:
        raise DocumentError(notice, number.key)
    return number, parse_date(root.get("date-publ")) or first_date(ids_of_references(references))


# Classification symbols: one text, a `<classification-symbol>`, or part by part

_SUBCLASS_PARTS = ("section", "class", "subclass")
_FIRST_POSITION = re.compile(r"\d{8}[ACS ]?F")
"""In a symbol of fifty characters, the position after the version: `…20060101AFI…` is the first, `ALI` a later one."""


def ordered_codes(elements: Iterable[Element]) -> tuple[str, ...]:
    """The codes of several elements, those marked as first before the others, each once."""
    first: list[str] = []
    others: list[str] = []
    for each in elements:
        parts = _texts_by_name(each)
        text = parts.get("text", "")
        marked = "F" in text and _FIRST_POSITION.search(text) is not None
        is_first = marked or parts.get("symbol-position", "").strip().upper() == "F"
        (first if is_first else others).append(_symbol_of(parts, each.text))
    return codes((*first, *others))


def _symbol_of(parts: Mapping[str, str], text: str | None) -> str:
    if (written := parts.get("classification-symbol") or parts.get("text")) is not None:
        return written
    subclass = "".join([parts[name].strip() for name in _SUBCLASS_PARTS if name in parts])
    group, subgroup = parts.get("main-group", "").strip(), parts.get("subgroup", "").strip()
    if subclass:
        return f"{subclass} {group}/{subgroup}" if group and subgroup else subclass
    return text or ""


# Citations of search reports and databases: `<citation>` with phase, category and cited document

PHASES = {
    **dict.fromkeys(("sea", "isr", "sup", "prs", "search"), "search"),
    **dict.fromkeys(("exa", "ch2", "examination"), "examination"),
    **dict.fromkeys(("opp", "fop", "opposition"), "opposition"),
    **dict.fromkeys(("apl", "appeal"), "appeal"),
    **dict.fromkeys(("app", "applicant"), "applicant"),
    **dict.fromkeys(("des", "description"), "description"),
    **dict.fromkeys(("tpo", "115", "third-party"), "third party"),
}
"""Phases of DOCDB's codes, and of the words that other services use."""
_UNKNOWN_PHASES = frozenset({"", "undefined", "unknown", "other", "others"})
_APPLICATION = re.compile(r"application|^L$", re.IGNORECASE)
"""Types of numbers that are not publication numbers."""
_STRONGEST = "XYIA"
"""Categories of relevance, the strongest first; P, E, D, O, T and L give additional information."""


def read_citations(elements: Iterable[Element], phase: str | None = None) -> tuple[Citation, ...]:
    """The patents that `<citation>` elements cite, each once per phase; `phase` applies to elements that give none.

    Other literature is skipped, and so is a document cited by its application number, from which its publication number
    cannot be derived.
    """
    found = []
    for each in elements:
        cited = next(each.iterchildren("patcit"), None)
        number = cited_number(cited) if cited is not None else None
        if number is not None:
            letters = "".join(category.text or "" for category in each.iter("category"))
            found.append(Citation(number, strongest_category(letters), _phase_of(each) or phase))
    return unique_citations(found)


def cited_number(patcit: Element) -> PatentNumber | None:
    """The number in a `<patcit>`: that of its `<document-id>`, else of `dnum` or its text."""
    if (kind := patcit.get("dnum-type")) and _APPLICATION.search(kind) is not None:
        return None
    number = first_number(document_ids(patcit))
    if number is None and (written := patcit.get("dnum")):
        number = PatentNumber.parse(written)
    if number is None and (text := patcit.findtext("text")):
        number = PatentNumber.parse(text)
    return number


def strongest_category(letters: str) -> str | None:
    """The strongest category: `X` of `X,Y`, `PX` or `XD`; None if there is none."""
    known = [letter for letter in _STRONGEST if letter in letters.upper()]
    return next(iter(known or filter(str.isalpha, letters.upper())), None)


def _phase_of(citation: Element) -> str | None:
    """The phase of a citation under our name; unknown ones as given, in lower case."""
    given = (citation.get("cited-phase") or citation.get("srep-phase") or "").strip().lower()
    words = (ours for theirs, ours in PHASES.items() if len(theirs) > 3 and theirs in given)
    if (phase := PHASES.get(given) or next(words, None)) is not None:
        return phase
    if given in _UNKNOWN_PHASES:
        return "applicant" if (citation.get("cited-by") or "").strip().lower() == "applicant" else None
    return given
