"""The processes that make chunks: this one, and as many more as cores are to be used.

They are spawned, not forked, which is safe with threads and in notebooks. A script must build an index below
`if __name__ == "__main__":`, since each of these processes imports it. A script from standard input cannot be imported,
and a worker of `multiprocessing.Pool` may not start processes: there, one process builds.
"""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import current_process, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from antecede.errors import UsageError
from antecede.index.chunk import ChunkMaker
from antecede.kernels import start_numba
from antecede.parallel import begin_worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from antecede.index.chunk import ChunkFacts, Settings

    Make = Callable[[ChunkMaker, Any, Path], ChunkFacts]
    """`ChunkMaker.make` or `ChunkMaker.remake`."""

STARTING = "ANTECEDE_WORKER_STARTING"
"""In the environment of a process that is being started: the process id of its parent."""
GUARD = 'if __name__ == "__main__":'


@dataclass(frozen=True)
class _Task:
    make: Make
    given: Any
    path: Path
    result: Future[ChunkFacts] = field(default_factory=Future)

    def run(self, maker: ChunkMaker) -> None:
        self.result.set_result(self.make(maker, self.given, self.path))

    def finish(self, done: Future[ChunkFacts]) -> None:
        """Take over the result, or the error, of another process."""
        if done.cancelled():
            self.result.cancel()
        elif (error := done.exception()) is not None:
            self.result.set_exception(error)
        else:
            self.result.set_result(done.result())


class Workers:
    """Makes chunks on several cores, in this process and in others."""

    def __init__(self, count: int, settings: Settings) -> None:
        self.others = count - 1 if _may_start_others() else 0
        self.settings = settings
        start_numba()
        self.maker = ChunkMaker(settings)
        self.pool: ProcessPoolExecutor | None = None
        self.waiting: deque[_Task] = deque()
        self.given: deque[Future[ChunkFacts]] = deque()
        """What the other processes were given to do and have not done."""
        self.started = False
        """Whether another process has made a chunk."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.pool is not None:
            self.pool.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            hint = "" if self.started or _is_program() else f"; a script must build an index below `{GUARD}`"
            raise UsageError(
                "a worker process was terminated, perhaps for lack of memory; --resume continues the build, with fewer "
                f"--workers if necessary{hint}"
            ) from None

    def submit(self, make: Make, given: Any, path: Path) -> Future[ChunkFacts]:
        """Have a chunk made, by another process if these have not enough to do yet; else it is made at once, here.

        The processes are started with the second chunk: a small collection is read faster than they start.
        """
        task = _Task(make, given, path)
        self.waiting.append(task)
        if self.others and (self.pool is not None or len(self.waiting) > 1):
            self._hand_out()
        if len(self.waiting) > self.others:
            self.waiting.pop().run(self.maker)
        return task.result

    def run_waiting(self) -> None:
        """Make the waiting chunks in this process, once there is nothing else to do."""
        while self.waiting:
            self.waiting.popleft().run(self.maker)

    def _hand_out(self) -> None:
        """Give each of the other processes what it does next; while it works, what it will do then."""
        if self.pool is None:
            self.pool = ProcessPoolExecutor(self.others, get_context("spawn"), _begin, (self.settings,))
        while self.given and self.given[0].done():
            self.started |= self.given.popleft().exception() is None
        os.environ[STARTING] = str(os.getpid())
        try:
            while self.waiting and sum(not done.done() for done in self.given) < 2 * self.others:
                task = self.waiting.popleft()
                done = self.pool.submit(_make, task.make, task.given, task.path)
                done.add_done_callback(task.finish)
                self.given.append(done)
        finally:
            del os.environ[STARTING]


def _may_start_others() -> bool:
    """Whether this process may start others, and they can import the script that is running, if there is one."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    return not current_process().daemon and (path is None or main.__spec__ is not None or Path(path).is_file())


def _is_program() -> bool:
    """Whether the program `antecede` is running, not the script of a user."""
    main = sys.modules["__main__"]
    name = main.__spec__.name if main.__spec__ is not None else Path(getattr(main, "__file__", "antecede")).stem
    return name in ("antecede", "antecede.__main__", "__main__")


def end_if_starting() -> None:
    """End a worker process that comes to build an index while it imports the script of its parent.

    The script has no guard; the parent says so.
    """
    if os.environ.get(STARTING, str(os.getpid())) != str(os.getpid()):
        sys.exit(1)


_maker: ChunkMaker


def _begin(settings: Settings) -> None:
    """Prepare a worker process."""
    global _maker
    os.environ.pop(STARTING, None)
    start_numba()
    begin_worker()
    _maker = ChunkMaker(settings)
    gc.freeze()  # existing objects live until the end: exclude them from garbage collection


def _make(make: Make, given: Any, path: Path) -> ChunkFacts:
    """Make a chunk in a worker process."""
    return make(_maker, given, path)
