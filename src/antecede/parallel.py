"""A bounded, ordered parallel map: results come in the order of the items, and few items are read ahead."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future

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
