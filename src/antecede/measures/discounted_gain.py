"""Gains that are discounted by rank: nDCG, G, and the models of a reader who may stop at any document, RR, ERR, RBP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.errors import MeasureError
from antecede.measures.definition import Cutoff, Grade, Level, Persistence, measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.measures.ranks import JudgedPairs, Ranks, Scores


# Discounted cumulative gain


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

    A topic without a positive grade is left out.

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

    The grades are the gains. IDCG does not grow beyond position n.

    A document that was not retrieved contributes the nDCG of the whole list, so missing ones may cost little.

    >>> score("nDCGrel", found=[1, 3], relevant=3, grades=[1, 2, 1])
    0.592525257653
    """
    graded = ranks.relevant(1)
    dcg, ideal = _accumulate_dcg(graded)
    share = dcg / graded.value_at(ideal, graded.in_order)
    if ranks.copies is not None:  # a copy missing from a run is not a missing document
        share[ranks.copies[graded.chosen][graded.order] & np.isinf(graded.in_order)] = 0.0
    return graded.sum(share) / graded.n


@measure("Rndcg", cite="trec_eval 9", trec_eval={"Rndcg": {}})
def rndcg(ranks: Ranks) -> Scores:
    """nDCG averaged over the positions at which a grade ends in the best order, as R-precision is taken at position n.

        Rndcg = 1 / m · Σ DCG(p_j) / IDCG(p_j)

    p_1, … p_m are the positions at which a grade ends in the best order, the last of which is n, and the end of the
    list if it has n + 2 documents or more, as in trec_eval. With a single grade it is nDCG@n, or the mean of that and
    nDCG if the list is longer.

    >>> score("Rndcg", found=[1, 3], relevant=2, grades=[1, 2], retrieved=10)
    0.546760433383
    """
    graded = ranks.relevant(1)
    dcg, ideal = _accumulate_dcg(graded)
    at = _grade_ends(graded)
    shares = np.zeros_like(dcg)
    shares[:, at] = _dcg_at_positions(graded, dcg, at) / ideal[at]
    last = graded.starts + graded.lengths - 1
    whole = np.zeros((ranks.runs, ranks.topics))
    whole[:, graded.topics_with] = dcg[:, last] / ideal[last]
    longer = ranks.retrieved > graded.n + 1
    places = np.bincount(graded.topic[at], minlength=ranks.topics)
    taken = np.where(places > 0, places, np.nan) + longer
    scores: Scores = (graded.sum(shares) + np.where(longer, whole, 0.0)) / taken
    return scores


