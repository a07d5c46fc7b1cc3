"""Merging the documents of a patent into one: each field comes from the latest publication that has it.

An EP application (A1) has the description in the language of filing, its grant (B1) the claims in three languages; the
search report may be published even later (A3). For a search they are one patent.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from antecede.patent import Patent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.patent import Citation

_Age = tuple[date, tuple[str, ...], str, int]
"""The sort key of a patent's documents: the date, then the kind (A1 before B1), then source and position."""
_Place = tuple[_Age, int]
"""Where a value stands: the age of its document, and its position there."""

_LATEST = ("language", "ipc", "cpc", "applicants", "inventors", "family_id")
"""Fields whose latest non-empty value is used."""
_EARLIEST = ("priority_date", "filing_date", "publication_date")
_TEXTS = ("title", "abstract", "claims", "description")
_MOST_SOURCES = 20
"""Sources that a merged patent lists; of the others it gives the number."""
_STRENGTH = "XYIEPDOTLA"
"""Categories in order of strength; a citation without a category is the weakest."""


def merge(documents: Iterable[Patent]) -> Patent:
    """Merge all documents of a patent, in any order; only one of them need be in memory."""
    merger = Merger()
    for document in documents:
        merger.add(document)
    return merger.patent()


def identity(patent: Patent) -> str:
    """The key shared by the documents of one patent: the number in normal form given by the source, else the doc_id."""
    return patent.number.key if patent.number is not None else patent.doc_id


def names_of(patent: Patent) -> tuple[str, ...]:
    """The names of a patent: its doc_id, and its number in normal form."""
    number = patent.known_number
    return tuple(dict.fromkeys((patent.doc_id, *(() if number is None else (number.key,)))))


class Merger:
    """Merges the documents of one patent, keeping only what the merged patent consists of."""

    def __init__(self) -> None:
        self.documents = 0
        self.single: Patent | None = None
        """The document, as long as it is the only one: nothing to merge."""
        self.kept: dict[str, dict[object, tuple[_Place, Any, Any]]] = {}
        """Field → key of a value in it, such as its language → the first place of one, and the rank and the value of
        the one that is kept."""

    def add(self, document: Patent) -> None:
        self.documents += 1
        if self.documents == 1:
            self.single = document
            return
        if self.single is not None:
            self._add_fields(self.single, 1)
            self.single = None
        self._add_fields(document, self.documents)

    def _add_fields(self, document: Patent, number: int) -> None:
        """Add the fields of a document; of two documents of the same age the one added later is used."""
        age = (document.publication_date or date.min, document.kinds, document.source, number)
        begin = age, 0
        self._keep("names", None, begin, age, (document.doc_id, document.number), least=True)
        for name in (*_LATEST, *_EARLIEST):
            if value := getattr(document, name):
                least = name in _EARLIEST
                self._keep(name, None, begin, value if least else age, value, least=least)
        for at, kind in enumerate(document.kinds):
            self._keep("kinds", kind, (age, at), 0, kind)
        for name in _TEXTS:
            for at, (language, text) in enumerate(getattr(document, name).items()):
                if text:
                    self._keep(name, language, (age, at), age, text)
        for at, each in enumerate(document.citations):
            rank = _strength_of(each), age, at
            self._keep("citations", (each.number.key, each.phase), (age, at), rank, each, least=True)
        if document.source:
            self._keep("sources", document.source, begin, 0, document.source)

    def _keep(self, field: str, key: object, place: _Place, rank: Any, value: object, *, least: bool = False) -> None:
        """Keep a value unless one of the key with a larger rank, or with a smaller one where `least`, is known."""
        values = self.kept.setdefault(field, {})
        first, best, known = values.get(key, (place, rank, value))
        if rank < best if least else rank > best:
            best, known = rank, value
        values[key] = min(first, place), best, known
        if field == "sources" and len(values) > _MOST_SOURCES:
            del values[max(values, key=values.__getitem__)]

    def _values(self, field: str) -> dict[Any, Any]:
        values = self.kept.get(field, {})
        return {key: values[key][2] for key in sorted(values, key=lambda key: values[key][0])}

    def patent(self) -> Patent:
        if self.single is not None:
            return self.single
        if not self.documents:
            raise ValueError("there is no document to merge")
        doc_id, number = self._values("names")[None]
        fields: dict[str, Any] = {name: _drop_unknown(self._values(name)) for name in _TEXTS}
        fields |= {name: self._values(name)[None] for name in (*_LATEST, *_EARLIEST) if name in self.kept}
        sources = [*self._values("sources")]
        more = self.documents - _MOST_SOURCES if len(sources) == _MOST_SOURCES else 0
        return Patent(
            doc_id=doc_id,
            number=number,
            kinds=tuple(self._values("kinds")),
            citations=tuple(self._values("citations").values()),
            source=" + ".join(sources) + (f" + {more:,} more" if more > 0 else ""),
            **fields,
        )


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
