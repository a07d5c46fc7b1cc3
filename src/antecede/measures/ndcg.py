"""Discounted cumulative gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.measures.registry import Cutoff, measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks, Scores

GAINS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "linear": lambda grade: grade,
    "exp": lambda grade: np.exp2(grade) - 1,
}


@measure("nDCG", at="cutoff", cite="Järvelin & Kekäläinen, TOIS 2002", trec_eval={"ndcg": {}, "ndcg_cut_{cutoff}": {}})
def ndcg(ranks: Ranks, *, gain: Literal["linear", "exp"] = "linear", cutoff: Cutoff | None = None) -> Scores:
    """Normalised discounted cumulative gain: graded relevance, discounted by rank, against the best order.

    Σ gain(grade_i) / log₂(r_i + 1), divided by the same sum for the ideal order. The gain is the grade, or 2^grade − 1
    with gain=exp.

    A topic without a positive grade is left out. The level `rel` does not apply: grades speak for themselves.

    >>> score("nDCG@10", found=[1, 3], relevant=2, grades=[1, 2])
    0.760187533432
    """
    graded = ranks.relevant(1)
    value = GAINS[gain](graded.relevance.astype(np.float64))
    reach = np.inf if cutoff is None else cutoff
    dcg = graded.sum(np.where(graded.ranks <= reach, value / np.log2(graded.ranks + 1), 0.0))
    counted = np.ones(len(value), bool) if ranks.copies is None else ~ranks.copies[graded.chosen]
    ideal = ideal_dcg(value[counted], graded.topic[counted], ranks.topics, reach)
    return np.divide(dcg, ideal, out=np.zeros_like(dcg), where=ideal > 0)


def ideal_dcg(value: NDArray[np.float64], topic: NDArray[np.int64], topics: int, reach: float) -> NDArray[np.float64]:
    """The discounted gain of each topic when the most relevant documents come first."""
    order = np.lexsort((-value, topic))
    first = np.searchsorted(topic, topic)  # topics are sorted, so this is where each one begins
    place = np.arange(1, len(value) + 1) - first
    discounted = np.where(place <= reach, value[order] / np.log2(place + 1), 0.0)
    return np.bincount(topic, weights=discounted, minlength=topics).astype(np.float64)
