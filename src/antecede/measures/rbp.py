"""Rank-biased precision, and what the unjudged documents could add to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Cutoff, Level, Persistence, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores, Selection

PAPER = "Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008"


def biased_sum(chosen: Selection, p: float, cutoff: int | None) -> Scores:
    """(1 − p) Σ p^(r−1) over the documents chosen."""
    reach = np.inf if cutoff is None else cutoff
    return (1 - p) * chosen.sum(np.where(chosen.ranks <= reach, p ** (chosen.ranks - 1), 0.0))


@measure("RBP", at="cutoff", cite=PAPER, trec_eval={"rbp": {"p": 0.9}})
def rbp(ranks: Ranks, *, p: Persistence = 0.8, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Rank-biased precision: what a reader gains who goes on to the next document with probability p.

    (1 − p) Σ p^(r_i − 1), a document of relevance `rel` or more gaining 1.

    Does not know how many relevant documents there are, so 1 is out of reach. trec_eval's rbp stands for p = 0.9 and
    takes grades as gains; on grades above 1 the two differ.

    >>> score("RBP(p=0.5)", found=[1, 3], relevant=2)
    0.625
    """
    return biased_sum(ranks.relevant(rel), p, cutoff)


@measure("RBPresidual", at="cutoff", cite=PAPER, trec_eval={"rbp_resid": {"p": 0.9}}, better="lower")
def rbp_residual(ranks: Ranks, *, p: Persistence = 0.8, cutoff: Cutoff | None = None) -> Scores:
    """Residual of rank-biased precision: what it would gain if every unjudged document were relevant.

    1 − (1 − p) Σ p^(r − 1) over the judged documents that were retrieved, so places behind the end of the list count.

    RBP + residual is an upper bound. trec_eval reports 0 where all retrieved documents were judged; here the places
    behind the list still count.

    >>> score("RBPresidual(p=0.5)", found=[1], relevant=1, nonrelevant=[2])
    0.25
    """
    return 1 - biased_sum(ranks.judged(), p, cutoff)
