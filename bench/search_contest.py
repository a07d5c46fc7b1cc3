"""The same queries to antecede and to tantivy, in turns, in one process, beside the limit that memory sets.

    python -P bench/search_contest.py INDEX TANTIVY|- TOPICS.jsonl QUERIES ROUNDS

prints as JSON: the best time of each query over the rounds for each engine, the rate of two threads, how many of the
first 1,000 documents agree. `q75` are the 75 terms of a topic with the largest n(t)·log(N/df), with these weights;
`full` all its terms, with n(t).
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from antecede.embedded.engine import EmbeddedEngine
from antecede.embedded.searcher import searcher_for
from antecede.engine import open_index
from antecede.query.query import Query, count_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


K = 1000
THREADS = 2
Answer = list[tuple[float, str]]


def read(rows: NDArray[np.uint32], impacts: NDArray[np.float32], starts: Any, ends: Any) -> float:
    """Every byte of the postings of a query once: four of the row, four of the impact."""
    total = np.float32(0)
    mixed = np.uint32(0)
    for i in range(len(starts)):
        row, impact = rows[starts[i] : ends[i]], impacts[starts[i] : ends[i]]
        for j in range(len(impact)):
            total += impact[j]
        for j in range(len(row)):
            mixed ^= row[j]
    return float(total + mixed)


class Ours:
    """antecede, with what its impacts need in memory after the first round."""

    def __init__(self, index: str) -> None:
        self.index = EmbeddedEngine.open(index)
        self.layer = searcher_for(self.index, "bm25").layer("en", 0)
        self.read: Any = numba.njit(nogil=True, fastmath=True)(read)
        self.rows = np.empty(self.layer.matrix.postings, np.uint32)
        self.impacts = np.empty(self.layer.matrix.postings, np.float32)
        self.starts: dict[int, int] = {}
        self.used = 0

    def search(self, query: Query) -> object:
        return self.index.retrieve(query, K)

    def search_and_name(self, query: Query) -> object:
        return self.index.names(self.index.retrieve(query, K).numbers)

    def answer(self, query: Query) -> Answer:
        found = self.index.retrieve(query, K)
        return list(zip(found.scores.tolist(), self.index.names(found.numbers), strict=True))

    def places(self, query: Query) -> Any:
        """Where eight bytes for each posting of a query stand to be read, one term behind the other."""
        matrix = self.layer.matrix
        numbers = matrix.find(query.terms)
        for number in numbers.tolist():
            if number not in self.starts:
                self.starts[number], end = self.used, self.used + int(matrix.df[number])
                self.rows[self.used : end] = matrix.postings_of(np.array([number])).items
                self.impacts[self.used : end] = 1
                self.used = end
        starts = np.array([self.starts[number] for number in numbers.tolist()], np.int64)
        return starts, starts + matrix.df[numbers]

    def limit(self, places: Any) -> object:
        return self.read(self.rows, self.impacts, *places)


class Tantivy:
    """tantivy, with boosted term queries, as its users would write weights."""

    def __init__(self, folder: str) -> None:
        import tantivy

        self.tantivy = tantivy
        index = tantivy.Index.open(folder)
        index.reload()
        self.schema, self.searcher = index.schema, index.searcher()

    def prepare(self, query: Query) -> Any:
        """The query as tantivy's objects; not part of the time."""
        of = self.tantivy.Query
        terms = (of.term_query(self.schema, "text", term, index_option="freq") for term in query.terms)
        boosted = (of.boost_query(term, weight) for term, weight in zip(terms, query.weights.tolist(), strict=True))
        return of.boolean_query([(self.tantivy.Occur.Should, each) for each in boosted])

    def search(self, query: Any) -> Any:
        return self.searcher.search(query, limit=K, count=False).hits

    def answer(self, query: Any) -> Answer:
        return [(score, self.searcher.doc(place)["doc_id"][0]) for score, place in self.search(query)]


