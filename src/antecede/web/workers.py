"""Pools of threads for what the page asks for: searches never block the page, nor do they keep a reader waiting.

What nobody waits for any more is not begun; what has begun ends at its next check, and nothing of it is stored.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from antecede.parallel import AbandonedError, abandonable, check_wanted

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

Result = TypeVar("Result")

POLL_SECONDS = 0.25
MOST_WAITING = 500
"""Searches that may wait; more are refused, so that those that wait are answered."""
SIGN_INS, MOST_SIGN_INS = 1, 20
"""Passwords that are hashed at a time, since a hash takes 64 MB and four threads, and those that may wait for it."""


class OverloadError(Exception):
    """Too many requests are waiting."""


class Workers:
    """Threads for searches, and as many for reading: a document, the query, how much was found.

    Args:
        threads: The number of either; by default one per processor, at least two.
    """

    def __init__(self, threads: int | None = None) -> None:
        number = threads or max(2, os.cpu_count() or 2)
        self.searching = ThreadPoolExecutor(number, thread_name_prefix="antecede-search")
        self.reading = ThreadPoolExecutor(number, thread_name_prefix="antecede-read")
        self.signing_in = ThreadPoolExecutor(SIGN_INS, thread_name_prefix="antecede-sign-in")
        self.waiting: Counter[ThreadPoolExecutor] = Counter()

    async def search(self, request: Request, work: Callable[[], Result]) -> Result:
        """The result of a search, or of what takes as long; it is abandoned when its client has gone."""
        return await self.run(self.searching, request, work)

    async def read(self, request: Request, work: Callable[[], Result]) -> Result:
        """The result of short work, which waits for no search; it is abandoned when its client has gone."""
        return await self.run(self.reading, request, work)

    async def sign_in(self, request: Request, work: Callable[[], Result]) -> Result:
        """The result of checking a password."""
        return await self.run(self.signing_in, request, work, MOST_SIGN_INS)

    async def run(
        self, pool: ThreadPoolExecutor, request: Request, work: Callable[[], Result], most: int = MOST_WAITING
    ) -> Result:
        """The result of some work on a thread of a pool."""
        if self.waiting[pool] >= most:
            raise OverloadError
        abandoned = threading.Event()

        def begin() -> Result:
            with abandonable(abandoned):
                check_wanted()
                return work()

        self.waiting[pool] += 1
        future = asyncio.wrap_future(pool.submit(begin))
        try:
            while True:
                done, _ = await asyncio.wait({future}, timeout=POLL_SECONDS)
                if done:
                    return future.result()
                if await request.is_disconnected():
                    raise AbandonedError
        finally:
            self.waiting[pool] -= 1
            if not future.done():
                abandoned.set()
                future.cancel()

    def close(self) -> None:
        """Begin nothing more, and wait for what runs."""
        for pool in (self.searching, self.reading, self.signing_in):
            pool.shutdown(wait=True, cancel_futures=True)
