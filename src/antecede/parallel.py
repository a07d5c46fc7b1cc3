"""Parallel work: a bounded, ordered map, which reads few items ahead, and a pool of processes."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from antecede.errors import AntecedeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future
    from multiprocessing.process import BaseProcess

Item = TypeVar("Item")
Result = TypeVar("Result")

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
    """Apply `function` to each item on several threads; with one thread, in the calling thread."""
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from map_in_order(function, items, pool, AHEAD * threads)


def begin_worker() -> None:
    """Prepare a worker process: it ignores Ctrl+C, which its parent receives too, and ends when its parent is gone."""
    from multiprocessing import parent_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := parent_process()) is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def process_pool(workers: int) -> Iterator[Executor | None]:
    """A pool of processes, which are started when they are needed; None for one worker."""
    if workers == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor  # only here: they take a while to load
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, get_context("spawn"), begin_worker)
    try:
        yield pool
    except BrokenExecutor:
        raise AntecedeError("a worker process was terminated, perhaps for lack of memory; try again") from None
    finally:
        pool.shutdown(cancel_futures=True)
