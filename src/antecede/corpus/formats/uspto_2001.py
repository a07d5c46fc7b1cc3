"""US files of 2001 to 2004: applications (pap-v15, pap-v16), and grants (`PATDOC`, WIPO ST.32 with its B-numbers)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lxml import etree

from antecede.corpus import uspto as us
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import xml_format
from antecede.corpus.prose import LINE, SeparatorTable, text_of
from antecede.corpus.st36 import unique_names
from antecede.patent import Citation, Patent, PatentNumber, codes, parse_date
from antecede.patent.record import unique_citations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

# Applications: `patent-application-publication`

_OWN_LINES = ("claim-text", "list-item", "program-listing", "footnote", "table-cwu", "markush-item")
_PAP_SEPARATORS = SeparatorTable(
    {
        **dict.fromkeys(("paragraph", "heading", "paragraph-federal-research-statement"), us.LINE_END),
        **dict.fromkeys(_OWN_LINES, us.OWN_LINE),
        **dict.fromkeys(("math-cwu", "chemistry-cwu"), us.SPACED),
        "number": (" ", ""),
        **us.TABLES_AND_MATHS,
    },
    rules={
        **dict.fromkeys(("citation", "biological-deposit", "biological-deposit-citation"), us.separate_parts),
        **us.MATHS_RULES,
    },
)
_PAP_PRIORITIES = us.compile_paths(
    "foreign-priority-data/filing-date/text()",
    "continuity-data/*[not(self::substitution-for)]/parent-child/parent/document-id/document-date/text()",
    "continuity-data/continuations/*/parent-child/parent/document-id/document-date/text()",
    "continuity-data//parent-pct/document-id/document-date/text()",
    "continuity-data/non-provisional-of-provisional/document-id/document-date/text()",
    "international-conventions/pct-application/document-id/document-date/text()",
)
_HIGHLIGHTS_WITH_TEXT = etree.XPath("descendant::highlight[text()]")
"""Half the time of looking at all highlights, of which a document has thousands."""
_PAP_IPC = us.compile_paths("technical-information/classification-ipc//ipc/text()")


@xml_format(
    "uspto-pap", title="USPTO applications 2001 to 2004 (pap-v15, pap-v16)", roots=("patent-application-publication",)
)
def pap(root: Element, source: str) -> Patent:
    """US applications published from 2001 to 2004 (pap-v15, pap-v16), from the weekly files `pa*.xml`."""
    front = root.find("subdoc-bibliographic-information")
    if front is None:
        raise DocumentError("no bibliographic information, so no publication number")
    number = _number_of(front.find("document-id"))
    if number is None:
        raise DocumentError(
            f"no usable publication number: «{us.clean_line(front.findtext('document-id/doc-number'))}»"
        )
    filing = parse_date(front.findtext("domestic-filing-data/filing-date"))
    inventors = unique_names(_pap_names(each for each in front.iterfind("inventors/*")))
    for each in cast("list[Element]", _HIGHLIGHTS_WITH_TEXT(root)):  # a highlight has no text of its own
        us.remove_layout(each)
    for each in root.iter("number"):  # that of a paragraph, table or formula, `[0012]`, is not part of the text
        each.text = None
    cited = unique_citations(
        [*_pap_citations(front, None), *_pap_citations(root.find("subdoc-description"), "description")]
    )
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language="en",
        title=us.by_language(us.heading(front.find("technical-information/title-of-invention"))),
        abstract=us.by_language(us.running_text(root.iterchildren("subdoc-abstract"), _PAP_SEPARATORS)),
        claims=us.by_language(us.numbered_claims(root.find("subdoc-claims"), "claim", _PAP_SEPARATORS)),
        description=us.by_language(us.running_text(root.iterchildren("subdoc-description"), _PAP_SEPARATORS)),
        ipc=codes(us.select_texts(_PAP_IPC, front)),
        priority_date=us.earliest_priority(us.select_texts(_PAP_PRIORITIES, front), filing),
        filing_date=filing,
        publication_date=parse_date(front.findtext("document-id/document-date")),
        applicants=us.choose_applicants((), False, _pap_names(front.iterfind("assignee")), inventors),
        inventors=inventors,
        citations=cited,
        source=source,
    )


def _number_of(document: Element | None) -> PatentNumber | None:
    """The number of a `<document-id>`; without a country it is a US number."""
    if document is None:
        return None
    parts = us.lines_by_name(document)
    return us.us_number(parts.get("country-code", ""), parts.get("doc-number", ""), parts.get("kind-code"))


def _pap_citations(holder: Element | None, phase: str | None) -> Iterator[Citation]:
    if holder is not None:
        for cited in holder.iter("cited-patent-literature"):
            if (number := _number_of(cited.find("document-id"))) is not None:
                yield Citation(number, phase=phase)


def _pap_names(parties: Iterator[Element]) -> Iterator[str]:
    """The names of the parties that have one: companies next to their address, persons in a `<name>`."""
    for party in parties:
        name: dict[str, str] = {}
        for holder in party.iterchildren("name", reversed=True):
            name |= us.lines_by_name(holder)
        given = " ".join(filter(None, (name.get("given-name"), name.get("middle-name"))))
        full = us.full_name(name.get("family-name", ""), given, name.get("name-suffix", ""))
        if found := full or us.clean_line(party.findtext("organization-name")):
            yield found


# Grants: `PATDOC`, as SGML (2001) and XML (2002 to 2004)

_PATDOC_SEPARATORS = SeparatorTable(
    {
        **dict.fromkeys(("PARA", "H"), us.LINE_END),
        **dict.fromkeys(("CLMSTEP", "LI", "FOO", "TABLE-US"), us.OWN_LINE),
        **dict.fromkeys(("CWU", "IMG"), us.SPACED),
        "DT": (LINE, " "),
        "DD": (" ", LINE),
        "ROW": us.LINE_END,
        "ENTRY": us.CELL,
        **us.TABLES_AND_MATHS,
    },
    rules={**dict.fromkeys(("CIT", "B830"), us.separate_parts), **us.MATHS_RULES},
)
_FRONT = us.compile_fields("B100/B190", "B100/B110", "B100/B130", "B100/B140", "B200/B220", "B100")
"""Country, number, kind, date of publication, date of filing, and all of the publication."""
_CITED = us.compile_fields(
    "(PCIT/DOC)[1]/CTRY", "(PCIT/DOC)[1]/DNUM", "(PCIT/DOC)[1]/KIND", "name(*[starts-with(name(), 'CITED-BY')])"
)
_CITED_IN_TEXT = us.compile_fields("DOC[1]/CTRY", "DOC[1]/DNUM", "DOC[1]/KIND")
_NAME = us.compile_fields("NAM/SNM", "NAM/FNM", "NAM/SFX", "NAM/ONM")
"""Family name, given name, suffix; or the name of a company."""
_PATDOC_PRIORITIES = us.compile_paths(
    "B300/B320/DATE/PDAT/text()",
    "B600/*[not(self::B660)]/PARENT-US/PDOC/DOC/DATE/PDAT/text()",
    "B600/B630/*/PARENT-US/PDOC/DOC/DATE/PDAT/text()",
    "B600/B680US/DOC/DATE/PDAT/text()",
    "B800/B860/B861/DOC/DATE/PDAT/text()",
)


@xml_format("uspto-2001", title="USPTO grants 2001 to 2004 (PATDOC, SGML and XML)", roots=("PATDOC",))
def patdoc(root: Element, source: str) -> Patent:
    """US patents granted from 2001 to 2004 (PATDOC, SGML and XML), from the weekly files `pg*.sgm` and `pg*.xml`."""
    front = root.find("SDOBI")
    if front is None:
        raise DocumentError("no bibliographic data (SDOBI), so no publication number")
    *parts, published, filed, publication = us.read_fields(_FRONT, front)
    number = us.us_number(*parts)
    if number is None:
        raise DocumentError(f"no usable publication number: «{publication}»")
    _prepare(root)
    filing = parse_date(filed)
    inventors = unique_names(_patdoc_names(front, "B700/B720/B721/PARTY-US"))
    cited = unique_citations([*_front_page_citations(front), *_description_citations(root)])
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language="en",
        title=us.by_language(" ".join(us.heading(each) for each in front.iterfind("B500/B540"))),
        abstract=us.by_language(us.running_text(root.iterchildren("SDOAB"), _PATDOC_SEPARATORS)),
        claims=us.by_language(us.numbered_claims(root.find("SDOCL"), "CLM", _PATDOC_SEPARATORS)),
        description=us.by_language(us.running_text(root.iterchildren("SDODE"), _PATDOC_SEPARATORS)),
        ipc=codes(text_of(each) for each in front.iterfind("B500/B510/*") if each.tag in {"B511", "B512"}),
        priority_date=us.earliest_priority(us.select_texts(_PATDOC_PRIORITIES, front), filing),
        filing_date=filing,
        publication_date=parse_date(published),
        applicants=us.choose_applicants((), False, _patdoc_names(front, "B700/B730/B731/PARTY-US"), inventors),
        inventors=inventors,
        citations=cited,
        source=source,
    )


def _prepare(root: Element) -> None:
    """Remove what is not text: layout, and sequence listings, which have been separate documents since 2005."""
    for sequences in list(root.iter("SEQLST-US")):
        for each in list(sequences):
            sequences.remove(each)
    for each in root.iter("PTEXT", "STEXT", "HIL"):  # the words of a text are in `PDAT` elements
        us.remove_layout(each)
        if each.tag != "STEXT":
            for part in each:
                if each.tag == "HIL" or part.tag != "PDAT":
                    us.remove_layout(part)
        if each.tag != "HIL" and each.getnext() is not None:  # without a following element, it may be part of a word
            each.tail = " " + (each.tail or "")


def _front_page_citations(front: Element) -> Iterator[Citation]:
    """The patents cited on the front page; an element after each says whether by the examiner."""
    for citation in front.iter("B561"):
        *parts, by = us.read_fields(_CITED, citation)
        if (number := us.us_number(*parts)) is not None:
            yield Citation(number, phase=us.phase_of(by.removeprefix("CITED-BY-")))


def _description_citations(root: Element) -> Iterator[Citation]:
    """Citations marked up in the description; the standard allows them, but they are rare."""
    for description in root.iterchildren("SDODE"):
        for citation in description.iter("CIT"):
            if (number := us.us_number(*us.read_fields(_CITED_IN_TEXT, citation))) is not None:
                yield Citation(number, phase="description")


def _patdoc_names(front: Element, path: str) -> Iterator[str]:
    for party in front.iterfind(path):
        family, given, suffix, firm = us.read_fields(_NAME, party)
        if name := us.full_name(family, given, suffix) or firm:
            yield name
