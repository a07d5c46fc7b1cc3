"""A synthetic patent as plain data, before it is written in one format or another."""

from __future__ import annotations

from typing import NamedTuple

FIRST_FAMILY = 10_000_000


class Citation(NamedTuple):
    """A document cited: in the collection or, being made up, nowhere."""

    country: str
    number: str
    kind: str
    category: str
    """X, Y or A, with D behind where the text cites it too; nothing where the applicant cites."""
    phase: str
    row: int = -1
    """Its row in the plan, -1 for one outside the collection."""

    @property
    def doc_id(self) -> str:
        return f"{self.country}{self.number.lstrip('0')}"


class SyntheticPatent(NamedTuple):
    """All that one patent's documents say."""

    number: int
    kind: str
    """A1 or A2."""
    language: str
    titles: dict[str, str]
    abstract: str
    headings: tuple[str, ...]
    sections: tuple[tuple[str, ...], ...]
    """The description: below each heading its paragraphs."""
    claims: dict[str, list[str]]
    """In the patent's language; in all three where it was granted."""
    ipc: tuple[str, ...]
    """As in F16K 1/36."""
    priority: int
    filed: int
    published: int
    granted: int
    """Days since 1970-01-01; 0 where there was no grant."""
    applicant: str
    country: str
    city: str
    inventors: tuple[str, ...]
    family: int
    """The row of its first member."""
    citations: tuple[Citation, ...]

    @property
    def doc_id(self) -> str:
        return f"EP{self.number}"

    @property
    def family_id(self) -> str:
        return str(FIRST_FAMILY + self.family)
