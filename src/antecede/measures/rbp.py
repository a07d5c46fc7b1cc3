"""Rank-biased precision, and its residual due to unjudged documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Cutoff, Level, Persistence, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores, Selection

PAPER = "Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008"


def sum_discounted(chosen: Selection, p: float, cutoff: int | None) -> Scores:
    """(1 − p) Σ p^(r−1) over the chosen documents."""
    reach = np.inf if cutoff is None else cutoff
    return (1 - p) * chosen.sum(np.where(chosen.ranks <= reach, p ** (chosen.ranks - 1), 0.0))


@measure("RBP", at="cutoff", cite=PAPER, trec_eval={"rbp": {"p": 0.9}})
def rbp(ranks: Ranks, *, p: Persistence = 0.8, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Rank-biased precision: the expected gain of a reader who continues to the next document with probability p.

        RBP = (1 − p) Σ p^(r_i − 1)

    A document of relevance `rel` or more gains 1.

    The number of relevant documents is not taken into account, so 1 cannot be reached. trec_eval's rbp uses p = 0.9 and
    grades as gains; the two differ for grades above 1.

    >>> score("RBP(p=0.5)", found=[1, 3], relevant=2)
    0.625
    """
    return sum_discounted(ranks.relevant(rel), p, cutoff)


@measure("RBPresidual", at="cutoff", cite=PAPER, trec_eval={"rbp_resid": {"p": 0.9}}, better="lower")
def rbp_residual(ranks: Ranks, *, p: Persistence = 0.8, cutoff: Cutoff | None = None) -> Scores:
    """Residual of rank-biased precision: the additional gain if every unjudged document were relevant.

        RBPresidual = 1 − (1 − p) Σ p^(r − 1)

    The sum is over the ranks r of the judged documents retrieved, so positions after the end of the list count.

    RBP + residual is an upper bound. trec_eval reports 0 if all retrieved documents were judged; here the positions
    after the end of the list still count.

    >>> score("RBPresidual(p=0.5)", found=[1], relevant=1, nonrelevant=[2])
    0.25
    """
    return 1 - sum_discounted(ranks.judged(), p, cutoff)
