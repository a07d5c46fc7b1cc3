"""A connection to a cluster on which no answer is larger, or takes longer, than is allowed.

The time-out of a socket bounds each read, so that an answer that comes byte by byte would never end: here the whole
body has this time.
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

from opensearchpy import Urllib3HttpConnection
from opensearchpy.exceptions import ConnectionError as NotConnected
from opensearchpy.exceptions import SerializationError
from urllib3.exceptions import ReadTimeoutError

from antecede.errors import AntecedeError, InputError

MAX_BYTES = 256 << 20
"""Bytes of an answer: more than a million hits, or the term counts of 500 very long documents."""
MAX_ERROR_BYTES = 1 << 20
"""Bytes of the description of an error."""
MAX_VALUES = 10_000_000
"""Objects, lists and entries of an answer, which take more memory than their bytes; a million hits have 8 million."""
PIECE = 1 << 20


class BoundedConnection(Urllib3HttpConnection):
    def __init__(self, *words: Any, **settings: Any) -> None:
        super().__init__(*words, **settings)
        pool: Any = self.pool
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
        until = time.monotonic() + seconds
        # Nothing is compressed, since we do not ask for it: what is compressed nevertheless is no answer.
        response = self.open_url(method, url, body, preload_content=False, decode_content=False, **how)
        left = MAX_BYTES if response.status < 300 else MAX_ERROR_BYTES
        pieces: list[bytes] = []
        while left >= 0 and (piece := response.read1(PIECE)):
            pieces.append(piece)
            left -= len(piece)
            if time.monotonic() > until:
                response.close()
                raise ReadTimeoutError(self.pool, url, f"no complete answer in {seconds:g} s")
        data = b"".join(pieces)
        if left < 0 or sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
            response.close()
            raise InputError(
                "an answer of the cluster is too large",
                source=self.host,
                remedy="ask for fewer documents (-k); check that it is a cluster of OpenSearch",
            )
        response.release_conn()
        return SimpleNamespace(status=response.status, headers=response.headers, data=data)
