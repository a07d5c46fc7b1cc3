"""Learning, extending and rebuilding the spaces of an index.

Each function takes a manifest that is yet to be committed, writes what it needs into folders of that manifest's
generation, and returns the manifest with the spaces. Killed before the commit, the folders are nobody's, and the next
writer removes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import AntecedeError, UsageError
from antecede.index.build import Progress
from antecede.index.commit import new_folder
from antecede.index.files import SEGMENTS, SegmentFiles
from antecede.index.index import Index
from antecede.index.manifest import (
    DENSE,
    KINDS,
    LSA,
    MOST_DIMENSIONS,
    WORDS,
    SegmentVectors,
    SpaceEntry,
    basis_folder,
    vectors_folder,
)
from antecede.index.spaces.decomposition import Effort, learn_lsa, learn_words
from antecede.index.spaces.space import SentenceModel, load_model, model_of, open_basis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.index.build import Writer
    from antecede.index.files import FolderWriter
    from antecede.index.index import Segment
    from antecede.index.manifest import Manifest
    from antecede.index.matrix import Matrix
    from antecede.index.spaces.space import Basis

DIMENSIONS = 300
VERSION = 1
"""Of what is learned: a change of the method that changes vectors raises it."""


@dataclass(frozen=True)
class SpacePlan:
    """A space that is to be learned, in every language of the index."""

    kind: str = LSA
    dimensions: int = DIMENSIONS
    model: str | Path | None = None
    """The folder of the sentence model of a dense space, whose vectors have the length that the model gives them."""

    def __post_init__(self) -> None:
        """Refuse what cannot be learned before any work is done."""
        if self.kind not in KINDS:
            raise UsageError(f"there is no space called {self.kind!r}; there are {', '.join(KINDS)}")
        if not 1 <= self.dimensions <= MOST_DIMENSIONS:
            raise UsageError(f"dimensions must be 1 to {MOST_DIMENSIONS}, not {self.dimensions}")
        if (self.kind == DENSE) != (self.model is not None):
            needed = "needs the folder of a model (--model)" if self.kind == DENSE else "is learned without a model"
            raise UsageError(f"a space of kind {self.kind} {needed}")

    def parameters(self) -> dict[str, int | str]:
        """What the manifest says of it."""
        return {"version": VERSION, "dimensions": self.dimensions}

    def check(self, threads: int) -> None:
        """Load the model, if there is one, before any work is done."""
        if self.model is not None:
            load_model(str(Path(self.model).resolve()), threads)


LEARNERS: dict[str, Callable[[Index, str, int, Effort], Basis | None]] = {LSA: learn_lsa, WORDS: learn_words}


def learn_spaces(writer: Writer, manifest: Manifest, plans: Sequence[SpacePlan]) -> Manifest:
    """A manifest with the spaces of these plans in place of those of the same kinds, in every language."""
    if not plans:
        return manifest
    index = Index(writer.folder, replace(manifest, spaces=()))
    learned: list[SpaceEntry] = [
        _dense_entry(plan.model, language, index.documents_in(language), writer.resources.workers)
        for plan in plans
        if plan.model is not None
        for language in index.languages
    ]
    with new_folder(writer.folder, basis_folder(manifest.generation)) as out:
        for plan in plans:
            for language in index.languages if plan.kind in LEARNERS else ():
                report = _reporter(writer, f"{plan.kind} in {language or 'unknown'}")
                effort = Effort(writer.resources.workers, writer.resources.total, report)
                basis = LEARNERS[plan.kind](index, language, plan.dimensions, effort)
                if basis is not None:
                    learned.append(_write_basis(out, basis, plan, language, index.documents_in(language)))
    learned = [replace(each, generation=manifest.generation) for each in learned]
    kinds = {plan.kind for plan in plans}
    kept = [entry for entry in manifest.spaces if entry.kind not in kinds]
    spaces = sorted([*kept, *learned], key=lambda each: (each.kind, each.language))
    return extend_spaces(writer, replace(manifest, spaces=tuple(spaces)))


def _dense_entry(model: str | Path, language: str, documents: int, threads: int) -> SpaceEntry:
    """The entry of a space that a sentence model makes, as yet without vectors. It names the folder of the model."""
    loaded = load_model(str(Path(model).resolve()), threads)
    parameters: dict[str, int | str] = {
        "version": VERSION,
        "dimensions": loaded.dimensions,
        "folder": str(loaded.folder),
        "model": loaded.digest,
    }
    return SpaceEntry(DENSE, language, loaded.dimensions, 0, documents, 0, parameters, {}, {})


def _write_basis(out: FolderWriter, basis: Basis, plan: SpacePlan, language: str, documents: int) -> SpaceEntry:
    """Write what was learned; the entry of it, as yet without vectors."""
    terms, shifted = len(basis.weights), plan.kind == WORDS
    entry = SpaceEntry(plan.kind, language, basis.dimensions, terms, documents, 0, plan.parameters(), {}, {})
    basis.write(out, entry.name, shifted=shifted)
    files = {name.removeprefix(f"{entry.name}/"): file for name, file in sorted(out.files.items())}
    return replace(entry, files={name: file for name, file in files.items() if "/" not in name})


def extend_spaces(writer: Writer, manifest: Manifest) -> Manifest:
    """A manifest whose spaces have vectors of the documents of all its segments, and of no others.

    Documents of new segments are folded in with the basis that is there.
    """
    if not manifest.spaces:
        return manifest
    index = Index(writer.folder, replace(manifest, spaces=()))
    stored: list[dict[str, SegmentVectors]] = [
        {name: vectors for name, vectors in entry.segments.items() if name in {one.name for one in manifest.segments}}
        for entry in manifest.spaces
    ]
    bases: dict[int, Basis | SentenceModel] = {}
    for segment in index.segments:
        missing = [
            at
            for at, entry in enumerate(manifest.spaces)
            if entry.language in segment.languages and segment.name not in stored[at]
        ]
        if not missing:
            continue
        with new_folder(writer.folder, vectors_folder(manifest.generation, segment.name)) as out:
            for at in missing:
                entry = manifest.spaces[at]
                if at not in bases:
                    bases[at] = _open_maker(writer, entry)
                report = _reporter(writer, f"{entry.kind} vectors in {entry.language or 'unknown'}")
                _write_vectors(out, f"{entry.name}.f32", bases[at], segment, segment.matrices[entry.language], report)
        for at in missing:
            file = out.files[f"{manifest.spaces[at].name}.f32"]
            stored[at][segment.name] = SegmentVectors(manifest.generation, file)
    whole = (
        replace(entry, segments={name: segments[name] for name in sorted(segments)})
        for entry, segments in zip(manifest.spaces, stored, strict=True)
    )
    return replace(manifest, spaces=tuple(each for each in whole if each.segments))


def _open_maker(writer: Writer, entry: SpaceEntry) -> Basis | SentenceModel:
    if entry.kind == DENSE:
        return model_of(entry, writer.resources.workers)
    return open_basis(SegmentFiles(writer.folder / SEGMENTS / entry.folder, entry.files), entry)


def check_models(manifest: Manifest) -> None:
    """Refuse to add to an index whose dense space could not be extended, before any work is done."""
    for entry in manifest.spaces:
        if entry.kind == DENSE:
            try:
                model_of(entry)
            except AntecedeError as error:
                remedy = "`antecede learn space INDEX --remove dense` removes the space"
                raise UsageError(
                    f"the index has a dense space, and its model cannot be used: {error}; {remedy}"
                ) from None


def _write_vectors(
    out: FolderWriter,
    name: str,
    maker: Basis | SentenceModel,
    segment: Segment,
    matrix: Matrix,
    report: Callable[[int, int], None],
) -> None:
    """Write the vectors of all rows of a matrix, some at a time."""
    parts = maker.embed_matrix(segment, matrix) if isinstance(maker, SentenceModel) else maker.fold_matrix(matrix)
    done = 0
    with out.stream(name) as file:
        for part in parts:
            file.write(np.ascontiguousarray(part, "<f4").view(np.uint8).reshape(-1).data)
            done += len(part)
            report(done, matrix.rows)


def relearn_spaces(writer: Writer, manifest: Manifest) -> Manifest:
    """A manifest whose spaces were learned anew from all its documents, as when an index is built in one go."""
    plans = {entry.kind: int(entry.parameters["dimensions"]) for entry in manifest.spaces if entry.kind in LEARNERS}
    dense = tuple(replace(entry, segments={}) for entry in manifest.spaces if entry.kind == DENSE)
    kept = replace(manifest, spaces=dense)
    learned = [SpacePlan(kind, plans[kind]) for kind in sorted(plans)]
    return learn_spaces(writer, kept, learned) if learned else extend_spaces(writer, kept)


def are_current(manifest: Manifest) -> bool:
    """Whether every space was learned from the documents that the index has now."""
    latest = max(int(entry.name[1:]) for entry in manifest.segments)
    return all(entry.generation >= latest or entry.kind == DENSE for entry in manifest.spaces)


def _reporter(writer: Writer, step: str) -> Callable[[int, int], None]:
    return lambda done, total: writer.progress(Progress(step, 0, done, total))
