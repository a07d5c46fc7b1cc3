"""Full texts of the European Patent Office: `ep-patent-document`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus import st36
from antecede.corpus.claims import claim_set
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import xml_format
from antecede.corpus.language import language_code
from antecede.corpus.prose import collect_texts, language_of, one_line, prose
from antecede.patent import Citation, Patent, PatentNumber, codes, parse_date
from antecede.patent.offices import is_published_about
from antecede.patent.record import earliest_date, unique_citations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

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
    number = _publication_number(root)
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language=language_code(root.get("lang") or sdobi.get("lang") or sdobi.findtext("B200/B260")),
        title=_titles(sdobi),
        abstract=collect_texts(root.iterfind("abstract"), prose),
        claims={  # amended ones only for a language without others
            **collect_texts(root.iterfind("amended-claims"), claim_set),
            **collect_texts(root.iterfind("claims"), claim_set),
        },
        description=collect_texts(root.iterfind("description"), prose),
        ipc=_ipc(sdobi),
        cpc=st36.ordered_codes(sdobi.iter("classification-cpc")),
        priority_date=earliest_date(map(st36.date_of, sdobi.iter("B320"))),
        filing_date=_date_in(sdobi, "B220") or _date_in(sdobi, "B861"),
        publication_date=parse_date(root.get("date-publ")) or _date_in(sdobi, "B140"),
        applicants=_parties(sdobi, "B711", "B731"),
        inventors=_parties(sdobi, "B721"),
        citations=unique_citations(_citations(root, sdobi)),
        source=source,
    )


def _publication_number(root: Element) -> PatentNumber:
    """The number in the attributes of the document, else in B190, B110 and B130."""
    named = (("country", "B190"), ("doc-number", "B110"), ("kind", "B130"))
    country, number, kind = ((root.get(name) or root.findtext(f".//{tag}") or "").strip() for name, tag in named)
    found = PatentNumber.of(country or "EP", number, kind or None) if number else None
    if found is None:
        raise DocumentError("no publication number in ep-patent-document (doc-number or B110)")
    return found


def _citations(root: Element, sdobi: Element) -> Iterator[Citation]:
    """Citations of the search report, the front page and the description: the EPO's own list of references if present.

    In that list a date is mostly a filing date: then the number is that of an application, although its kind code says
    otherwise, and would denote another document as a publication. Only if an American number was granted around that
    date, it is the date of the grant.
    """
    yield from st36.read_citations(root.iterfind("search-report-data//citation"), "search")
    for cited in sdobi.iter("B561"):  # by the office, without category and phase
        if (number := _read_cited_number(cited)) is not None:
            yield Citation(number)
    listed = root.findall("ep-reference-list//patcit") or root.iterfind("description//patcit")
    for each in listed:
        number = st36.cited_number(each)
        if number is not None and _is_publication(number, each.find("document-id/date")):
            yield Citation(number, phase="description")


def _is_publication(number: PatentNumber, dated: Element | None) -> bool:
    """Whether a number in the EPO's list of references is a publication number, by the date next to it."""
    if dated is None:
        return True
    day = parse_date(dated.text)
    return number.country == "US" and day is not None and is_published_about(number.number, day)


# Bibliography in the B-tags of WIPO standard ST.32, named by INID codes.
#
# B110 number, B130 kind, B140 publication, B220 filing, B320 priorities, B510 IPC, B520EP CPC, B540 titles, B560 cited
# documents, B711 applicants, B721 inventors, B731 proprietors.

_IPC_TAGS = ("B511", "B512", "B513", "B514", "B515", "B517EP")
"""Main class, further classes, indexing codes: editions up to the seventh, which have no `classification-ipcr`."""
_CITED_NUMBER = re.compile(r"\s*([A-Z]{2})\s*-\s*([A-Z]\d?)\s*-\s*([A-Z]{0,3}[\d\s/.,]*\d)")
"""`US-A- 5 948 634`, `WO-A1-2014/114885`: the kind precedes the number."""


def _date_in(sdobi: Element, tag: str) -> date | None:
    return st36.date_of(next(sdobi.iter(tag), None))


def _titles(sdobi: Element) -> dict[str, str]:
    """The titles of B540: each B542 in the language of the B541 before it."""
    found: dict[str, str] = {}
    language: str | None = None
    for each in sdobi.iter("B541", "B542"):
        if each.tag == "B541":
            language = each.text
        elif title := one_line(each):
            found.setdefault(language_of(language, title), title)
            language = None
    return found


def _ipc(sdobi: Element) -> tuple[str, ...]:
    old = codes(one_line(each) for each in sdobi.iter(*_IPC_TAGS))
    return tuple(dict.fromkeys((*st36.ordered_codes(sdobi.iter("classification-ipcr")), *old)))


def _parties(sdobi: Element, *tags: str) -> tuple[str, ...]:
    """The names in the first of the tags that contains any, each once."""
    for tag in tags:
        if found := st36.unique_names(_party_name(each) for each in sdobi.iter(tag)):
            return found
    return ()


def _party_name(party: Element) -> str:
    """`Family, Given`, or a company: most files have the complete name in `snm`."""
    family, given = st36.clean_line(one_line(party.find("snm"))), st36.clean_line(one_line(party.find("fnm")))
    return ", ".join(filter(None, (family, given))) or st36.clean_line(one_line(party.find("onm")))


def _read_cited_number(b561: Element) -> PatentNumber | None:
    text = one_line(b561)
    if (written := _CITED_NUMBER.match(text)) is not None:
        return PatentNumber.of(written[1], written[3], written[2])
    patcit = b561.find("patcit")
    return st36.cited_number(b561 if patcit is None else patcit) or PatentNumber.parse(text)
