"""Marked documents as references for Zotero, EndNote, Citavi and LaTeX: RIS and BibTeX.

Whatever a title or a note contains, it stays within its field: RIS has one line per value, and in BibTeX every
character that TeX or its braces would act on is written as a command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.patent.links import espacenet_link
from antecede.web.workbench import clean_line, title_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antecede.patent import Patent
    from antecede.review.marks import Mark

TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{each: f"\\{each}" for each in "#$%&_"},
    }
)
"""Escaped braces would still be counted by BibTeX, so they are named."""
NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9.:-]+")


def ris_lines(references: Iterable[tuple[Mark, Patent | None]]) -> Iterator[str]:
    """The lines of an RIS file; a document that is not in the index any more has its title alone."""
    for mark, patent in references:
        yield "TY  - PAT"
        for tag, values in _ris_fields(mark, patent):
            yield from (f"{tag}  - {line}" for value in values if value and (line := clean_line(value)))
        yield "ER  - "


def _ris_fields(mark: Mark, patent: Patent | None) -> Iterator[tuple[str, Iterable[str]]]:
    yield "TI", [_title(mark, patent)]
    yield "SN", [mark.doc_id]
    if patent is not None:
        yield "AU", patent.inventors
        yield "PB", patent.applicants
        if (day := patent.publication_date or patent.date) is not None:
            yield from (("PY", [f"{day:%Y}"]), ("DA", [f"{day:%Y/%m/%d}"]))
        yield "AB", [patent.abstract.get(patent.language) or next(iter(patent.abstract.values()), "")]
        yield "LA", [patent.language]
        yield "UR", [espacenet_link(patent.known_number, patent.kinds)] if patent.known_number is not None else []
    yield "KW", [mark.relevance, f"category {mark.category}" if mark.category else ""]
    yield "N1", [mark.note, f"claims {mark.claims}" if mark.claims else ""]


def bibtex_entries(references: Iterable[tuple[Mark, Patent | None]]) -> Iterator[str]:
    """The entries of a BibTeX file: `@patent`, as biblatex and IEEEtran have it."""
    keys: set[str] = set()
    for mark, patent in references:
        key = base = NOT_IN_KEYS.sub("-", mark.doc_id).strip("-") or "document"
        while key in keys:
            key = f"{base}-{len(keys) + 1}"
        keys.add(key)
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _bibtex_fields(mark, patent) if value)
        yield f"@patent{{{key},\n{fields}}}\n"


def _bibtex_fields(mark: Mark, patent: Patent | None) -> Iterator[tuple[str, str]]:
    yield "title", _tex(_title(mark, patent))
    yield "number", _tex(mark.doc_id)
    if patent is not None:
        yield "author", " and ".join(map(_bibtex_name, patent.inventors))
        yield "holder", " and ".join(f"{{{_tex(name)}}}" for name in patent.applicants)
        if (day := patent.publication_date or patent.date) is not None:
            yield from (("year", f"{day:%Y}"), ("month", str(day.month)))
        yield "language", _tex(patent.language)
    yield "keywords", _tex(f"{mark.relevance}, category {mark.category}" if mark.category else mark.relevance)
    yield "note", _tex(mark.note)


def _bibtex_name(name: str) -> str:
    """A person as `Müller, Jörg`; what BibTeX would take for several people, or for a suffix, is kept together."""
    plain = name.count(",") <= 1 and not re.search(r"\band\b", name, re.IGNORECASE)
    return _tex(name) if plain else f"{{{_tex(name)}}}"


def _title(mark: Mark, patent: Patent | None) -> str:
    return (title_of(patent) if patent is not None else "") or mark.title or mark.doc_id


def _tex(text: str) -> str:
    return clean_line(text).translate(TEX)
