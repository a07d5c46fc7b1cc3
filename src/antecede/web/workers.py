"""A pool of threads for searches, so that a slow one never blocks the page; what nobody waits for is not begun."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

Result = TypeVar("Result")

POLL_SECONDS = 0.25
MOST_WAITING = 500
"""Searches that may wait; more are refused, so that those that wait are answered."""


class OverloadError(Exception):
    """Too many searches are waiting."""


class ClientGoneError(Exception):
    """The client closed the connection before its search began or ended."""


class Workers:
    """Threads for searches.

    Args:
        threads: Their number; by default one per processor, at least two.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.pool = ThreadPoolExecutor(threads or max(2, os.cpu_count() or 2), thread_name_prefix="antecede-search")
        self.waiting = 0

    async def run(self, request: Request, work: Callable[[], Result]) -> Result:
        """The result of some work on a thread of the pool; work whose client has gone is not begun."""
        if self.waiting >= MOST_WAITING:
            raise OverloadError
        self.waiting += 1
        future = self.pool.submit(work)
        wrapped = asyncio.wrap_future(future)
        try:
            while True:
                done, _ = await asyncio.wait({wrapped}, timeout=POLL_SECONDS)
                if done:
                    return wrapped.result()
                if await request.is_disconnected() and future.cancel():
                    raise ClientGoneError
        finally:
            self.waiting -= 1
            if not wrapped.done():
                wrapped.cancel()

    def close(self) -> None:
        """Begin nothing more, and wait for what runs."""
        self.pool.shutdown(wait=True, cancel_futures=True)
