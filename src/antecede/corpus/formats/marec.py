"""MAREC and CLEF-IP: `patent-document`, the documents of many offices in one markup."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from antecede.corpus import st36
from antecede.corpus.claims import number_claims, split_claims
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import xml_format
from antecede.corpus.prose import (
    choose_texts,
    collect_texts,
    declared_language,
    one_line,
    prose,
    text_of,
    texts_of_each,
)
from antecede.patent import Citation, Patent, PatentNumber, codes, parse_date
from antecede.patent.record import unique_citations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from lxml.etree import _Element as Element

    Parts = dict[str, list[Element]]

_REFERENCE_LANGUAGE = "bibliographic-data/publication-reference/document-id/lang"
_APPLICANTS = (("applicants", "applicant"), ("assignees", "assignee"))
_DELETED = frozenset({"d", "deleted"})
"""Values of `status` for outdated data."""
_MACHINE = re.compile(r"smt|machine|translat|google|\bmt\b", re.IGNORECASE)
_SOURCES = {"": 0, "national office": 1, "epo": 2}
"""Sources of an abstract: the document itself, its office through DOCDB, DOCDB."""
_IPCR = re.compile(r".{8,}?\d{8}([ACS ])([FL ])([IN ])")
"""A code of the eighth edition: after the version its level (advanced, core), position (first, later) and value."""
_IPC_RANKS = {"main-classification": 2, "further-classification": 4}
"""Ranks of codes of earlier editions among those of the eighth (see `_rank_of_ipcr`); others are indexing codes."""
_LAST_RANK = 6


@xml_format("marec", title="MAREC and CLEF-IP", roots=("patent-document",), containers=("patent-documents",))
def marec(root: Element, source: str) -> Patent:
    """The collections MAREC and CLEF-IP: documents of EPO, WIPO, USPTO, JPO and others, one `patent-document` each.

    Of several texts in one language, that of the document itself is preferred; machine translations come last. A block
    of claims is split at the numbers. Codes of ECLA and of national classifications are ignored.
    """
    number = _publication_number(root)
    main = declared_language(root.get("lang")) or declared_language(root.findtext(_REFERENCE_LANGUAGE))
    parts = _children_by_name(root)
    data = parts["bibliographic-data"][0] if "bibliographic-data" in parts else root
    bibliography = _children_by_name(data)
    titles = filter(_is_current, data.iter("invention-title"))
    title = choose_texts(titles, lambda title: html.unescape(one_line(title)), _distance_from_original, main)
    abstract = choose_texts(parts.get("abstract", ()), prose, _distance_from_original, main)
    claims = collect_texts(parts.get("claims", ()), _claim_texts, _distance_from_original, main)
    amended = collect_texts(parts.get("amended-claims", ()), _claim_texts, _distance_from_original, main)
    claims |= {language: texts for language, texts in amended.items() if language not in claims}
    description = collect_texts(parts.get("description", ()), prose, _distance_from_original, main)
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language=main or next(filter(None, (*description, *claims, *abstract, *title)), ""),
        title=title,
        abstract=abstract,
        claims=claims,
        description=description,
        ipc=_ipc(data),
        cpc=_cpc(data),
        priority_date=min(_dates(_elements_in(bibliography, "priority-claims", "priority-claim")), default=None),
        filing_date=next(_dates(bibliography.get("application-reference", ())), None),
        publication_date=_publication_date(root, bibliography),
        **_parties(bibliography),
        family_id=(root.get("family-id") or "").strip() or None,
        citations=_citations(data),
        source=source,
    )


def _publication_number(root: Element) -> PatentNumber:
    """The publication number: from the attributes, the reference, or the name; one with a kind code is preferred."""
    country, written, kind = (root.get(name, "").strip() for name in ("country", "doc-number", "kind"))
    written = written or root.get("docnumber", "").strip()
    number = PatentNumber.of(country, written, kind or None) if country and written else None
    if number is not None and number.kind:
        return number
    other = [
        st36.first_number(st36.document_ids(each))
        for each in root.findall("bibliographic-data/publication-reference")[:1]
    ]
    other += [PatentNumber.parse(name) for attribute in ("ucid", "id") if (name := root.get(attribute))]
    numbers = [each for each in (number, *other) if each is not None]
    if not numbers:
        reason = "no publication number: neither its attributes nor a publication-reference give one"
        raise DocumentError(reason, root.get("ucid"))
    return next((each for each in numbers if each.key == numbers[0].key and each.kind), numbers[0])


def _publication_date(root: Element, bibliography: Parts) -> date | None:
    """The date of publication: of the document, else of its reference, else of its first availability."""
    given = (parse_date(root.get(name)) for name in ("date", "date-published", "date-publ"))
    places = (bibliography.get(name, ()) for name in ("publication-reference", "dates-of-public-availability"))
    return next(filter(None, chain(given, _dates(chain.from_iterable(places)))), None)


def _is_current(element: Element) -> bool:
    return element.get("status") not in _DELETED


def _children_by_name(element: Element) -> Parts:
    """The children of an element by name, without deleted ones."""
    found: Parts = {}
    for each in filter(_is_current, element.iterchildren("*")):
        found.setdefault(each.tag, []).append(each)
    return found


def _elements_in(parts: Parts, holder: str, name: str) -> Iterator[Element]:
    return (each for one in parts.get(holder, ()) for each in one.iterchildren(name) if _is_current(each))


def _dates(references: Iterable[Element]) -> Iterator[date]:
    return filter(None, map(st36.date_of, references))


def _parties(bibliography: Parts) -> dict[str, Any]:
    """Applicants and inventors. The proprietor of a grant is the applicant as printed; later owners are not."""
    groups = [_children_by_name(each) for each in bibliography.get("parties", ())]
    applicants = (_elements_in(group, *path) for path in _APPLICANTS for group in groups)
    inventors = (_elements_in(group, "inventors", "inventor") for group in groups)
    return {
        "applicants": st36.party_names(chain.from_iterable(applicants)),
        "inventors": st36.party_names(chain.from_iterable(inventors)),
    }


def _distance_from_original(element: Element) -> tuple[int, ...]:
    """How far a text is from the document as published; smaller is nearer."""
    distance = _distance_of(element.get("source", ""), element.get("load-source", ""), st36.form_of(element))
    return "ref-ucid" in element.attrib, *distance


@lru_cache(maxsize=1000)
def _distance_of(source: str, load: str, written: str) -> tuple[int, ...]:
    name, loaded = source.strip().lower(), load.strip().lower()
    machine = _MACHINE.search(f"{name} {loaded} {written}") is not None
    return machine, _SOURCES.get(name, len(_SOURCES)), loaded == "docdb", st36.preference_of(written, st36.NAMES_FIRST)


def _claim_texts(claims: Element) -> tuple[str, ...]:
    """The claims of one set, each with its number in front; a block is split at the numbers."""
    texts = texts_of_each(claims, "claim")
    return number_claims(texts) if len(texts) > 1 else tuple(split_claims(texts[0][1] if texts else prose(claims)))


def _ipc(data: Element) -> tuple[str, ...]:
    """The IPC codes: the first one of the office, then the others, indexing codes last."""
    found = [
        (_rank_of_ipcr(each), each.text or text_of(each))
        for each in data.iter("classification-ipcr")
        if _is_current(each)
    ]
    earlier = (each for edition in data.iter("classification-ipc") if _is_current(edition) for each in edition)
    found += [
        (_IPC_RANKS.get(each.tag, _LAST_RANK), each.text or "")
        for each in earlier
        if each.tag != "edition" and _is_current(each)
    ]
    return codes(text for _, text in sorted(found, key=lambda each: each[0]))


def _cpc(data: Element) -> tuple[str, ...]:
    """The CPC codes, present in later deliveries."""
    symbols = (each for each in data.iter("classification-symbol") if each.get("scheme") == "CPC")
    return codes(text_of(each) for each in chain(data.iter("classification-cpc"), symbols) if _is_current(each))


def _rank_of_ipcr(element: Element) -> int:
    """The rank of a code of the eighth edition: the first, and its core level, before all others."""
    written = _IPCR.match(element.text or "")
    if written is None:
        return 3
    level, position, value = written.groups()
    if position == "F":
        return 1 if level == "C" else 0
    return 5 if value == "N" else 3


def _citations(data: Element) -> tuple[Citation, ...]:
    found = []
    patcits = (each for citations in data.iter("patent-citations") for each in citations.iterchildren("patcit"))
    for each in filter(_is_current, patcits):
        written = (each.get("ucid"), each.get("dnum"), each.findtext("text"))
        parsed = (PatentNumber.parse(text) for text in written if text)
        number = st36.number_of(each.find("document-id")) or next(filter(None, parsed), None)
        if number is not None:
            found += [Citation(number, category, phase) for category, phase in _sources(each)]
    return unique_citations(found)


def _sources(patcit: Element) -> list[tuple[str | None, str | None]]:
    """Category and phase of a citation, per source; earlier deliveries have them on the citation itself."""
    given = [(each.get("category"), each.get("name")) for each in patcit.iter("source") if _is_current(each)]
    passages = "".join(each.text or "" for each in patcit.iter("category"))
    given = given or [(patcit.get("category"), patcit.get("source"))]
    return [(st36.strongest_category(category or passages), phase_of(name)) for category, name in given]


def phase_of(name: str | None) -> str | None:
    """The phase under our name; an unknown one in lower case."""
    given = (name or "").strip().lower()
    return st36.PHASES.get(given, given if given != "unknown" else None) or None
