"""US grants and applications since 2005: the «red book», the USPTO's dialect of WIPO ST.36, versions 4.0 to 4.7."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from antecede.corpus import uspto as us
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import xml_format
from antecede.corpus.prose import LINE, SeparatorTable
from antecede.corpus.st36 import unique_names
from antecede.patent import Citation, Patent, PatentNumber, codes, parse_date
from antecede.patent.record import unique_citations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element as Element

_SEPARATORS = SeparatorTable(
    {
        **dict.fromkeys(("p", "heading", "invention-title", "br"), us.LINE_END),
        **dict.fromkeys(("claim-text", "li", "pre", "tables"), us.OWN_LINE),
        **dict.fromkeys(("maths", "chemistry", "img"), us.SPACED),
        "dt": (LINE, " "),
        "dd": (" ", LINE),
        **us.TABLES_AND_MATHS,
    },
    rules={**dict.fromkeys(("patcit", "nplcit", "bio-deposit"), us.separate_parts), **us.MATHS_RULES},
)
_BIBLIOGRAPHIES = ("us-bibliographic-data-grant", "us-bibliographic-data-application")
_SYMBOL = etree.XPath("concat(section, class, subclass, ' ', main-group, '/', subgroup)", smart_strings=False)
_PRIORITIES = us.compile_paths(
    "priority-claims/priority-claim/date/text()",
    "us-related-documents/us-provisional-application/document-id/date/text()",
    "us-related-documents/*[not(self::substitution)]/*/parent-doc/document-id/date/text()",
    "us-related-documents/*[not(self::substitution)]/*/parent-doc/parent-pct-document/document-id/date/text()",
    "us-related-documents/*[not(self::substitution)]/*/parent-doc/international-filing-date/date/text()",
    "pct-or-regional-filing-data/document-id/date/text()",
    "hague-agreement-data/international-filing-date/date/text()",
)
_IPC_PARTS = (
    "main-classification", "further-classification", "additional-info", "main-linked-indexing-code",
    "sub-linked-indexing-code", "unlinked-indexing-code",
)  # fmt: skip
_CITATIONS = ("us-citation", "citation")
_CITED = (*_CITATIONS, "patcit", "country", "doc-number", "kind", "text", "category")
_INVENTORS = ("inventor", "deceased-inventor", "us-deceased-inventor")
_APPLICANTS = ("applicant", "us-applicant")


@xml_format(
    "uspto",
    title="USPTO grants and applications since 2005 (red book, 4.0 to 4.7)",
    roots=("us-patent-grant", "us-patent-application"),
)
def uspto(root: Element, source: str) -> Patent:
    """US patents and applications since 2005 (red book, 4.0 to 4.7), from the weekly files `ipg*.xml`, `ipa*.xml`."""
    bibliography = _child(root, *_BIBLIOGRAPHIES)
    if bibliography is None:
        raise DocumentError("no bibliographic data, so no publication number")
    publication = _document_id(_child(bibliography, "publication-reference"))
    number = _number_of(publication)
    if number is None:
        raise DocumentError(f"no usable publication number: «{' '.join(publication.values())}»")
    filing = parse_date(_document_id(_child(bibliography, "application-reference")).get("date"))
    language = (root.get("lang") or "en").strip().lower()[:2]
    inventors, applicants = _parties(bibliography)
    # before the texts are read, which changes the tree
    cited = unique_citations([*_front_page_citations(bibliography), *_description_citations(root)])
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language=language,
        title=us.by_language(us.heading(_child(bibliography, "invention-title")), language),
        abstract=us.by_language(us.running_text(root.iterchildren("abstract"), _SEPARATORS), language),
        claims=us.by_language(us.numbered_claims(_child(root, "claims"), "claim", _SEPARATORS), language),
        description=us.by_language(us.running_text(root.iterchildren("description"), _SEPARATORS), language),
        ipc=_ipc(bibliography),
        cpc=_cpc(bibliography),
        priority_date=us.earliest_priority(us.select_texts(_PRIORITIES, bibliography), filing),
        filing_date=filing,
        publication_date=parse_date(publication.get("date")) or parse_date(root.get("date-publ")),
        applicants=applicants,
        inventors=inventors,
        citations=cited,
        source=source,
    )


def _child(element: Element, *names: str) -> Element | None:
    """The first child of one of the names; `find` is slower."""
    return next(element.iterchildren(*names), None)


def _document_id(holder: Element | None) -> dict[str, str]:
    found = None if holder is None else _child(holder, "document-id")
    return {} if found is None else {each.tag: (each.text or "").strip() for each in found}


def _number_of(parts: Mapping[str, str]) -> PatentNumber | None:
    return us.us_number(parts.get("country", ""), parts.get("doc-number", ""), parts.get("kind"))


def _ipc(bibliography: Element) -> tuple[str, ...]:
    """IPC: `classification-ipc` until 2005, `classifications-ipcr` since. Those of the citations are ignored."""
    old = _child(bibliography, "classification-ipc")
    symbols = [] if old is None else [each.text for each in old.iter(*_IPC_PARTS)]
    for reformed in bibliography.iterchildren("classifications-ipcr"):
        symbols += [str(_SYMBOL(each)) for each in reformed.iterchildren("classification-ipcr")]
    return codes(symbols)


def _cpc(bibliography: Element) -> tuple[str, ...]:
    found = (
        each for whole in bibliography.iterchildren("classifications-cpc") for each in whole.iter("classification-cpc")
    )
    return codes(str(_SYMBOL(each)) for each in found)


def _front_page_citations(bibliography: Element) -> Iterator[Citation]:
    """The patents cited on the front page, by examiner or applicant. Other literature is ignored."""
    for references in bibliography.iterchildren("us-references-cited", "references-cited"):
        for parts in _citation_parts(references):
            if (number := cited_number(parts)) is not None:
                yield Citation(number, phase=us.phase_of(parts.get("category")))


def _description_citations(root: Element) -> Iterator[Citation]:
    """Citations marked up in the description; the standard allows them, but they are rare."""
    for description in root.iterchildren("description"):
        for patcit in description.iter("patcit"):
            if (number := cited_number({"text": patcit.findtext("text") or "", **_document_id(patcit)})) is not None:
                yield Citation(number, phase="description")


def _citation_parts(references: Element) -> Iterator[dict[str, str]]:
    """The parts of each cited patent, in one pass. The first of a name counts: later ones belong to its family."""
    parts: dict[str, str] = {}
    for each in references.iter(*_CITED):
        if each.tag in _CITATIONS:
            if "patcit" in parts:
                yield parts
            parts = {}
        else:
            parts.setdefault(each.tag, each.text or "")
    if "patcit" in parts:
        yield parts


def cited_number(parts: Mapping[str, str]) -> PatentNumber | None:
    """The number of a cited patent, from its parts or from free text."""
    return _number_of(parts) if parts.get("doc-number") else PatentNumber.parse(parts.get("text", ""))


def _parties(bibliography: Element) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Inventors and applicants. Until 2012 an attribute marks applicants who are inventors."""
    inventors: list[str] = []
    applied: list[str] = []
    assignees: list[str] = []
    firms = False
    for party in bibliography.iter(*_INVENTORS, *_APPLICANTS, "assignee"):
        name, firm = _name_of(party)
        if not name:
            continue
        if party.tag == "assignee":
            assignees.append(name)
        elif party.tag in _INVENTORS or party.get("app-type") == "applicant-inventor":
            inventors.append(name)
        else:
            applied.append(name)
            firms = firms or firm
    them = unique_names(inventors)
    return them, us.choose_applicants(applied, firms, assignees, them)


def _name_of(party: Element) -> tuple[str, bool]:
    book = _child(party, "addressbook")
    parts = {each.tag: us.clean_line(each.text) for each in (party if book is None else book)}
    given = " ".join(filter(None, (parts.get("first-name"), parts.get("middle-name"))))
    person = parts.get("name") or us.full_name(parts.get("last-name", ""), given, parts.get("suffix", ""))
    return (person, False) if person else (parts.get("orgname") or parts.get("text") or "", bool(parts.get("orgname")))
