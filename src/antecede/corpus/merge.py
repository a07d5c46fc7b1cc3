"""Merging the documents of a patent into one: each field comes from the latest publication that has it.

An EP application (A1) has the description in the language of filing, its grant (B1) the claims in three languages; the
search report may be published even later (A3). For a search they are one patent.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from antecede.patent import Patent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.patent import Citation, PatentNumber

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
        self.first: tuple[_Age, str, PatentNumber | None] | None = None
        """Age, doc_id and number of the earliest document: the patent has these."""
        self.single: Patent | None = None
        """The document, as long as it is the only one: nothing to merge."""
        self.latest: dict[str, tuple[_Age, object]] = {}
        self.earliest: dict[str, date] = {}
        self.kinds: dict[str, _Place] = {}
        self.texts: dict[str, dict[str, tuple[_Place, _Age, Any]]] = {name: {} for name in _TEXTS}
        """Field → language → place of its first text, age of its last text, and that text."""
        self.citations: dict[tuple[str, str | None], tuple[_Place, tuple[int, _Place], Citation]] = {}
        """Cited patent and phase → where it was first cited, strength and place of the strongest citation, and that."""
        self.sources: dict[str, _Age] = {}

    def add(self, document: Patent) -> None:
        self.documents += 1
        if self.documents == 1:
            self.single = document
            return
        if self.single is not None:
            self.add_fields(self.single, 1)
            self.single = None
        self.add_fields(document, self.documents)

    def add_fields(self, document: Patent, place: int) -> None:
        """Add the fields of a document; of two documents of the same age the one added later is used."""
        age = (document.publication_date or date.min, document.kinds, document.source, place)
        if self.first is None or age < self.first[0]:
            self.first = age, document.doc_id, document.number
        for name in _LATEST:
            value = getattr(document, name)
            if value and (name not in self.latest or age > self.latest[name][0]):
                self.latest[name] = age, value
        for name in _EARLIEST:
            if (day := getattr(document, name)) is not None:
                self.earliest[name] = min(day, self.earliest.get(name, day))
        for at, kind in enumerate(document.kinds):
            self.kinds[kind] = min((age, at), self.kinds.get(kind, (age, at)))
        for name in _TEXTS:
            self.add_texts(self.texts[name], age, getattr(document, name))
        self.add_citations(age, document.citations)
        self.add_source(age, document.source)

    def add_texts(self, known: dict[str, tuple[_Place, _Age, Any]], age: _Age, texts: Mapping[str, Any]) -> None:
        """Add the texts of a field: of each language the latest that is not empty is kept."""
        for at, (language, text) in enumerate(texts.items()):
            if text:
                first, last, latest = known.get(language, ((age, at), age, text))
                known[language] = min(first, (age, at)), max(last, age), text if age >= last else latest

    def add_citations(self, age: _Age, citations: Iterable[Citation]) -> None:
        """Add citations: each cited patent once per phase, with the strongest category, of equal ones the first."""
        for at, citation in enumerate(citations):
            key, place = (citation.number.key, citation.phase), (age, at)
            rank = _strength_of(citation), place
            first, strongest, known = self.citations.get(key, (place, rank, citation))
            if rank < strongest:
                strongest, known = rank, citation
            self.citations[key] = min(first, place), strongest, known

    def add_source(self, age: _Age, source: str) -> None:
        """Add a source, keeping those of the earliest documents."""
        if source:
            self.sources[source] = min(age, self.sources.get(source, age))
            if len(self.sources) > _MOST_SOURCES:
                del self.sources[max(self.sources, key=self.sources.__getitem__)]

    def patent(self) -> Patent:
        if self.single is not None:
            return self.single
        if self.first is None:
            raise ValueError("there is no document to merge")
        latest = {name: value for name, (_, value) in self.latest.items()}
        texts = {name: _by_language(known) for name, known in self.texts.items()}
        sources = sorted(self.sources, key=self.sources.__getitem__)
        more = self.documents - _MOST_SOURCES if len(sources) == _MOST_SOURCES else 0
        merged = Patent(
            doc_id=self.first[1],
            number=self.first[2],
            kinds=tuple(sorted(self.kinds, key=self.kinds.__getitem__)),
            citations=tuple(each[2] for each in sorted(self.citations.values(), key=lambda each: each[0])),
            source=" + ".join(sources) + (f" + {more:,} more" if more > 0 else ""),
        )
        return replace(merged, **texts, **latest, **self.earliest)  # type: ignore[arg-type]


def _by_language(known: Mapping[str, tuple[_Place, _Age, Any]]) -> dict[str, Any]:
    """The texts in order of first appearance; one of unknown language is dropped if there are others."""
    languages = sorted(known, key=lambda language: known[language][0])
    return {language: known[language][2] for language in languages if language or len(known) == 1}


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
    """The strength of a citation's category; smaller is stronger."""
    found = _STRENGTH.find(citation.category[0]) if citation.category else -1
    return found if found >= 0 else len(_STRENGTH)
