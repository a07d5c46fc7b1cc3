"""Merging the documents of a patent into one: each field comes from the latest publication that has it.

An EP application (A1) has the description in the language of filing, its grant (B1) the claims in three languages; the
search report may be published even later (A3). For a search they are one patent.
"""

from __future__ import annotations

from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, Any

from antecede.patent import Patent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.patent import Citation

_LATEST = ("language", "ipc", "cpc", "applicants", "inventors", "family_id")
"""Fields whose latest non-empty value is used."""
_EARLIEST = ("priority_date", "filing_date", "publication_date")
_TEXTS = ("title", "abstract", "claims", "description")
_MOST_SOURCES = 20
"""Sources that a merged patent lists; of the others it gives the number."""
_STRENGTH = "XYIEPDOTLA"
"""Categories in order of strength; a citation without a category is the weakest."""


def merge(documents: Iterable[Patent]) -> Patent:
    """Merge all documents of a patent, in any order; of two of the same age the later one is used."""
    ordered = sorted(documents, key=_age_of)
    if len(ordered) == 1:
        return ordered[0]
    fields: dict[str, Any] = {}
    for name in (*_LATEST, *_EARLIEST):
        if values := [value for each in ordered if (value := getattr(each, name))]:
            fields[name] = min(values) if name in _EARLIEST else values[-1]
    for name in _TEXTS:
        texts = {language: text for each in ordered for language, text in getattr(each, name).items() if text}
        fields[name] = _drop_unknown(texts)
    sources = [*dict.fromkeys(each.source for each in ordered if each.source)][:_MOST_SOURCES]
    more = len(ordered) - _MOST_SOURCES if len(sources) == _MOST_SOURCES else 0
    return Patent(
        doc_id=ordered[0].doc_id,
        number=ordered[0].number,
        kinds=tuple(dict.fromkeys(chain.from_iterable(each.kinds for each in ordered))),
        citations=unique_citations(chain.from_iterable(each.citations for each in ordered)),
        source=" + ".join(sources) + (f" + {more:,} more" if more > 0 else ""),
        **fields,
    )


def _age_of(document: Patent) -> tuple[date, tuple[str, ...], str]:
    """The sort key of a patent's documents: the date, then the kind (A1 before B1), then the source."""
    return document.publication_date or date.min, document.kinds, document.source


def identity(patent: Patent) -> str:
    """The key shared by the documents of one patent: the number in normal form given by the source, else the doc_id."""
    return patent.number.key if patent.number is not None else patent.doc_id


def names_of(patent: Patent) -> tuple[str, ...]:
    """The names of a patent: its doc_id, and its number in normal form."""
    number = patent.known_number
    return tuple(dict.fromkeys((patent.doc_id, *(() if number is None else (number.key,)))))


def _drop_unknown(texts: dict[str, Any]) -> dict[str, Any]:
    """Texts by language, without one of unknown language if there are others."""
    return {language: text for language, text in texts.items() if language or len(texts) == 1}


def earliest_date(days: Iterable[date | None]) -> date | None:
    """The earliest of the known dates."""
    return min((day for day in days if day is not None), default=None)


def unique_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each cited patent once per phase, with the strongest category, in order of appearance."""
    unique: dict[tuple[str, str | None], Citation] = {}
    for citation in citations:
        key = (citation.number.key, citation.phase)
        if key not in unique or _strength_of(citation) < _strength_of(unique[key]):
            unique[key] = citation
    return tuple(unique.values())


def _strength_of(citation: Citation) -> int:
    found = _STRENGTH.find(citation.category[0]) if citation.category else -1
    return found if found >= 0 else len(_STRENGTH)
