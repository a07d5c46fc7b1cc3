"""Bibliography in the B-tags of WIPO standard ST.32, named by INID codes, as the European office fills them (SDOBI).

B110 number, B130 kind, B140 publication, B220 filing, B320 priorities, B510 IPC, B520EP CPC, B540 titles, B560 cited
documents, B711 applicants, B721 inventors, B731 proprietors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.fields.prose import one_line
from antecede.corpus.fields.st36 import cited_number, clean_line, date_of, ordered_codes
from antecede.corpus.fields.texts import language_of
from antecede.corpus.merge import unique_citations
from antecede.patent import Citation, PatentNumber, codes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from lxml.etree import _Element as Element

IPC_TAGS = ("B511", "B512", "B513", "B514", "B515", "B517EP")
"""Main class, further classes, indexing codes: editions up to the seventh, which have no `classification-ipcr`."""
CITED_NUMBER = re.compile(r"\s*([A-Z]{2})\s*-\s*([A-Z]\d?)\s*-\s*([A-Z]{0,3}[\d\s/.,]*\d)")
"""`US-A- 5 948 634`, `WO-A1-2014/114885`: the kind precedes the number."""


def date_in(sdobi: Element, tag: str) -> date | None:
    """The date in a B-tag."""
    return date_of(next(sdobi.iter(tag), None))


def earliest_date_in(sdobi: Element, tag: str) -> date | None:
    """The earliest date of a B-tag that occurs several times: priorities."""
    days = (date_of(each) for each in sdobi.iter(tag))
    return min((found for found in days if found is not None), default=None)


def titles(sdobi: Element) -> dict[str, str]:
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


def ipc(sdobi: Element) -> tuple[str, ...]:
    """IPC codes, the main one first."""
    old = codes(one_line(each) for each in sdobi.iter(*IPC_TAGS))
    return tuple(dict.fromkeys((*ordered_codes(sdobi.iter("classification-ipcr")), *old)))


def cpc(sdobi: Element) -> tuple[str, ...]:
    """CPC codes, the main one first."""
    return ordered_codes(sdobi.iter("classification-cpc"))


def parties(sdobi: Element, *tags: str) -> tuple[str, ...]:
    """The names in the first of the tags that contains any, each once."""
    for tag in tags:
        if found := unique_names(party_name(each) for each in sdobi.iter(tag)):
            return found
    return ()


def party_name(party: Element) -> str:
    """`Family, Given`, or a company: most files have the complete name in `snm`."""
    family, given = clean_line(one_line(party.find("snm"))), clean_line(one_line(party.find("fnm")))
    return ", ".join(filter(None, (family, given))) or clean_line(one_line(party.find("onm")))


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names in order, each once, ignoring case."""
    found: dict[str, str] = {}
    for each in filter(None, names):
        found.setdefault(each.casefold(), each)
    return tuple(found.values())


def citations(sdobi: Element) -> tuple[Citation, ...]:
    """The patents of B561: cited by the office, without category and phase."""
    numbers = (read_cited_number(each) for each in sdobi.iter("B561"))
    return unique_citations(Citation(number) for number in numbers if number is not None)


def read_cited_number(b561: Element) -> PatentNumber | None:
    """The number of one B561, in a `document-id` or as text."""
    text = one_line(b561)
    if (written := CITED_NUMBER.match(text)) is not None:
        return PatentNumber.of(written[1], written[3], written[2])
    patcit = b561.find("patcit")
    return cited_number(b561 if patcit is None else patcit) or PatentNumber.parse(text)
