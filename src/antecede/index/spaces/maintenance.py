"""Learning, extending and rebuilding the spaces of an index.

Each function takes a manifest that is yet to be committed, writes what it needs into folders of that manifest's
generation, and returns the manifest with the spaces. Killed before the commit, the folders are nobody's, and the next
writer removes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.index.builder import Progress
from antecede.index.commit import new_folder
from antecede.index.files import SegmentFiles
from antecede.index.index import Index
from antecede.index.layout import SEGMENTS
from antecede.index.spaces.basis import open_basis
from antecede.index.spaces.entry import (
    KINDS,
    LSA,
    MOST_DIMENSIONS,
    WORDS,
    SegmentVectors,
    SpaceEntry,
    basis_folder,
    basis_sizes,
    vectors_folder,
)
from antecede.index.spaces.lsa import Effort, learn_lsa
from antecede.index.spaces.words import learn_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.index.add import Writer
    from antecede.index.files import FolderWriter
    from antecede.index.manifest import Manifest
    from antecede.index.matrix import Matrix
    from antecede.index.spaces.basis import Basis

DIMENSIONS = 300
VERSION = 1
"""Of what is learned: a change of the method that changes vectors raises it."""


@dataclass(frozen=True)
class SpacePlan:
    """A space that is to be learned, in every language of the index."""

    kind: str = LSA
    dimensions: int = DIMENSIONS

    def __post_init__(self) -> None:
        """Refuse what cannot be learned before any work is done."""
        if self.kind not in KINDS:
            raise UsageError(f"there is no space called {self.kind!r}; there are {', '.join(KINDS)}")
        if not 1 <= self.dimensions <= MOST_DIMENSIONS:
            raise UsageError(f"dimensions must be 1 to {MOST_DIMENSIONS}, not {self.dimensions}")

    def parameters(self) -> dict[str, int]:
        """What the manifest says of it."""
        return {"version": VERSION, "dimensions": self.dimensions}


LEARNERS: dict[str, Callable[[Index, str, int, Effort], Basis | None]] = {
    LSA: lambda index, language, dimensions, effort: learn_lsa(
        [matrix for _, matrix in index.filed_matrices(language)], dimensions, effort
    ),
    WORDS: learn_words,
}


def learn_spaces(writer: Writer, manifest: Manifest, plans: Sequence[SpacePlan]) -> Manifest:
    """A manifest with the spaces of these plans in place of those of the same kinds, in every language."""
    if not plans:
        return manifest
    index = Index(writer.folder, replace(manifest, spaces=()))
    learned: list[SpaceEntry] = []
    with new_folder(writer.folder, basis_folder(manifest.generation)) as out:
        for plan in plans:
            for language in index.languages:
                effort = Effort(
                    writer.resources.workers,
                    writer.resources.total,
                    reporter(writer, f"{plan.kind} in {language or 'unknown'}"),
                )
                basis = LEARNERS[plan.kind](index, language, plan.dimensions, effort)
                if basis is not None:
                    learned.append(write_basis(out, basis, plan, language, index.documents_in(language)))
    learned = [replace(each, generation=manifest.generation) for each in learned]
    kinds = {plan.kind for plan in plans}
    kept = [each for each in manifest.spaces if each.kind not in kinds]
    spaces = sorted([*kept, *learned], key=lambda each: (each.kind, each.language))
    return extend_spaces(writer, replace(manifest, spaces=tuple(spaces)))


def write_basis(out: FolderWriter, basis: Basis, plan: SpacePlan, language: str, documents: int) -> SpaceEntry:
    """Write what was learned; the entry of it, as yet without vectors."""
    terms, shifted = len(basis.weights), plan.kind == WORDS
    entry = SpaceEntry(plan.kind, language, basis.dimensions, terms, documents, 0, plan.parameters(), {}, {})
    basis.write(out, entry.name, shifted=shifted)
    return replace(entry, files={name: out.files[f"{entry.name}/{name}"] for name in sorted(basis_sizes(entry))})


def extend_spaces(writer: Writer, manifest: Manifest) -> Manifest:
    """A manifest whose spaces have vectors of the documents of all its segments, and of no others.

    Documents of new segments are folded in with the basis that is there.
    """
    if not manifest.spaces:
        return manifest
    index = Index(writer.folder, replace(manifest, spaces=()))
    found: list[dict[str, SegmentVectors]] = [
        {name: each for name, each in entry.segments.items() if name in {one.name for one in manifest.segments}}
        for entry in manifest.spaces
    ]
    bases: dict[int, Basis] = {}
    for segment in index.segments:
        missing = [
            at
            for at, entry in enumerate(manifest.spaces)
            if entry.language in segment.languages and segment.name not in found[at]
        ]
        if not missing:
            continue
        with new_folder(writer.folder, vectors_folder(manifest.generation, segment.name)) as out:
            for at in missing:
                entry = manifest.spaces[at]
                if at not in bases:
                    files = SegmentFiles(writer.folder / SEGMENTS / entry.folder, entry.files)
                    bases[at] = open_basis(files, entry)
                report = reporter(writer, f"{entry.kind} vectors in {entry.language or 'unknown'}")
                name = f"{entry.name}.f32"
                write_vectors(out, name, bases[at], segment.matrices[entry.language], report)
        for at in missing:
            file = out.files[f"{manifest.spaces[at].name}.f32"]
            found[at][segment.name] = SegmentVectors(manifest.generation, file)
    whole = (
        replace(entry, segments={name: segments[name] for name in sorted(segments)})
        for entry, segments in zip(manifest.spaces, found, strict=True)
    )
    return replace(manifest, spaces=tuple(each for each in whole if each.segments))


def write_vectors(
    out: FolderWriter, name: str, basis: Basis, matrix: Matrix, report: Callable[[int, int], None]
) -> None:
    """Write the vectors of all rows of a matrix, some at a time."""
    done = 0
    with out.stream(name) as file:
        for part in basis.fold_matrix(matrix):
            file.write(np.ascontiguousarray(part, "<f4").view(np.uint8).reshape(-1).data)
            done += len(part)
            report(done, matrix.rows)


def relearn_spaces(writer: Writer, manifest: Manifest) -> Manifest:
    """A manifest whose spaces were learned anew from all its documents, as when an index is built in one go."""
    plans = {each.kind: each.parameters["dimensions"] for each in manifest.spaces}
    cleared = replace(manifest, spaces=())
    return learn_spaces(writer, cleared, [SpacePlan(kind, plans[kind]) for kind in sorted(plans)])


def are_current(manifest: Manifest) -> bool:
    """Whether every space was learned from the documents that the index has now."""
    latest = max(int(each.name[1:]) for each in manifest.segments)
    return all(each.generation >= latest for each in manifest.spaces)


def reporter(writer: Writer, step: str) -> Callable[[int, int], None]:
    """Reports how far a step is."""
    return lambda done, total: writer.progress(Progress(step, 0, done, total))
