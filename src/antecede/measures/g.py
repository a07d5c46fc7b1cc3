"""Normalised gain: what a relevant document gains, the less the later it comes than it might have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.ideal import ideal_gains, reached
from antecede.measures.registry import Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("BinG", cite="trec_eval 9", trec_eval={"binG": {}})
def bin_g(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Binary G: each relevant document gains less, the more irrelevant ones stand above it.

    Σ 1 / log₂(2 + r_i − i) / n: r_i − i documents above the ith relevant one are not relevant, judged or not.

    Relevant documents above do no harm, unlike in nDCG: with ten irrelevant ones above it a document gains the same
    at rank 11 as at rank 200.

    >>> score("BinG", found=[1, 4], relevant=4)
    0.375
    """
    relevant = ranks.relevant(rel)
    return relevant.sum(1 / np.log2(2 + relevant.in_order - relevant.ith)) / relevant.n


@measure("G", cite="trec_eval 9", trec_eval={"G": {}})
def g(ranks: Ranks) -> Scores:
    """G: graded gain, less for each document the further the list has fallen behind the best order by then.

    Σ grade_i / log₂(2 + C(r_i) − S(r_i)), divided by the sum of all grades. S(r) adds up the grades of the first r
    documents, C(r) the greater of 1 and the grade over the first r places of the best order.

    With grades of 1 alone it is BinG. A good document that comes late costs those above it too, as they stand in its
    place. The level `rel` does not apply: grades speak for themselves.

    >>> score("G", found=[1, 3], relevant=2, grades=[1, 2])
    0.630929753571
    """
    graded = ranks.relevant(1)
    gains = graded.relevance[graded.order].astype(np.float64)
    best = ideal_gains(graded)
    places = np.repeat(graded.lengths, graded.lengths)
    cost = reached(graded, graded.running(np.maximum(best, 1.0)), graded.in_order)
    cost += np.maximum(graded.in_order - places, 0.0)
    behind = np.maximum(cost - graded.running(gains), 0.0)  # below 0 only where copies of documents gain again
    total = np.bincount(graded.topic, weights=best, minlength=ranks.topics)
    return graded.sum(gains / np.log2(2 + behind)) / np.where(total > 0, total, np.nan)
