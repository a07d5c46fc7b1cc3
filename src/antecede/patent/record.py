"""The record of one patent, whatever its office and format, and the dates in it.

The fields of `Patent` are declared here and nowhere else; `patent/fields.py` says what a declaration means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NotRequired

from typing_extensions import TypedDict

from antecede.patent.fields import (
    ALWAYS,
    CELLS,
    CLAIMS,
    CLASSES,
    CODE,
    CODES,
    DAY,
    LANGUAGE,
    NAME,
    NEVER,
    NUMBER,
    PEOPLE,
    TEXT,
    TEXTS,
    YEAR,
    Day,
    about,
    all_sources,
    by_key,
    by_language,
    declare,
    declared_fields,
    distinct,
    earliest,
    first,
    objects,
)
from antecede.patent.number import PatentNumber
from antecede.patent.offices import LAST_YEAR
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Texts = Mapping[str, str]
    """Language → text. A language is its two-letter code in lower case (`en`), `""` if unknown."""
    Claims = Mapping[str, tuple[str, ...]]
    """Language → the claims in order, each with its number in the patent if it has one."""


@dataclass(frozen=True, slots=True)
class Citation:
    """An earlier patent cited against this one, or by the applicant."""

    number: PatentNumber
    category: str | None = None
    """The examiner's category: `X` novelty or inventive step alone, `Y` with another document, `A` background."""
    phase: str | None = None
    """The phase of the citation: `search`, `examination`, `opposition`, `applicant`, `description`, others as given."""


@dataclass(frozen=True, slots=True)
class LegalEvent:
    """What a register says of a patent, in one country or for all."""

    text: str
    """In words: `lapsed, fees not paid`."""
    day: date | None = None
    country: str | None = None
    code: str | None = None
    """The register's code of the event."""


class _StoredCitation(TypedDict):
    number: str
    category: NotRequired[str]
    phase: NotRequired[str]


class _StoredEvent(TypedDict):
    text: str
    day: NotRequired[Day]
    country: NotRequired[str]
    code: NotRequired[str]


def _cited_number(text: str) -> PatentNumber:
    number = PatentNumber.parse(text)
    if number is None:
        raise ValueError(f"{text!r} is not a patent number")
    return number


def _describe_event(event: LegalEvent) -> str:
    where = f"{event.country}: " if event.country else ""
    return where + event.text + (f" ({event.day})" if event.day is not None else "")


CITATIONS = objects(
    Citation, _StoredCitation, lambda values: (citation.number.key for citation in values), number=_cited_number
)
EVENTS = objects(LegalEvent, _StoredEvent, lambda values: map(_describe_event, values), day=date.fromisoformat)

_CATEGORY_STRENGTH = "XYIEPDOTLA"
"""Categories in order of strength; a citation without a category is the weakest."""


