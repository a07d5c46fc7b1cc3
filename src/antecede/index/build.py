"""Builds a segment: a collection is read into chunks, in parallel and in bounded memory; the chunks, or other segments,
are assembled; and the manifest that names the new segment is committed.

The result does not depend on the number of workers or on the memory limit. Finished chunks are kept in the folder of
the index, to be used again if the build is killed:

    work/plan.json              what is being built: inputs and settings; a resumed build must have the same
    work/…/chunk-000001         finished chunks, in a folder named after the plan

A worker that outlives a killed build can only write into the folder of its own plan, where any other worker would write
the same.

Chunks are made by this process, and by as many more as cores are to be used. They are spawned, not forked, which is
safe with threads and in notebooks. A script must build an index below `if __name__ == "__main__":`, since each of these
processes imports it. A script from standard input cannot be imported, and a worker of `multiprocessing.Pool` may not
start processes: there, one process builds.
"""

from __future__ import annotations

import copy
import gc
import hashlib
import json
import os
import sys
from collections import Counter, deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, compress
from multiprocessing import current_process, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from antecede.corpus.document import Rejected
from antecede.errors import InputError, UsageError, is_worded_for_shell, spell
from antecede.files import read_regular, stamp_of, write_whole
from antecede.index.assembly import SegmentPart, assemble
from antecede.index.chunk import ChunkMaker, ChunkPart, Sections, is_whole, signature, split_chunks
from antecede.index.commit import WORK, new_folder, rename_and_remove, write_beside
from antecede.index.documents import DOC_ID, IDENTITY
from antecede.index.index import StoredIndex
from antecede.index.manifest import COUNTED, SegmentEntry
from antecede.index.records import unpack
from antecede.parallel import begin_worker
from antecede.text.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from antecede.corpus.collection import Collection
    from antecede.index.assembly import Part
    from antecede.index.chunk import BuildSettings, ChunkFacts
    from antecede.index.index import Segment
    from antecede.index.manifest import Manifest
    from antecede.parallel import Resources

    Make = Callable[[ChunkMaker, Any, Path], ChunkFacts]
    """`ChunkMaker.make` or `ChunkMaker.remake`."""


LATE_BYTES, LATE_DOCUMENTS = 1 << 22, 4096
"""The most packed bytes, and the most patents, in a late chunk: one of patents whose documents were not adjacent."""


@dataclass(frozen=True)
class BuildProgress:
    """The progress of a build."""

    step: str
    documents: int
    """Documents read so far."""
    done: int
    total: int
    """How much of the step is done, of how much; in bytes of the input while it is read. 0 where it is not known."""


PLAN = "plan.json"
VERSION = 6
"""The version of the chunks: a build of another version is not resumed."""


class Work:
    """The unfinished part of a build."""

    def __init__(self, index: Path, plan: dict[str, Any]) -> None:
        self.index, self.folder, self.plan = index, index / WORK, plan
        self.chunks = self.folder / hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:16]

    def left_over(self) -> dict[str, Any] | None:
        """The plan of a build that was not finished, if there is one."""
        try:
            plan: dict[str, Any] = json.loads(read_regular(self.folder / PLAN))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, RecursionError):
            return {}
        return plan

    def begin(self, *, resume: bool) -> None:
        """Start a build, or resume one with the same plan; never mix two builds."""
        plan = self.left_over()
        if plan is not None and not resume:
            raise UsageError(
                f"{self.index}: holds an unfinished build; {spell('resume', True)} continues it, "
                f"or delete {self.folder}"
            )
        if plan is not None and plan != self.plan:
            raise UsageError(
                f"{self.index}: the unfinished build is of other files or settings; "
                f"give the same to continue it, or delete {self.folder}"
            )
        if plan is None:
            self.remove()
            self.folder.mkdir(parents=True)
            write_whole(self.folder / PLAN, json.dumps(self.plan, ensure_ascii=False).encode())
        if self.chunks.is_symlink():
            raise UsageError(f"{self.chunks}: is a link; delete {self.folder}")
        self.chunks.mkdir(exist_ok=True)

    def chunk_path(self, number: int) -> Path:
        return self.chunks / f"chunk-{number:06d}"

    def late_path(self, number: int) -> Path:
        return self.chunks / f"late-{number:06d}"

    def finished_chunk(self, number: int, signature: int) -> ChunkFacts | None:
        """The facts of a chunk that exists, is intact, and was made from the same input."""
        if not is_whole(self.chunk_path(number)):
            return None
        facts = Sections(self.chunk_path(number)).facts
        return facts if facts["input"] == signature else None

    def remove(self) -> None:
        """Remove the folder, if there is one."""
        if self.folder.exists():
            rename_and_remove(self.folder)


