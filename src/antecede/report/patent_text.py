"""A patent as text for a terminal: title, dates, classes, abstract, numbered claims, citations."""

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
NUMBER = re.compile(r"\s*\d{1,4}\s*[.)]")
MAX_PARAGRAPHS = 6
"""Paragraphs of the description that are shown by default."""


def render_patent(
    patent: Patent, *, width: int = 100, whole: bool = False, languages: Iterable[str] | None = None
) -> str:
    """The patent as text; `whole` shows the complete description, `languages` restricts the texts to these."""
    wanted = frozenset(languages) if languages is not None else None
    lines = [
        *render_heading(patent),
        *render_facts(patent),
        *render_texts(patent, wanted, whole),
        *render_citations(patent.citations),
    ]
    return "\n".join(wrap(printable_text(line), width) for line in lines) + "\n"


def render_heading(patent: Patent) -> Iterator[str]:
    """Number, kinds and titles."""
    kinds = f" ({', '.join(patent.kinds)})" if patent.kinds else ""
    yield f"{patent.doc_id}{kinds}"
    for language in sort_languages(patent.title, patent.language):
        yield f"{patent.title[language]}  [{language or '?'}]"
    yield ""


def render_facts(patent: Patent) -> Iterator[str]:
    """Dates, people and classes, as far as they are known."""
    found: dict[str, str] = {
        "priority": format_date(patent.priority_date),
        "filed": format_date(patent.filing_date),
        "published": format_date(patent.publication_date),
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


def render_texts(patent: Patent, wanted: frozenset[str] | None, whole: bool) -> Iterator[str]:
    """Abstract, claims and description in each language, the language of the patent first."""
    for language in sort_languages(patent.abstract, patent.language, wanted):
        yield from ("", format_title("Abstract", language), patent.abstract[language])
    for language in sort_languages(patent.claims, patent.language, wanted):
        yield from ("", format_title("Claims", language), *number_claims(patent.claims[language]))
    for language in sort_languages(patent.description, patent.language, wanted):
        paragraphs = patent.description[language].split("\n")
        shown = paragraphs if whole else paragraphs[:MAX_PARAGRAPHS]
        yield from ("", format_title("Description", language), *shown)
        if len(shown) < len(paragraphs):
            yield f"… {len(paragraphs) - len(shown)} more paragraphs; show them with --whole"


def render_citations(cited: Iterable[Citation]) -> Iterator[str]:
    """The cited documents with category and phase; a document cited in several phases has one line."""
    by_number: dict[str, list[Citation]] = {}
    for citation in cited:
        by_number.setdefault(str(citation.number), []).append(citation)
    if not by_number:
        return
    yield from ("", format_title(f"Citations ({len(by_number)})"))
    for number, group in by_number.items():
        categories = ",".join(dict.fromkeys(each.category for each in group if each.category))
        phases = ", ".join(dict.fromkeys(each.phase for each in group if each.phase))
        yield f"{categories or '–':<4}{number:<22}{phases}".rstrip()


def format_title(text: str, language: str | None = None) -> str:
    """The heading of a section."""
    return f"── {text}" + (f", {LANGUAGES.get(language, language)}" if language is not None else "") + " ──"


def number_claims(claims: tuple[str, ...]) -> Iterator[str]:
    """The claims with their own numbers, or else with their positions."""
    for place, claim in enumerate(claims, 1):
        yield (claim if NUMBER.match(claim) else f"{place}. {claim}").replace("\n", "\n  ")


def sort_languages(texts: Mapping[str, object], own: str, wanted: frozenset[str] | None = None) -> list[str]:
    """The languages of the texts, the language of the patent first, restricted to those wanted."""
    return sorted((each for each in texts if wanted is None or each in wanted), key=lambda each: (each != own, each))


def format_date(day: date | None) -> str:
    """The date, or an empty string."""
    return "" if day is None else day.isoformat()


def wrap(line: str, width: int) -> str:
    """The line wrapped at spaces only, so that no number is cut; continuation lines indented by two."""
    wrapper = textwrap.TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
    return "\n".join(map(wrapper.fill, line.split("\n")))
