"""A pool of threads for searches, so that a slow one never blocks the page.

What nobody waits for any more is not begun; what has begun ends at its next check, and nothing of it is stored.
"""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from starlette.requests import Request

Result = TypeVar("Result")
Item = TypeVar("Item")

POLL_SECONDS = 0.25
MOST_WAITING = 500
"""Searches that may wait; more are refused, so that those that wait are answered."""
_ABANDONED = threading.local()


class OverloadError(Exception):
    """Too many searches are waiting."""


class ClientGoneError(Exception):
    """The client closed the connection before its search began or ended."""


def check_client() -> None:
    """End the work of this thread if its client has gone; elsewhere than in a worker, do nothing."""
    abandoned: threading.Event | None = getattr(_ABANDONED, "event", None)
    if abandoned is not None and abandoned.is_set():
        raise ClientGoneError


def while_wanted(items: Iterable[Item]) -> Iterator[Item]:
    """The items, as long as the client waits for them."""
    for item in items:
        check_client()
        yield item


class Workers:
    """Threads for searches.

    Args:
        threads: Their number; by default one per processor, at least two.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.pool = ThreadPoolExecutor(threads or max(2, os.cpu_count() or 2), thread_name_prefix="antecede-search")
        self.waiting = 0

    async def run(self, request: Request, work: Callable[[], Result]) -> Result:
        """The result of some work on a thread of the pool; it is abandoned when its client has gone."""
        if self.waiting >= MOST_WAITING:
            raise OverloadError
        abandoned = threading.Event()

        def begin() -> Result:
            _ABANDONED.event = abandoned
            try:
                check_client()
                return work()
            finally:
                _ABANDONED.event = None

        self.waiting += 1
        future = asyncio.wrap_future(self.pool.submit(begin))
        try:
            while True:
                done, _ = await asyncio.wait({future}, timeout=POLL_SECONDS)
                if done:
                    return future.result()
                if await request.is_disconnected():
                    raise ClientGoneError
        finally:
            self.waiting -= 1
            if not future.done():
                abandoned.set()
                future.cancel()

    def close(self) -> None:
        """Begin nothing more, and wait for what runs."""
        self.pool.shutdown(wait=True, cancel_futures=True)
