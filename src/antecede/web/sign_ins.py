"""Attempts to sign in: one password is checked at a time, and in a flood of failures one is answered at a time.

A check takes long on purpose. So that guesses keep nobody out who knows the password, an attempt waits behind those
from addresses with fewer failures and behind newer ones, not behind older ones. Only the answer to a failure is
delayed, by which guesses become few; nobody has to wait because others failed under the same name.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antecede.web.workbench import OverloadError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

FAILURES, SECONDS = 10, 60.0
"""Failures from an address or under a name within so many seconds that are answered at once."""
EVERYWHERE = 10
"""So many times as many are, where each has another address and another name."""
ANSWER_SECONDS = 2.0
"""The time between the answers to further failures."""
MOST_WAITING = 150
"""Attempts that may wait for their check, and failures for their answer: fewer than there may be connections."""


@dataclass(eq=False)
class Attempt:
    """An attempt to sign in, which waits for its check, and perhaps once more for its answer."""

    address: str
    user: str
    time: float = 0.0
    """When it failed."""
    refused: bool = False
    ready: asyncio.Event = field(default_factory=asyncio.Event)


class SignIns:
    """The attempts to sign in on a server."""

    def __init__(self) -> None:
        self.waiting: list[Attempt] = []
        self.checking: Attempt | None = None
        self.failures: deque[Attempt] = deque()
        """Those of the last minute."""
        self.unanswered: list[Attempt] = []
        self.timer: asyncio.TimerHandle | None = None

    async def run(self, address: str, user: str, check: Callable[[], Awaitable[str | None]]) -> str | None:
        """The result of a check in its turn: the cookie of a session, or, perhaps late, None."""
        attempt = Attempt(address, user)
        self.waiting.append(attempt)
        if len(self.waiting) > MOST_WAITING:
            self._take_last(self.waiting).refused = True
        self._begin_next()
        try:
            await attempt.ready.wait()
            if attempt.refused:
                raise OverloadError
            cookie = await check()
        finally:
            if attempt is self.checking:
                self.checking = None
            elif attempt in self.waiting:
                self.waiting.remove(attempt)
            self._begin_next()
        if cookie is None:
            await self._delay(attempt)
        return cookie

    def _begin_next(self) -> None:
        if self.checking is None and self.waiting:
            self.checking = self._take_first(self.waiting)

    async def _delay(self, failure: Attempt) -> None:
        """Wait for the turn of a failure, unless there are few and no attempt waits."""
        failure.time = time.monotonic()
        self.failures.append(failure)
        self._forget()
        alike = [sum(each.address == failure.address for each in self.failures)]
        alike += [sum(each.user == failure.user for each in self.failures), len(self.failures) // EVERYWHERE]
        if max(alike) <= FAILURES and not self.waiting:
            return
        failure.ready.clear()
        self.unanswered.append(failure)
        if len(self.unanswered) > MOST_WAITING:
            self._take_last(self.unanswered)
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(ANSWER_SECONDS, self._answer_next)
        try:
            await failure.ready.wait()
        finally:
            if failure in self.unanswered:
                self.unanswered.remove(failure)

    def _answer_next(self) -> None:
        self.timer = None
        if self.unanswered:
            self._take_first(self.unanswered)
            self.timer = asyncio.get_running_loop().call_later(ANSWER_SECONDS, self._answer_next)

    def _take_first(self, attempts: list[Attempt]) -> Attempt:
        """The attempt whose turn it is: the newest of those from addresses with the fewest failures."""
        return self._take(attempts, min(reversed(attempts), key=self._rank()))

    def _take_last(self, attempts: list[Attempt]) -> Attempt:
        return self._take(attempts, max(attempts, key=self._rank()))

    def _take(self, attempts: list[Attempt], attempt: Attempt) -> Attempt:
        attempts.remove(attempt)
        attempt.ready.set()
        return attempt

    def _rank(self) -> Callable[[Attempt], int]:
        self._forget()
        failures = Counter(failure.address for failure in self.failures)
        return lambda attempt: failures[attempt.address] // FAILURES

    def _forget(self) -> None:
        since = time.monotonic() - SECONDS
        while self.failures and self.failures[0].time < since:
            self.failures.popleft()
