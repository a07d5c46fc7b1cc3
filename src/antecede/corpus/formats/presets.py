"""Presets: the shapes in which public databases export patents, as data.

A shape gives for each of our fields the path at which an export has it; a path is written as in `--field`. A record is
recognised by its keys where these are unmistakable. A preset with a table shape is recognised by the header.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

PRESET = "preset"
"""The name under which the name of a preset is passed along with the names of fields."""


@dataclass(frozen=True)
class Shape:
    """One form of an export."""

    keys: frozenset[str]
    """Keys that every record has."""
    one_of: frozenset[str]
    """Keys of which a record has at least one."""
    names: Mapping[str, str | tuple[str, ...]] = field(hash=False)
    """Our field → its path, or several of which the first that has a value counts."""
    no_family: tuple[str, ...] = ()
    """Family identifiers that mean that there is none."""

    def fits(self, keys: Collection[str]) -> bool:
        """Whether a record with these keys has this shape."""
        return all(key in keys for key in self.keys) and any(key in keys for key in self.one_of)

    def count(self, keys: Collection[str]) -> int:
        """How many of these keys the shape is recognised by."""
        return len((self.keys | self.one_of).intersection(keys))


@dataclass(frozen=True)
class Preset:
    """A database and the shapes of its exports."""

    name: str
    title: str
    shapes: tuple[Shape, ...]


GOOGLE = Preset(
    "google",
    "Google Patents (BigQuery)",
    (
        Shape(
            keys=frozenset({"publication_number"}),
            one_of=frozenset(
                {
                    "title_localized",
                    "abstract_localized",
                    "claims_localized",
                    "description_localized",
                    "assignee_harmonized",
                    "inventor_harmonized",
                }
            ),
            names={
                "doc_id": "publication_number",
                "number": "publication_number",
                "kinds": "kind_code",
                "title": "title_localized.text",
                "abstract": "abstract_localized.text",
                "claims": "claims_localized.text",
                "description": "description_localized.text",
                "ipc": "ipc.code",
                "cpc": "cpc.code",
                "priority_date": "priority_date",
                "filing_date": "filing_date",
                "publication_date": "publication_date",
                "applicants": ("assignee_harmonized.name", "assignee"),
                "inventors": ("inventor_harmonized.name", "inventor"),
                "family_id": "family_id",
                "citations": "citation",
            },
            no_family=("0", "-1"),
        ),
    ),
)

LENS = Preset(
    "lens",
    "The Lens",
    (
        Shape(
            keys=frozenset({"lens_id"}),
            one_of=frozenset({"biblio", "doc_key", "doc_number"}),
            names={
                "doc_id": ("jurisdiction+doc_number", "lens_id"),
                "number": ("jurisdiction+doc_number+kind", "jurisdiction+doc_number"),
                "kinds": "kind",
                "language": "lang",
                "title": "biblio.invention_title.text",
                "abstract": "abstract.text",
                "claims": ("claims.claims.claim_text", "claims.text"),
                "description": "description.text",
                "ipc": "biblio.classifications_ipcr.classifications.symbol",
                "cpc": "biblio.classifications_cpc.classifications.symbol",
                "priority_date": ("biblio.priority_claims.earliest_claim.date", "biblio.priority_claims.claims.date"),
                "filing_date": "biblio.application_reference.date",
                "publication_date": "date_published",
                "applicants": "biblio.parties.applicants.extracted_name.value",
                "inventors": "biblio.parties.inventors.extracted_name.value",
                "family_id": "families.simple_family.members.lens_id",
                "citations": ("biblio.references_cited.citations", "references_cited.citations"),
            },
        ),
        Shape(
            keys=frozenset({"Lens ID", "Jurisdiction", "Kind"}),
            one_of=frozenset({"Display Key", "Publication Number"}),
            names={
                "doc_id": ("Display Key", "Jurisdiction+Publication Number", "Lens ID"),
                "number": ("Display Key", "Jurisdiction+Publication Number+Kind"),
                "kinds": "Kind",
                "title": "Title",
                "abstract": "Abstract",
                "ipc": "IPCR Classifications",
                "cpc": "CPC Classifications",
                "priority_date": "Earliest Priority Date",
                "filing_date": "Application Date",
                "publication_date": "Publication Date",
                "applicants": "Applicants",
                "inventors": "Inventors",
                "family_id": "Simple Family Members",
                "citations": ("Cited Patents", "Cites Patents"),
            },
        ),
    ),
)

PRESETS: dict[str, Preset] = {each.name: each for each in (GOOGLE, LENS)}


def choose_preset(name: str) -> Preset:
    """The preset of a name; an unknown name is an error that suggests the nearest one."""
    if name in PRESETS:
        return PRESETS[name]
    near = get_close_matches(name, PRESETS, 1)
    hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(PRESETS)}"
    raise UsageError(f"unknown preset {shown(name)!r}; {hint}")


SHAPES = [(next(iter(shape.keys)), preset, shape) for preset in PRESETS.values() for shape in preset.shapes]
"""Each shape with one of its keys, by which most records are known not to have it."""


def find_shape(keys: Collection[str], chosen: str | None = None) -> tuple[Preset, Shape] | None:
    """The shape that a record with these keys has; of a chosen preset the one that fits best."""
    if chosen is not None:
        preset = PRESETS[chosen]
        return preset, max(preset.shapes, key=lambda shape: (shape.fits(keys), shape.count(keys)))
    for key, preset, shape in SHAPES:
        if key in keys and shape.fits(keys):
            return preset, shape
    return None
