"""Connections that end when their client is too slow, or when there are too many and they are long idle.

uvicorn itself waits for the head of a request without a limit, and at its limit of connections it refuses new clients:
idle connections would lock everybody out. A `Connection` stands between the socket and uvicorn's own protocol and
passes everything on; what is under way on it is told by the application that the server calls.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_CONNECTIONS = 400
"""Open connections beyond which idle ones are ended; fewer than the 1,024 files that a process may usually open."""
CLIENT_SECONDS = 15.0
"""The time in which a client must send the head of a request, or go on reading an answer."""


class Connections:
    """The open connections of a server, by the address of their clients; it is the application that uvicorn calls."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.open: dict[Any, Connection] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = self.open.get(scope.get("client"))
        if connection is None:
            return await self.app(scope, receive, send)
        connection.begin_request()
        try:
            await self.app(scope, receive, send)
        finally:
            connection.end_request()

    def end_idle(self) -> None:
        """End some connections where there are too many: those without a request first, then the longest idle."""
        if len(self.open) > MOST_CONNECTIONS:
            idle = [connection for connection in self.open.values() if not connection.requests]
            idle.sort(key=lambda connection: (connection.served > 0, connection.idle_since))
            for connection in idle[: MOST_CONNECTIONS // 10]:  # several at once: sorting takes longer than ending one
                del self.open[connection.client]
                connection.transport.abort()


class Connection(asyncio.Protocol):
    """A connection with a limit of time, which passes everything on to the protocol that a server would use for it."""

    transport: asyncio.Transport

    def __init__(self, connections: Connections, make: Callable[..., Any], **given: Any) -> None:
        self.connections, self.inner = connections, make(**given)
        self.client: Any = None
        self.requests, self.served = 0, 0
        self.paused = False
        self.idle_since = 0.0
        self.deadline: asyncio.TimerHandle | None = None

    def begin_request(self) -> None:
        self.requests += 1
        self._limit(waiting=self.paused)

    def end_request(self) -> None:
        self.requests, self.served = self.requests - 1, self.served + 1
        self.idle_since = asyncio.get_running_loop().time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.client = transport, transport.get_extra_info("peername")  # type: ignore[assignment]
        self.client = tuple(self.client[:2]) if isinstance(self.client, tuple) else id(self)
        self.connections.open[self.client] = self
        self.inner.connection_made(transport)
        self._limit(waiting=True)
        self.connections.end_idle()

    def data_received(self, data: bytes) -> None:
        self.inner.data_received(data)
        self._limit(waiting=self.paused or not self.requests)

    def eof_received(self) -> bool | None:
        return bool(self.inner.eof_received())

    def pause_writing(self) -> None:
        self.inner.pause_writing()
        self.paused = True
        self._limit(waiting=True)

    def resume_writing(self) -> None:
        self.inner.resume_writing()
        self.paused = False
        self._limit(waiting=False)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit(waiting=False)
        if self.connections.open.get(self.client) is self:
            del self.connections.open[self.client]
        self.inner.connection_lost(exc)

    def _limit(self, *, waiting: bool) -> None:
        """Limit the time until the head of a request is complete, and in which a client reads nothing of an answer."""
        if waiting and self.deadline is None:
            loop = asyncio.get_running_loop()
            self.idle_since = loop.time()
            self.deadline = loop.call_later(CLIENT_SECONDS, self.transport.abort)
        elif not waiting and self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
