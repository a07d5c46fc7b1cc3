"""Binary preference: a measure that considers only judged documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.aggregates import geometric_mean
from antecede.measures.registry import Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores

PAPER = "Buckley & Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004"


@measure("Bpref", cite=PAPER, trec_eval={"bpref": {}})
def bpref(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Binary preference: how rarely a document judged not relevant is ranked above a relevant one.

        Bpref = 1 / n · Σ (1 − min(b_i, n) / min(B, n))

    The sum is over the relevant documents found; b_i is the number of documents judged not relevant that are ranked
    above the ith of them, B the number of all documents judged not relevant.

    Unjudged documents are ignored, so it is robust when judgements are missing at random. If no document was judged not
    relevant, each relevant document found counts as 1, as in trec_eval.

    >>> score("Bpref", found=[1, 4], relevant=2, nonrelevant=[2], unfound_nonrelevant=3)
    0.75
    """
    relevant, nonrelevant = ranks.relevant(rel), ranks.nonrelevant(rel)
    above = relevant.above(nonrelevant)
    n = relevant.n[relevant.topic]
    most = np.minimum(np.nan_to_num(nonrelevant.n)[relevant.topic], n)
    share = np.divide(np.minimum(above, n), most, out=np.zeros_like(above), where=above > 0)
    return relevant.sum(np.where(np.isfinite(relevant.in_order), 1 - share, 0.0)) / relevant.n


@measure("GMBpref", cite=PAPER, trec_eval={"gm_bpref": {}}, aggregate=geometric_mean, aggregate_only=True)
def gmbpref(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Geometric mean of Bpref over topics.

        GMBpref = exp(1 / T · Σ ln max(Bpref, 0.00001))

    The sum is over the T topics.

    Defined for a set of topics only; a single topic has Bpref, not GMBpref.

    >>> score("GMBpref", found=[1, 2], relevant=4)
    0.5
    """
    return bpref(ranks, rel=rel)
