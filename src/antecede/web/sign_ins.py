"""Attempts to sign in: one password is checked at a time, and in a flood of failures one is answered at a time.

A check takes long on purpose. So that guesses keep nobody out who knows the password, an attempt waits behind those
from addresses with fewer failures. Of those that remain, the newest and the oldest are checked by turns: guesses that
wait for their answers are soon older, and those of clients that go and come back are newer. Only the answer to a
failure is delayed, by which guesses become few; nobody has to wait because others failed under the same name.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antecede.web.workbench import OverloadError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

FAILURES, SECONDS = 10, 60.0
"""Failures from an address or under a name within so many seconds that are answered at once."""
EVERYWHERE = 10
"""So many times as many are, where each has another address and another name."""
ANSWER_SECONDS = 2.0
"""The time between the answers to further failures."""
BUSY_FACTOR = 5
"""At least so many times as long as a check takes, so that on a busy machine too most of the time is left to others."""
MOST_WAITING = 150
"""Attempts that may wait for their check, and failures for their answer: fewer than there may be connections."""
GRACE_SECONDS = 0.5
"""How long more may wait: that clients have gone meanwhile is noticed only when the server has read so far."""
MOST_FAILURES = 20_000
"""Failures that are remembered: a client that does not wait for answers can make thousands a second."""


@dataclass(eq=False)
class Attempt:
    """An attempt to sign in, which waits for its check, and perhaps once more for its answer."""

    address: str
    user: str
    time: float = 0.0
    """When it failed."""
    refused: bool = False
    ready: asyncio.Event = field(default_factory=asyncio.Event)


class Failures:
    """The attempts of the last minute that failed, or whose client did not wait for the answer."""

    def __init__(self) -> None:
        self.recent: deque[Attempt] = deque()
        self.addresses: Counter[str] = Counter()
        self.users: Counter[str] = Counter()

    def add(self, attempt: Attempt) -> None:
        attempt.time = time.monotonic()
        self.recent.append(attempt)
        self.addresses[attempt.address] += 1
        self.users[attempt.user] += 1
        self.forget()

    def forget(self) -> None:
        since = time.monotonic() - SECONDS
        while self.recent and (self.recent[0].time < since or len(self.recent) > MOST_FAILURES):
            old = self.recent.popleft()
            for counts, name in ((self.addresses, old.address), (self.users, old.user)):
                counts[name] -= 1
                if not counts[name]:
                    del counts[name]

    def are_many(self, attempt: Attempt) -> bool:
        """Whether there are too many like an attempt to answer it at once."""
        alike = (self.addresses[attempt.address], self.users[attempt.user], len(self.recent) // EVERYWHERE)
        return max(alike) > FAILURES

    def rank(self, attempt: Attempt) -> int:
        """How often the address of an attempt has failed."""
        return self.addresses[attempt.address] // FAILURES


class SignIns:
    """The attempts to sign in on a server."""

    def __init__(self) -> None:
        self.waiting: list[Attempt] = []
        self.checking: Attempt | None = None
        self.failures = Failures()
        self.unanswered: list[Attempt] = []
        self.timer: asyncio.TimerHandle | None = None
        self.refusing: asyncio.TimerHandle | None = None
        self.check_seconds = 0.0
        """How long the last check took."""
        self.newest = False
        """Whether the newest attempt is next, or the oldest."""

    async def run(self, address: str, user: str, check: Callable[[], Awaitable[str | None]]) -> str | None:
        """The result of a check in its turn: the cookie of a session, or, perhaps late, None.

        It is to be cancelled when the client goes, which is a failure as well.
        """
        attempt = Attempt(address, user)
        cookie = None
        self.waiting.append(attempt)
        if len(self.waiting) > MOST_WAITING and self.refusing is None:
            self.refusing = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._refuse)
        self._begin_next()
        try:
            await attempt.ready.wait()
            if attempt.refused:
                raise OverloadError
            begun = time.monotonic()
            cookie = await check()
            self.check_seconds = time.monotonic() - begun
        finally:
            if cookie is None and not attempt.refused:
                self.failures.add(attempt)
            if attempt is self.checking:
                self.checking = None
            elif attempt in self.waiting:
                self.waiting.remove(attempt)
            self._begin_next()
        if cookie is None:
            await self._delay(attempt)
        return cookie

    def _refuse(self) -> None:
        self.refusing = None
        while len(self.waiting) > MOST_WAITING:
            self._take_last(self.waiting).refused = True

    def _begin_next(self) -> None:
        if self.checking is None and self.waiting:
            self.newest = not self.newest
            self.checking = self._take(self.waiting, reversed(self.waiting) if self.newest else self.waiting)

    async def _delay(self, failure: Attempt) -> None:
        """Wait for the turn of a failure, unless there are few and no attempt waits."""
        if not self.failures.are_many(failure) and not self.waiting:
            return
        failure.ready.clear()
        self.unanswered.append(failure)
        if len(self.unanswered) > MOST_WAITING:
            self._take_last(self.unanswered)
        if self.timer is None:
            self._set_timer()
        try:
            await failure.ready.wait()
        finally:
            if failure in self.unanswered:
                self.unanswered.remove(failure)

    def _set_timer(self) -> None:
        seconds = max(ANSWER_SECONDS, BUSY_FACTOR * self.check_seconds)
        self.timer = asyncio.get_running_loop().call_later(seconds, self._answer_next)

    def _answer_next(self) -> None:
        self.timer = None
        if self.unanswered:
            self._take(self.unanswered, reversed(self.unanswered))
            self._set_timer()

    def _take_last(self, attempts: list[Attempt]) -> Attempt:
        """The oldest of those from addresses with the most failures."""
        return self._remove(attempts, max(attempts, key=self.failures.rank))

    def _take(self, attempts: list[Attempt], order: Iterable[Attempt]) -> Attempt:
        """The first in an order of those from addresses with the fewest failures."""
        self.failures.forget()
        return self._remove(attempts, min(order, key=self.failures.rank))

    def _remove(self, attempts: list[Attempt], attempt: Attempt) -> Attempt:
        attempts.remove(attempt)
        attempt.ready.set()
        return attempt
