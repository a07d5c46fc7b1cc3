"""Precision, recall, success and F: what is among the first N documents, or in the whole list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.average_precision import ap
from antecede.measures.definition import Cutoff, Level, Share, Weight, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


# Precision


@measure("P", at="cutoff", cite="Kent et al. 1955", trec_eval={"P_{cutoff}": {}, "set_P": {}})
def precision(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Precision: the share of the first N documents that are relevant; without N, of the whole list.

        P = k / N

    A list shorter than N is still divided by N.

    >>> score("P@10", found=[1, 4, 9, 30], relevant=7)
    0.3
    """
    found = ranks.relevant(rel).found(cutoff)
    if cutoff is not None:
        return found / cutoff
    return np.divide(found, ranks.retrieved, out=np.zeros_like(found), where=ranks.retrieved > 0)


@measure("RelP", at="cutoff", cite="trec_eval", trec_eval={"relative_P_{cutoff}": {}, "set_relative_P": {}})
def relative_precision(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Relative precision: precision, divided by the best that the number of relevant documents allows.

        RelP = k / min(N, n)

    >>> score("RelP@10", found=[1, 4, 30], relevant=4)
    0.5
    """
    relevant = ranks.relevant(rel)
    depth = ranks.retrieved if cutoff is None else np.full_like(ranks.retrieved, cutoff)
    most = np.minimum(depth, relevant.n)
    found = relevant.found(cutoff)
    return np.divide(found, most, out=np.zeros_like(found), where=most > 0)


@measure("SetAP", cite="trec_eval", trec_eval={"set_map": {}})
def set_ap(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Precision times recall of the whole list, for unordered sets.

        SetAP = k² / (n·L)

    >>> score("SetAP", found=[1, 4], relevant=4, retrieved=10)
    0.1
    """
    relevant = ranks.relevant(rel)
    return precision(ranks, rel=rel) * relevant.found() / relevant.n


@measure("Rprec", cite="Buckley & Voorhees, SIGIR 2000", trec_eval={"Rprec": {}, "Rprec_mult_{mult}": {}})
def rprec(ranks: Ranks, *, mult: Weight = 1.0, rel: Level = 1) -> Scores:
    """R-precision: precision after n documents, the number of relevant ones, or after mult·n documents.

        Rprec = k / n

    k is counted among the first n documents, where precision equals recall. mult·n is rounded up, as in trec_eval.

    >>> score("Rprec", found=[1, 4, 9], relevant=4)
    0.5
    """
    relevant = ranks.relevant(rel)
    depth = np.floor(relevant.n * mult + 0.9) if mult != 1 else relevant.n
    depth = np.maximum(depth, 1)
    return relevant.sum(relevant.ranks <= depth[relevant.topic]) / depth


@measure("IPrec", at="recall", cite="Salton & McGill 1983", trec_eval={"iprec_at_recall_{recall}": {}})
def interpolated_precision(ranks: Ranks, *, recall: Share, rel: Level = 1) -> Scores:
    """Interpolated precision at a level of recall: the highest precision at that recall or beyond.

        IPrec = max P(r_i), i ≥ x·n

    x is the level of recall; x·n is rounded to the nearest whole number, as in trec_eval 10. Earlier versions round up.

    >>> score("IPrec@0.5", found=[1, 10, 12], relevant=4)
    0.25
    """
    relevant = ranks.relevant(rel)
    least = np.floor(recall * relevant.n + 0.5)
    return relevant.max(np.where(relevant.ith >= least[relevant.topic], relevant.precision, 0.0))


@measure("IPrec11", cite="Salton & McGill 1983", trec_eval={"11pt_avg": {}})
def eleven_point(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Eleven-point average precision: interpolated precision at recall 0, 0.1, … 1, averaged.

        IPrec11 = 1 / 11 · Σ IPrec(x)

    >>> score("IPrec11", found=[1, 2], relevant=2)
    1.0
    """
    levels = [interpolated_precision(ranks, recall=tenth / 10, rel=rel) for tenth in range(11)]
    return np.asarray(np.mean(levels, axis=0))


# Recall and success


@measure("R", at="cutoff", cite="Kent et al. 1955", trec_eval={"recall_{cutoff}": {}, "set_recall": {}})
def recall(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Recall: the share of the relevant documents among the first N, or in the whole list.

        R = k / n

    Does not depend on where in the list they are ranked.

    >>> score("R@100", found=[1, 98, 99, 200], relevant=5)
    0.6
    """
    relevant = ranks.relevant(rel)
    return relevant.found(cutoff) / relevant.n


@measure("Success", at="cutoff", cite="Buckley & Voorhees, SIGIR 2000", trec_eval={"success_{cutoff}": {}})
def success(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> Scores:
    """Success: whether any relevant document is among the first N.

    1 if k ≥ 1, otherwise 0. Its mean is the share of topics with at least one hit.

    >>> score("Success@5", found=[4, 9], relevant=3)
    1.0
    """
    return (ranks.relevant(rel).found(cutoff) > 0).astype(np.float64)


# F-scores: recall combined with precision, or with average precision


def _combine(first: Scores, second: Scores, beta: float) -> Scores:
    """The weighted harmonic mean, (1 + β²)·a·b / (β²·a + b), and 0 where both are 0."""
    denominator = beta**2 * first + second
    return np.divide(
        (1 + beta**2) * first * second, denominator, out=np.zeros_like(denominator), where=denominator != 0
    )


@measure("F", at="cutoff", cite="van Rijsbergen, Information Retrieval, 1979", trec_eval={"set_F": {}})
def f(ranks: Ranks, *, beta: Weight = 1.0, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """F-score: precision and recall in one number, recall weighted β times as much.

        F = (1 + β²)·P·R / (β²·P + R)

    The order within the first N does not matter. The parameter of trec_eval's set_F is β².

    >>> score("F@100", found=[1], relevant=4)
    0.019230769231
    """
    return _combine(precision(ranks, cutoff=cutoff, rel=rel), recall(ranks, cutoff=cutoff, rel=rel), beta)


@measure("Fprime", at="cutoff", cite="Magdy & Jones, SIGIR 2010, equation 1")
def fprime(ranks: Ranks, *, beta: Weight = 1.0, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """F′: average precision and recall in one number, recall weighted β times as much.

        F′ = (1 + β²)·AP·R / (β²·AP + R)

    Like AP it is dominated by the first relevant document.

    >>> score("Fprime(beta=4)@100", found=[1, 98, 99, 100], relevant=4)
    0.864377539865
    """
    return _combine(ap(ranks, cutoff=cutoff, rel=rel), recall(ranks, cutoff=cutoff, rel=rel), beta)
