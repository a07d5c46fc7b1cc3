"""A synthetic patent as one line of JSON, its documents merged: for collections too large for a file a document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from antecede.synthetic.days import iso

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.synthetic.document import SyntheticPatent

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
NEW_LINE = r"\n"
"""As JSON writes it."""
PHASES = {"SEA": "search", "EXA": "examination", "OPP": "opposition", "APP": "applicant"}
"""The phases of MAREC in the words of our record."""


def line(patent: SyntheticPatent) -> str:
    """All that a patent's documents say, under the names of our JSONL, as one line, ended.

    Texts are put between quotes as they are, which is six times as fast as to look at every letter: the vocabulary has
    no quote and no backslash (`lexicon.lines` sees to it).
    """
    parts = zip(patent.headings, patent.sections, strict=True)
    description = NEW_LINE.join([text for heading, section in parts for text in (heading, *section)])
    texts = {
        "title": by_language({language: quoted(title) for language, title in patent.titles.items()}),
        "abstract": by_language({patent.language: quoted(patent.abstract)}),
        "claims": by_language({language: listed(claims) for language, claims in patent.claims.items()}),
        "description": by_language({patent.language: quoted(description)}),
    }
    told = ",".join([f'"{name}":{text}' for name, text in texts.items()])
    return f"{bibliography(patent)[:-1]},{told}}}\n"


def quoted(text: str) -> str:
    return f'"{text}"'


def by_language(texts: Mapping[str, str]) -> str:
    return "{" + ",".join([f'"{language.lower()}":{text}' for language, text in texts.items()]) + "}"


def listed(claims: Iterable[str]) -> str:
    """Claims, each with its number."""
    return "[" + ",".join([f'"{number}. {claim}"' for number, claim in enumerate(claims, 1)]) + "]"


def bibliography(patent: SyntheticPatent) -> str:
    """Everything but the texts."""
    return encode(
        {
            "doc_id": patent.doc_id,
            "number": f"EP-{patent.number}-{patent.kind}",
            "kinds": [patent.kind, "B1"] if patent.granted else [patent.kind],
            "language": patent.language.lower(),
            "ipc": list(patent.ipc),
            "cpc": [],
            "priority_date": iso(patent.priority),
            "filing_date": iso(patent.filed),
            "publication_date": iso(patent.published),
            "applicants": [patent.applicant],
            "inventors": list(patent.inventors),
            "family_id": patent.family_id,
            "citations": [
                {
                    "number": f"{each.country}-{each.number}-{each.kind}",
                    "category": each.category[:1] or None,
                    "phase": PHASES[each.phase],
                }
                for each in patent.citations
            ],
        }
    )
