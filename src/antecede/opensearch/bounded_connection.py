"""A connection to a cluster on which no answer is larger, or takes longer, than is allowed.

The time-out of a socket bounds each read, so that an answer that comes byte by byte, headers or body, would never end.
Here a timer hangs up when the whole answer takes too long.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from opensearchpy import Urllib3HttpConnection
from opensearchpy.exceptions import ConnectionError as NotConnected
from opensearchpy.exceptions import SerializationError
from urllib3.exceptions import ReadTimeoutError

from antecede.errors import AntecedeError, InputError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

LARGEST = 256 << 20
"""Bytes of an answer: more than a million hits, or the term counts of 500 very long documents."""
LARGEST_ERROR = 1 << 20
"""Bytes of the description of an error."""
MOST_VALUES = 10_000_000
"""Objects, lists and entries of an answer, which take more memory than their bytes; a million hits have 8 million."""
PIECE = 1 << 20
WATCHED = threading.local()
"""The exchange of each thread."""


class Exchange:
    """A request and its answer; when its time is up, the connection is shut down."""

    def __init__(self, seconds: float) -> None:
        self.overdue = False
        self.socket: socket.socket | None = None
        self.timer = threading.Timer(seconds, self.hang_up)
        self.timer.daemon = True

    def hang_up(self) -> None:
        """Have whoever waits for the socket see its end."""
        self.overdue = True
        if self.socket is not None:
            with suppress(OSError):  # it is closed already
                self.socket.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        WATCHED.exchange = self
        self.timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        WATCHED.exchange = None
        self.timer.cancel()


class WatchedConnection:
    """Part of a connection of urllib3: tells the exchange of its thread which socket it waits for."""

    def getresponse(self, *words: Any, **how: Any) -> Any:
        exchange: Exchange | None = getattr(WATCHED, "exchange", None)
        if exchange is not None:
            exchange.socket = self.sock  # type: ignore[attr-defined]
            if exchange.overdue:
                exchange.hang_up()
        return super().getresponse(*words, **how)  # type: ignore[misc]


class BoundedConnection(Urllib3HttpConnection):
    def __init__(self, *words: Any, **settings: Any) -> None:
        super().__init__(*words, **settings)
        pool: Any = self.pool
        pool.ConnectionCls = type("Connection", (WatchedConnection, pool.ConnectionCls), {})
        self.open_url = pool.urlopen
        pool.urlopen = self.exchange

    def perform_request(self, *words: Any, **how: Any) -> Any:
        """The answer to a request; one that is too large, or no text, is not asked for again."""
        try:
            return super().perform_request(*words, **how)
        except NotConnected as error:
            if isinstance(error.info, AntecedeError):
                raise error.info from None
            if isinstance(error.info, UnicodeDecodeError):
                raise SerializationError("it is not text in UTF-8") from None
            raise

    def exchange(self, method: str, url: str, body: Any = None, **how: Any) -> SimpleNamespace:
        seconds = how.get("timeout") or self.timeout
        with Exchange(seconds) as exchange:
            try:
                # Nothing is compressed, since we do not ask for it: what is compressed nevertheless is no answer.
                response = self.open_url(method, url, body, preload_content=False, decode_content=False, **how)
                data = self.read(response)
            except AntecedeError:
                raise
            except Exception:
                if not exchange.overdue:
                    raise
            if exchange.overdue:
                raise ReadTimeoutError(self.pool, url, f"no complete answer in {seconds:g} s")
        return SimpleNamespace(status=response.status, headers=response.headers, data=data)

    def read(self, response: Any) -> bytes:
        largest = LARGEST if response.status < 300 else LARGEST_ERROR
        pieces: list[bytes] = []
        while piece := response.read(PIECE):
            pieces.append(piece)
            largest -= len(piece)
            if largest < 0:
                break
        data = b"".join(pieces)
        if largest < 0 or sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
            response.close()
            raise InputError(
                "an answer of the cluster is too large",
                source=self.host,
                remedy="ask for fewer documents (-k); check that it is a cluster of OpenSearch",
            )
        response.release_conn()
        return data
