"""Reciprocal rank of the first relevant document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Cutoff, Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("RR", at="cutoff", cite="Voorhees, TREC-8 question answering track, 1999", trec_eval={"recip_rank": {}})
def rr(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Reciprocal rank of the first relevant document. Its mean is MRR.

        RR = 1 / r_1

    0 if no relevant document is found within the first N.

    For tasks where one document is enough, unlike recall-oriented tasks.

    >>> score("RR", found=[4, 9], relevant=3)
    0.25
    """
    relevant = ranks.relevant(rel)
    reach = np.inf if cutoff is None else cutoff
    return relevant.max(np.where(relevant.ranks <= reach, 1 / relevant.ranks, 0.0))