def _accumulate_dcg(graded: JudgedPairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """float64[R, K], DCG up to the ith document found, and float64[K], that of the best order up to position i."""
    dcg = graded.accumulate(graded.relevance[graded.order] / np.log2(graded.in_order + 1))
    return dcg, graded.accumulate(graded.ideal_gains / np.log2(graded.ith + 1))


def _grade_ends(graded: JudgedPairs) -> NDArray[np.int64]:
    """int64[B]: the last document of each grade in the best order of each topic."""
    best = graded.ideal_gains
    following = np.append(best[1:], 0.0)
    following[graded.starts[1:] - 1] = 0.0
    return np.flatnonzero((best > 0) & (best != following))


def _dcg_at_positions(graded: JudgedPairs, dcg: NDArray[np.float64], at: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[R, B]: the DCG of each run up to the rank that is the position of each pair `at` in its topic."""
    limits = (graded.topic[at] << 32) + graded.ith[at]
    following = [np.searchsorted(keys, limits, side="right") for keys in graded.keys]
    last = np.array(following, np.int64).reshape(len(dcg), len(at)) - 1
    first = np.repeat(graded.starts, graded.lengths)[at]
    return np.where(last >= first, np.take_along_axis(dcg, np.maximum(last, 0), axis=1), 0.0)


# Normalised gain: a document gains less the later it is retrieved compared with the best order


@measure("BinG", cite="trec_eval 9", trec_eval={"binG": {}})
def bin_g(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Binary G: each relevant document gains less, the more non-relevant documents are ranked above it.

        BinG = 1 / n · Σ 1 / log₂(2 + r_i − i)

    r_i − i is the number of documents above the ith relevant one that are not relevant, judged or not.

    Unlike in nDCG, relevant documents above it do not reduce the gain.

    >>> score("BinG", found=[1, 4], relevant=4)
    0.375
    """
    relevant = ranks.relevant(rel)
    return relevant.sum(1 / np.log2(2 + relevant.in_order - relevant.ith)) / relevant.n


@measure("G", cite="trec_eval 9", trec_eval={"G": {}})
def g(ranks: Ranks) -> Scores:
    """G: graded gain, reduced for each document by how far the ranking falls short of the best order at its rank.

        G = 1 / Σ g_i · Σ g_i / log₂(2 + C(r_i) − S(r_i))

    g_i is the grade of the ith relevant document; the first sum is over all of them, retrieved or not. S(r) is the sum
    of the grades of the first r documents, C(r) that of max(1, grade) over the first r positions of the best order.

    With grades of 1 only it equals BinG. A highly relevant document that is ranked late also reduces the gain of those
    above it.

    >>> score("G", found=[1, 3], relevant=2, grades=[1, 2])
    0.630929753571
    """
    graded = ranks.relevant(1)
    gains = graded.relevance[graded.order].astype(np.float64)
    best = graded.ideal_gains
    places = np.repeat(graded.lengths, graded.lengths)
    cost = graded.value_at(graded.accumulate(np.maximum(best, 1.0)), graded.in_order)
    cost += np.maximum(graded.in_order - places, 0.0)
    deficit = np.maximum(cost - graded.accumulate(gains), 0.0)  # negative only where copies of documents gain again
    total = np.bincount(graded.topic, weights=best, minlength=ranks.topics)
    return graded.sum(gains / np.log2(2 + deficit)) / np.where(total > 0, total, np.nan)


# A reader who may stop


@measure("RR", at="cutoff", cite="Voorhees, TREC-8 question answering track, 1999", trec_eval={"recip_rank": {}})
def rr(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Reciprocal rank of the first relevant document. Its mean is MRR.

        RR = 1 / r_1

    For tasks in which one document is enough.

    >>> score("RR", found=[4, 9], relevant=3)
    0.25
    """
    relevant = ranks.relevant(rel)
    reach = np.inf if cutoff is None else cutoff
    return relevant.max(np.where(relevant.ranks <= reach, 1 / relevant.ranks, 0.0))


@measure("ERR", at="cutoff", cite="Chapelle, Metzler, Zhang & Grinspan, CIKM 2009")
def err(ranks: Ranks, *, max: Grade = 4, cutoff: Cutoff | None = None) -> Scores:  # noqa: A002 - the parameter is written ERR(max=4)
    """Expected reciprocal rank: the expectation of 1 / rank of the first document that satisfies the reader.

        ERR = Σ 1 / r · s_r · Π (1 − s_j),
        s_r = (2^g_r − 1) / 2^max

    The sum is over the ranks r, the product over the ranks j above r; s_r is the probability that the document at rank
    r, with grade g_r, satisfies the reader.

    `max` is the highest grade of the scale; higher grades in the qrels are refused. For grades of 0 and 1, set max=1. n
    is not taken into account, so 1 cannot be reached.

    >>> score("ERR@20", found=[1, 3], relevant=2, grades=[4, 2])
    0.94140625
    """
    above = ranks.relevance[ranks.relevance > max]
    if len(above):
        raise MeasureError(f"ERR(max={max}): the qrels have grade {above.max()}; set max={above.max()} or more")
    graded = ranks.relevant(1)
    grade = graded.relevance[graded.order].astype(np.float64)
    satisfied = np.where(np.isfinite(graded.in_order), np.exp2(grade - max) - np.exp2(-max), 0.0)
    unsatisfied = graded.accumulate(1 - satisfied, np.multiply)
    still = np.ones_like(unsatisfied)
    later = np.flatnonzero(graded.ith > 1)
    still[:, later] = unsatisfied[:, later - 1]
    reach = np.inf if cutoff is None else cutoff
    return graded.sum(np.where(graded.in_order <= reach, satisfied * still / graded.in_order, 0.0))


RBP_PAPER = "Moffat & Zobel, TOIS 2008"


def _sum_discounted(chosen: JudgedPairs, p: float, cutoff: int | None) -> Scores:
    """(1 − p) Σ p^(r−1) over the chosen documents."""
    reach = np.inf if cutoff is None else cutoff
    return (1 - p) * chosen.sum(np.where(chosen.ranks <= reach, p ** (chosen.ranks - 1), 0.0))


@measure("RBP", at="cutoff", cite=RBP_PAPER, trec_eval={"rbp": {"p": 0.9}})
def rbp(ranks: Ranks, *, p: Persistence = 0.8, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Rank-biased precision: the expected gain of a reader who continues to the next document with probability p.

        RBP = (1 − p) Σ p^(r_i − 1)

    n is not taken into account, so 1 cannot be reached. trec_eval's rbp uses p = 0.9 and the grades as gains.

    >>> score("RBP(p=0.5)", found=[1, 3], relevant=2)
    0.625
    """
    return _sum_discounted(ranks.relevant(rel), p, cutoff)


@measure("RBPresidual", at="cutoff", cite=RBP_PAPER, trec_eval={"rbp_resid": {"p": 0.9}}, better="lower")
def rbp_residual(ranks: Ranks, *, p: Persistence = 0.8, cutoff: Cutoff | None = None) -> Scores:
    """Residual of rank-biased precision: the additional gain if every unjudged document were relevant.

        RBPresidual = 1 − (1 − p) Σ p^(r − 1)

    The sum is over the ranks r of the judged documents retrieved. RBP + residual is an upper bound.

    Positions after the end of the list count; trec_eval reports 0 if all retrieved documents were judged.

    >>> score("RBPresidual(p=0.5)", found=[1], relevant=1, nonrelevant=[2])
    0.25
    """
    return 1 - _sum_discounted(ranks.judged(), p, cutoff)
