"""Average precision, also for incomplete judgements: AP, infAP, Bpref, and the geometric means over topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.definition import Cutoff, Level, geometric_mean, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("AP", at="cutoff", cite="Buckley & Voorhees, SIGIR 2000", trec_eval={"map": {}, "map_cut_{cutoff}": {}})
def ap(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Average precision: precision at each relevant document, averaged over all of them. Its mean is MAP.

        AP = 1 / n · Σ P(r_i)

    The sum is over the relevant documents found; P(r_i) is precision at rank r_i.

    Dominated by the first relevant documents: finding further ones deep in the list has little effect.

    >>> score("AP", found=[1, 98, 99, 100], relevant=4)
    0.272677798392
    """
    relevant = ranks.relevant(rel)
    precision = relevant.precision
    if cutoff is not None:
        precision = np.where(relevant.in_order <= cutoff, precision, 0.0)
    return relevant.sum(precision) / relevant.n


@measure(
    "GMAP",
    at="cutoff",
    cite="Robertson, On GMAP, CIKM 2006",
    trec_eval={"gm_map": {}},
    aggregate=geometric_mean,
    aggregate_only=True,
)
def gmap(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Geometric mean of average precision over topics: rewards a system for its worst topics.

        GMAP = exp(1 / T · Σ ln max(AP, 0.00001))

    The sum is over the T topics; a single topic has AP. Depends on the floor of 0.00001.

    >>> score("GMAP", found=[1], relevant=4)
    0.25
    """
    return ap(ranks, cutoff=cutoff, rel=rel)


# For pools of which only a sample was judged


EPSILON = 1e-5


@measure("infAP", cite="Yilmaz & Aslam, CIKM 2006", trec_eval={"infAP": {}})
def infap(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Inferred average precision: AP with the precision above each relevant document estimated from the judged ones.

        infAP = 1 / n · Σ (1 / r_i + (r_i − 1) / r_i · p_i / (r_i − 1) · (i − 1 + ε) / (j_i + 2ε))

    p_i is the number of pooled documents above the ith relevant one, j_i that of the judged ones; ε = 0.00001.

    A relevance of -1 in the qrels marks a document of the pool that was not judged; a document that is not in the qrels
    counts as not relevant. Without any -1 it is nearly AP.

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


# Preferences between judged documents


BPREF_PAPER = "Buckley & Voorhees, SIGIR 2004"


@measure("Bpref", cite=BPREF_PAPER, trec_eval={"bpref": {}})
def bpref(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Binary preference: how rarely a document judged not relevant is ranked above a relevant one.

        Bpref = 1 / n · Σ (1 − min(b_i, n) / min(B, n))

    The sum is over the relevant documents found; b_i is the number of documents judged not relevant above the ith of
    them, B the number of all of these.

    Unjudged documents are ignored, so it is robust when judgements are missing at random. If B is 0, each relevant
    document found counts as 1, as in trec_eval.

    >>> score("Bpref", found=[1, 4], relevant=2, nonrelevant=[2], unfound_nonrelevant=3)
    0.75
    """
    relevant, nonrelevant = ranks.relevant(rel), ranks.nonrelevant(rel)
    above = relevant.above(nonrelevant)
    n = relevant.n[relevant.topic]
    most = np.minimum(np.nan_to_num(nonrelevant.n)[relevant.topic], n)
    share = np.divide(np.minimum(above, n), most, out=np.zeros_like(above), where=above > 0)
    return relevant.sum(np.where(np.isfinite(relevant.in_order), 1 - share, 0.0)) / relevant.n


@measure("GMBpref", cite=BPREF_PAPER, trec_eval={"gm_bpref": {}}, aggregate=geometric_mean, aggregate_only=True)
def gmbpref(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """Geometric mean of Bpref over topics.

        GMBpref = exp(1 / T · Σ ln max(Bpref, 0.00001))

    The sum is over the T topics; a single topic has Bpref.

    >>> score("GMBpref", found=[1, 2], relevant=4)
    0.5
    """
    return bpref(ranks, rel=rel)
