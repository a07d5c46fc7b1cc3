"""US applications published from 2001 to 2004: `patent-application-publication` (pap-v15, pap-v16)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lxml import etree

from antecede.corpus import uspto as us
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import xml_format
from antecede.corpus.merge import unique_citations
from antecede.corpus.prose import SeparatorTable
from antecede.corpus.st36 import unique_names
from antecede.patent import Citation, Patent, PatentNumber, codes, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element


_OWN_LINES = ("claim-text", "list-item", "program-listing", "footnote", "table-cwu", "markush-item")
_SEPARATORS = SeparatorTable(
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
_PRIORITIES = us.compile_paths(
    "foreign-priority-data/filing-date/text()",
    "continuity-data/*[not(self::substitution-for)]/parent-child/parent/document-id/document-date/text()",
    "continuity-data/continuations/*/parent-child/parent/document-id/document-date/text()",
    "continuity-data//parent-pct/document-id/document-date/text()",
    "continuity-data/non-provisional-of-provisional/document-id/document-date/text()",
    "international-conventions/pct-application/document-id/document-date/text()",
)
_HIGHLIGHTS_WITH_TEXT = etree.XPath("descendant::highlight[text()]")
"""Half the time of looking at all highlights, of which a document has thousands."""
_IPC = us.compile_paths("technical-information/classification-ipc//ipc/text()")


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
    inventors = unique_names(names(each for each in front.iterfind("inventors/*")))
    for each in cast("list[Element]", _HIGHLIGHTS_WITH_TEXT(root)):  # a highlight has no text of its own
        us.remove_layout(each)
    for each in root.iter("number"):  # that of a paragraph, table or formula, `[0012]`, is not part of the text
        each.text = None
    cited = unique_citations([*_citations(front, None), *_citations(root.find("subdoc-description"), "description")])
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language="en",
        title=us.by_language(us.heading(front.find("technical-information/title-of-invention"))),
        abstract=us.by_language(us.running_text(root.iterchildren("subdoc-abstract"), _SEPARATORS)),
        claims=us.by_language(us.numbered_claims(root.find("subdoc-claims"), "claim", _SEPARATORS)),
        description=us.by_language(us.running_text(root.iterchildren("subdoc-description"), _SEPARATORS)),
        ipc=codes(us.select_texts(_IPC, front)),
        priority_date=us.earliest_priority(us.select_texts(_PRIORITIES, front), filing),
        filing_date=filing,
        publication_date=parse_date(front.findtext("document-id/document-date")),
        applicants=us.choose_applicants((), False, names(front.iterfind("assignee")), inventors),
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


def _citations(holder: Element | None, phase: str | None) -> Iterator[Citation]:
    if holder is not None:
        for cited in holder.iter("cited-patent-literature"):
            if (number := _number_of(cited.find("document-id"))) is not None:
                yield Citation(number, phase=phase)


def names(parties: Iterator[Element]) -> Iterator[str]:
    """The names of the parties that have one: companies next to their address, persons in a `<name>`."""
    for party in parties:
        name: dict[str, str] = {}
        for holder in party.iterchildren("name", reversed=True):
            name |= us.lines_by_name(holder)
        given = " ".join(filter(None, (name.get("given-name"), name.get("middle-name"))))
        full = us.full_name(name.get("family-name", ""), given, name.get("name-suffix", ""))
        if found := full or us.clean_line(party.findtext("organization-name")):
            yield found
