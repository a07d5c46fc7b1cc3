"""A worker: a process of its own that makes chunks as it is told on its standard input.

A request is a head of JSON and bytes behind it; the answer is JSON. A worker ends when its input does, so none outlives
the build by more than a chunk.
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
from antecede.text.bulk import load_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = 16
"""Bytes that say how long the head is, and what follows it."""


def send(out: IO[bytes], head: dict[str, Any], data: Sequence[bytes] = ()) -> None:
    """Write a message."""
    text = json.dumps(head).encode()
    sizes = len(text).to_bytes(8, "little") + sum(map(len, data)).to_bytes(8, "little")
    out.write(b"".join([sizes, text, *data]))  # at one stroke: each would wait for the interpreter's lock
    out.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read a message; None where there is none any more."""
    sizes = stream.read(SIZES)
    if len(sizes) < SIZES:
        return None
    head, data = (int.from_bytes(sizes[at : at + 8], "little") for at in (0, 8))
    text, rest = stream.read(head), stream.read(data)
    return (json.loads(text), rest) if len(text) == head and len(rest) == data else None


def make_chunk(maker: ChunkMaker, head: dict[str, Any], data: bytes) -> dict[str, Any]:
    """Make a chunk of raw documents, or of patents given as packed documents."""
    path = Path(head["path"])
    if "patents" not in head:
        return maker.make(restore_items(head["items"], data), path)
    at, patents = 0, []
    for lengths in head["patents"]:
        ends = [at := at + length for length in lengths]
        patents.append([data[end - length : end] for end, length in zip(ends, lengths, strict=True)])
    return maker.remake(patents, path)


def main() -> None:
    """Serve until there is nothing more to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the build hears it too, and ends its workers
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what anybody prints must not stand among the answers
        if (begin := receive(sys.stdin.buffer)) is None:
            return
        maker = ChunkMaker(Settings.from_dict(begin[0]))
        load_kernels()
        send(out, {"ready": True})
        gc.freeze()  # what is there now stays to the end, and need not be looked through again and again
        while (request := receive(sys.stdin.buffer)) is not None:
            try:
                send(out, {"facts": make_chunk(maker, *request)})
            except AntecedeError as error:
                send(out, {"refused": str(error)})
            except OSError as error:
                send(out, {"errno": error.errno, "error": error.strerror or str(error)})
            except MemoryError:
                send(out, {"memory": True})