def unique_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each cited patent once per phase, with the strongest category, in order of appearance."""
    unique: dict[tuple[str, str | None], Citation] = {}
    for citation in citations:
        key = (citation.number.key, citation.phase)
        if key not in unique or _rank_category(citation) < _rank_category(unique[key]):
            unique[key] = citation
    return tuple(unique.values())


def _rank_category(citation: Citation) -> int:
    rank = _CATEGORY_STRENGTH.find(citation.category[0]) if citation.category else -1
    return rank if rank >= 0 else len(_CATEGORY_STRENGTH)


def _merge_citations(values: Sequence[tuple[Citation, ...]]) -> tuple[Citation, ...]:
    return unique_citations(chain.from_iterable(values))


@dataclass(frozen=True, slots=True)
class Patent:
    """A patent, or one of its documents as published: readers yield documents, `merge` combines them into patents."""

    __repr__ = concise_repr

    doc_id: str = field(
        metadata=about(
            NAME,
            merge=first,
            sources=("id", "docid", "doc_number", "docno", "_id", "patent_id", "publication_number", "number", "pub"),
        )
    )
    """Its name in runs and qrels: country and number, as `EP1234567`; a JSONL file may have names of its own."""
    number: PatentNumber | None = declare(
        NUMBER, merge=first, sources=("publication_number", "pub", "ucid", "patent_number", "doc_number")
    )
    """The number in normal form, as given by the source: documents with the same number are one patent. None if only
    `doc_id` may contain it; see `known_number`."""
    kinds: tuple[str, ...] = declare(CODES, "kinds", merge=distinct, hits=ALWAYS, sources=("kind",))
    """Kind codes of the documents merged into it, in order of publication: `("A1", "B1")`."""
    language: str = declare(LANGUAGE, "language", hits=ALWAYS, sources=("lang",))
    """The language of the proceedings, or of most of the text."""
    title: Texts = declare(TEXTS, merge=by_language, sources=("invention_title", "titles"))
    abstract: Texts = declare(TEXTS, merge=by_language, sources=("summary", "abstracts", "abstract_text"))
    claims: Claims = declare(CLAIMS, merge=by_language, sources=("claim", "claims_text"))
    description: Texts = declare(TEXTS, merge=by_language, sources=("text", "body", "description_text", "full_text"))
    """Paragraphs and headings, one per line."""
    ipc: tuple[str, ...] = declare(
        CLASSES, "IPC", column=True, hits=NEVER, sources=("ipcs", "ipc_codes", "ipcr", "ipc_classes")
    )
    """Codes in normal form, `H04L 12/56`, the most important first, without duplicates."""
    cpc: tuple[str, ...] = declare(
        CLASSES, "CPC", column=True, hits=ALWAYS, sources=("cpcs", "cpc_codes", "cpc_classes")
    )
    priority_date: date | None = declare(DAY, "priority", merge=earliest, hits=ALWAYS, sources=("priority",))
    """The earliest priority."""
    filing_date: date | None = declare(
        DAY, "filed", merge=earliest, hits=ALWAYS, sources=("filed", "filing", "application_date")
    )
    publication_date: date | None = declare(
        DAY,
        "published",
        merge=earliest,
        hits=ALWAYS,
        sources=("date", "published", "pub_date", "grant_date", "publication"),
    )
    """That of the first document merged into it: from this date it is prior art."""
    applicants: tuple[str, ...] = declare(
        PEOPLE,
        "applicants",
        column=True,
        hits=ALWAYS,
        sources=("applicant", "assignees", "assignee", "owner", "owners"),
    )
    inventors: tuple[str, ...] = declare(PEOPLE, "inventors", column=True, hits=ALWAYS, sources=("inventor",))
    family_id: str | None = declare(CODE, "family", hits=ALWAYS, sources=("family",))
    citations: tuple[Citation, ...] = declare(
        CITATIONS,
        merge=_merge_citations,
        column=True,
        sources=("refs", "cited", "references", "cites", "citation"),
    )
    source: str = declare(TEXT, "read from", merge=all_sources, hits=NEVER)
    """The file and position it was read from."""
    family_members: tuple[str, ...] = declare(CODES, "family members", merge=distinct)
    """The numbers of its family, as the source writes them."""
    legal_status: tuple[LegalEvent, ...] = declare(EVENTS, "legal status", merge=distinct)
    authors: tuple[str, ...] = declare(PEOPLE, "authors", sources=("author",))
    """Of an article; the people of a patent are inventors and applicants."""
    journal: str = declare(TEXT, "journal")
    publication_year: int | None = declare(YEAR, "year", sources=("year",))
    """Where the day of publication is not known."""
    doi: str | None = declare(CODE, "DOI")
    keywords: tuple[str, ...] = declare(CODES, "keywords", merge=distinct, sources=("keyword",))
    original: Mapping[str, str] = declare(CELLS, merge=by_key)
    """What the source holds under names of its own, in its order, to be given back: columns of a table, tags of a
    reference. Several values of a name are separated by line feeds."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it has text in."""
        texts = {**self.title, **self.abstract, **self.claims, **self.description}
        return tuple(sorted(language for language in texts if language))

    @property
    def has_title_alone(self) -> bool:
        """Whether its title is all the text that is known."""
        return bool(self.title) and not (self.abstract or self.claims or self.description)

    @property
    def known_number(self) -> PatentNumber | None:
        """The number by which it is cited: the one given, else the one in `doc_id`."""
        return self.number or PatentNumber.parse_name(self.doc_id)

    @property
    def date(self) -> date | None:
        """The date that determines its prior art: priority, else filing, else publication."""
        return self.priority_date or self.filing_date or self.publication_date

    def to_dict(self) -> dict[str, Any]:
        """The record in a JSON-compatible form, without empty fields. `from_dict` and the JSONL format read it back."""
        return {part.name: part.json(self) for part in PATENT_FIELDS if part.value(self)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Patent:
        """The record from the form returned by `to_dict`."""
        return cls(**{name: _DECODERS[name](value) if name in _DECODERS else value for name, value in record.items()})


PATENT_FIELDS = declared_fields(Patent)
_DECODERS = {declared.name: declared.codec.decode for declared in PATENT_FIELDS}
_ORDER = (DAY, YEAR, LANGUAGE, PEOPLE, CLASSES, CODES)
FACTS = tuple(
    sorted(
        (declared for declared in PATENT_FIELDS if declared.label),
        key=lambda declared: _ORDER.index(declared.codec) if declared.codec in _ORDER else len(_ORDER),
    )
)
"""The fields that are listed beside the texts: dates first, then language, people, classes, and all others."""


# Dates

_YEAR_FIRST = re.compile(r"\s*([0-9]{4})(?:([-./]?)([0-9]{2})(?:\2([0-9]{2}))?)?(?:[T ].*)?\s*\Z")
_DAY_FIRST = re.compile(r"\s*([0-9]{1,2})\.\s?([0-9]{1,2})\.\s?([0-9]{4})\s*\Z")
"""As in German and French documents; with slashes the month may come first, so that form is not accepted."""
FIRST_YEAR = 1617
"""The first numbered patent is English. Other years are fillers (`00010101`, `99991231`) or errors."""
_MAX_LENGTH = 64
"""Longer texts are not kept in memory."""


def parse_date(text: str | None) -> date | None:
    """The date written as `20040609`, `2004-06-09` or `09.06.2004`; None for an empty text or an invalid date.

    A missing day or month (`19990500`, `1999`) becomes the first, the earliest possible date.
    """
    if not text:
        return None
    return _cached_date(text) if len(text) <= _MAX_LENGTH else _read_date(text)


def _read_date(text: str) -> date | None:
    if (parts := _YEAR_FIRST.match(text)) is not None:
        year, month, day = int(parts[1]), int(parts[3] or 0), int(parts[4] or 0)
    elif (parts := _DAY_FIRST.match(text)) is not None:
        day, month, year = (int(part) for part in parts.groups())
    else:
        return None
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return date(year, month or 1, day or 1)
    except ValueError:
        return None


_cached_date = lru_cache(maxsize=1 << 14)(_read_date)
"""The same dates occur again and again in a collection."""


def earliest_date(days: Iterable[date | None]) -> date | None:
    """The earliest of the known dates."""
    return min((day for day in days if day is not None), default=None)
