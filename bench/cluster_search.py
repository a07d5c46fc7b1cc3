"""The same queries to an index in a folder and to one on a cluster, and the processor time of each engine per query.

    python -P bench/cluster_search.py INDEX ADDRESS TOPICS.jsonl QUERIES PID[,PID…]

prints as JSON, by kind of query and number of documents k: milliseconds of processor time per query in the folder, on
the nodes of the cluster (the processes PID) and in the program that asks them, and how many rankings are not the same.
`q75` are the 75 terms of a topic with the largest n(t)·log(N/df), with these weights; `full` all its terms, with n(t).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.measuring import spent_by

from antecede.engine import open_index
from antecede.query.query import Query, count_terms

KS = (100, 1000)
ROUNDS = 5
"""How often all queries are searched before the time is taken: a node compiles its code while it is first used."""


def queries(index: Any, topics: Path, number: int) -> dict[str, list[Query]]:
    """The queries of each kind."""
    found: dict[str, list[Query]] = {"q75": [], "full": []}
    statistics = index.statistics("en")
    with topics.open() as lines:
        for _, line in zip(range(number), lines, strict=False):
            counts = count_terms(index.analyzer("en").terms(json.loads(line)["description"]))
            df = statistics.frequencies(list(counts)).documents
            known = {term: count for (term, count), often in zip(counts.items(), df.tolist(), strict=True) if often}
            rarity = np.log(statistics.documents / df[df > 0])
            weights = np.array([*known.values()]) * rarity
            order = np.argsort(-weights, kind="stable")[:75]
            names = list(known)
            found["q75"].append(Query.from_terms({names[at]: float(weights[at]) for at in order.tolist()}, "en"))
            found["full"].append(Query.from_terms(known, "en"))
    return found


def measure(index: str, address: str, topics: Path, number: int, pids: list[int]) -> dict[str, Any]:
    """The figures of each kind of query and each k."""
    folder = open_index(index)
    found: dict[str, Any] = {}
    for kind, every in queries(folder, topics, number).items():
        for k in KS:
            for query in every:
                folder.retrieve(query, k)
            first = spent_by(pids)
            for number_of_round in range(ROUNDS):
                warm = open_index(address)
                for query in every:
                    warm.retrieve(query, k)
                if not number_of_round:
                    first = spent_by(pids) - first
            cluster = open_index(address)  # one that has no document in memory yet
            begun = time.process_time()
            answers = [folder.retrieve(query, k) for query in every]
            embedded = time.process_time() - begun
            begun, before, wall = time.process_time(), spent_by(pids), time.perf_counter()
            others = [cluster.retrieve(query, k) for query in every]
            wall = time.perf_counter() - wall
            nodes, client = spent_by(pids) - before, time.process_time() - begun
            same = [
                folder.names(one.numbers) == cluster.names(other.numbers)
                and one.scores.tolist() == other.scores.tolist()
                for one, other in zip(answers, others, strict=True)
            ]
            certificates = [each.certificate for each in others if each.certificate is not None]
            found[f"{kind}, k = {k:,}"] = {
                "terms": fmean(len(each) for each in every),
                "folder": 1000 * embedded / len(every),
                "first": 1000 * first / len(every),
                "nodes": 1000 * nodes / len(every),
                "client": 1000 * client / len(every),
                "wall": 1000 * wall / len(every),
                "candidates": max(each.candidates for each in certificates),
                "widened": sum(each.widened > 0 for each in certificates),
                "wrong": same.count(False),
                "queries": len(every),
            }
    return found


if __name__ == "__main__":
    given = sys.argv[1:]
    json.dump(measure(given[0], given[1], Path(given[2]), int(given[3]), [*map(int, given[4].split(","))]), sys.stdout)
