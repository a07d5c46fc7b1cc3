"""The share of retrieved documents that were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Cutoff, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("Judged", at="cutoff", cite="ir_measures")
def judged(ranks: Ranks, *, cutoff: Cutoff | None = None) -> Scores:
    """Judged: the share of the first N documents that were judged.

        Judged = J / min(N, L)

    J is the number of judged documents among the first N, L the length of the list; 0 for an empty list.

    A diagnostic: where it is low, the other measures are unreliable.

    >>> score("Judged@10", found=[1], relevant=1, nonrelevant=[2, 3], retrieved=6)
    0.5
    """
    depth = ranks.retrieved if cutoff is None else np.minimum(ranks.retrieved, cutoff)
    found = ranks.judged().found(cutoff)
    return np.divide(found, depth, out=np.zeros_like(found), where=depth > 0)


@measure("Unjudged", at="cutoff", cite="trec_eval 10", trec_eval={"unj_{cutoff}": {}}, better=None)
def unjudged(ranks: Ranks, *, cutoff: Cutoff) -> Scores:
    """Unjudged: the share of the first N positions that hold an unjudged document.

        Unjudged = (min(N, L) − J) / N

    J is the number of judged documents among the first N, L the length of the list.

    An empty position is not an unjudged document, so Judged@N + Unjudged@N is below 1 for a short list.

    >>> score("Unjudged@10", found=[1], relevant=1, nonrelevant=[2, 3], retrieved=6)
    0.3
    """
    return (np.minimum(ranks.retrieved, cutoff) - ranks.judged().found(cutoff)) / cutoff
