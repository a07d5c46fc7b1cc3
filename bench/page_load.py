"""Load on the searcher's page: users who search, read and mark at the same time.

    python -m bench.page_load INDEX [--users 50] [--seconds 120] [--json]

Starts `antecede serve` on an index, lets each user open a case of their own and then mix searches, edits, pages,
documents and marks, with a pause for reading between requests, and prints the number of requests and errors, and
quantiles of the time to answer by kind of request. At the end every mark that was confirmed must be in its case.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.page_server import PageServer, recent_topics, serving

PAUSE = (0.5, 3.0)
"""Seconds that a user looks at an answer."""
ARRIVAL = 15.0
"""Seconds within which all users come."""
MIX = {"read": 35, "mark": 30, "search_again": 10, "page": 10, "facets": 10, "progress": 5}
"""What users do, in percent. A search is an edit of the query and what it finds."""
SHARES = (0.5, 0.95, 0.99)
TOPICS = 200


class Ledger:
    """Times and errors of requests, by kind."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.lock = threading.Lock()

    def note(self, kind: str, seconds: float, answer: httpx2.Response | None, error: str = "") -> None:
        with self.lock:
            self.times[kind].append(seconds)
            if answer is None or answer.status_code >= 400:
                self.errors.append(f"{kind}: {error or (answer.text[:200] if answer is not None else '')}")


class User:
    """One user with a case."""

    def __init__(self, server: PageServer, topics: list[str], ledger: Ledger, seed: int) -> None:
        self.ledger, self.draw, self.topics = ledger, random.Random(seed), topics  # noqa: S311
        self.client = server.client()
        self.hits: list[dict[str, Any]] = []
        self.terms: list[dict[str, Any]] = []
        self.marks: dict[str, str] = {}
        self.path = ""
        self.search = 1
        self.version = 0
        """The latest version of the case that this user has seen; nobody else changes it."""

    def ask(self, kind: str, method: str, path: str, **more: Any) -> Any:
        began = time.perf_counter()
        try:
            answer = self.client.request(method, path, **more)
        except httpx2.HTTPError as error:
            self.ledger.note(kind, time.perf_counter() - began, None, repr(error))
            return {}
        self.ledger.note(kind, time.perf_counter() - began, answer)
        return answer.json() if answer.status_code < 400 and answer.content else {}

    def arrive(self, until: float) -> None:
        """Come at some time of the first seconds, and work."""
        time.sleep(self.draw.uniform(0, ARRIVAL))
        self.work(until)

    def work(self, until: float) -> None:
        """Open a case, and go on until a time."""
        topic = self.ask("open", "POST", "/api/topics", json={"number": self.draw.choice(self.topics)})
        case = self.ask("open", "POST", "/api/cases", json={"patent": topic.get("patent")})
        self.path = f"/api/cases/{case.get('id')}"
        self.find()
        self.terms = self.ask("edit", "GET", f"{self.path}/query").get("terms", [])
        while time.perf_counter() < until:
            time.sleep(self.draw.uniform(*PAUSE))
            (kind,) = self.draw.choices(tuple(MIX), tuple(MIX.values()))
            if self.hits and self.terms:
                getattr(self, kind)()

    def find(self) -> None:
        found = self.ask("search", "POST", f"{self.path}/search", json={})
        self.hits = found.get("hits", self.hits)
        self.search = found.get("search", {}).get("number", self.search)

    def read(self) -> None:
        document = self.draw.choice(self.hits)["doc_id"]
        self.ask("read", "GET", f"{self.path}/document", params={"id": document, "search": self.search})
        self.ask("seen", "POST", f"{self.path}/seen", json={"doc_id": document, "search": self.search})

    def mark(self) -> None:
        document = self.draw.choice(self.hits)["doc_id"]
        values = {"doc_id": document, "relevance": self.draw.choice(("relevant", "maybe", "not", "not"))}
        asked = {**values, "search": self.search, "version": self.version}
        if changed := self.ask("mark", "PATCH", f"{self.path}/marks", json=asked):
            self.marks[document] = values["relevance"]
            self.version = changed["version"]

    def search_again(self) -> None:
        names = ("term", "language", "word")
        off = [
            {**{name: each[name] for name in names}, "off": True}
            for each in self.draw.sample(self.terms, min(3, len(self.terms)))
        ]
        changed = self.ask("edit", "PUT", f"{self.path}/query", json={"terms": off, "version": self.version})
        self.version = max(self.version, changed.get("version", 0))
        self.find()

    def page(self) -> None:
        self.ask(
            "page", "GET", f"{self.path}/searches/{self.search}", params={"offset": 25 * self.draw.randrange(1, 4)}
        )

    def facets(self) -> None:
        self.ask("facets", "GET", f"{self.path}/searches/{self.search}/facets")

    def progress(self) -> None:
        self.ask("progress", "GET", f"{self.path}/progress")

    def missing(self) -> int:
        """How many confirmed marks the case does not have."""
        stored = self.client.get(f"{self.path}/marks").json()
        have = {each["doc_id"]: each["relevance"] for each in stored}
        return sum(have.get(document) != relevance for document, relevance in self.marks.items())


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def run_load(index: str, users: int, seconds: float) -> dict[str, Any]:
    """Run the load; its figures."""
    documents, topics = recent_topics(index, TOPICS)
    ledger = Ledger()
    with serving(index) as server:
        crowd = [User(server, topics, ledger, seed) for seed in range(users)]
        crowd[0].work(time.perf_counter())  # what is loaded on first use
        ledger.times.clear()
        began = time.perf_counter()
        threads = [threading.Thread(target=each.arrive, args=(began + seconds,)) for each in crowd]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - began
        missing = sum(each.missing() for each in crowd)
        peak = server.peak_mb
    every = [each for times in ledger.times.values() for each in times]
    kinds = {
        kind: [len(times), *(1000 * quantile(times, share) for share in SHARES), 1000 * statistics.mean(times)]
        for kind, times in [*sorted(ledger.times.items()), ("all", every)]
    }
    return {
        "users": users,
        "seconds": took,
        "documents": documents,
        "kinds": kinds,
        "errors": ledger.errors[:20],
        "failed": len(ledger.errors),
        "marks": sum(len(each.marks) for each in crowd),
        "missing": missing,
        "peak_mb": peak,
    }


def show(found: dict[str, Any]) -> None:
    """Print the figures for a person."""
    number = found["kinds"]["all"][0]
    print(f"{found['users']} users, {found['seconds']:.0f} s, {found['documents']} documents: {number} requests, "
          f"{number / found['seconds']:.1f}/s, {found['failed']} errors, {found['marks']} documents marked, "
          f"{found['missing']} confirmed marks missing, peak {found['peak_mb'] or 0:.0f} MB")  # fmt: skip
    print(f"{'request':<10}{'number':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}{'mean ms':>9}")
    for kind, (often, *times) in found["kinds"].items():
        print(f"{kind:<10}{often:>8}" + "".join(f"{each:>9.0f}" for each in times))
    for line in found["errors"]:
        print(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index")
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = run_load(given.index, given.users, given.seconds)
    if given.json:
        json.dump(figures, sys.stdout)
    else:
        show(figures)
        sys.exit(1 if figures["failed"] or figures["missing"] else 0)
