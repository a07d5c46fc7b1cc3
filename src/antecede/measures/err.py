"""Expected reciprocal rank: a reader who stops at the first satisfying document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import MeasureError
from antecede.measures.registry import Cutoff, Grade, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("ERR", at="cutoff", cite="Chapelle, Metzler, Zhang & Grinspan, CIKM 2009")
def err(ranks: Ranks, *, max: Grade = 4, cutoff: Cutoff | None = None) -> Scores:  # noqa: A002 - the parameter is written ERR(max=4)
    """Expected reciprocal rank: the expectation of 1 / rank of the first document that satisfies the reader.

        ERR = Σ 1 / r · s_r · Π (1 − s_j),
        s_r = (2^g_r − 1) / 2^max

    The sum is over the ranks r, up to N if N is given, the product over the ranks j above r; s_r is the probability
    that the document at rank r, with grade g_r, satisfies the reader.

    `max` is the highest grade of the scale, 4 as in gdeval and ir_measures; higher grades in the qrels are refused. The
    number of relevant documents is not taken into account, so 1 cannot be reached; for grades of 0 and 1, set max=1.

    >>> score("ERR@20", found=[1, 3], relevant=2, grades=[4, 2])
    0.94140625
    """
    above = ranks.relevance[ranks.relevance > max]
    if len(above):
        raise MeasureError(f"ERR(max={max}): the qrels have grade {above.max()}; set max={above.max()} or more")
    graded = ranks.relevant(1)
    grade = graded.relevance[graded.order].astype(np.float64)
    satisfied = np.where(np.isfinite(graded.in_order), np.exp2(grade - max) - np.exp2(-max), 0.0)
    unsatisfied = graded.accumulate(1 - satisfied, np.multiply)
    still = np.ones_like(unsatisfied)
    later = np.flatnonzero(graded.ith > 1)
    still[:, later] = unsatisfied[:, later - 1]
    reach = np.inf if cutoff is None else cutoff
    return graded.sum(np.where(graded.in_order <= reach, satisfied * still / graded.in_order, 0.0))
