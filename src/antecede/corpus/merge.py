"""The several documents of a patent, made into one: each field from the latest publication that has it.

An EP application (A1) brings the description in the language of filing, its grant (B1) the claims in three languages;
the search report may be published later still (A3). A searcher wants one patent.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, TypeVar

from antecede.patent import Citation, Patent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Value = TypeVar("Value", str, tuple[str, ...])
Field = TypeVar("Field")


def merge(documents: Sequence[Patent]) -> Patent:
    """One patent of all its documents, in whatever order they come."""
    if len(documents) == 1:
        return documents[0]
    order = sorted(documents, key=age)
    return Patent(
        doc_id=order[0].doc_id,
        number=order[0].number,
        kinds=tuple(dict.fromkeys(kind for each in order for kind in each.kinds)),
        language=latest(each.language for each in order) or "",
        title=by_language(each.title for each in order),
        abstract=by_language(each.abstract for each in order),
        claims=by_language(each.claims for each in order),
        description=by_language(each.description for each in order),
        ipc=latest(each.ipc for each in order) or (),
        cpc=latest(each.cpc for each in order) or (),
        priority_date=earliest(each.priority_date for each in order),
        filing_date=earliest(each.filing_date for each in order),
        publication_date=earliest(each.publication_date for each in order),
        applicants=latest(each.applicants for each in order) or (),
        inventors=latest(each.inventors for each in order) or (),
        family_id=latest(each.family_id for each in order),
        citations=all_citations(citation for each in order for citation in each.citations),
        source=" + ".join(dict.fromkeys(each.source for each in order if each.source)),
    )


def identity(patent: Patent) -> str:
    """What the documents of one patent share: the number in normal form that the source gives, else their name."""
    return patent.number.key if patent.number is not None else patent.doc_id


def names_of(patent: Patent) -> tuple[str, ...]:
    """What a patent is called: its name, and its number in normal form."""
    number = patent.known_number
    return tuple(dict.fromkeys((patent.doc_id, *(() if number is None else (number.key,)))))


def age(document: Patent) -> tuple[date, tuple[str, ...], str]:
    """What puts the documents of a patent in order: the day, and on one day the kind (A1 before B1)."""
    return document.publication_date or date.min, document.kinds, document.source


def latest(values: Iterable[Field]) -> Field | None:
    """The last value that is not empty."""
    found: Field | None = None
    for value in values:
        found = value or found
    return found


def earliest(days: Iterable[date | None]) -> date | None:
    """The first of the days that are known."""
    return min((day for day in days if day is not None), default=None)


def by_language(texts: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    """Every language's latest text. A text of unknown language gives way as soon as a known one is there."""
    found = {language: text for each in texts for language, text in each.items() if text}
    if len(found) > 1:
        found.pop("", None)
    return found


STRENGTH = "XYIEPDOTLA"
"""Categories, those that say most first; a citation without one says least."""


def all_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each cited patent once for every phase it was cited in, with the strongest category, in order of appearance."""
    kept: dict[tuple[str, str | None], Citation] = {}
    for citation in citations:
        key = (citation.number.key, citation.phase)
        if key not in kept or strength(citation) < strength(kept[key]):
            kept[key] = citation
    return tuple(kept.values())


def strength(citation: Citation) -> int:
    """How much a category says; smaller is more."""
    found = STRENGTH.find(citation.category[0]) if citation.category else -1
    return found if found >= 0 else len(STRENGTH)
