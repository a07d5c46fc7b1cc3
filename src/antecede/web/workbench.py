"""What the views share: the threads that do the work, who asks, and templates.

A view is a function with the decorator `route`, which takes a `Review`, or a `Site` where no case is concerned. The
server makes requests call it; everything else may call it as it is.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined

from antecede.errors import UsageError
from antecede.parallel import AbandonedError, abandonable, check_wanted
from antecede.review.case import Review
from antecede.review.store import READ, ReadOnlyError

if TYPE_CHECKING:
    from starlette.requests import Request

    from antecede.review.workbench import Workbench
    from antecede.web.access import Access

Result = TypeVar("Result")
View = TypeVar("View", bound=Callable[..., Any])
Kind = Literal["search", "read", "file", "sign-in"]
POLL_SECONDS, CLOSE_SECONDS = 0.25, 1.0
SLOW_SECONDS, MOST_SLOW = 0.25, 30
"""The time after which work that goes on keeps nobody else from beginning, and how many threads there are for such."""
MOST_WAITING = 500
"""Searches that may wait; more are refused, so that those that wait are answered."""
FILES = 2
"""Uploaded files that are read at a time, each by another process."""
SIGN_INS = 1
"""Passwords that are hashed at a time, since a hash takes 64 MB and four threads."""


class OverloadError(UsageError):
    """Too many requests are waiting."""

    def __init__(self) -> None:
        super().__init__("too many requests are waiting; try again")


class Turn:
    """The turn of some work among that of its kind: from its beginning until it has ended, or has become slow."""

    def __init__(self, turns: threading.Semaphore) -> None:
        self._turns, self._lock, self._taken = turns, threading.Lock(), False
        self._begun = math.inf

    def __enter__(self) -> None:
        self._turns.acquire()
        self._taken, self._begun = True, time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._end()

    def end_if_slow(self) -> None:
        if time.monotonic() - self._begun > SLOW_SECONDS:
            self._end()

    def _end(self) -> None:
        with self._lock:
            if self._taken:
                self._taken = False
                self._turns.release()


class Workers:
    """Threads for searches, and as many for reading: a document, the query, how much was found.

    There are more of both for work that takes long, so that a few expressions that are hard to evaluate keep nobody
    else waiting.
    """

    def __init__(self, number: int = max(2, os.cpu_count() or 2)) -> None:
        sizes = {"search": number, "read": number, "file": FILES, "sign-in": SIGN_INS}
        threads = sizes | {"search": number + MOST_SLOW, "read": number + MOST_SLOW}
        self.pools = {kind: ThreadPoolExecutor(size, f"antecede-{kind}") for kind, size in threads.items()}
        self.turns = {kind: threading.Semaphore(size) for kind, size in sizes.items()}
        self.waiting: Counter[str] = Counter()
        self.running: dict[Future[Any], threading.Event] = {}
        """What is not done yet, and what is set to end it."""

    async def run(self, kind: Kind, request: Request, work: Callable[[], Result]) -> Result:
        """The result of work: a search or what takes as long, short work, the reading of a file, a check of a password.

        Searches never block the page, nor do they keep a reader waiting. What nobody waits for any more is not begun;
        what has begun ends at its next check, and nothing of it is stored.
        """
        if self.waiting[kind] >= MOST_WAITING:
            raise OverloadError
        abandoned = threading.Event()

        turn = Turn(self.turns[kind])

        def begin() -> Result:
            with abandonable(abandoned), turn:
                check_wanted()
                return work()

        self.waiting[kind] += 1
        submitted = self.pools[kind].submit(begin)
        self.running[submitted] = abandoned
        submitted.add_done_callback(self.running.pop)
        future = asyncio.wrap_future(submitted)
        try:
            while True:
                done, _ = await asyncio.wait({future}, timeout=POLL_SECONDS)
                if done:
                    return future.result()
                if abandoned.is_set() or await request.is_disconnected():
                    raise AbandonedError
                if kind in ("search", "read"):
                    turn.end_if_slow()
        finally:
            self.waiting[kind] -= 1
            if not future.done():
                abandoned.set()
                future.cancel()

    def abandon(self) -> None:
        """Answer what runs or waits that it is abandoned; what runs ends at its next check."""
        for abandoned in [*self.running.values()]:
            abandoned.set()

    def close(self) -> None:
        """Begin nothing more, and give what runs a moment to end."""
        self.abandon()
        for pool in self.pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        wait([*self.running], timeout=CLOSE_SECONDS)


class Site:
    """A request, and what it takes to answer it: the index and the store, threads, who gets in, and the user."""

    def __init__(self, request: Request) -> None:
        state = request.app.state
        self.request = request
        self.access: Access = state.access
        self.workbench: Workbench = state.workbench
        self.workers: Workers = state.workers
        self.user: str = request.state.user or ""
        """The user; empty where there are no named users."""
        self.owner = self.user if self.access.users is not None else None
        """The user whose cases may be opened; None where there are no named users, and everybody may open all."""

    def case(self, case_id: str, *, changes: bool = False) -> Review:
        """A case that the user must be allowed to open, and to change where that is asked for."""
        store = self.workbench.store
        row = store.case(case_id, self.owner)
        if changes and row.right == READ:
            raise ReadOnlyError("this case is shared with you to be read; ask its owner to let you change it")
        return Review(store, row, workbench=self.workbench, user=self.user)


class Route(NamedTuple):
    """Which requests a view answers: under the address of its case, or of the API."""

    method: str
    path: str
    tag: str
    long: bool
    """Whether it may take as long as a search."""
    status: int
    file: bool
    """Whether the body is a file."""
    changes: bool
    """Whether it changes a case, which only those may who it is not merely shared with to be read."""


def route(
    method: str,
    path: str,
    tag: str = "searching",
    *,
    long: bool = False,
    status: int = 200,
    file: bool = False,
    changes: bool | None = None,
) -> Callable[[View], View]:
    """Decorator: a function is a view. Unless specified otherwise, all but GET change a case."""

    def mark(view: View) -> View:
        vars(view)["route"] = Route(
            method, path, tag, long, status, file, method != "GET" if changes is None else changes
        )
        return view

    return mark


@cache
def environment(folder: str, undefined: type[Undefined] = StrictUndefined) -> Environment:
    """Templates that escape every value, and unless specified otherwise fail on undefined names."""
    loader = PackageLoader("antecede.web", folder)
    return Environment(loader=loader, autoescape=True, undefined=undefined, trim_blocks=True, lstrip_blocks=True)
