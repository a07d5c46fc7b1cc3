"""What the measures of a report mean: their own documentation, an entry each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.measures.listing import other_names
from antecede.measures.parse import find_measure
from antecede.report.sections.texts import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antecede.measures.registry import MeasureDefinition
    from antecede.report.results import Part
    from antecede.report.sections.grids import Explained

NAME = re.compile(r"[^(@]+")


@dataclass(frozen=True)
class Entry:
    """One measure, explained."""

    anchor: str
    name: str
    usage: str
    summary: str
    paragraphs: tuple[str, ...]
    """Formula, caveats."""
    example: str
    cite: str
    trec_eval: tuple[str, ...]


@dataclass(frozen=True)
class Glossary:
    """The measures of a report by name, and where each way to write them is explained."""

    entries: tuple[Entry, ...]
    explained: Explained


def glossary(parts: Iterable[Part]) -> Glossary:
    """Every measure that some table of the report shows."""
    found: dict[str, Entry] = {}
    explained: dict[str, str] = {}
    for written in [text for part in parts for text in measures_of(part)]:
        definition = find_measure(NAME.findall(written)[0], written)
        found.setdefault(definition.name, entry(definition))
        explained[clean(written)] = found[definition.name].anchor
    return Glossary(tuple(sorted(found.values(), key=lambda each: each.name.lower())), explained)


def measures_of(part: Part) -> Iterator[str]:
    """Measures as they are written, those of the studies too."""
    yield from map(str, part.scores.measures)
    for study in part.studies.values():
        yield from study.measures


def entry(definition: MeasureDefinition) -> Entry:
    text, _, example = definition.doc.partition("\n\n>>> ")
    summary, *paragraphs = (" ".join(block.split("\n")) for block in text.replace("`", "").split("\n\n"))
    return Entry(
        anchor=f"measure-{definition.name}",
        name=definition.name,
        usage=definition.usage,
        summary=summary,
        paragraphs=tuple(paragraphs),
        example=f">>> {example}".rstrip() if example else "",
        cite=definition.cite,
        trec_eval=tuple(other_names(definition)),
    )
