"""Runs fused into one, topic by topic; the arithmetic is that of `antecede.fusion`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError, shown
from antecede.fusion import DEFAULT_FUSION, find_fusion, fuse_scores
from antecede.ranges import DOCUMENTS, RRF_K, WEIGHT
from antecede.trec.runs import Run, read_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.trec.policies import Policies


def fuse(
    runs: Sequence[object],
    by: str = DEFAULT_FUSION,
    *,
    k: int = 1000,
    rrf_k: int | None = None,
    weights: Sequence[float] | None = None,
    policies: Policies | None = None,
) -> Run:
    """Fuse runs of the same topics into one. A topic that only some of the runs have is fused from those.

    Args:
        runs: Two runs or more, each as for `read_run`, or already read.
        by: The fusion method, one of `antecede.fusion.FUSIONS`, such as `rrf`, `combsum`, `combmnz`, `isr`, `borda`.
        k: The number of documents per topic.
        rrf_k: The constant of `rrf`, which adds up 1 / (rrf_k + rank); by default 60.
        weights: One for each run: what its votes are multiplied by; all 1 by default.
        policies: How irregular input is treated; strict by default.
    """
    find_fusion(by)
    DOCUMENTS.check(k, "k")
    check_rrf_k(rrf_k, by)
    if len(runs) < 2:
        raise UsageError(f"a fusion needs at least two runs, but got {len(runs)}; add another run")
    each_weighs = [1.0] * len(runs) if weights is None else check_weights(weights, len(runs))
    read = [each if isinstance(each, Run) else read_run(each, policies) for each in runs]
    by_topic: dict[str, list[tuple[list[str], NDArray[np.float64], float]]] = {}
    for run, weight in zip(read, each_weighs, strict=True):
        for topic, docs, scores in list_rankings(run):
            by_topic.setdefault(topic, []).append((docs, scores, weight))
    fused: dict[str, dict[str, Any]] = {}
    for topic, rankings in by_topic.items():
        index: dict[str, int] = {}
        group = np.array([index.setdefault(doc, len(index)) for docs, _, _ in rankings for doc in docs], np.int64)
        weighed = None if weights is None else [weight for _, _, weight in rankings]
        votes = [scores for _, scores, _ in rankings]
        scores = fuse_scores(by, votes, group, len(index), rrf_k=rrf_k, weights=weighed)
        fused[topic] = keep_best([*index], scores, k)
    return read_run(fused, name=by)


def check_rrf_k(rrf_k: int | None, by: str) -> None:
    """Refuse a constant of RRF that is out of range, or given for another fusion."""
    if rrf_k is not None:
        RRF_K.check(rrf_k, "rrf_k")
        if by != "rrf":
            raise UsageError(f"rrf_k is the constant of rrf, and {by} has none; leave it out, or fuse by rrf")


def check_weights(weights: Sequence[float], runs: int) -> list[float]:
    """The weights of runs; refuse those that are none, or of another number of runs."""
    if len(weights) != runs:
        raise UsageError(f"a fusion of {runs} runs needs {runs} weights, but got {len(weights)}")
    for weight in weights:
        WEIGHT.check(weight, "weights")
    return [*weights]


def list_rankings(run: Run) -> list[tuple[str, list[str], NDArray[np.float64]]]:
    """For each topic of a run its documents, best first, and their scores.

    A run that was not ordered by score has none that fit its order: its scores are then the negative ranks.
    """
    if run.odd.get("duplicates") and len(np.unique(run.keys)) < len(run):
        raise UsageError(f"{shown(run.name)}: a document appears twice in a topic; keep its first or last line only")
    order = np.lexsort((run.ranks, run.topic))
    scores = run.scores if run.order == "score" else -run.ranks.astype(np.float64)
    starts = np.cumsum(run.lengths) - run.lengths
    doc_ids = run.docs.gather(order).to_list()
    return [
        (name, doc_ids[begin : begin + length], scores[order[begin : begin + length]])
        for name, begin, length in zip(run.topics, starts.tolist(), run.lengths.tolist(), strict=True)
        if length
    ]


def keep_best(docs: list[str], scores: NDArray[np.float64], k: int) -> dict[str, float]:
    """The k best documents; equal scores by document id descending, as runs are ranked."""
    best = sorted(zip(scores.tolist(), (doc.encode() for doc in docs), docs, strict=True), reverse=True)[:k]
    return {doc: score for score, _, doc in best}
