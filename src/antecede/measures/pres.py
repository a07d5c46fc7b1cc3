"""PRES and normalised recall: how early *all* relevant documents are retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.definition import Cutoff, Documents, Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


PRES_PAPER = "Magdy & Jones, SIGIR 2010"


@measure("PRES", at="cutoff", cite=PRES_PAPER)
def pres(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> Scores:
    """Patent retrieval evaluation score: how early all relevant documents are retrieved within the first N.

        PRES = 1 − (S/n − (n + 1)/2) / N,
        S = Σ r_i + (n − k)(N + n) − (n − k)(n − k − 1) / 2

    S is the sum of the ranks of the relevant documents. The n − k that are not among the first N are assigned the ranks
    N + k + 1 … N + n, directly after the cut-off; the sum Σ r_i is over the k others.

    Lies between n·R²/N and R, so it never exceeds recall. It depends on N even if no further document is found: rank 10
    is good within 1000 and bad within 15. The formula printed in the paper lacks a division by n.

    >>> score("PRES@100", found=[50, 51, 52, 53], relevant=4)
    0.51
    >>> score("PRES@1000", found=[41, 54], relevant=3)
    0.636
    """
    relevant = ranks.relevant(rel)
    n = relevant.n
    found = relevant.found(cutoff)
    missing = n - found
    near = relevant.sum(np.where(relevant.ranks <= cutoff, relevant.ranks, 0.0))
    total = near + missing * (cutoff + n) - missing * (missing - 1) / 2
    scores: Scores = 1 - (total / n - (n + 1) / 2) / cutoff
    return scores


@measure("PRESest", at="cutoff", cite=PRES_PAPER)
def pres_est(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> Scores:
    """Estimated PRES, for topics with more relevant documents than the searcher reads.

        PRESest = PRES / min(1, N/n)

    The divisor is the highest recall that N documents can reach. Prefer a larger N where possible.

    >>> score("PRESest@10", found=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], relevant=20)
    1.0
    """
    best_recall = np.minimum(1.0, cutoff / ranks.relevant(rel).n)
    return pres(ranks, cutoff=cutoff, rel=rel) / best_recall


# Normalised recall, from which PRES was derived


@measure("Rnorm", cite="Rocchio 1964; Magdy & Jones, SIGIR 2010, equation 2")
def rnorm(ranks: Ranks, *, docs: Documents, rel: Level = 1) -> Scores:
    """Normalised recall: the ranks of the relevant documents between the best and the worst order of all D documents.

        Rnorm = 1 − (Σ r_i − Σ i) / (n(D − n))

    Documents not retrieved are ranked at the very end of the D documents. A random order gives 0.5; where every
    document is relevant, it is 1.

    For a large collection it is nearly the recall of the list, which is why PRES was introduced.

    >>> score("Rnorm(docs=10)", found=[1, 10], relevant=2)
    0.5
    >>> score("Rnorm(docs=2)", found=[1, 2], relevant=2)
    1.0
    """
    relevant = ranks.relevant(rel)
    n = relevant.n
    size = docs.resolve(ranks, "Rnorm")
    missing = n - relevant.found()
    near = relevant.sum(np.where(np.isfinite(relevant.ranks), relevant.ranks, 0.0))
    total = near + missing * size - missing * (missing - 1) / 2
    spread = n * (size - n)
    worse = total - n * (n + 1) / 2
    scores: Scores = 1 - np.divide(worse, spread, out=np.zeros_like(worse), where=spread != 0)
    return scores
