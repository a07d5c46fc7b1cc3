"""The work of a build: the processes that make chunks, and the folder that keeps finished chunks if it is killed.

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

import gc
import hashlib
import json
import os
import sys
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import current_process, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from antecede.errors import UsageError
from antecede.files import stamp_of, write_whole
from antecede.index.chunk import ChunkMaker, Sections, is_whole
from antecede.index.commit import GONE, WORK
from antecede.index.files import read_regular, remove_tree
from antecede.parallel import begin_worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from antecede.corpus.collection import Collection
    from antecede.index.chunk import ChunkFacts, Settings

    Make = Callable[[ChunkMaker, Any, Path], ChunkFacts]
    """`ChunkMaker.make` or `ChunkMaker.remake`."""

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
            raise UsageError(f"{self.index}: holds an unfinished build; --resume continues it, or delete {self.folder}")
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
        """Remove the folder, which is renamed first, since that is atomic."""
        gone = self.folder.with_name(WORK + GONE)
        remove_tree(gone)
        if self.folder.exists():
            self.folder.replace(gone)
            remove_tree(gone)


def plan_of(collection: Collection, settings: Settings, purpose: str) -> dict[str, Any]:
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


class Workers:
    """Makes chunks on several cores, in this process and in others."""

    def __init__(self, count: int, settings: Settings) -> None:
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
                "a worker process was terminated, perhaps for lack of memory; --resume continues the build, with fewer "
                '--workers if necessary; a script must build an index below `if __name__ == "__main__":`'
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
            self.pool = ProcessPoolExecutor(self.others, get_context("spawn"), _begin, (self.settings,))
        self.unfinished.append(self.pool.submit(_make, make, given, path))
        return self.unfinished[-1]


def _may_start_others() -> bool:
    """Whether this process may start others, and they can import the script that is running, if there is one."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    return not current_process().daemon and (path is None or main.__spec__ is not None or Path(path).is_file())


_maker: ChunkMaker


def _begin(settings: Settings) -> None:
    global _maker
    begin_worker()
    _maker = ChunkMaker(settings)
    gc.freeze()  # existing objects live until the end: exclude them from garbage collection


def _make(make: Make, given: Any, path: Path) -> ChunkFacts:
    return make(_maker, given, path)
