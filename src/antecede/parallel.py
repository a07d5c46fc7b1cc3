"""Parallel work: a bounded, ordered map, which reads few items ahead; work that ends when nobody waits for it, or when
its time is spent; a pool of processes; the memory that each process of a build may use, on which the result does not
depend; and the garbage collector, where it would only cost time."""

from __future__ import annotations

import gc
import math
import os
import re
import signal
import threading
import time
from collections import deque
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from antecede.errors import AntecedeError, UsageError, is_worded_for_shell, printable, word_for_shell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future
    from contextlib import AbstractContextManager

Item = TypeVar("Item")
Result = TypeVar("Result")


class AbandonedError(Exception):
    """Nobody waits any more for what a thread works on."""


class TimeSpentError(Exception):
    """Work has taken the seconds that it may take."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"the time limit of {seconds:g} s is spent")


@dataclass
class _Budget:
    """The seconds that work may take, and those that are left."""

    seconds: float
    left: float


@dataclass(frozen=True)
class _Limits:
    """When work is to end before it is done."""

    abandoned: threading.Event | None = None
    budgets: tuple[_Budget, ...] = ()
    deadline: float = math.inf
    """When the least of the budgets is spent, while time counts."""
    seconds: float = math.inf
    """What that one was at the beginning."""


_UNLIMITED = _Limits()
_LIMITS = ContextVar("limits", default=_UNLIMITED)


@contextmanager
def _limited(limits: _Limits) -> Iterator[None]:
    before = _LIMITS.set(limits)
    try:
        yield
    finally:
        _LIMITS.reset(before)


def abandonable(abandoned: threading.Event) -> AbstractContextManager[None]:
    """Work of this thread that ends at its next check once an event is set."""
    return _limited(replace(_LIMITS.get(), abandoned=abandoned))


def time_limited(seconds: float | None) -> AbstractContextManager[None]:
    """Work of this thread of which what counts takes so many seconds at the most, or what work around it has left."""
    limits = _LIMITS.get()
    if seconds is not None:
        limits = replace(limits, budgets=(*limits.budgets, _Budget(seconds, seconds)))
    return _limited(limits)


@contextmanager
def counting_time(prepare: Callable[[], object]) -> Iterator[None]:
    """Work whose time counts: where it is limited, it ends at its next check once that is spent.

    What must be compiled or loaded first is prepared before; the time that this takes depends on the machine alone.
    """
    limits = _LIMITS.get()
    if not limits.budgets or limits.deadline < math.inf:
        yield
        return
    prepare()
    begun, least = time.monotonic(), min(limits.budgets, key=lambda budget: budget.left)
    try:
        with _limited(replace(limits, deadline=begun + least.left, seconds=least.seconds)):
            yield
    finally:
        spent = time.monotonic() - begun
        for budget in limits.budgets:
            budget.left -= spent


def check_wanted() -> None:
    """End the work of this thread if it was abandoned, or if its time is spent."""
    limits = _LIMITS.get()
    if limits.abandoned is not None and limits.abandoned.is_set():
        raise AbandonedError
    if time.monotonic() > limits.deadline:
        raise TimeSpentError(limits.seconds)


def while_wanted(items: Iterable[Item]) -> Iterator[Item]:
    """The items, as long as somebody waits for them and there is time."""
    for item in items:
        check_wanted()
        yield item


AHEAD = 4
"""The number of items read ahead per worker."""


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], pool: Executor, ahead: int
) -> Iterator[Result]:
    """Apply `function` to each item in a pool; at most `ahead` items are in progress at a time.

    When the caller stops consuming results, items that have not started are cancelled.
    """
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for each in waiting:
            each.cancel()


def map_threads(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Apply `function` to each item on several threads; with one thread, in the calling thread.

    The limits of the calling thread are theirs.
    """
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads, initializer=_LIMITS.set, initargs=(_LIMITS.get(),)) as pool:
        yield from map_in_order(function, items, pool, AHEAD * threads)


def begin_worker(*, options: bool = False) -> None:
    """Prepare a worker process: it words messages as its parent does, ignores Ctrl+C, which its parent receives too,
    and ends when its parent is gone."""
    from multiprocessing import parent_process

    word_for_shell(options=options)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := parent_process()) is not None:

        def end_with_parent() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=end_with_parent, daemon=True).start()


@contextmanager
def process_pool(workers: int) -> Iterator[Executor | None]:
    """A pool of processes, which are started when they are needed; None for one worker."""
    if workers == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor  # only here: they take a while to load
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, get_context("spawn"), partial(begin_worker, options=is_worded_for_shell()))
    try:
        yield pool
    except BrokenExecutor:
        raise AntecedeError("a worker process was terminated, perhaps for lack of memory; try again") from None
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Disable the garbage collector, which would traverse many objects again and again and free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


MEMORY = 2 * 1000**3
LEAST = 512 * 1000**2
PROCESS = 180 << 20
"""The memory of a process that has loaded its code."""
CHUNK = 160 << 20
"""The memory needed to read a chunk: its bytes, the patents, their texts, and the arrays made from them."""
SMALLEST_TABLES = 32 << 20
SIZE = re.compile(r"\s*+([0-9]{1,18}(?:\.[0-9]{1,18})?)\s*+([KMGT]?)(I?)B?\s*+", re.IGNORECASE)


@dataclass(frozen=True)
class Resources:
    """The resources that a build may use."""

    memory: int
    """Bytes for assembling postings, after the documents have been read."""
    workers: int
    """Processes that read documents, and threads that assemble the matrices."""
    tables: int
    """Bytes for the word tables of each process."""
    total: int = MEMORY
    """The memory limit, in bytes."""


def resources_for(memory: int = MEMORY, workers: int | None = None) -> Resources:
    """Divide the memory among the workers; there are fewer of them where it does not suffice for all."""
    if memory < LEAST:
        raise UsageError(f"{memory:,} bytes of memory are too few; give {LEAST // 1000**2}MB or more")
    if workers is not None and workers < 1:
        raise UsageError(f"there must be at least one worker, not {workers}")
    wanted = workers or cores()
    count = max(1, min(wanted, memory // (PROCESS + CHUNK + SMALLEST_TABLES)))
    tables = min(memory // count - PROCESS - CHUNK, memory // count // 3)
    return Resources((memory - PROCESS - tables) // 2, count, tables, memory)


CGROUPS = Path("/sys/fs/cgroup")


@cache
def memory_limit() -> int:
    """The bytes of memory that this process may use: those of the machine, or of its control group if that has less."""
    limits = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            if not kinds:
                files = [f"unified{path}/memory.max", f"{path.lstrip('/')}/memory.max"]
            elif "memory" in kinds.split(","):
                files = [f"memory{path}/memory.limit_in_bytes", "memory/memory.limit_in_bytes"]
            else:
                continue
            for file in files:
                with suppress(OSError, ValueError):  # none is there, or it says "max"
                    limits.append(int((CGROUPS / file).read_text()))
    return min(filter(None, limits), default=1 << 62)


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parse_size(written: str) -> int:
    """The number of bytes that `2GB`, `512MB`, `1.5G` or `700MiB` denotes; a bare number is in bytes."""
    size = SIZE.fullmatch(written)
    if size is None or (size[3] and not size[2]):
        raise UsageError(f"{printable(written)!r} is not a size; write it as 2GB or 512MB")
    return int(float(size[1]) * (1024 if size[3] else 1000) ** ("", "K", "M", "G", "T").index(size[2].upper()))
