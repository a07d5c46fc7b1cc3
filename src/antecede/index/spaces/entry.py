"""What the manifest says of a latent space: its kind and parameters, its files, and the vectors of each segment.

segments/space-000004/en-lsa/…               the basis: terms, their weights, and the vector of each
segments/space-000004-s000001/en-lsa.f32     the vectors of the documents of segment s000001, a row of its matrix each

The number is that of the generation which wrote the folder. A space is part of the state that its manifest describes;
an index without one has no such key in its manifest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.errors import shown
from antecede.index.files import File
from antecede.index.layout import SEGMENT_NAME, folder_of
from antecede.index.schema import SchemaError, integer, record, table, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.index.schema import Rule

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

    generation: int
    """Which generation wrote them."""
    file: File


@dataclass(frozen=True)
class SpaceEntry:
    """A latent space of one language."""

    kind: str
    language: str
    dimensions: int
    terms: int
    documents: int
    """From how many documents the basis was learned; those that were added later are folded in."""
    generation: int
    """Which generation learned the basis."""
    parameters: dict[str, int | str]
    files: dict[str, File]
    """The files of the basis."""
    segments: dict[str, SegmentVectors]

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

    def to_dict(self) -> dict[str, Any]:
        """The entry in plain form."""
        files = {name: dict(file.__dict__) for name, file in self.files.items()}
        segments = {
            name: {"generation": each.generation, "file": dict(each.file.__dict__)}
            for name, each in self.segments.items()
        }
        return {**self.__dict__, "files": files, "segments": segments}


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


def restore_entry(plain: dict[str, Any]) -> SpaceEntry:
    """The entry from its plain form."""
    files = {name: File(**each) for name, each in plain["files"].items()}
    segments = {
        name: SegmentVectors(each["generation"], File(**each["file"])) for name, each in plain["segments"].items()
    }
    return SpaceEntry(**{**plain, "files": files, "segments": segments})


def entry_rule(language: Rule, file: Rule, generation: Rule) -> Rule:
    """What an entry must be, key by key."""
    return record(
        {
            "kind": text(re.compile("|".join(KINDS)), f"one of {', '.join(KINDS)}"),
            "language": language,
            "dimensions": integer(1, MOST_DIMENSIONS),
            "terms": integer(0, MOST_TERMS),
            "documents": integer(1),
            "generation": generation,
            "parameters": table(text(re.compile("[a-z_]{1,40}"), "the name of a parameter"), parameter),
            "files": table(text(), file),
            "segments": table(
                text(SEGMENT_NAME, "the name of a segment (s000001)"), record({"generation": generation, "file": file})
            ),
        }
    )


def parameter(value: Any) -> None:
    """A parameter of a space: a number or a text."""
    if isinstance(value, str):
        return
    integer()(value)


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


def check_entries(entries: Iterable[SpaceEntry], rows: Mapping[str, Mapping[str, int]], generation: int) -> None:
    """Refuse spaces whose files cannot be those of the segments; `rows` is segment → language → rows."""
    seen: set[tuple[str, str]] = set()
    for number, entry in enumerate(entries):
        try:
            if (entry.kind, entry.language) in seen:
                raise SchemaError("is there twice", "kind")
            check_entry(entry, rows, generation)
        except SchemaError as error:
            raise error.under(number).under("spaces") from None
        seen.add((entry.kind, entry.language))


def check_parameters(entry: SpaceEntry) -> None:
    """Refuse a space without the parameters that its maintenance needs."""
    wanted: dict[str, type] = {"version": int, "dimensions": int}
    if entry.kind == DENSE:
        wanted |= {"folder": str, "model": str}
    for name, kind in wanted.items():
        if not isinstance(entry.parameters.get(name), kind):
            raise SchemaError("is missing, or not of its kind", name, "parameters")
    if not 1 <= int(entry.parameters["dimensions"]) <= MOST_DIMENSIONS:
        raise SchemaError(f"must be 1 to {MOST_DIMENSIONS}", "dimensions", "parameters")


def check_entry(entry: SpaceEntry, rows: Mapping[str, Mapping[str, int]], generation: int) -> None:
    """Refuse a space whose parts contradict one another, or the segments."""
    latest = max([entry.generation, *(each.generation for each in entry.segments.values())])
    if latest > generation:
        raise SchemaError(f"is later than generation {generation}", "generation")
    check_parameters(entry)
    wanted = basis_sizes(entry)
    if (odd := sorted(wanted.keys() ^ entry.files.keys())) != []:
        raise SchemaError(f"{shown(odd[0])} is {'missing' if odd[0] in wanted else 'unknown'}", "files")
    for name, size in wanted.items():
        if size is not None and entry.files[name].size != size:
            raise SchemaError(f"is {entry.files[name].size}, the counts make it {size}", "size", name, "files")
    there = {name: languages[entry.language] for name, languages in rows.items() if entry.language in languages}
    if there.keys() != entry.segments.keys():
        raise SchemaError(
            f"are not those with documents in {shown(entry.language) or 'an unknown language'}", "segments"
        )
    for name, count in there.items():
        size = 4 * count * entry.dimensions
        if entry.segments[name].file.size != size:
            raise SchemaError(
                f"is {entry.segments[name].file.size}, the counts make it {size}", "size", name, "segments"
            )
