"""Qrels and runs → the rank table."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import InputError, shown
from antecede.evaluation.naming import name_runs
from antecede.evaluation.rank_table import RankTable, check_usable
from antecede.measures.ranks import Ranks
from antecede.trec.matching import Matcher
from antecede.trec.policies import Duplicates, Malformed, Policies, Ties
from antecede.trec.qrels import read_qrels
from antecede.trec.runs import read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.trec.qrels import Qrels
    from antecede.trec.runs import Run
    from antecede.trec.texts import Texts


class Row(NamedTuple):
    """One run of the table."""

    ranks: NDArray[np.int32]
    retrieved: NDArray[np.int32]
    copies: list[tuple[int, int]]
    """(judged pair, rank) for each further copy of a document that the run returned more than once."""
    counts: dict[str, int]


def rank_table(
    qrels: object,
    runs: object,
    *,
    duplicates: Duplicates = "error",
    malformed: Malformed = "error",
    ties: Ties = "docid",
    depth: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RankTable:
    """Read qrels and runs, each a path, `-`, a frame or a dict of dicts; `runs` is one, a list, or {name: run}.

    Runs are read side by side, one to a core, and let go of at once: the memory needed does not grow with them.
    """
    policies = Policies(duplicates, malformed, ties, depth)
    judged = read_qrels(qrels, policies)
    named = name_runs(runs)
    matcher = Matcher(judged)
    rows: list[Row] = []

    def read(name: str, given: object) -> Row:
        return row_of(read_run(given, policies, name=name), judged, matcher)

    workers = min(len(named), os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(read, name, given) for name, given in named.items()]
        try:
            for done, future in enumerate(waiting, 1):
                rows.append(future.result())
                if progress is not None:
                    progress(done, len(waiting))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    table = assemble(tuple(named), judged, rows)
    check_usable(table, judged.source)
    return table


def row_of(run: Run, qrels: Qrels, matcher: Matcher) -> Row:
    """What the table keeps of a run."""
    pairs, rows, topic_of = matcher.match(run)
    known = topic_of >= 0
    if not known.any():
        theirs, ours = shown(", ".join(run.topics[:3]), 40), shown(", ".join(qrels.topics[:3]), 40)
        raise InputError(
            f"no topic in common with the qrels (its topics: {theirs} …; theirs: {ours} …)",
            source=run.source,
            remedy="check that they belong together",
        )
    retrieved = np.zeros(len(qrels.topics), np.int32)
    retrieved[topic_of[known]] = run.lengths[known]
    ranks = np.zeros(len(qrels), np.int32)
    found = run.ranks[rows]
    ranks[pairs] = found
    copies = copies_of(pairs, found, ranks) if np.count_nonzero(ranks) < len(pairs) else []
    counts = {
        **run.odd,
        "lines": len(run),
        "topics": len(run.topics),
        "topics_unjudged": int((~known).sum()),
        "ties": tied_groups(run, rows[qrels.relevance[pairs] >= 0]),
    }
    return Row(ranks, retrieved, copies, counts)


def copies_of(pairs: NDArray[np.int64], found: NDArray[np.int32], ranks: NDArray[np.int32]) -> list[tuple[int, int]]:
    """Put the best copy of each document into `ranks`, and give back the others as (judged pair, rank)."""
    best_first = np.argsort(found, kind="stable")
    pairs, found = pairs[best_first], found[best_first]
    _, first = np.unique(pairs, return_index=True)
    ranks[pairs[first]] = found[first]
    again = np.setdiff1d(np.arange(len(pairs)), first)
    return list(zip(pairs[again].tolist(), found[again].tolist(), strict=True))


def tied_groups(run: Run, judged_rows: NDArray[np.int64]) -> int:
    """How many groups of documents with equal scores hold a judged one: there the order is a matter of policy."""
    if run.tied is None:
        return 0
    touched = judged_rows[run.tied[judged_rows]]
    return len({*zip(run.topic[touched].tolist(), run.scores[touched].tolist(), strict=True)})


def assemble(names: tuple[str, ...], qrels: Qrels, rows: Sequence[Row]) -> RankTable:
    """Put the rows under each other; copies of documents get columns of their own."""
    ranks = np.array([row.ranks for row in rows])
    keys = dict.fromkeys(key for row in rows for key in row.counts)
    counts = {key: np.array([row.counts.get(key, 0) for row in rows], np.int64) for key in keys}
    retrieved = np.array([row.retrieved for row in rows])
    table = Ranks(ranks, qrels.relevance, qrels.offsets, retrieved)
    docs = qrels.docs
    if any(row.copies for row in rows):
        table, docs = with_copies(table, docs, [row.copies for row in rows])
    return RankTable(names, qrels.topics, docs, table, counts, dict(qrels.odd))


def with_copies(table: Ranks, docs: Texts, copies: list[list[tuple[int, int]]]) -> tuple[Ranks, Texts]:
    """Add a column for the second, third, … copy of each judged document that any run returned more than once."""
    columns: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for run, found in enumerate(copies):
        seen: dict[int, int] = {}
        for pair, rank in found:
            seen[pair] = seen.get(pair, 0) + 1
            columns.setdefault((pair, seen[pair]), []).append((run, rank))
    of = np.array([pair for pair, _ in columns])
    extra = np.zeros((table.runs, len(columns)), np.int32)
    for at, places in enumerate(columns.values()):
        for run, rank in places:
            extra[run, at] = rank
    origin = np.concatenate((np.arange(len(docs)), of))
    order = np.argsort(origin, kind="stable")
    topic = table.topic[origin[order]]
    return (
        Ranks(
            np.hstack((table.ranks, extra))[:, order],
            table.relevance[origin[order]],
            np.searchsorted(topic, np.arange(table.topics + 1)),
            table.retrieved,
            order >= len(docs),
        ),
        docs.gather(origin[order]),
    )