def plan_of(collection: Collection, settings: BuildSettings, purpose: str) -> dict[str, Any]:
    """The plan of a build, which can be resumed only if nothing of it has changed."""
    paths = [each for path in map(Path, collection.paths) for each in (path, *path.rglob("*"))]
    files = sorted(filter(os.path.isfile, paths))  # False where a file may not be examined
    stamps = [[str(file), *stamp_of(file.stat())] for file in files]
    return {
        "version": VERSION,
        "purpose": purpose,
        "files": len(files),
        "input": hashlib.sha256(json.dumps(stamps).encode()).hexdigest(),
        "profile": hashlib.sha256(settings.profile.to_json().encode()).hexdigest(),
        "fields": list(settings.fields),
        "positions": settings.positions,
        "names": dict(settings.names),
    }


class ChunkWorkers:
    """Makes chunks on several cores, in this process and in others."""

    def __init__(self, count: int, settings: BuildSettings) -> None:
        self.others = count - 1 if _may_start_others() else 0
        self.settings, self.maker = settings, ChunkMaker(settings)
        self.pool: ProcessPoolExecutor | None = None
        self.unfinished: deque[Future[ChunkFacts]] = deque()
        """What the other processes were given to do."""
        self.is_first = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.pool is not None:
            self.pool.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise UsageError(
                f"a worker process was terminated, perhaps for lack of memory; {spell('resume', True)} continues "
                f"the build, with fewer {spell('workers')} if necessary; a script must build an index below "
                '`if __name__ == "__main__":`'
            ) from None

    def submit(self, make: Make, given: Any, path: Path) -> Future[ChunkFacts]:
        """Have a chunk made, by another process if these have not enough to do yet; else it is made at once, here.

        The first is made here, and the processes are started with the second: a small collection is read faster than
        they start. Each is given what it does next, and while it works, what it will do then.
        """
        while self.unfinished and self.unfinished[0].done():
            self.unfinished.popleft()
        busy = self.is_first or sum(not future.done() for future in self.unfinished) >= 2 * self.others
        self.is_first = False
        if busy:
            made: Future[ChunkFacts] = Future()
            made.set_result(make(self.maker, given, path))
            return made
        if self.pool is None:
            self.pool = ProcessPoolExecutor(
                self.others, get_context("spawn"), _begin, (self.settings, is_worded_for_shell())
            )
        self.unfinished.append(self.pool.submit(_make, make, given, path))
        return self.unfinished[-1]


