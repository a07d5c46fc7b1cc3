"""US grants of 2001 to 2004: `PATDOC`, WIPO ST.32 with its B-numbers, as SGML (2001) and XML (2002 to 2004)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus import uspto as us
from antecede.corpus.document import DocumentError
from antecede.corpus.formats import xml_format
from antecede.corpus.merge import unique_citations
from antecede.corpus.prose import LINE, SeparatorTable, text_of
from antecede.corpus.st36 import unique_names
from antecede.patent import Citation, Patent, codes, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

_SEPARATORS = SeparatorTable(
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
_PRIORITIES = us.compile_paths(
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
    inventors = unique_names(names(front, "B700/B720/B721/PARTY-US"))
    cited = unique_citations([*_front_page_citations(front), *_description_citations(root)])
    return Patent(
        doc_id=number.key,
        number=number,
        kinds=(number.kind,) if number.kind else (),
        language="en",
        title=us.by_language(" ".join(us.heading(each) for each in front.iterfind("B500/B540"))),
        abstract=us.by_language(us.running_text(root.iterchildren("SDOAB"), _SEPARATORS)),
        claims=us.by_language(us.numbered_claims(root.find("SDOCL"), "CLM", _SEPARATORS)),
        description=us.by_language(us.running_text(root.iterchildren("SDODE"), _SEPARATORS)),
        ipc=codes(text_of(each) for each in front.iterfind("B500/B510/*") if each.tag in {"B511", "B512"}),
        priority_date=us.earliest_priority(us.select_texts(_PRIORITIES, front), filing),
        filing_date=filing,
        publication_date=parse_date(published),
        applicants=us.choose_applicants((), False, names(front, "B700/B730/B731/PARTY-US"), inventors),
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


def names(front: Element, path: str) -> Iterator[str]:
    """The names of the parties at a path."""
    for party in front.iterfind(path):
        family, given, suffix, firm = us.read_fields(_NAME, party)
        if name := us.full_name(family, given, suffix) or firm:
            yield name
