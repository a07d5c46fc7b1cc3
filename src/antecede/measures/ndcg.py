"""Discounted cumulative gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.errors import MeasureError
from antecede.measures.registry import Cutoff, measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks, Scores, Selection

GAINS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "linear": lambda grade: grade,
    "exp": lambda grade: np.exp2(grade) - 1,
}

HIGHEST_EXPONENT = 1000
"""The sum of some 2^1000 is still a number; that of some 2^1024 is not."""


@measure("nDCG", at="cutoff", cite="Järvelin & Kekäläinen, TOIS 2002", trec_eval={"ndcg": {}, "ndcg_cut_{cutoff}": {}})
def ndcg(ranks: Ranks, *, gain: Literal["linear", "exp"] = "linear", cutoff: Cutoff | None = None) -> Scores:
    """Normalised discounted cumulative gain: graded relevance, discounted by rank, relative to the best order.

        nDCG = DCG / IDCG,
        DCG = Σ gain(g_i) / log₂(r_i + 1)

    IDCG is the DCG of the best order. The gain of a grade g is g, or 2^g − 1 with gain=exp.

    A topic without a positive grade is left out. The level `rel` does not apply: the grades are used directly.

    >>> score("nDCG@10", found=[1, 3], relevant=2, grades=[1, 2])
    0.760187533432
    """
    graded = ranks.relevant(1)
    highest = int(graded.relevance.max(initial=0))
    if gain == "exp" and highest > HIGHEST_EXPONENT:
        raise MeasureError(f"nDCG(gain=exp): the qrels have grade {highest}, and 2^{highest} is too large; use nDCG")
    value = GAINS[gain](graded.relevance.astype(np.float64))
    reach = np.inf if cutoff is None else cutoff
    dcg = graded.sum(np.where(graded.ranks <= reach, value / np.log2(graded.ranks + 1), 0.0))
    best = GAINS[gain](graded.ideal_gains)
    first = np.where(graded.ith <= reach, best / np.log2(graded.ith + 1), 0.0)
    ideal = np.bincount(graded.topic, weights=first, minlength=ranks.topics)
    return np.divide(dcg, ideal, out=np.zeros_like(dcg), where=ideal > 0)


@measure("nDCGrel", cite="trec_eval 9", trec_eval={"ndcg_rel": {}})
def ndcg_rel(ranks: Ranks) -> Scores:
    """nDCG at the rank of each relevant document, averaged over all of them, as AP does with precision.

        nDCGrel = 1 / n · Σ DCG(r_i) / IDCG(r_i)

    The grades are the gains. A document that was not retrieved contributes the nDCG of the whole list. The ideal DCG
    does not grow beyond position n.

    If the first documents found are highly relevant, missing ones cost little: each still contributes the nDCG of the
    list. The level `rel` does not apply: the grades are used directly.

    >>> score("nDCGrel", found=[1, 3], relevant=3, grades=[1, 2, 1])
    0.592525257653
    """
    graded = ranks.relevant(1)
    dcg, ideal = accumulate_dcg(graded)
    share = dcg / graded.value_at(ideal, graded.in_order)
    if ranks.copies is not None:  # a copy missing from a run is not a missing document
        share[ranks.copies[graded.chosen][graded.order] & np.isinf(graded.in_order)] = 0.0
    return graded.sum(share) / graded.n


@measure("Rndcg", cite="trec_eval 9", trec_eval={"Rndcg": {}})
def rndcg(ranks: Ranks) -> Scores:
    """nDCG averaged over the positions at which a grade ends in the best order, as R-precision is taken at position n.

        Rndcg = 1 / m · Σ DCG(p_j) / IDCG(p_j)

    p_1, … p_m are the positions at which a grade ends in the best order, the last of which is n, and the end of the
    list if it has n + 2 documents or more.

    With a single grade it is nDCG@n, or the mean of that and nDCG if the list is longer. That n + 1 documents are not
    enough follows trec_eval. The level `rel` does not apply: the grades are used directly.

    >>> score("Rndcg", found=[1, 3], relevant=2, grades=[1, 2], retrieved=10)
    0.546760433383
    """
    graded = ranks.relevant(1)
    dcg, ideal = accumulate_dcg(graded)
    at = grade_ends(graded)
    shares = np.zeros_like(dcg)
    shares[:, at] = dcg_at_positions(graded, dcg, at) / ideal[at]
    last = graded.starts + graded.lengths - 1
    whole = np.zeros((ranks.runs, ranks.topics))
    whole[:, graded.topics_with] = dcg[:, last] / ideal[last]
    longer = ranks.retrieved > graded.n + 1
    places = np.bincount(graded.topic[at], minlength=ranks.topics)
    taken = np.where(places > 0, places, np.nan) + longer
    scores: Scores = (graded.sum(shares) + np.where(longer, whole, 0.0)) / taken
    return scores


def accumulate_dcg(graded: Selection) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """float64[R, K], DCG up to the ith document found, and float64[K], that of the best order up to position i."""
    dcg = graded.accumulate(graded.relevance[graded.order] / np.log2(graded.in_order + 1))
    return dcg, graded.accumulate(graded.ideal_gains / np.log2(graded.ith + 1))


def grade_ends(graded: Selection) -> NDArray[np.int64]:
    """int64[B]: the last document of each grade in the best order of each topic."""
    best = graded.ideal_gains
    following = np.append(best[1:], 0.0)
    following[graded.starts[1:] - 1] = 0.0
    return np.flatnonzero((best > 0) & (best != following))


def dcg_at_positions(graded: Selection, dcg: NDArray[np.float64], at: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[R, B]: the DCG of each run up to the rank that is the position of each pair `at` in its topic."""
    limits = (graded.topic[at] << 32) + graded.ith[at]
    following = [np.searchsorted(keys, limits, side="right") for keys in graded.keys]
    last = np.array(following, np.int64).reshape(len(dcg), len(at)) - 1
    first = np.repeat(graded.starts, graded.lengths)[at]
    return np.where(last >= first, np.take_along_axis(dcg, np.maximum(last, 0), axis=1), 0.0)
