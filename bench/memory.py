"""The memory of a program with all its processes, watched while it runs."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERY_SECONDS = 0.05
PROC = Path("/proc")


@dataclass
class Watched:
    """The most that all processes had together; None where the system does not tell."""

    peak_mb: float | None = None


@contextmanager
def watching() -> Iterator[Watched]:
    """Watch the processes that are started inside. Pages of files do not count: the system takes them back at will."""
    watched, done = Watched(), threading.Event()

    def watch() -> None:
        while not done.wait(EVERY_SECONDS):
            watched.peak_mb = max(watched.peak_mb or 0.0, sum(map(own_mb, below(os.getpid()))))

    thread = threading.Thread(target=watch, daemon=True)
    if PROC.is_dir():
        thread.start()
    try:
        yield watched
    finally:
        done.set()
        if thread.ident is not None:
            thread.join()


def below(pid: int) -> list[int]:
    """The processes that a process started, and those that these did."""
    children: dict[int, list[int]] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                told = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            children.setdefault(int(told[1]), []).append(int(folder.name))
    found, waiting = [], [pid]
    while waiting:
        found += (new := children.get(waiting.pop(), []))
        waiting += new
    return found


def own_mb(pid: int) -> float:
    """The memory of a process that is not of files."""
    try:
        told = (PROC / str(pid) / "status").read_text()
    except OSError:
        return 0.0
    parts = (line.split() for line in told.splitlines() if line.startswith(("RssAnon", "RssShmem")))
    return sum(int(part[1]) for part in parts) / 1000
