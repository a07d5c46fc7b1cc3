"""Building: from a collection to a segment, in parallel, in bounded memory, to be gone on with when it was killed.

    work/plan.json         what is being built: inputs, settings; a build that goes on must have the same
    work/chunk-000001      chunks that are done
    segments/s000001.part  the segment being put together

The number of workers and the memory allowed change nothing in the result.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.index.chunk import ChunkMaker, Settings, chunks
from antecede.index.parts import ChunkPart
from antecede.index.sections import Sections
from antecede.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from antecede.corpus.collection import Collection
    from antecede.corpus.document import RawDocument, Rejected

WORK = "work"
PLAN = "plan.json"
AHEAD = 2
"""Chunks waiting for each worker: enough to keep it busy, few enough to stay small."""

maker: ChunkMaker | None = None
"""A worker's own, kept from chunk to chunk."""


def begin_worker(settings: Settings) -> None:
    """Set up a worker process."""
    global maker
    maker = ChunkMaker(settings)


def make_chunk(items: list[RawDocument | Rejected], path: Path) -> dict[str, Any]:
    """Make a chunk, in a worker."""
    if maker is None:
        raise RuntimeError("the worker was not set up")
    return summary(maker.make(items, path))


def summary(facts: dict[str, Any]) -> dict[str, Any]:
    """What of a chunk's facts the build reports."""
    return {name: facts[name] for name in ("read", "patents", "merged")} | {"rejected": len(facts["rejected"])}


class Work:
    """The unfinished part of a build, on disk."""

    def __init__(self, folder: Path, plan: dict[str, Any]) -> None:
        self.folder, self.plan = folder / WORK, plan

    def left_over(self) -> dict[str, Any] | None:
        """The plan of a build that was not finished, if there is one."""
        try:
            found: dict[str, Any] = json.loads((self.folder / PLAN).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError:
            return {}
        return found

    def begin(self, *, resume: bool) -> None:
        """Begin, or go on with what is there if its plan is the same; never mix two builds."""
        there = self.left_over()
        if there is not None and not resume:
            raise UsageError(
                f"{self.folder.parent}: holds an unfinished build; --resume goes on with it, or delete {self.folder}"
            )
        if there is not None and there != self.plan:
            raise UsageError(
                f"{self.folder.parent}: the unfinished build there was of other files or settings; "
                f"give the same to go on with it, or delete {self.folder}"
            )
        if there is None:
            self.remove()
            self.folder.mkdir(parents=True)
            write_whole(self.folder / PLAN, json.dumps(self.plan, ensure_ascii=False).encode())

    def finished_before(self, generation: int) -> bool:
        """Whether all that is left over is of a build which this generation of the index has in it already."""
        there = self.left_over()
        return there is not None and there.get("generation", 0) <= generation

    def path(self, number: int) -> Path:
        return self.folder / f"chunk-{number:06d}"

    def done(self, number: int) -> bool:
        """Whether a chunk is there and whole."""
        try:
            return Sections(self.path(number)).whole()
        except (OSError, ValueError):
            return False

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def plan_of(collection: Collection, settings: Settings, purpose: str, generation: int) -> dict[str, Any]:
    """What a build is of: it can be gone on with only if nothing of this has changed."""
    files = sorted(file for path in collection.paths for file in files_under(Path(path)))
    stamps = [[str(file), (facts := file.stat()).st_size, facts.st_mtime_ns] for file in files]
    digest = hashlib.sha256(json.dumps(stamps).encode()).hexdigest()
    profile = hashlib.sha256(settings.profile.to_json().encode()).hexdigest()
    return {
        "purpose": purpose,
        "generation": generation,
        "files": len(files),
        "input": digest,
        "profile": profile,
        "fields": list(settings.fields),
        "names": dict(settings.names),
    }


def files_under(path: Path) -> Iterator[Path]:
    """The files of a path, for the plan."""
    if path.is_dir():
        yield from (each for each in path.rglob("*") if each.is_file())
    elif path.is_file():
        yield path


def make_chunks(
    collection: Collection,
    settings: Settings,
    work: Work,
    *,
    workers: int,
    report: Callable[[dict[str, Any]], None],
) -> int:
    """Make every chunk of the input that is not there yet; how many there are. `report` is told of each."""
    context = multiprocessing.get_context("spawn")
    number = 0
    waiting: deque[Future[dict[str, Any]]] = deque()
    with ProcessPoolExecutor(workers, context, begin_worker, (settings,)) as pool:
        for number, items in enumerate(chunks(collection.raw()), 1):
            if work.done(number):
                report(summary(Sections(work.path(number)).facts))
                continue
            waiting.append(pool.submit(make_chunk, items, work.path(number)))
            while len(waiting) >= AHEAD * workers:
                report(waiting.popleft().result())
        while waiting:
            report(waiting.popleft().result())
    return number


def parts_of(work: Work, number: int, settings: Settings) -> list[ChunkPart]:
    """The chunks, with patents that stand in several of them taken out and put into one more, merged."""
    parts = [ChunkPart(Sections(work.path(at))) for at in range(1, number + 1)]
    scattered = several_times(parts)
    if not scattered:
        return parts
    groups = []
    for places in scattered:
        groups.append([document for part, at in places for document in parts[part].documents_of(at)])
        for part, at in places:
            parts[part].live[at] = False
    late = work.path(number + 1)
    ChunkMaker(settings).write(groups, late, read=0)
    return [*parts, ChunkPart(Sections(late))]


def several_times(parts: Sequence[ChunkPart]) -> list[list[tuple[int, int]]]:
    """The patents that stand in more than one place: chunk and place of each, in order of first appearance."""
    hashes = np.concatenate([part.sections["identities"] for part in parts]) if parts else np.zeros(0, np.uint64)
    where = np.concatenate([np.full(part.documents, at) for at, part in enumerate(parts)] or [np.zeros(0, int)])
    place = np.concatenate([np.arange(part.documents) for part in parts] or [np.zeros(0, int)])
    found, inverse, times = np.unique(hashes, return_inverse=True, return_counts=True)
    del found
    groups: dict[str, list[tuple[int, int]]] = {}
    read, names = -1, []
    for at in np.flatnonzero(times[inverse] > 1).tolist():
        part, patent = int(where[at]), int(place[at])
        if part != read:
            read, names = part, [row[1] for row in parts[part].columns()]
        groups.setdefault(names[patent], []).append((part, patent))
    return [group for group in groups.values() if len(group) > 1]


def default_workers() -> int:
    """As many as there are cores to be used."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
