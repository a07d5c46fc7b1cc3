"""A worker: a separate process that makes chunks as requested on its standard input.

A request is a JSON header followed by bytes; the answer is JSON. A worker exits at the end of its input, so none
outlives the build by more than a chunk.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from antecede.errors import AntecedeError
from antecede.index.chunk import ChunkMaker, Settings, restore_items

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = 16
"""Bytes that hold the length of the header and of the data after it."""


def send(out: IO[bytes], head: dict[str, Any], data: Sequence[bytes] = ()) -> None:
    """Write a message."""
    text = json.dumps(head).encode()
    sizes = len(text).to_bytes(8, "little") + sum(map(len, data)).to_bytes(8, "little")
    out.write(b"".join([sizes, text, *data]))  # one call: each would wait for the interpreter lock
    out.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read a message; None at the end of the stream."""
    sizes = stream.read(SIZES)
    if len(sizes) < SIZES:
        return None
    head, data = (int.from_bytes(sizes[at : at + 8], "little") for at in (0, 8))
    text, rest = stream.read(head), stream.read(data)
    return (json.loads(text), rest) if len(text) == head and len(rest) == data else None


def make_chunk(maker: ChunkMaker, head: dict[str, Any], data: bytes) -> dict[str, Any]:
    """Make a chunk from raw documents, or from patents given as packed documents."""
    path = Path(head["path"])
    if "patents" not in head:
        return maker.make(restore_items(head["items"], data), path)
    at, patents = 0, []
    for lengths in head["patents"]:
        ends = [at := at + length for length in lengths]
        patents.append([data[end - length : end] for end, length in zip(ends, lengths, strict=True)])
    return maker.remake(patents, path)


def main() -> None:
    """Serve requests until the end of the input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build receives it too, and stops its workers
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # whatever is printed must not be mixed with the answers
        if (begin := receive(sys.stdin.buffer)) is None:
            return
        maker = ChunkMaker(Settings.from_dict(begin[0]))
        send(out, {"ready": True})
        gc.freeze()  # existing objects live until the end: exclude them from garbage collection
        while (request := receive(sys.stdin.buffer)) is not None:
            try:
                send(out, {"facts": make_chunk(maker, *request)})
            except AntecedeError as error:
                send(out, {"refused": str(error)})
            except OSError as error:
                send(out, {"errno": error.errno, "error": error.strerror or str(error)})
            except MemoryError:
                send(out, {"memory": True})
