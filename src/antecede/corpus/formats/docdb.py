"""What the EPO has of many offices: bibliographic data (DOCDB), and texts as its Open Patent Services deliver them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus import st36
from antecede.corpus.claims import typed_claims
from antecede.corpus.formats import xml_format
from antecede.corpus.prose import choose_texts, collect_texts, declared_language, one_line, prose, typed_lines
from antecede.patent import Patent, codes
from antecede.patent.record import earliest_date

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LANGUAGE = ("language-of-publication", "language-of-filing")


@xml_format(
    "docdb",
    title="EPO DOCDB and Open Patent Services, bibliography",
    roots=("exchange-document",),
    containers=("exchange-documents", "world-patent-data"),
)
def docdb(root: Element, source: str) -> Patent:
    """EPO DOCDB and Open Patent Services (OPS): the bibliographic data of one publication (`exchange-document`).

    Of names, titles and numbers in several forms the most readable one is used, each person once. Of a family from OPS
    (`patent-family`), only the members with bibliographic data are read, as returned for `family/biblio`. What OPS did
    not find, and what DOCDB deleted, is rejected.
    """
    number, day = st36.read_publication(root)
    found = root.find("bibliographic-data")
    biblio = root if found is None else found
    title = choose_texts(biblio.iterfind("invention-title"), one_line)
    abstract = choose_texts(root.iter("abstract"), prose)
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language=_language(biblio) or next(filter(None, (*abstract, *title)), ""),
        title=title,
        abstract=abstract,
        ipc=_ipc(biblio),
        cpc=st36.ordered_codes(each for each in biblio.iter("patent-classification") if _is_cpc(each)),
        priority_date=earliest_date(map(st36.date_of, biblio.iterfind("priority-claims/priority-claim"))),
        filing_date=st36.first_date(st36.ids_of_references(biblio.iterfind("application-reference"))),
        publication_date=day,
        applicants=st36.party_names(biblio.iterfind("parties/applicants/applicant")),
        inventors=st36.party_names(biblio.iterfind("parties/inventors/inventor")),
        family_id=root.get("family-id") or None,
        citations=st36.read_citations(biblio.iterfind("references-cited/citation")),
        source=source,
    )


def _language(biblio: Element) -> str:
    """The language of publication; that of filing if no other is given."""
    ids = biblio.iterfind("publication-reference/document-id")  # with which DOCDB gives the language
    given = [*(biblio.findtext(tag) for tag in _LANGUAGE), *(each.get("lang") for each in ids)]
    return next((code for each in given if (code := declared_language(each))), "")


def _ipc(biblio: Element) -> tuple[str, ...]:
    new = st36.ordered_codes(biblio.iter("classification-ipcr"))
    tags = ("main-classification", "further-classification", "text")
    old = codes(part.text for each in biblio.iterfind("classification-ipc") for part in each.iter(*tags))
    return tuple(dict.fromkeys((*new, *old)))


def _is_cpc(classification: Element) -> bool:
    """Whether a code belongs to the CPC, not to ECLA, the USPC or a national classification."""
    scheme = next(classification.iterchildren("classification-scheme"), None)
    return scheme is not None and scheme.get("scheme", "").upper().startswith("CPC")


@xml_format(
    "epo-fulltext",
    title="EPO Open Patent Services, full text",
    roots=("fulltext-document",),
    containers=("fulltext-documents",),
)
def epo_fulltext(root: Element, source: str) -> Patent:
    """Description or claims of one publication, as EPO Open Patent Services delivers them (`fulltext-document`).

    Line breaks in a text are kept. Claims are often a single text, which is split where 1, 2, 3 … begin a line or a
    sentence. A description or claims saved without the surrounding document cannot be read, because they do not say
    which publication they belong to.
    """
    number, day = st36.read_publication(root)
    texts = {part: collect_texts(root.iterfind(part), typed_lines) for part in ("description", "abstract")}
    claims = collect_texts(root.iterfind("claims"), typed_claims)
    title = collect_texts(root.iterfind("bibliographic-data/invention-title"), one_line)
    languages = [*texts["description"], *claims, *texts["abstract"], *title]
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language=next(filter(None, languages), ""),
        title=title,
        abstract=texts["abstract"],
        claims=claims,
        description=texts["description"],
        publication_date=day,
        source=source,
    )
