"""The record of one patent, whatever its office and format, and the dates in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from antecede.patent.number import PatentNumber
from antecede.patent.offices import LAST_YEAR
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
class Patent:
    """A patent, or one of its documents as published: readers yield documents, `merge` combines them into patents."""

    __repr__ = concise_repr

    doc_id: str
    """Its name in runs and qrels: country and number, as `EP1234567`; a JSONL file may have names of its own."""
    number: PatentNumber | None = None
    """The number in normal form, as given by the source: documents with the same number are one patent. None if only
    `doc_id` may contain it; see `known_number`."""
    kinds: tuple[str, ...] = ()
    """Kind codes of the documents merged into it, in order of publication: `("A1", "B1")`."""
    language: str = ""
    """The language of the proceedings, or of most of the text."""
    title: Texts = field(default_factory=dict)
    abstract: Texts = field(default_factory=dict)
    claims: Claims = field(default_factory=dict)
    description: Texts = field(default_factory=dict)
    """Paragraphs and headings, one per line."""
    ipc: tuple[str, ...] = ()
    """Codes in normal form, `H04L 12/56`, the most important first, without duplicates."""
    cpc: tuple[str, ...] = ()
    priority_date: date | None = None
    """The earliest priority."""
    filing_date: date | None = None
    publication_date: date | None = None
    """That of the first document merged into it: from this date it is prior art."""
    applicants: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    family_id: str | None = None
    citations: tuple[Citation, ...] = ()
    source: str = ""
    """The file and position it was read from."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it has text in."""
        texts = {**self.title, **self.abstract, **self.claims, **self.description}
        return tuple(sorted(language for language in texts if language))

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
        whole = {part.name: to_json_value(getattr(self, part.name)) for part in fields(self)}
        return {name: value for name, value in whole.items() if value not in (None, "", {}, [])}

    @classmethod
    def from_dict(cls, whole: Mapping[str, Any]) -> Patent:
        """The record from the form returned by `to_dict`."""
        return cls(**{name: _DECODERS.get(name, tuple)(value) for name, value in whole.items()})


def to_json_value(value: Any) -> Any:
    """The value of a field in a JSON-compatible form."""
    if isinstance(value, PatentNumber | date):
        return str(value)
    if isinstance(value, Citation):
        whole = {"number": str(value.number), "category": value.category, "phase": value.phase}
        return {name: part for name, part in whole.items() if part is not None}
    if isinstance(value, tuple):
        return [to_json_value(part) for part in value]
    if hasattr(value, "items"):
        return {name: to_json_value(part) for name, part in value.items()}
    return value


def _read_citation(whole: Mapping[str, str]) -> Citation:
    number = PatentNumber.parse(whole["number"])
    if number is None:
        raise ValueError(f"{whole['number']!r} is not a patent number")
    return Citation(number, whole.get("category"), whole.get("phase"))


_DECODERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("doc_id", "language", "family_id", "source"), str),
    **dict.fromkeys(("title", "abstract", "description"), dict),
    **dict.fromkeys(("priority_date", "filing_date", "publication_date"), date.fromisoformat),
    "number": PatentNumber.parse,
    "claims": lambda value: {language: tuple(claims) for language, claims in value.items()},
    "citations": lambda value: tuple(map(_read_citation, value)),
}
"""How each field is restored from its JSON-compatible form; the others are tuples of texts."""


# Dates

_YEAR_FIRST = re.compile(r"\s*([0-9]{4})(?:([-./]?)([0-9]{2})(?:\2([0-9]{2}))?)?(?:[T ].*)?\s*\Z")
_DAY_FIRST = re.compile(r"\s*([0-9]{1,2})\.\s?([0-9]{1,2})\.\s?([0-9]{4})\s*\Z")
"""As in German and French documents; with slashes the month may come first, so that form is not accepted."""
FIRST_YEAR = 1617
"""The first numbered patent is English. Other years are fillers (`00010101`, `99991231`) or errors."""
_LONGEST = 64
"""Longer texts are not kept in memory."""


def parse_date(text: str | None) -> date | None:
    """The date written as `20040609`, `2004-06-09` or `09.06.2004`; None for an empty text or an invalid date.

    A missing day or month (`19990500`, `1999`) becomes the first, the earliest possible date.
    """
    if not text:
        return None
    return _cached_date(text) if len(text) <= _LONGEST else _read_date(text)


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
