"""The record of one patent, whatever its office and format; it is independent of formats and indexes."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from antecede.patent.number import PatentNumber
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
        found = {**self.title, **self.abstract, **self.claims, **self.description}
        return tuple(sorted(language for language in found if language))

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
        found = {each.name: to_json_value(getattr(self, each.name)) for each in fields(self)}
        return {name: value for name, value in found.items() if value not in (None, "", {}, [])}

    @classmethod
    def from_dict(cls, whole: Mapping[str, Any]) -> Patent:
        """The record from the form returned by `to_dict`."""
        return cls(**{name: DECODERS.get(name, tuple)(value) for name, value in whole.items()})


def to_json_value(value: Any) -> Any:
    """The value of a field in a JSON-compatible form."""
    if isinstance(value, PatentNumber | date):
        return str(value)
    if isinstance(value, Citation):
        whole = {"number": str(value.number), "category": value.category, "phase": value.phase}
        return {name: part for name, part in whole.items() if part is not None}
    if isinstance(value, tuple):
        return [to_json_value(each) for each in value]
    if hasattr(value, "items"):
        return {name: to_json_value(part) for name, part in value.items()}
    return value


def read_citation(whole: Mapping[str, str]) -> Citation:
    """A citation from its JSON-compatible form."""
    number = PatentNumber.parse(whole["number"])
    if number is None:
        raise ValueError(f"{whole['number']!r} is not a patent number")
    return Citation(number, whole.get("category"), whole.get("phase"))


DECODERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("doc_id", "language", "family_id", "source"), str),
    **dict.fromkeys(("title", "abstract", "description"), dict),
    **dict.fromkeys(("priority_date", "filing_date", "publication_date"), date.fromisoformat),
    "number": PatentNumber.parse,
    "claims": lambda value: {language: tuple(claims) for language, claims in value.items()},
    "citations": lambda value: tuple(read_citation(each) for each in value),
}
"""How each field is restored from its JSON-compatible form; the others are tuples of texts."""
