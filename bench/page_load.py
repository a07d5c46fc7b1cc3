"""Load on the searcher's page: users who search, read and mark at the same time.

    python -m bench.page_load INDEX [--users 50] [--seconds 120]

Starts `antecede serve` on an index, lets each user open a case of their own and then mix searches, edits, pages,
documents and marks, with a pause for reading between requests, and prints the number of requests and errors, and
quantiles of the time to answer by kind of request.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx

from antecede.search.engine import open_index

ADDRESS = re.compile(r"(http://[^/]+)/\?token=(\S+)")
PAUSE = (0.5, 3.0)
"""Seconds that a user looks at an answer."""


class Ledger:
    """Times and errors of requests, by kind."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.lock = threading.Lock()

    def note(self, kind: str, seconds: float, answer: httpx.Response | None, error: str = "") -> None:
        with self.lock:
            self.times[kind].append(seconds)
            if answer is None or answer.status_code >= 400:
                self.errors.append(f"{kind}: {error or (answer.text[:200] if answer is not None else '')}")


class User:
    """One user with a case."""

    def __init__(self, address: str, token: str, topics: list[str], ledger: Ledger, seed: int) -> None:
        self.ledger, self.draw, self.topics = ledger, random.Random(seed), topics  # noqa: S311
        self.client = httpx.Client(base_url=address, follow_redirects=True, timeout=120)
        self.client.get("/api/session", params={"token": token})
        self.client.headers["X-CSRF-Token"] = self.client.get("/api/session").json()["csrf"]

    def ask(self, kind: str, method: str, path: str, **more: Any) -> Any:
        began = time.perf_counter()
        try:
            answer = self.client.request(method, path, **more)
        except httpx.HTTPError as error:
            self.ledger.note(kind, time.perf_counter() - began, None, repr(error))
            return {}
        self.ledger.note(kind, time.perf_counter() - began, answer)
        return answer.json() if answer.status_code < 400 and answer.content else {}

    def work(self, until: float) -> None:
        topic = self.ask("open", "POST", "/api/topics", json={"number": self.draw.choice(self.topics)})
        case = self.ask("open", "POST", "/api/cases", json={"patent": topic.get("patent")})
        path = f"/api/cases/{case.get('id')}"
        hits = self.ask("search", "POST", f"{path}/search", json={}).get("hits", [])
        terms = self.ask("query", "GET", f"{path}/query").get("terms", [])
        while time.perf_counter() < until:
            time.sleep(self.draw.uniform(*PAUSE))
            hit = self.draw.choice(hits) if hits else None
            kind = self.draw.choices(("read", "mark", "search", "page", "facets", "progress"), (35, 30, 10, 10, 10, 5))[
                0
            ]
            if kind == "read" and hit:
                self.ask(kind, "GET", f"{path}/document", params={"id": hit["doc_id"], "search": 1})
            elif kind == "mark" and hit:
                relevance = self.draw.choice(("relevant", "maybe", "not", "not"))
                self.ask(
                    kind, "PUT", f"{path}/marks", json={"doc_id": hit["doc_id"], "relevance": relevance, "search": 1}
                )
            elif kind == "search" and terms:
                off = [{**{name: each[name] for name in ("term", "language", "word")}, "off": True}
                       for each in self.draw.sample(terms, min(3, len(terms)))]  # fmt: skip
                self.ask("query", "PUT", f"{path}/query", json={"terms": off})
                hits = self.ask("search", "POST", f"{path}/search", json={}).get("hits", hits)
            elif kind == "page":
                self.ask(kind, "GET", f"{path}/searches/1", params={"offset": 25 * self.draw.randrange(4)})
            elif kind == "facets":
                self.ask(kind, "GET", f"{path}/searches/1/facets")
            elif kind == "progress":
                self.ask(kind, "GET", f"{path}/progress")


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def run_load(index: str, users: int, seconds: float) -> int:
    """Run the load and print its figures; the number of errors."""
    opened = open_index(index)
    segment = opened.segments[0]
    topics = [
        header.doc_id for header in segment.store.headers(range(0, segment.documents, max(1, segment.documents // 200)))
    ]
    ledger = Ledger()
    with tempfile.TemporaryDirectory() as folder:
        words = [
            sys.executable,
            "-m",
            "antecede",
            "serve",
            index,
            "--cases",
            str(Path(folder) / "cases.sqlite"),
            "--port",
            "0",
        ]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                found = ADDRESS.search(process.stderr.readline())
                assert found is not None
                crowd = [User(found[1], found[2], topics, ledger, seed) for seed in range(users)]
                crowd[0].work(time.perf_counter())  # what is loaded on first use
                ledger.times.clear()
                began = time.perf_counter()
                threads = [threading.Thread(target=each.work, args=(began + seconds,)) for each in crowd]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                took = time.perf_counter() - began
            finally:
                process.kill()
    every = [each for times in ledger.times.values() for each in times]
    print(f"{users} users, {took:.0f} s, {opened.documents} documents: {len(every)} requests, "
          f"{len(every) / took:.1f}/s, {len(ledger.errors)} errors")  # fmt: skip
    print(f"{'request':<10}{'number':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'mean ms':>9}")
    for kind, times in [*sorted(ledger.times.items()), ("all", every)]:
        shares = "".join(f"{1000 * quantile(times, share):>9.0f}" for share in (0.5, 0.95, 0.99))
        print(f"{kind:<10}{len(times):>8}{shares}{1000 * statistics.mean(times):>9.0f}")
    for line in ledger.errors[:10]:
        print(line)
    return len(ledger.errors)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index")
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120)
    given = parser.parse_args()
    sys.exit(1 if run_load(given.index, given.users, given.seconds) else 0)
