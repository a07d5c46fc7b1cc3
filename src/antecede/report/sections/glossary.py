"""The glossary of a report: the documentation of each measure that it shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.measures.names import find_measure
from antecede.report.display_text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antecede.measures.definition import MeasureDefinition
    from antecede.report.page.tables import Explained
    from antecede.report.results import Part

NAME = re.compile(r"[^(@]+")


@dataclass(frozen=True)
class GlossaryEntry:
    """The entry of one measure."""

    anchor: str
    name: str
    usage: str
    summary: str
    paragraphs: tuple[str, ...]
    """Formula and caveats."""
    example: str
    cite: str
    trec_eval: tuple[str, ...]


@dataclass(frozen=True)
class Glossary:
    """The entries by name, and the anchor of the entry for each measure as written."""

    entries: tuple[GlossaryEntry, ...]
    explained: Explained


def make_glossary(parts: Iterable[Part]) -> Glossary:
    """An entry for every measure that appears in a table of the report."""
    found: dict[str, GlossaryEntry] = {}
    explained: dict[str, str] = {}
    for written in [text for part in parts for text in list_measures(part)]:
        definition = find_measure(NAME.findall(written)[0], written)
        found.setdefault(definition.name, make_entry(definition))
        explained[clean(written)] = found[definition.name].anchor
    return Glossary(tuple(sorted(found.values(), key=lambda each: each.name.lower())), explained)


def list_measures(part: Part) -> Iterator[str]:
    """The measures of the scores and of the studies, as written."""
    yield from map(str, part.scores.measures)
    for study in part.studies.values():
        yield from study.measures


def make_entry(definition: MeasureDefinition) -> GlossaryEntry:
    """The entry of a measure, from its docstring."""
    text, _, example = definition.doc.partition("\n\n>>> ")
    summary, *paragraphs = (" ".join(block.split("\n")) for block in text.replace("`", "").split("\n\n"))
    return GlossaryEntry(
        anchor=f"measure-{definition.name}",
        name=definition.name,
        usage=definition.usage,
        summary=summary,
        paragraphs=tuple(paragraphs),
        example=f">>> {example}".rstrip() if example else "",
        cite=definition.cite,
        trec_eval=tuple(definition.other_names),
    )