def _may_start_others() -> bool:
    """Whether this process may start others, and they can import the script that is running, if there is one."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    return not current_process().daemon and (path is None or main.__spec__ is not None or Path(path).is_file())


_maker: ChunkMaker


def _begin(settings: BuildSettings, options: bool) -> None:
    global _maker
    begin_worker(options=options)
    _maker = ChunkMaker(settings)
    gc.freeze()  # existing objects live until the end: exclude them from garbage collection


def _make(make: Make, given: Any, path: Path) -> ChunkFacts:
    return make(_maker, given, path)


class ReadMonitor:
    """Reports chunks as they are done, and stops strict reading at the first rejected document."""

    def __init__(self, collection: Collection, progress: Callable[[BuildProgress], None]) -> None:
        self.collection = copy.copy(collection)
        self.strict = collection.strict
        self.report = progress
        self.cut = self.read = 0
        """Documents taken from the input, and those of them that are done."""
        self.place = 0, 0
        self.collection_progress = collection.progress
        self.collection.progress = self.bytes_read

    def bytes_read(self, done: int, total: int) -> None:
        self.place = done, total
        if self.collection_progress is not None:
            self.collection_progress(done, total)

    def chunk_done(self, facts: ChunkFacts) -> None:
        self.read += facts["read"]
        if self.strict and facts["rejected"]:
            self.collection.reject(Rejected(**facts["rejected"][0]))
        done, total = self.place
        self.report(BuildProgress("reading", self.read, done * self.read // max(self.cut, self.read, 1), total))


def _make_chunks(reading: ReadMonitor, work: Work, workers: ChunkWorkers, *, resume: bool) -> int:
    """Make every chunk of the input that does not exist yet, and return the number of chunks."""
    number = 0
    waiting: deque[Future[ChunkFacts]] = deque()
    for number, items in enumerate(split_chunks(reading.collection.raw()), 1):
        reading.cut += len(items)
        facts = work.finished_chunk(number, signature(items)) if resume else None
        if facts is not None:
            reading.chunk_done(facts)
            continue
        waiting.append(workers.submit(ChunkMaker.make, items, work.chunk_path(number)))
        while waiting and waiting[0].done():
            reading.chunk_done(waiting.popleft().result())
    while waiting:
        reading.chunk_done(waiting.popleft().result())
    return number


def _load_parts(work: Work, number: int, workers: ChunkWorkers) -> list[ChunkPart]:
    """The chunks; patents that occur in several places are moved to late chunks and merged there."""
    parts = [ChunkPart(Sections(work.chunk_path(at))) for at in range(1, number + 1)]
    waiting = [
        workers.submit(ChunkMaker.remake, patents, work.late_path(at))
        for at, patents in enumerate(_iterate_late_chunks(parts), 1)
    ]
    for future in waiting:
        future.result()
    parts += [ChunkPart(Sections(work.late_path(at))) for at in range(1, len(waiting) + 1)]
    _reject_duplicate_names(parts)
    return parts


def _iterate_late_chunks(parts: Sequence[ChunkPart]) -> Iterator[list[list[bytes]]]:
    """The packed documents of patents that occur in several places, a late chunk at a time; they are dropped there."""
    chunk: list[list[bytes]] = []
    size = 0
    for places in _find_repeated(parts, "identities"):
        documents = [*chain.from_iterable(part.documents_of(patent) for part, patent in places)]
        for part, patent in places:
            part.live[patent] = False
        chunk.append(documents)
        size += sum(map(len, documents))
        if size > LATE_BYTES or len(chunk) >= LATE_DOCUMENTS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _find_repeated(parts: Sequence[ChunkPart], name: str) -> Iterator[list[tuple[ChunkPart, int]]]:
    """Live patents that share a fingerprint, each as its part and its number there; in order of first occurrence."""
    prints = np.concatenate([part.sections.array(name) for part in parts])
    places = np.flatnonzero(np.concatenate([part.live for part in parts]))
    order = places[np.argsort(prints[places], kind="stable")]
    changes = prints[order][1:] != prints[order][:-1]
    starts = np.flatnonzero(np.concatenate([[True], changes, [True]]))
    several = np.flatnonzero(np.diff(starts) > 1)
    firsts = np.cumsum([0, *(part.documents for part in parts)])
    for at in several[np.argsort(order[starts[several]], kind="stable")].tolist():
        same = order[starts[at] : starts[at + 1]]
        owners = np.searchsorted(firsts, same, "right") - 1
        yield [(parts[owner], number) for owner, number in zip(owners, (same - firsts[owners]).tolist(), strict=True)]


def _reject_duplicate_names(parts: Sequence[ChunkPart]) -> None:
    """Reject patents whose doc_id an earlier patent has: a ranking could not distinguish them."""
    for places in list(_find_repeated(parts, "names")):
        taken: set[str] = set()
        for part, patent in places:
            doc_id = list(part.rows())[patent][DOC_ID]
            if doc_id in taken:
                part.live[patent] = False
                source = unpack(part.blob("records", patent)).source
                reason = "another patent, with another number, has the same doc_id"
                part.names_taken.append(Rejected(source, reason, doc_id=doc_id))
            taken.add(doc_id)


@dataclass(frozen=True)
class Writer:
    """The context of a write to an index: its folder, its resources, and the callback for progress."""

    folder: Path
    resources: Resources
    progress: Callable[[BuildProgress], None]


def add_segment(
    writer: Writer,
    manifest: Manifest,
    collection: Collection,
    settings: BuildSettings,
    work: Work,
    *,
    resume: bool,
) -> tuple[Manifest, dict[str, int], dict[str, int]]:
    """Build a segment from a collection and append it to those of a manifest, which still has to be committed.

    Returns the manifest, the counts of documents (`COUNTED`), and how many have text in each language.
    """
    work.begin(resume=resume)
    reading = ReadMonitor(collection, writer.progress)
    try:
        with ChunkWorkers(writer.resources.workers, replace(settings, tables=writer.resources.tables)) as workers:
            parts = _load_parts(work, _make_chunks(reading, work, workers, resume=resume), workers)
        for part in parts:
            for rejected in part.rejected():
                collection.reject(rejected)
        if not any(part.live.any() for part in parts):
            reason = next(iter(collection.ledger.reasons), "it is empty")
            raise InputError(
                f"no patent could be read: {reason}", source=" ".join(map(str, collection.paths)) or "the documents"
            )
    except InputError:  # resuming would fail in the same way
        work.remove()
        raise
    manifest, counts = _with_deletions(writer.folder, manifest, parts)
    rows = Counter[str]()
    for part in parts:
        for language in part.languages:
            rows[language] += int(part.live[part.matrix(language).documents].sum())
    return _with_parts(writer, manifest, parts, counts), counts, dict(sorted((+rows).items()))


def _with_parts(writer: Writer, manifest: Manifest, parts: Sequence[Part], counts: dict[str, int]) -> Manifest:
    """A manifest with a segment of these parts, merged with older segments where there would be too many otherwise.

    If disk space or memory does not suffice for the merge, they stay separate, and the next add tries again.
    """
    older = StoredIndex(writer.folder, manifest).segments
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
    all_parts: list[Part] = [*map(SegmentPart, segments), *parts]

    def report(step: str, done: int, total: int) -> None:
        writer.progress(BuildProgress(step, summed["read"], done, total))

    name = f"s{manifest.generation:06d}"
    with new_folder(writer.folder, name) as out:
        settings = manifest.settings
        profile = Profile.from_json(json.dumps(settings["profile"]), source=str(writer.folder))
        positions, names = settings["positions"], profile.names
        languages = assemble(out, all_parts, writer.resources, report, positions=positions, names=names)
    documents = sum(int(part.live.sum()) for part in all_parts)
    entry = SegmentEntry(name, documents, languages, dict(sorted(out.files.items())), summed)
    segments.clear()
    deletions = {each.deleted: manifest.deletions[each.deleted] for each in kept if each.deleted is not None}
    return replace(manifest, segments=(*kept, entry), deletions=deletions)


def _with_deletions(folder: Path, manifest: Manifest, parts: Sequence[ChunkPart]) -> tuple[Manifest, dict[str, int]]:
    """The manifest with the documents of older segments that the parts replace marked as deleted, and the counts.

    The counts are such that read = indexed + merged + rejected.
    """
    entries, deletions, replaced = [], {}, 0
    for segment, entry in zip(StoredIndex(folder, manifest).segments, manifest.segments, strict=True):
        gone = [segment.deleted]
        for part in parts:
            rows = [*compress(part.rows(), part.live)]
            gone.append(segment.store.numbers_with("identity", *(row[IDENTITY] for row in rows)))
            gone.append(segment.store.numbers_with("doc_id", *(row[DOC_ID] for row in rows)))
        numbers = np.unique(np.concatenate(gone))
        replaced += len(numbers) - len(segment.deleted)
        name = f"{entry.name}-deleted-{manifest.generation:06d}.u32" if len(numbers) else None
        if name is not None:
            deletions[name] = write_beside(folder, name, numbers.astype("<u4").tobytes())
        entries.append(replace(entry, deleted=name))
    read, rejected = (sum(part.facts["read"] for part in parts), sum(len(part.rejected()) for part in parts))
    indexed = sum(int(part.live.sum()) for part in parts)
    merged = read - rejected - indexed
    counts = dict(zip(COUNTED, (read, indexed, merged, rejected, replaced), strict=True))
    return replace(manifest, segments=tuple(entries), deletions=deletions), counts


WIDTH = 10


def tier_of(documents: int) -> int:
    """The tier of a number of documents; −1 for a segment all of whose documents were replaced."""
    return len(str(documents)) - 1 if documents else -1


def first_to_merge(sizes: Sequence[int]) -> int:
    """The first of the segments to merge with the newest; the newest itself where there is nothing to merge.

    `sizes` are the numbers of live documents of each segment, oldest first. The tier of a segment is the order of
    magnitude of its size: 1–9, 10–99, 100–999 … A new segment absorbs the segments before it that are of a lower tier,
    and all up to its own tier once there are ten of them; the rule is then applied again to the result. Tiers therefore
    never increase from older to newer segments, no tier has ten segments, and n documents are in at most
    9 · (1 + log₁₀ n) segments; replaced documents make segments smaller, not more numerous. A document is written once
    when it is added, and again only when its tier increases: at most 1 + log₁₀ n times (after O'Neil et al., The
    log-structured merge-tree, Acta Informatica 1996).
    """
    first = len(sizes) - 1
    size = sizes[first]
    while True:
        begin = first
        while begin and tier_of(sizes[begin - 1]) < tier_of(size):
            begin -= 1
            size += sizes[begin]
        same = begin
        while same and tier_of(sizes[same - 1]) <= tier_of(size):  # one that lost documents may be of a lower tier
            same -= 1
        if begin - same + 1 >= WIDTH:
            size += sum(sizes[same:begin])
            begin = same
        if begin == first:
            return first
        first = begin
