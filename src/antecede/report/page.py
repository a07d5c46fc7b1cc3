"""One patent as a person wants to read it: title, dates, classes, abstract, numbered claims, citations."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from antecede.errors import printable_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from antecede.patent import Citation, Patent

LANGUAGES = {"en": "English", "fr": "French", "de": "German", "ja": "Japanese", "": "language unknown"}
NUMBERED = re.compile(r"\s*\d{1,4}\s*[.)]")
PARAGRAPHS = 6
"""Paragraphs of the description that are shown unless the whole is asked for."""


def page(patent: Patent, *, width: int = 100, whole: bool = False, languages: Iterable[str] | None = None) -> str:
    """The patent as text. `whole` shows all of the description, `languages` only texts in these."""
    wanted = frozenset(languages) if languages is not None else None
    lines = [*heading(patent), *facts(patent), *sections(patent, wanted, whole), *citations(patent.citations)]
    return "\n".join(wrapped(printable_text(line), width) for line in lines) + "\n"


def heading(patent: Patent) -> Iterator[str]:
    """Number, kinds and titles."""
    kinds = f" ({', '.join(patent.kinds)})" if patent.kinds else ""
    yield f"{patent.doc_id}{kinds}"
    for language in in_order(patent.title, patent.language):
        yield f"{patent.title[language]}  [{language or '?'}]"
    yield ""


def facts(patent: Patent) -> Iterator[str]:
    """Dates, people and classes, what is there of them."""
    found: dict[str, str] = {
        "priority": day(patent.priority_date),
        "filed": day(patent.filing_date),
        "published": day(patent.publication_date),
        "language": LANGUAGES.get(patent.language, patent.language) if patent.language else "",
        "applicants": "; ".join(patent.applicants),
        "inventors": "; ".join(patent.inventors),
        "IPC": ", ".join(patent.ipc),
        "CPC": ", ".join(patent.cpc),
        "family": patent.family_id or "",
        "read from": patent.source,
    }
    for name, value in found.items():
        if value:
            yield f"{name + ':':<12}{value}"


def sections(patent: Patent, wanted: frozenset[str] | None, whole: bool) -> Iterator[str]:
    """Abstract, claims and description in each language, the patent's own first."""
    for language in in_order(patent.abstract, patent.language, wanted):
        yield from ("", title("Abstract", language), patent.abstract[language])
    for language in in_order(patent.claims, patent.language, wanted):
        yield from ("", title("Claims", language), *numbered(patent.claims[language]))
    for language in in_order(patent.description, patent.language, wanted):
        paragraphs = patent.description[language].split("\n")
        shown = paragraphs if whole else paragraphs[:PARAGRAPHS]
        yield from ("", title("Description", language), *shown)
        if len(shown) < len(paragraphs):
            yield f"… {len(paragraphs) - len(shown)} more paragraphs: --whole shows them"


def citations(cited: Iterable[Citation]) -> Iterator[str]:
    """Who is cited, by category; the same number cited in several phases on one line."""
    by_number: dict[str, list[Citation]] = {}
    for citation in cited:
        by_number.setdefault(str(citation.number), []).append(citation)
    if not by_number:
        return
    yield from ("", title(f"Citations ({len(by_number)})"))
    for number, group in by_number.items():
        categories = ",".join(dict.fromkeys(each.category for each in group if each.category))
        phases = ", ".join(dict.fromkeys(each.phase for each in group if each.phase))
        yield f"{categories or '–':<4}{number:<22}{phases}".rstrip()


def title(text: str, language: str | None = None) -> str:
    """The heading of a section."""
    return f"── {text}" + (f", {LANGUAGES.get(language, language)}" if language is not None else "") + " ──"


def numbered(claims: tuple[str, ...]) -> Iterator[str]:
    """Claims with their numbers, the ones they carry or else their places."""
    for place, claim in enumerate(claims, 1):
        yield (claim if NUMBERED.match(claim) else f"{place}. {claim}").replace("\n", "\n  ")


def in_order(texts: Mapping[str, object], own: str, wanted: frozenset[str] | None = None) -> list[str]:
    """The languages of texts, the patent's own first, only those that are wanted."""
    return sorted((each for each in texts if wanted is None or each in wanted), key=lambda each: (each != own, each))


def day(when: date | None) -> str:
    """A date, or nothing."""
    return "" if when is None else when.isoformat()


def wrapped(line: str, width: int) -> str:
    """A line broken at blanks; what it goes on with is set in by two."""
    parts = (textwrap.fill(part, width, subsequent_indent="  ", break_on_hyphens=False) for part in line.split("\n"))
    return "\n".join(parts)
