"""The parts of an application, recognised by its headings in English, French and German.

A heading is a line of its own (`CLAIMS`, `What is claimed is:`, `Patentansprüche`), or the beginning of a line before a
colon (`Abstract: …`), also after the codes of a front page (`(57) Abstract`). Without headings all is description.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from antecede.corpus.fields.claim_blocks import SPACED, find_starts, heaviest_chain, split_claims
from antecede.corpus.language import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TITLE, ABSTRACT, CLAIMS, DESCRIPTION = "title", "abstract", "claims", "description"
HEADINGS = {
    TITLE: (
        "title|title of the invention|title of invention|invention title"
        "|titre|titre de l invention|titel|titel der erfindung|bezeichnung|bezeichnung der erfindung"
    ),
    ABSTRACT: (
        "abstract|abstract of the disclosure|abstract of the invention|abrégé|abrégé descriptif|abrégé du descriptif"
        "|résumé|zusammenfassung"
    ),
    CLAIMS: (
        "claim|claims|patent claims|listing of claims|what is claimed|what is claimed is|what we claim|what we claim is"
        "|we claim|i claim|the invention claimed is|the claims defining the invention are as follows"
        "|revendication|revendications|les revendications|nous revendiquons"
        "|anspruch|ansprüche|patentanspruch|patentansprüche|schutzansprüche"
    ),
    DESCRIPTION: (
        "description|specification|detailed description|detailed description of the invention"
        "|detailed description of the drawings|detailed description of the embodiments"
        "|detailed description of the preferred embodiments|detailed description of preferred embodiments"
        "|description of the embodiments|description of embodiments|description of the preferred embodiments"
        "|technical field|field|field of the invention|field of invention|background|background of the invention"
        "|background art|technical background|prior art|related art|summary|summary of the invention|brief summary"
        "|brief summary of the invention|disclosure of the invention|brief description of the drawings"
        "|brief description of drawings|brief description of the figures|description of the drawings"
        "|cross reference to related applications|cross reference to related application|related applications"
        "|industrial applicability|list of reference signs|reference signs list|list of reference numerals"
        "|domaine technique|domaine de l invention|domaine technique de l invention|arrière plan technologique"
        "|arrière plan de l invention|état de la technique|art antérieur|technique antérieure|exposé de l invention"
        "|résumé de l invention|présentation de l invention|brève description des dessins|brève description des figures"
        "|description des figures|description détaillée|description détaillée de l invention"
        "|description des modes de réalisation|exposé détaillé de modes de réalisation|liste des références"
        "|beschreibung|technisches gebiet|gebiet der erfindung|hintergrund|hintergrund der erfindung"
        "|stand der technik|aufgabe der erfindung|darstellung der erfindung|zusammenfassung der erfindung"
        "|kurze beschreibung der zeichnungen|kurze beschreibung der figuren|beschreibung der zeichnungen"
        "|figurenbeschreibung|detaillierte beschreibung|detaillierte beschreibung der erfindung"
        "|ausführungsbeispiel|ausführungsbeispiele|beschreibung der ausführungsbeispiele|bezugszeichenliste"
    ),
}
"""The headings of each part, in lower case, without punctuation."""
PART_OF = {heading: part for part, headings in HEADINGS.items() for heading in headings.split("|")}
INLINE = (TITLE, ABSTRACT, CLAIMS)
"""Parts whose heading may have the text on its own line, after a colon."""
UNTITLED = ("description", "specification", "beschreibung")
"""Headings that are only names of the part, and not a part of its text."""
LONGEST_HEADING = 80
NUMBERING = re.compile(r"[(\[]?(?:[0-9]{1,4}|[ivxIVX]{1,5}|[A-Ha-h])[).\]]\s+|[0-9]{1,2}(?:\.[0-9]{1,2})*\s+")
FRONT_PAGE_CODE = re.compile(r"\((54|57)\)\s*")
FRONT_PAGE_PARTS = {"54": TITLE, "57": ABSTRACT}
NOT_LETTERS = re.compile(r"[\W\d_]+")
INLINE_HEADING = re.compile(r"([^:]{3,60}?)\s*(?::|\s[-–—])\s+(\S.*)")
PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|seite)?\s*[0-9]{1,4}\s*(?:(?:/|of|von|sur)\s*[0-9]{1,4})?[-–—\s]*", re.IGNORECASE
)
LONGEST_TITLE = 250
LAST_TITLE = 5
"""The sections at the beginning of which one may be the title."""
LONGEST_ABSTRACT = 600
"""Words of the longest abstract; where more follow the heading, something else follows it too."""
FEWEST_WORDS = 20
"""Words from which on the language of a part is detected by itself."""


class Section(NamedTuple):
    """What follows a heading; before the first one, the part is empty."""

    part: str
    lines: list[str]


class Parts(NamedTuple):
    """The parts of an application, by language."""

    language: str
    title: dict[str, str]
    abstract: dict[str, str]
    claims: dict[str, tuple[str, ...]]
    description: dict[str, str]


def recognise_parts(lines: Sequence[str]) -> Parts:
    """The parts of an application, given its lines or paragraphs."""
    sections = split_sections(lines)
    title, rest = find_title(sections)
    abstracts, rest = find_abstracts(rest)
    claims = ["\n".join(each.lines).strip() for each in rest if each.part == CLAIMS]
    description = "\n".join("\n".join(each.lines).strip("\n") for each in rest if each.part != CLAIMS).strip()
    language = next(filter(None, map(detect_language, (description, *claims, *abstracts, title))), "")
    by_language: dict[str, list[str]] = {}
    for each in filter(None, claims):
        by_language.setdefault(language_of(each, language), []).extend(claims_in(each))
    return Parts(
        language,
        {language: title} if title else {},
        join_texts(abstracts, language),
        {each: tuple(found) for each, found in by_language.items()},
        {language: description} if description else {},
    )


def split_sections(lines: Iterable[str]) -> list[Section]:
    """The text, split at its headings."""
    sections = [Section("", [])]
    for line in lines:
        text = line.strip()
        part, rest = find_heading(text)
        if part:
            sections.append(Section(part, [rest] if rest else []))
        else:
            sections[-1].lines.append(text)
    return sections


def find_heading(text: str) -> tuple[str, str]:
    """The part that a line is the heading of, and what of the line belongs to the part; empty if it is not one."""
    code = FRONT_PAGE_CODE.match(text)
    if code is not None:
        text = text[code.end() :]
    if len(text) <= LONGEST_HEADING and (part := PART_OF.get(normalise(text))) is not None:
        return part, text if part == DESCRIPTION and normalise(text) not in UNTITLED else ""
    inline = INLINE_HEADING.match(text)
    if inline is not None and (part := PART_OF.get(normalise(inline[1]))) in INLINE:
        return str(part), inline[2]
    return (FRONT_PAGE_PARTS[code[1]], text) if code is not None and text else ("", "")


def normalise(text: str) -> str:
    """A heading in the form in which headings are compared: `1. C L A I M S:` is `claims`."""
    text = NUMBERING.sub("", text, count=1) if NUMBERING.match(text) is not None else text
    return NOT_LETTERS.sub(" ", SPACED.sub("", text).casefold()).strip()


def find_title(sections: list[Section]) -> tuple[str, list[Section]]:
    """The title, and the sections without it: the line under its heading, else the short text before the first.

    A heading of a title further down, where there is a text before the first, is that of something else.
    """
    before = " ".join(line for line in sections[0].lines if line)
    is_title = bool(before) and len(sections) > 1 and len(before) <= LONGEST_TITLE
    for at in range(1, min(len(sections), 2 if is_title else LAST_TITLE)):
        lines = [line for line in sections[at].lines if line]
        if sections[at].part == TITLE and lines and len(lines[0]) <= LONGEST_TITLE:
            return lines[0], [*sections[:at], Section("", lines[1:]), *sections[at + 1 :]]
    return (before, sections[1:]) if is_title else ("", sections)


def find_abstracts(sections: list[Section]) -> tuple[list[str], list[Section]]:
    """The abstracts, and the sections without them. Of a longer section only the first paragraph can be one."""
    abstracts: list[str] = []
    rest: list[Section] = []
    for section in sections:
        lines = [*section.lines]
        while lines and not lines[0]:
            lines.pop(0)
        if section.part == ABSTRACT and len(" ".join(lines).split()) > LONGEST_ABSTRACT:
            end = lines.index("") if "" in lines else 0
            rest.append(Section(DESCRIPTION, lines[end:]))
            lines = lines[:end]
        elif section.part != ABSTRACT:
            rest.append(section)
            continue
        if text := "\n".join(lines).strip():
            abstracts.append(text)
    return abstracts, rest


def claims_in(text: str) -> list[str]:
    """The claims in a text: split at their numbers, else one per paragraph."""
    if heaviest_chain(find_starts(text)):
        return split_claims(text)
    return [part for each in re.split(r"\n\s*\n", text) if (part := each.strip())]


def language_of(text: str, otherwise: str) -> str:
    """The language of a part; that of the whole if the part is too short to tell."""
    return (detect_language(text) or otherwise) if len(text.split()) >= FEWEST_WORDS else otherwise


def join_texts(texts: Iterable[str], language: str) -> dict[str, str]:
    """Texts by language."""
    found: dict[str, list[str]] = {}
    for text in texts:
        found.setdefault(language_of(text, language), []).append(text)
    return {each: "\n".join(parts) for each, parts in found.items()}
