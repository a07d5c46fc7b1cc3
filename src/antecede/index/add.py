"""A new segment, built from a collection or merged from other segments, and appended to the manifest."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError
from antecede.index.assembly import assemble
from antecede.index.builder import Progress, ReadMonitor, load_parts, make_chunks
from antecede.index.commit import commit, new_folder, write_deletions
from antecede.index.index import Index
from antecede.index.layout import deletions_name, segment_name
from antecede.index.manifest import COUNTED, SegmentEntry
from antecede.index.metadata import DOC_ID, IDENTITY
from antecede.index.parts import SegmentPart
from antecede.index.tiers import first_to_merge
from antecede.index.work_folder import AddCounts
from antecede.index.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from antecede.corpus.collection import Collection
    from antecede.index.chunk import Settings
    from antecede.index.manifest import Manifest
    from antecede.index.parts import ChunkPart, Part
    from antecede.index.resources import Resources
    from antecede.index.segment import Segment
    from antecede.index.work_folder import Work


@dataclass(frozen=True)
class Writer:
    """The context of a write to an index: its folder, its resources, and the callback for progress."""

    folder: Path
    resources: Resources
    progress: Callable[[Progress], None]


def add_segment(
    writer: Writer,
    manifest: Manifest,
    collection: Collection,
    settings: Settings,
    work: Work,
    *,
    complete: Callable[[Writer, Manifest], Manifest],
    resume: bool,
) -> AddCounts:
    """Build a segment from a collection and append it to those of a manifest.

    `complete` is given the manifest before it is committed: it writes what depends on the segments, as the spaces do.
    """
    work.begin(resume=resume)
    reading = ReadMonitor(collection, writer.progress)
    try:
        parts = read_parts(writer.resources, reading, settings, work, resume=resume)
        for part in parts:
            for each in part.rejected():
                collection.reject(each)
        if not any(part.live.any() for part in parts):
            reason = next(iter(collection.ledger.reasons), "it is empty")
            raise InputError(f"no patent could be read: {reason}", source=" ".join(map(str, collection.paths)))
    except InputError:  # resuming would fail in the same way
        work.remove()
        raise
    manifest, counts = with_deletions(writer.folder, manifest, parts)
    added = AddCounts(counts, rows_of(parts))
    manifest = complete(writer, with_parts(writer, manifest, parts, counts))
    work.record_commit(manifest, added)
    commit(writer.folder, manifest)
    work.remove()
    return added


def with_parts(writer: Writer, manifest: Manifest, parts: Sequence[Part], counts: dict[str, int]) -> Manifest:
    """A manifest with a segment of these parts, merged with older segments where there would be too many otherwise.

    If disk space or memory does not suffice for the merge, they stay separate, and the next add tries again.
    """
    older = Index(writer.folder, manifest).segments
    live = [segment.documents - len(segment.deleted) for segment in older]
    first = first_to_merge([*live, sum(int(part.live.sum()) for part in parts)])
    if first < len(older):
        with suppress(OSError, MemoryError):
            return with_segment(writer, manifest, list(older[first:]), parts, counts)
    return with_segment(writer, manifest, [], parts, counts)


def with_segment(
    writer: Writer,
    manifest: Manifest,
    segments: list[Segment],
    parts: Sequence[Part] = (),
    counts: Mapping[str, int] | None = None,
) -> Manifest:
    """A manifest whose last segments, followed by more parts, are merged into one segment of its generation.

    It still has to be committed. The list of segments is emptied, since they hold folders that the commit removes.
    """
    kept = manifest.segments[: len(manifest.segments) - len(segments)]
    every = [*(segment.entry.counts for segment in segments), *([] if counts is None else [counts])]
    summed = {name: sum(each[name] for each in every) for name in COUNTED}
    entry = new_segment(writer, manifest, [*map(SegmentPart, segments), *parts], summed)
    segments.clear()
    deletions = {each.deleted: manifest.deletions[each.deleted] for each in kept if each.deleted is not None}
    return replace(manifest, segments=(*kept, entry), deletions=deletions)


def rows_of(parts: Sequence[ChunkPart]) -> dict[str, int]:
    """Language → number of documents with text in it."""
    found: dict[str, int] = {}
    for part in parts:
        for language in part.languages:
            found[language] = found.get(language, 0) + int(part.live[part.matrix(language).documents].sum())
    return {language: found[language] for language in sorted(found) if found[language]}


def read_parts(
    resources: Resources, reading: ReadMonitor, settings: Settings, work: Work, *, resume: bool
) -> list[ChunkPart]:
    """Read a collection into chunks."""
    with Workers(resources.workers, replace(settings, tables=resources.tables)) as workers:
        number = make_chunks(reading, work, workers, resume=resume)
        return load_parts(work, number, workers)


def new_segment(writer: Writer, manifest: Manifest, parts: Sequence[Part], counts: dict[str, int]) -> SegmentEntry:
    """Assemble parts into the segment of a manifest's generation."""

    def report(step: str, done: int, total: int) -> None:
        writer.progress(Progress(step, counts["read"], done, total))

    name = segment_name(manifest.generation)
    with new_folder(writer.folder, name) as out:
        languages = assemble(out, parts, writer.resources, report)
    files = {each: out.files[each] for each in sorted(out.files)}
    return SegmentEntry(name, sum(int(part.live.sum()) for part in parts), languages, files, counts)


def counts_of(parts: Sequence[ChunkPart]) -> dict[str, int]:
    """The counts over all chunks: read = indexed + merged + rejected."""
    read = sum(part.facts["read"] for part in parts)
    rejected = sum(len(part.rejected()) for part in parts)
    indexed = sum(int(part.live.sum()) for part in parts)
    return {"read": read, "indexed": indexed, "merged": read - rejected - indexed, "rejected": rejected}


def with_deletions(folder: Path, manifest: Manifest, parts: Sequence[ChunkPart]) -> tuple[Manifest, dict[str, int]]:
    """The manifest with the documents of older segments that the parts replace marked as deleted, and the counts."""
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
