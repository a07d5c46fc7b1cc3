"""A new segment: made of a collection, or of others, and put behind those that are there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError
from antecede.index.assembly import assemble
from antecede.index.builder import Progress, Reading, make_chunks, parts_of, rejected_from
from antecede.index.commit import commit, new_folder, write_deletions
from antecede.index.index import Index
from antecede.index.layout import deletions_name, segment_name
from antecede.index.manifest import SegmentEntry
from antecede.index.metadata import DOC_ID, IDENTITY
from antecede.index.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from antecede.corpus.collection import Collection
    from antecede.index.chunk import Settings
    from antecede.index.manifest import Manifest
    from antecede.index.parts import ChunkPart, Part
    from antecede.index.resources import Resources
    from antecede.index.unfinished import Work


@dataclass(frozen=True)
class Writer:
    """Who writes to an index: where, with what, and whom it tells how far it is."""

    folder: Path
    resources: Resources
    progress: Callable[[Progress], None]


def grow(
    writer: Writer, manifest: Manifest, collection: Collection, settings: Settings, work: Work, *, resume: bool
) -> SegmentEntry:
    """Make a segment of a collection and put it behind the others of a manifest."""
    work.begin(resume=resume)
    reading = Reading(collection, writer.progress)
    try:
        parts = read_parts(writer.resources, reading, settings, work, resume=resume)
        for part in parts:
            for each in part.rejected():
                collection.reject(rejected_from(each))
        if not any(part.live.any() for part in parts):
            reason = next(iter(collection.ledger.reasons), "there is nothing in it")
            raise InputError(f"no patent could be read: {reason}", source=" ".join(map(str, collection.paths)))
    except InputError:  # to go on would lead to the same
        work.remove()
        raise
    manifest, counts = with_deletions(writer.folder, manifest, parts)
    entry = new_segment(writer, manifest, parts, counts)
    manifest = replace(manifest, segments=(*manifest.segments, entry))
    work.committing(manifest)
    commit(writer.folder, manifest)
    work.remove()
    return entry


def read_parts(
    resources: Resources, reading: Reading, settings: Settings, work: Work, *, resume: bool
) -> list[ChunkPart]:
    """Read a collection into chunks."""
    with Workers(resources.workers, replace(settings, tables=resources.tables)) as workers:
        number = make_chunks(reading, work, workers, resume=resume)
        return parts_of(work, number, workers)


def new_segment(writer: Writer, manifest: Manifest, parts: Sequence[Part], counts: dict[str, int]) -> SegmentEntry:
    """Put parts together into the segment of a manifest's generation."""

    def report(step: str, done: int, total: int) -> None:
        writer.progress(Progress(step, counts["read"], done, total))

    name = segment_name(manifest.generation)
    with new_folder(writer.folder, name) as out:
        languages = assemble(out, parts, writer.resources, report)
    files = {each: out.files[each] for each in sorted(out.files)}
    return SegmentEntry(name, sum(int(part.live.sum()) for part in parts), languages, files, counts)


def counts_of(parts: Sequence[ChunkPart]) -> dict[str, int]:
    """read = indexed + merged + rejected, from what the chunks counted."""
    read = sum(part.facts["read"] for part in parts)
    rejected = sum(len(part.rejected()) for part in parts)
    indexed = sum(int(part.live.sum()) for part in parts)
    return {"read": read, "indexed": indexed, "merged": read - rejected - indexed, "rejected": rejected}


def with_deletions(folder: Path, manifest: Manifest, parts: Sequence[ChunkPart]) -> tuple[Manifest, dict[str, int]]:
    """The manifest with documents of older segments marked as replaced by those of the parts; and the counts."""
    entries, deletions, replaced = [], {}, 0
    for segment, entry in zip(Index(folder, manifest).segments, manifest.segments, strict=True):
        gone = [segment.deleted]
        for part in parts:
            rows = [row for row, live in zip(part.rows(), part.live.tolist(), strict=True) if live]
            gone.append(segment.store.numbers_of("identity", [row[IDENTITY] for row in rows]))
            gone.append(segment.store.numbers_of("doc_id", [row[DOC_ID] for row in rows]))
        numbers = np.unique(np.concatenate(gone))
        replaced += len(numbers) - len(segment.deleted)
        name = deletions_name(entry.name, manifest.generation) if len(numbers) else None
        if name is not None:
            deletions[name] = write_deletions(folder, name, numbers)
        entries.append(replace(entry, deleted=name))
    return replace(manifest, segments=tuple(entries), deletions=deletions), {**counts_of(parts), "replaced": replaced}
