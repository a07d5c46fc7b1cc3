"""Normalised gain: a relevant document gains less the later it is retrieved compared with the best order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("BinG", cite="trec_eval 9", trec_eval={"binG": {}})
def bin_g(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Binary G: each relevant document gains less, the more non-relevant documents are ranked above it.

        BinG = 1 / n · Σ 1 / log₂(2 + r_i − i)

    r_i − i is the number of documents above the ith relevant one that are not relevant, judged or not.

    Relevant documents above it do not reduce the gain, unlike in nDCG: with ten non-relevant documents above it, a
    document gains the same at rank 11 as at rank 200.

    >>> score("BinG", found=[1, 4], relevant=4)
    0.375
    """
    relevant = ranks.relevant(rel)
    return relevant.sum(1 / np.log2(2 + relevant.in_order - relevant.ith)) / relevant.n


@measure("G", cite="trec_eval 9", trec_eval={"G": {}})
def g(ranks: Ranks) -> Scores:
    """G: graded gain, reduced for each document by how far the ranking falls short of the best order at its rank.

        G = 1 / Σ g_i · Σ g_i / log₂(2 + C(r_i) − S(r_i))

    g_i is the grade of the ith relevant document; the first sum is over all relevant documents, retrieved
    or not. S(r) is the sum of the grades of the first r documents, C(r) the sum of max(1, grade) over the first r
    positions of the best order.

    With grades of 1 only it equals BinG. A highly relevant document that is ranked late also reduces the gain of those
    above it, which take its position. The level `rel` does not apply: the grades are used directly.

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
