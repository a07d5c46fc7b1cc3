"""Inferred average precision: for pools of which only a sample was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores

EPSILON = 1e-5


@measure("infAP", cite="Yilmaz & Aslam, CIKM 2006", trec_eval={"infAP": {}})
def infap(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Inferred average precision: AP with the precision above each relevant document estimated from the judged ones.

        infAP = 1 / n · Σ (1 / r_i + (r_i − 1) / r_i · p_i / (r_i − 1) · (i − 1 + ε) / (j_i + 2ε))

    p_i is the number of pooled documents ranked above the ith relevant one, j_i the number of judged ones among them; ε
    = 0.00001.

    A relevance of -1 in the qrels marks a document that was in the pool but not judged; a document that is not in the
    qrels was not in the pool and counts as not relevant. Without any -1 it is nearly AP.

    >>> score("infAP", found=[1, 2], relevant=2)
    0.99999750005
    """
    relevant = ranks.relevant(rel)
    at = relevant.in_order
    found = np.isfinite(at)
    relevant_above = relevant.ith - 1.0
    judged_above = relevant_above + relevant.above(ranks.nonrelevant(rel))
    pooled_above = judged_above + relevant.above(ranks.unjudged())
    judged_precision = (relevant_above + EPSILON) / (judged_above + 2 * EPSILON)
    precision = np.where(at > 1, (1 + pooled_above * judged_precision) / at, 1.0)
    return relevant.sum(np.where(found, precision, 0.0)) / relevant.n
