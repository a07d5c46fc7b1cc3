"""Keeping an index: build it, add to it, fold its segments into one."""

from __future__ import annotations

import errno
import json
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.corpus.document import Rejected
from antecede.errors import InputError, UsageError
from antecede.index.assembly import assemble
from antecede.index.builder import Work, default_workers, make_chunks, parts_of, plan_of
from antecede.index.chunk import FIELDS, Settings
from antecede.index.commit import commit, finish, passing, write_deletions, writing
from antecede.index.index import Index, open_index
from antecede.index.manifest import NAME, Manifest
from antecede.index.parts import SegmentPart
from antecede.text.profiles import Profile, profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from antecede.corpus.collection import Collection
    from antecede.index.manifest import SegmentEntry
    from antecede.index.parts import ChunkPart, Part

COUNTED = ("read", "indexed", "merged", "rejected")
MEMORY = 2 << 30
ASSEMBLY_SHARE = 0.25
"""Of the memory allowed, what a range of postings may take; the rest is for workers, vocabulary and maps."""


@dataclass(frozen=True)
class Built:
    """What a build or an add did: read = indexed + merged + rejected."""

    read: int
    indexed: int
    merged: int
    rejected: int
    replaced: int
    languages: Mapping[str, int]
    """Documents with text in each language."""
    seconds: float
    reasons: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The counts, as JSON knows them."""
        return {**self.__dict__, "languages": dict(self.languages), "reasons": dict(self.reasons)}


@contextmanager
def on_disk(folder: Path) -> Iterator[None]:
    """A full disk, or one that may not be written to, as one clear line; the index is as it was."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS, errno.EPERM):
            raise UsageError(
                f"{folder}: cannot be written ({error.strerror}); the index is as it was before. "
                "Make room, then --resume goes on"
            ) from None
        raise


def build_index(
    collection: Collection,
    out: str | Path,
    *,
    settings: Profile | str = "default",
    fields: Sequence[str] = FIELDS,
    memory: int = MEMORY,
    workers: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[dict[str, Any]], None] = lambda _: None,
) -> Built:
    """Index a collection. `resume` goes on with a build that was stopped, `overwrite` replaces what is there."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder")
    chosen = Settings(profile(settings) if isinstance(settings, str) else settings, tuple(fields), collection.names)
    kept = {"profile": json.loads(chosen.profile.to_json()), "fields": list(fields)}
    with on_disk(folder), writing(folder):
        old = open_index(folder).manifest if (folder / NAME).exists() else Manifest(kept, generation=0)
        manifest = Manifest(kept, generation=old.generation + 1)
        if (done := done_before(folder, old, manifest, collection, chosen, "index", resume=resume)) is not None:
            return done
        if old.generation and not overwrite:
            raise UsageError(f"{folder}: holds an index already; add to it with `antecede add`, or say --overwrite")
        return grow(folder, manifest, collection, chosen, "index", memory, workers, resume, progress)


def add_to_index(
    index: str | Path,
    collection: Collection,
    *,
    memory: int = MEMORY,
    workers: int | None = None,
    resume: bool = False,
    progress: Callable[[dict[str, Any]], None] = lambda _: None,
) -> Built:
    """Add documents to an index as a new segment. A patent that is there already is replaced."""
    folder = Path(index)
    read = open_index(folder)
    with on_disk(folder), writing(folder):
        manifest = open_index(folder).manifest
        chosen = settings_of(read, collection.names)
        following = replace(manifest, generation=manifest.generation + 1)
        if (done := done_before(folder, manifest, following, collection, chosen, "add", resume=resume)) is not None:
            return done
        return grow(folder, following, collection, chosen, "add", memory, workers, resume, progress)


def done_before(
    folder: Path,
    old: Manifest,
    new: Manifest,
    collection: Collection,
    settings: Settings,
    purpose: str,
    *,
    resume: bool,
) -> Built | None:
    """What a build did that was killed after its last step, when only the clearing up was left."""
    work = Work(folder, plan_of(collection, settings, purpose, new.generation))
    if not work.finished_before(old.generation):
        return None
    same = work.left_over() == {**work.plan, "generation": old.generation}
    work.remove()
    if not (same and resume):
        return None
    languages = {language: counts["rows"] for language, counts in old.segments[-1].languages.items()}
    read, indexed, merged, rejected = (old.counts.get(name, 0) for name in COUNTED)
    return Built(read, indexed, merged, rejected, 0, languages, 0.0)


def settings_of(index: Index, names: Mapping[str, str]) -> Settings:
    """How an index was built, so that what is added is treated alike."""
    kept = Profile.from_json(json.dumps(index.settings["profile"]), source=str(index.folder))
    return Settings(kept, tuple(index.settings["fields"]), names)


def grow(
    folder: Path,
    manifest: Manifest,
    collection: Collection,
    settings: Settings,
    purpose: str,
    memory: int,
    workers: int | None,
    resume: bool,
    progress: Callable[[dict[str, Any]], None],
) -> Built:
    """Make a segment of a collection and put it behind the others of a manifest."""
    begun = time.monotonic()
    work = Work(folder, plan_of(collection, settings, purpose, manifest.generation))
    work.begin(resume=resume)
    number = make_chunks(collection, settings, work, workers=workers or default_workers(), report=progress)
    parts = parts_of(work, number, settings)
    for part in parts:
        for rejected in part.facts["rejected"]:
            collection.reject(Rejected(rejected["file"], rejected["reason"], rejected.get("document", 0)))
    if not any(part.live.any() for part in parts):
        work.remove()
        reason = next(iter(collection.ledger.reasons), "there is nothing in it")
        raise InputError(f"no patent could be read: {reason}", source=" ".join(map(str, collection.paths)))
    entry = new_segment(folder, manifest, parts, int(memory * ASSEMBLY_SHARE), progress)
    manifest, replaced = with_deletions(folder, manifest, parts)
    counts = counts_of(parts, entry)
    total = {name: manifest.counts.get(name, 0) + counts[name] for name in COUNTED}
    commit(folder, replace(manifest, segments=(*manifest.segments, entry), counts=total))
    work.remove()
    languages = {language: counted["rows"] for language, counted in entry.languages.items()}
    reasons = dict(collection.ledger.reasons.most_common())
    return Built(
        counts["read"],
        counts["indexed"],
        counts["merged"],
        counts["rejected"],
        replaced,
        languages,
        time.monotonic() - begun,
        reasons,
    )


def new_segment(
    folder: Path,
    manifest: Manifest,
    parts: Sequence[Part],
    memory: int,
    progress: Callable[[dict[str, Any]], None],
) -> SegmentEntry:
    """Put parts together into the segment of a manifest's generation."""
    path = passing(folder, f"s{manifest.generation:06d}")
    languages = assemble(path, parts, memory=memory, progress=lambda step: progress({"step": step}))
    return finish(path, sum(int(part.live.sum()) for part in parts), languages)


