"""One patent as we keep it, whatever office or format it came from. It knows no format and no index."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from antecede.patent.number import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Texts = Mapping[str, str]
    """Language → text. A language is its two-letter code in lower case (`en`), `""` where nobody knows."""
    Claims = Mapping[str, tuple[str, ...]]
    """Language → the claims in order, each with the number it has in the patent if it carries one."""


@dataclass(frozen=True, slots=True)
class Citation:
    """An earlier patent that somebody held against this one, or that the applicant named."""

    number: PatentNumber
    category: str | None = None
    """What the examiner made of it: `X` novelty or step alone, `Y` step with another, `A` background."""
    phase: str | None = None
    """Who cited, when: `search`, `examination`, `opposition`, `applicant`, `description`, others as given."""


@dataclass(frozen=True, slots=True)
class Patent:
    """A patent, or one of its documents as published: each reader yields documents, `merge` makes patents of them."""

    doc_id: str
    """What runs and qrels call it: country and number, as `EP1234567`; a JSONL file may bring names of its own."""
    number: PatentNumber | None = None
    """The number in normal form, as the source gives it: documents of the same number are one patent. None where only
    `doc_id` may tell; see `known_number`."""
    kinds: tuple[str, ...] = ()
    """Kind codes of the documents merged into it, in order of publication: `("A1", "B1")`."""
    language: str = ""
    """The language of proceedings, or of most of its text."""
    title: Texts = field(default_factory=dict)
    abstract: Texts = field(default_factory=dict)
    claims: Claims = field(default_factory=dict)
    description: Texts = field(default_factory=dict)
    """Paragraphs and headings, one a line."""
    ipc: tuple[str, ...] = ()
    """Codes in normal form, `H04L 12/56`, most important first, none twice."""
    cpc: tuple[str, ...] = ()
    priority_date: date | None = None
    """The earliest priority."""
    filing_date: date | None = None
    publication_date: date | None = None
    """Of the first document merged into it: from this day on it is prior art."""
    applicants: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    family_id: str | None = None
    citations: tuple[Citation, ...] = ()
    source: str = ""
    """File and position it was read from."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it has text in."""
        found = {**self.title, **self.abstract, **self.claims, **self.description}
        return tuple(sorted(language for language in found if language))

    @property
    def known_number(self) -> PatentNumber | None:
        """The number by which citations find it: the one given, else the one that `doc_id` writes out."""
        return self.number or PatentNumber.parse_name(self.doc_id)

    @property
    def date(self) -> date | None:
        """The day that counts for what came before: priority, else filing, else publication."""
        return self.priority_date or self.filing_date or self.publication_date

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON knows it; what is empty is left out. `from_dict` reads it back, as does a JSONL file."""
        found = {each.name: to_json_value(getattr(self, each.name)) for each in fields(self)}
        return {name: value for name, value in found.items() if value not in (None, "", {}, [])}

    @classmethod
    def from_dict(cls, whole: Mapping[str, Any]) -> Patent:
        """The record that `to_dict` gave."""
        return cls(**{name: DECODERS.get(name, tuple)(value) for name, value in whole.items()})


def to_json_value(value: Any) -> Any:
    """A field's value in JSON's own types."""
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
    """A citation from its plain form."""
    number = PatentNumber.parse(whole["number"])
    if number is None:
        raise ValueError(f"{whole['number']!r} is no patent number")
    return Citation(number, whole.get("category"), whole.get("phase"))


DECODERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("doc_id", "language", "family_id", "source"), str),
    **dict.fromkeys(("title", "abstract", "description"), dict),
    **dict.fromkeys(("priority_date", "filing_date", "publication_date"), date.fromisoformat),
    "number": PatentNumber.parse,
    "claims": lambda value: {language: tuple(claims) for language, claims in value.items()},
    "citations": lambda value: tuple(read_citation(each) for each in value),
}
"""How each field comes back from its plain form; the rest are tuples of texts."""
