"""Full texts of the European Patent Office: `ep-patent-document`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.fields import b_tags, st36
from antecede.corpus.fields.claims import claim_set
from antecede.corpus.fields.prose import prose
from antecede.corpus.fields.texts import collect_texts
from antecede.corpus.formats.registry import xml_format
from antecede.corpus.language import language_code
from antecede.corpus.merge import unique_citations
from antecede.patent import Citation, Patent, PatentNumber, parse_date
from antecede.patent.offices import is_published_about

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element


@xml_format("epo", title="EPO full text", roots=("ep-patent-document",))
def epo(root: Element, source: str) -> Patent:
    """European applications and patents as the EPO publishes them (`ep-patent-document`, DTD 1.0 to 1.5.1).

    Titles are in three languages, and so are the claims of a granted patent. Applications under the PCT have only
    bibliographic data, since the text was published as WO. Cited patents are those of the search report, of the
    front page (56) and, with the phase `description`, those in the description. Amended claims and the
    statement about them are omitted if the claims as filed are present.
    """
    sdobi = root.find("SDOBI")
    sdobi = root if sdobi is None else sdobi
    number = publication_number(root)
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language=language_code(root.get("lang") or sdobi.get("lang") or sdobi.findtext("B200/B260")),
        title=b_tags.titles(sdobi),
        abstract=collect_texts(root.iterfind("abstract"), prose),
        claims=claims(root),
        description=collect_texts(root.iterfind("description"), prose),
        ipc=b_tags.ipc(sdobi),
        cpc=b_tags.cpc(sdobi),
        priority_date=b_tags.earliest_date_in(sdobi, "B320"),
        filing_date=b_tags.date_in(sdobi, "B220") or b_tags.date_in(sdobi, "B861"),
        publication_date=parse_date(root.get("date-publ")) or b_tags.date_in(sdobi, "B140"),
        applicants=b_tags.parties(sdobi, "B711", "B731"),
        inventors=b_tags.parties(sdobi, "B721"),
        citations=unique_citations(citations(root, sdobi)),
        source=source,
    )


def publication_number(root: Element) -> PatentNumber:
    """The number in the attributes of the document, else in B190, B110 and B130."""
    named = (("country", "B190"), ("doc-number", "B110"), ("kind", "B130"))
    country, number, kind = ((root.get(name) or root.findtext(f".//{tag}") or "").strip() for name, tag in named)
    found = PatentNumber.of(country or "EP", number, kind or None) if number else None
    if found is None:
        raise DocumentError("no publication number in ep-patent-document (doc-number or B110)")
    return found


def claims(root: Element) -> dict[str, tuple[str, ...]]:
    """The claims by language; amended ones only for a language without others."""
    return {
        **collect_texts(root.iterfind("amended-claims"), claim_set),
        **collect_texts(root.iterfind("claims"), claim_set),
    }


def citations(root: Element, sdobi: Element) -> Iterator[Citation]:
    """Citations of the search report, the front page and the description: the EPO's own list of references if present.

    In that list a date is mostly a filing date: then the number is that of an application, although its kind code says
    otherwise, and would denote another document as a publication. Only if an American number was granted around that
    date, it is the date of the grant.
    """
    yield from st36.read_citations(root.iterfind("search-report-data//citation"), "search")
    yield from b_tags.citations(sdobi)
    listed = root.findall("ep-reference-list//patcit") or root.iterfind("description//patcit")
    for each in listed:
        number = st36.cited_number(each)
        if number is not None and is_publication(number, each.find("document-id/date")):
            yield Citation(number, phase="description")


def is_publication(number: PatentNumber, dated: Element | None) -> bool:
    """Whether a number in the EPO's list of references is a publication number, by the date next to it."""
    if dated is None:
        return True
    day = parse_date(dated.text)
    return number.country == "US" and day is not None and is_published_about(number.number, day)
