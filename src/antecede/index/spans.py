"""Long work cut into pieces of about the same size, and done by several threads in order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future

    from numpy.typing import NDArray

Item = TypeVar("Item")
Done = TypeVar("Done")


def spans(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of neighbours whose sizes add up to at most so much, or that are one alone."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + most, "right")), first + 1)
        yield first, last
        first = last


def in_order(threads: Executor, work: Callable[[Item], Done], items: Iterable[Item], ahead: int) -> Iterator[Done]:
    """What becomes of each item, in their order, worked on by threads; at most `ahead` of them wait at a time."""
    waiting: deque[Future[Done]] = deque()
    try:
        for item in items:
            waiting.append(threads.submit(work, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for each in waiting:
            each.cancel()
