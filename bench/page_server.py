"""The searcher's page as a user starts it, for measurements."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESS = re.compile(r"(http://[^/]+)/\?token=(\S+)")


@dataclass(frozen=True)
class PageServer:
    """A running server."""

    root: str
    token: str
    pid: int

    def client(self) -> httpx2.Client:
        """A client that is signed in."""
        opened = httpx2.Client(base_url=self.root, follow_redirects=True, timeout=120)
        opened.get("/api/session", params={"token": self.token})
        opened.headers["X-CSRF-Token"] = opened.get("/api/session").json()["csrf"]
        return opened

    @property
    def peak_mb(self) -> float | None:
        """The largest resident memory so far; None where the system does not tell."""
        try:
            told = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return None
        return next((int(line.split()[1]) / 1000 for line in told.splitlines() if line.startswith("VmHWM")), None)


def recent_topics(index: str, number: int) -> tuple[int, list[str]]:
    """How many documents an index has, and some that have much prior art in it: of the later half by date."""
    from antecede.engine import open_index, read_headers

    opened = open_index(index)
    step = max(1, opened.size // (2 * number))
    headers = read_headers(opened, opened.all_numbers()[::step])
    dated = sorted((each.day, each.doc_id) for each in headers if each.day is not None)
    return opened.documents, [doc_id for _, doc_id in dated[-number:]]


@contextmanager
def serving(index: str) -> Iterator[PageServer]:
    """`antecede serve` on an index, with an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        cases = str(Path(folder) / "cases.sqlite")
        words = [sys.executable, "-m", "antecede", "serve", index, "--cases", cases, "--port", "0"]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                line = process.stderr.readline()
                found = ADDRESS.search(line)
                if found is None:
                    raise RuntimeError(f"the server did not start: {line}")
                yield PageServer(found[1], found[2], process.pid)
            finally:
                process.kill()
