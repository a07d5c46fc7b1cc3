"""Average precision, and its geometric mean over topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.aggregates import geometric_mean
from antecede.measures.registry import Cutoff, Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("AP", at="cutoff", cite="Buckley & Voorhees, SIGIR 2000", trec_eval={"map": {}, "map_cut_{cutoff}": {}})
def ap(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Average precision: precision at each relevant document, averaged over all of them. Its mean is MAP.

        AP = 1 / n · Σ P(r_i)

    The sum is over the relevant documents found, within the first N if N is given; P(r_i) is precision at rank r_i.

    Dominated by the first relevant documents: finding further ones deep in the list has little effect. The least robust
    of the compared measures when judgements are missing (Magdy & Jones, CLEF 2010).

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

    The sum is over the T topics.

    Defined for a set of topics only; a single topic has AP, not GMAP. Depends on the floor of 0.00001.

    >>> score("GMAP", found=[1], relevant=4)
    0.25
    """
    return ap(ranks, cutoff=cutoff, rel=rel)
