"""What the manifest says of a latent space: its kind and parameters, its files, and the vectors of each segment.

segments/space-000004/en-lsa/…               the basis: terms, their weights, and the vector of each
segments/space-000004-s000001/en-lsa.f32     the vectors of the documents of segment s000001, a row of its matrix each

The number is that of the generation which wrote the folder. A space is part of the state that its manifest describes;
an index without one has no such key in its manifest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from antecede.errors import shown
from antecede.index.files import LANGUAGE, MOST_GENERATIONS, SEGMENT_NAME, File, check_sizes, folder_of
from antecede.index.validation import Count, FieldError, matching

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LSA, WORDS, DENSE = "lsa", "words", "dense"
LEARNED = (LSA, WORDS)
"""The kinds of space that are learned from the collection alone."""
KINDS = (*LEARNED, DENSE)
MOST_DIMENSIONS = 4096
MOST_TERMS = 1 << 24
TERMS, TERMS_PTR, WEIGHTS, BASIS, SHIFT = "terms.u8", "terms_ptr.i64", "weights.f32", "basis.f32", "shift.f32"
FOLDER_NAME = re.compile(r"space-[0-9]{6,15}(-s[0-9]{6,15})?")
"""A folder of a space, beside the segments."""


@dataclass(frozen=True)
class SegmentVectors:
    """The vectors of the documents of one segment."""

    generation: Annotated[int, Field(ge=1, le=MOST_GENERATIONS)]
    """Which generation wrote them."""
    file: File


@dataclass(frozen=True)
class SpaceEntry:
    """A latent space of one language."""

    kind: Annotated[str, matching("|".join(KINDS))]
    language: Annotated[str, matching(LANGUAGE)]
    dimensions: Annotated[int, Field(ge=1, le=MOST_DIMENSIONS)]
    terms: Annotated[int, Field(ge=0, le=MOST_TERMS)]
    documents: Annotated[int, Field(ge=1, le=1 << 53)]
    """From how many documents the basis was learned; those that were added later are folded in."""
    generation: Annotated[int, Field(ge=1, le=MOST_GENERATIONS)]
    """Which generation learned the basis."""
    parameters: dict[Annotated[str, matching("[a-z_]{1,40}")], Count | str]
    files: dict[str, File]
    """The files of the basis."""
    segments: dict[Annotated[str, matching(SEGMENT_NAME.pattern)], SegmentVectors]

    @property
    def name(self) -> str:
        """The folder of the basis, and the file of the vectors, within their folders."""
        return f"{folder_of(self.language)}-{self.kind}"

    @property
    def folder(self) -> str:
        """The folder of the basis, below that of the segments."""
        return f"{basis_folder(self.generation)}/{self.name}"

    def vectors_path(self, segment: str) -> str:
        """The file of the vectors of a segment, below the folder of the segments."""
        return f"{vectors_folder(self.segments[segment].generation, segment)}/{self.name}.f32"

    def all_files(self) -> dict[str, File]:
        """Every file, by its path below the folder of the segments."""
        basis = {f"{self.folder}/{name}": file for name, file in self.files.items()}
        return {**basis, **{self.vectors_path(name): each.file for name, each in self.segments.items()}}

    def folders(self) -> set[str]:
        """The folders, below that of the segments, that hold its files."""
        return {path.partition("/")[0] for path in self.all_files()}


def describe_space(entry: SpaceEntry) -> dict[str, Any]:
    """What a user wants to know of a space."""
    return {
        "kind": entry.kind,
        "language": entry.language or "unknown",
        "dimensions": entry.dimensions,
        "terms": entry.terms,
        "learned_from": entry.documents,
        "bytes": sum(file.size for file in entry.all_files().values()),
    }


def basis_folder(generation: int) -> str:
    """The folder of what a generation learned."""
    return f"space-{generation:06d}"


def vectors_folder(generation: int, segment: str) -> str:
    """The folder of the vectors that a generation made for a segment."""
    return f"{basis_folder(generation)}-{segment}"


def basis_sizes(entry: SpaceEntry) -> dict[str, int | None]:
    """Every file of a basis with the bytes it must have; None where its content decides."""
    if entry.kind == DENSE:
        return {}
    sizes: dict[str, int | None] = {
        TERMS: None,
        TERMS_PTR: 8 * (entry.terms + 1),
        WEIGHTS: 4 * entry.terms,
        BASIS: 4 * entry.terms * entry.dimensions,
    }
    return {**sizes, SHIFT: 8 * entry.dimensions} if entry.kind == WORDS else sizes


def check_spaces(entries: Sequence[SpaceEntry], rows: Mapping[str, Mapping[str, int]], generation: int) -> None:
    """Refuse spaces that contradict one another, or the segments; `rows` is segment → language → rows."""
    for number, entry in enumerate(entries):
        at = ("spaces", number)
        if any((entry.kind, entry.language) == (before.kind, before.language) for before in entries[:number]):
            raise FieldError("is there twice", *at, "kind")
        if max([entry.generation, *(vectors.generation for vectors in entry.segments.values())]) > generation:
            raise FieldError(f"is later than generation {generation}", *at, "generation")
        _check_parameters(entry, at)
        check_sizes(entry.files, basis_sizes(entry), (*at, "files"))
        there = {name: languages[entry.language] for name, languages in rows.items() if entry.language in languages}
        if there.keys() != entry.segments.keys():
            language = shown(entry.language) or "an unknown language"
            raise FieldError(f"are not those with documents in {language}", *at, "segments")
        sizes = {name: 4 * count * entry.dimensions for name, count in there.items()}
        check_sizes({name: vectors.file for name, vectors in entry.segments.items()}, sizes, (*at, "segments"))


def _check_parameters(entry: SpaceEntry, at: tuple[str | int, ...]) -> None:
    """Refuse a space without the parameters that its maintenance needs."""
    needed: dict[str, type] = {"version": int, "dimensions": int}
    if entry.kind == DENSE:
        needed |= {"folder": str, "model": str}
    for name, kind in needed.items():
        if not isinstance(entry.parameters.get(name), kind):
            raise FieldError("is missing, or not of its kind", *at, "parameters", name)
    if not 1 <= int(entry.parameters["dimensions"]) <= MOST_DIMENSIONS:
        raise FieldError(f"must be 1 to {MOST_DIMENSIONS}", *at, "parameters", "dimensions")