def queries(index: str, topics: str, number: int) -> dict[str, list[Query]]:
    """The queries of each kind."""
    statistics = open_index(index).statistics("en")
    found: dict[str, list[Query]] = {"q75": [], "full": []}
    for line in Path(topics).read_text().splitlines()[:number]:
        counts = count_terms(json.loads(line)["description"].split())
        df = statistics.frequencies(list(counts)).documents
        known = {term: often for term, often in zip(counts, df.tolist(), strict=True) if often}
        rare = {term: counts[term] * float(np.log(statistics.documents / often)) for term, often in known.items()}
        heaviest = sorted(rare, key=lambda term: (-rare[term], term))[:75]
        found["q75"].append(Query.from_terms({term: rare[term] for term in heaviest}, "en"))
        found["full"].append(Query.from_terms({term: counts[term] for term in known}, "en"))
    return found


def seconds(work: Callable[[Any], object], given: Any) -> float:
    """The time that this thread was running: each engine searches in the thread that asks, and others may be busy."""
    begin = time.thread_time()
    work(given)
    return time.thread_time() - begin


def contest(ours: Ours, peer: Tantivy | None, asked: Sequence[Query], rounds: int) -> dict[str, Any]:
    """All queries to each engine in turn, round after round; the best time counts, for others may use the machine."""
    begin = time.thread_time()
    for query in asked:
        ours.search(query)
    first = (time.thread_time() - begin) / len(asked)
    places = [ours.places(query) for query in asked]
    works: dict[str, tuple[Callable[[Any], object], Sequence[Any]]] = {
        "antecede": (ours.search, asked),
        "antecede, with names": (ours.search_and_name, asked),
        "limit": (ours.limit, places),
    }
    prepare = 0.0
    if peer is not None:
        begin = time.perf_counter()
        works["tantivy"] = (peer.search, [peer.prepare(query) for query in asked])
        prepare = (time.perf_counter() - begin) / len(asked)
    best = {name: [float("inf")] * len(asked) for name in works}
    for _ in range(rounds):
        for name, (work, given) in works.items():
            best[name] = [min(before, seconds(work, each)) for before, each in zip(best[name], given, strict=True)]
    postings = fmean(int((ends - starts).sum()) for starts, ends in places)
    rates = {name: rate(*works[name], rounds) for name in works if name in ("antecede", "tantivy")}
    told = {"terms": fmean(map(len, asked)), "postings": postings, "prepare": prepare}
    return {"best": best, "first": first, "rates": rates, **told}


def rate(work: Callable[[Any], object], given: Sequence[Any], rounds: int) -> dict[str, float]:
    """Queries a second with one thread and with two, the better of some turns."""
    found = {"1": 0.0, str(THREADS): 0.0}
    for _ in range(rounds):
        for threads in (1, THREADS):
            with ThreadPoolExecutor(threads) as pool:
                begin = time.perf_counter()
                for _done in pool.map(work, given):
                    pass
                taken = time.perf_counter() - begin
            found[str(threads)] = max(found[str(threads)], len(given) / taken)
    return found


def agreement(ours: Ours, peer: Tantivy, asked: Sequence[Query]) -> dict[str, float]:
    """The share of the first 1,000 that both have, and how far their scores are apart."""
    shares, gaps = [], []
    for query in asked:
        mine, theirs = ours.answer(query), peer.answer(peer.prepare(query))
        scores = {name: score for score, name in mine}
        both = [(scores[name], score) for score, name in theirs if name in scores]
        shares.append(len(both) / max(1, len(theirs)))
        gaps.append(max(abs(one - other) / other for one, other in both))
    return {"overlap": fmean(shares), "worst": min(shares), "gap": max(gaps)}


if __name__ == "__main__":
    index, folder, topics, number, rounds = sys.argv[1:]
    kinds = queries(index, topics, int(number))
    us, them = Ours(index), None if folder == "-" else Tantivy(folder)
    told: dict[str, Any] = {kind: contest(us, them, asked, int(rounds)) for kind, asked in kinds.items()}
    if them is not None:
        for kind, asked in kinds.items():
            told[kind]["agreement"] = agreement(us, them, asked[:20])
    told["documents"], told["touched"] = us.layer.collection.documents, us.layer.bytes_used
    json.dump(told, sys.stdout)