def counts_of(parts: Sequence[ChunkPart], entry: SegmentEntry) -> dict[str, int]:
    """read = indexed + merged + rejected, from what the chunks counted."""
    read = sum(part.facts["read"] for part in parts)
    rejected = sum(len(part.facts["rejected"]) for part in parts)
    return {
        "read": read,
        "indexed": entry.documents,
        "merged": read - rejected - entry.documents,
        "rejected": rejected,
    }


def with_deletions(folder: Path, manifest: Manifest, parts: Sequence[ChunkPart]) -> tuple[Manifest, int]:
    """The manifest with documents of older segments marked as replaced by those of the parts; how many."""
    if not manifest.segments:
        return manifest, 0
    new = [row[1] for part in parts for row, live in zip(part.columns(), part.live.tolist(), strict=True) if live]
    entries, deletions, replaced = [], {}, 0
    for segment, entry in zip(Index(folder, manifest).segments, manifest.segments, strict=True):
        gone = np.union1d(segment.deleted, segment.store.numbers_of_identities(new)).astype(np.uint32)
        replaced += len(gone) - len(segment.deleted)
        name = f"{entry.name}-deleted-{manifest.generation:06d}.u32" if len(gone) else None
        if name is not None:
            deletions[name] = write_deletions(folder, name, gone)
        entries.append(replace(entry, deleted=name))
    return replace(manifest, segments=tuple(entries), deletions=deletions), replaced


def merge_index(
    index: str | Path, *, memory: int = MEMORY, progress: Callable[[dict[str, Any]], None] = lambda _: None
) -> int:
    """Fold all segments into one, without the documents that were replaced; how many there were."""
    folder = Path(index)
    open_index(folder)
    with on_disk(folder), writing(folder):
        opened = open_index(folder)
        before = len(opened.segments)
        if before == 1 and not len(opened.segments[0].deleted):
            return before
        manifest = replace(opened.manifest, generation=opened.manifest.generation + 1)
        parts = [SegmentPart(segment) for segment in opened.segments]
        entry = new_segment(folder, manifest, parts, int(memory * ASSEMBLY_SHARE), progress)
        commit(folder, replace(manifest, segments=(entry,), deletions={}))
    return before
