"""Searching large indexes: time, memory, and the work that pruning saves, beside the exhaustive kernel.

    python -P bench/pruning.py time SOURCE INDEX QUERIES [--from ROWS]
    python -P bench/pruning.py check SOURCE INDEX QUERIES

INDEX was grown from SOURCE (`grown_index.py`); queries are made from the patents of SOURCE that had no part in it. q75:
the 75 terms of a patent with the largest n·log(N/df), with that weight; full: all its terms with n. `time` prints the
figures as JSON: compact layers are used in segments of at least ROWS rows, or as the memory decides. `check` compares
rankings and scores with those of the exhaustive kernel, for all models, with and without filters.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from bench.grown_index import LANGUAGE, topic_rows

from antecede.conditions.filters import Filters, limit_field
from antecede.embedded.engine import EmbeddedEngine
from antecede.embedded.pruning import PrunedSearch
from antecede.embedded.searcher import Searcher
from antecede.models import MODELS
from antecede.query.query import Query

if TYPE_CHECKING:
    from antecede.engine import Hits

NO_FILTERS = Filters()
FILTERS = (
    NO_FILTERS,
    Filters(before=date(2000, 1, 1)),
    Filters(others=(limit_field("ipc", ("H04",)),)),
    Filters(after=date(2023, 6, 1)),
)
TERMS = 75
ROUNDS = 3
NEVER = 1 << 40


def search(searcher: Searcher, query: Query, k: int, filters: Filters = NO_FILTERS) -> Hits:
    return searcher.search(query, k, searcher.index.select(filters))


def make_queries(source: EmbeddedEngine, index: EmbeddedEngine, number: int, kind: str) -> list[Query]:
    """The queries of the topics, again and again until there are enough, the later ones of random halves of a topic."""
    matrix = source.matrices(LANGUAGE)[0][1]
    rows = topic_rows(matrix)
    statistics = index.statistics(LANGUAGE)
    found = []
    for at in range(number):
        vector = matrix.vectors_of(rows[at % len(rows) : at % len(rows) + 1])
        items, counts = vector.items, vector.counts.astype(np.float64)
        if at >= len(rows):
            half = np.random.default_rng(at).random(len(items)) < 0.5
            items, counts = items[half], counts[half]
        names = [matrix.term(each) for each in items.tolist()]
        weights = counts
        if kind == "q75":
            df = statistics.frequencies(names).documents
            weights = counts * np.log(statistics.documents / np.maximum(df, 1))
            best = np.argsort(-weights, kind="stable")[:TERMS]
            names, weights = [names[each] for each in best.tolist()], weights[best]
        found.append(Query.from_terms(dict(zip(names, weights.tolist(), strict=True)), LANGUAGE))
    return found


def memory() -> dict[str, float]:
    """Megabytes of this process: its own, and of mapped files."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(told[name].split()[0]) / 1000 for name in ("RssAnon", "RssFile", "RssShmem")}


def measure(searcher: Searcher, queries: list[Query], k: int) -> dict[str, Any]:
    """The best processor time of each query in some rounds, and what the searches did."""
    best = [np.inf] * len(queries)
    for _ in range(ROUNDS):
        for at, query in enumerate(queries):
            begun = time.thread_time()
            search(searcher, query, k)
            best[at] = min(best[at], time.thread_time() - begun)
    every, searches = PrunedSearch.candidates, []

    def candidates(search: PrunedSearch) -> Any:
        searches.append(search)
        return every(search)

    with patch.object(PrunedSearch, "candidates", candidates):
        for query in queries:
            search(searcher, query, k)
    means = {"added": float(np.mean([search.added for search in searches]))} if searches else {}
    return {"k": k, "p50_ms": 1000 * median(best), "mean_ms": 1000 * float(np.mean(best)), **means}


def rate(searcher: Searcher, queries: list[Query], k: int, threads: int) -> float:
    """Queries per second on some threads."""
    with ThreadPoolExecutor(threads) as pool:
        begun = time.monotonic()
        for _ in pool.map(lambda query: search(searcher, query, k), queries * ROUNDS):
            pass
        return len(queries) * ROUNDS / (time.monotonic() - begun)


def time_searches(
    source: EmbeddedEngine, index: EmbeddedEngine, number: int, compact_from: int | None
) -> dict[str, Any]:
    """All figures of one way."""
    before = memory()
    searcher = Searcher(index)
    searcher.compact_from = compact_from
    told: dict[str, Any] = {"documents": index.documents, "from": compact_from}
    for kind in ("q75", "full"):
        queries = make_queries(source, index, number if kind == "q75" else max(number // 4, 1), kind)
        begun = time.thread_time()
        for query in queries:
            search(searcher, query, 10)
        told[kind] = {"first_ms": 1000 * (time.thread_time() - begun) / len(queries)}
        told[kind]["k"] = [measure(searcher, queries, k) for k in (100, 1000)]
        told[kind]["rates"] = {threads: rate(searcher, queries, 100, threads) for threads in (1, 2)}
    layers: list[Any] = [*searcher.compact_layers.values(), *searcher.layers.values()]
    postings = sum(int(each.matrix.df[layer_terms(each)].sum()) for each in layers)
    told["layer"] = {"bytes": sum(each.bytes_used for each in layers), "postings": postings}
    told["layer"]["bytes_per_posting"] = told["layer"]["bytes"] / max(postings, 1)
    told["memory_mb"] = {"before": before, "after": memory()}
    return told


def layer_terms(layer: Any) -> Any:
    """The terms that a layer has."""
    return np.flatnonzero((layer.slots if hasattr(layer, "arrays") else layer.starts) >= 0)


def check(source: EmbeddedEngine, index: EmbeddedEngine, number: int) -> dict[str, Any]:
    """Compare rankings of random queries with those of the exhaustive kernel; the first difference is an error."""
    for model in MODELS:
        plain, compact = Searcher(index, model), Searcher(index, model)
        plain.compact_from, compact.compact_from = NEVER, 1
        share = -(-number // len(MODELS))
        for at, query in enumerate(make_queries(source, index, share, "q75")):
            k = (1, 10, 100, 1000)[at % 4]
            filters = FILTERS[at // 4 % len(FILTERS)]
            wanted, found = search(plain, query, k, filters), search(compact, query, k, filters)
            if wanted.numbers.tolist() != found.numbers.tolist() or wanted.scores.tobytes() != found.scores.tobytes():
                raise SystemExit(f"{model}, query {at}, k = {k}, {filters}: the rankings differ")
        print(model, "the same", file=sys.stderr, flush=True)
    return {"queries": share * len(MODELS)}


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("time", "check"))
    parser.add_argument("source", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("queries", type=int)
    parser.add_argument("--from", dest="compact_from", type=int)
    given = parser.parse_args()
    source, index = EmbeddedEngine.open(given.source), EmbeddedEngine.open(given.index)
    if given.what == "check":
        told = check(source, index, given.queries)
    else:
        told = time_searches(source, index, given.queries, given.compact_from)
    json.dump(told, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
