"""Citations as search reports and the data bases have them: `<citation>` with phase, category and cited document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.fields.document_ids import reference
from antecede.corpus.merge import all_citations
from antecede.patent import Citation, PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.etree import _Element as Element

PHASES = {
    "sea": "search",
    "isr": "search",
    "sup": "search",
    "prs": "search",
    "search": "search",
    "exa": "examination",
    "ch2": "examination",
    "examination": "examination",
    "opp": "opposition",
    "fop": "opposition",
    "opposition": "opposition",
    "apl": "appeal",
    "appeal": "appeal",
    "app": "applicant",
    "applicant": "applicant",
    "des": "description",
    "description": "description",
    "tpo": "third party",
    "115": "third party",
    "third-party": "third party",
}
"""DOCDB's codes for who cited when, and the words in the names that other services give the phases."""
UNSAID = frozenset({"", "undefined", "unknown", "other", "others"})
APPLICATION = re.compile(r"application|^L$", re.IGNORECASE)
"""Types of number that are not of a publication."""
STRONGEST = "XYIA"
"""Categories that say how near a document comes, nearest first; P, E, D, O, T and L only say more about it."""


def citations(elements: Iterable[Element], phase: str | None = None) -> tuple[Citation, ...]:
    """The patents that `<citation>` elements cite, each once a phase; `phase` is that of elements that do not say.

    What is no patent is passed over, and so is a document cited by the number of its application, since that of
    its publication cannot be told from it.
    """
    found = []
    for each in elements:
        cited = each.find("patcit")
        number = cited_number(cited) if cited is not None else None
        if number is not None:
            found.append(Citation(number, category(each), phase_of(each) or phase))
    return all_citations(found)


def cited_number(patcit: Element) -> PatentNumber | None:
    """The number in a `<patcit>`: of its `<document-id>`, else as `dnum` or its text writes it."""
    if APPLICATION.search(patcit.get("dnum-type") or "") is not None:
        return None
    number, _ = reference(patcit)
    if number is None and (written := patcit.get("dnum")):
        number = PatentNumber.parse(written)
    if number is None and (text := patcit.findtext("text")):
        number = PatentNumber.parse(text)
    return number


def category(citation: Element) -> str | None:
    """The letter that says most: `X` of `X,Y`, `PX` or `XD`; None where the report gives none."""
    letters = "".join(each.text or "" for each in citation.iter("category")).upper()
    known = [letter for letter in STRONGEST if letter in letters]
    return next(iter(known or filter(str.isalpha, letters)), None)


def phase_of(citation: Element) -> str | None:
    """The phase that a citation names, in our words; others as given, in lower case."""
    given = (citation.get("cited-phase") or citation.get("srep-phase") or "").strip().lower()
    if given in PHASES:
        return PHASES[given]
    if (
        word := next((ours for theirs, ours in PHASES.items() if len(theirs) > 3 and theirs in given), None)
    ) is not None:
        return word
    if given in UNSAID:
        return "applicant" if (citation.get("cited-by") or "").strip().lower() == "applicant" else None
    return given
