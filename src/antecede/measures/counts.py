"""Counts, summed over topics, and the share of the retrieved documents that were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.definition import Cutoff, Level, measure, total

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


UNBOUNDED = (0.0, float("inf"))


@measure("NumQ", cite="trec_eval", trec_eval={"num_q": {}}, aggregate=total, better=None, bounds=UNBOUNDED)
def num_q(ranks: Ranks) -> Scores:
    """The number of topics evaluated.

    1 for each topic that has a relevant document.

    >>> score("NumQ", found=[1], relevant=1)
    1.0
    """
    return np.ones_like(ranks.retrieved, dtype=np.float64)


@measure("NumRet", cite="trec_eval", trec_eval={"num_ret": {}}, aggregate=total, better=None, bounds=UNBOUNDED)
def num_ret(ranks: Ranks) -> Scores:
    """The number of documents retrieved.

    The length of the list.

    >>> score("NumRet", found=[1], relevant=1, retrieved=1000)
    1000.0
    """
    return ranks.retrieved.astype(np.float64)


@measure("NumRel", cite="trec_eval", trec_eval={"num_rel": {}}, aggregate=total, better=None, bounds=UNBOUNDED)
def num_rel(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """The number of relevant documents.

    n.

    >>> score("NumRel", found=[1], relevant=6)
    6.0
    """
    return np.broadcast_to(ranks.relevant(rel).n, (ranks.runs, ranks.topics))


@measure("NumRelRet", at="cutoff", cite="trec_eval", trec_eval={"num_rel_ret": {}}, aggregate=total, bounds=UNBOUNDED)
def num_rel_ret(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """The number of relevant documents retrieved, within the first N if N is given.

    k.

    >>> score("NumRelRet", found=[1, 7], relevant=6)
    2.0
    """
    return ranks.relevant(rel).found(cutoff)


@measure(
    "NumNonrelRet",
    at="cutoff",
    cite="trec_eval",
    trec_eval={"num_nonrel_judged_ret": {}},
    aggregate=total,
    better=None,
    bounds=UNBOUNDED,
)
def num_nonrel_ret(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """The number of retrieved documents that were judged not relevant.

    Judged below `rel`; unjudged documents do not count.

    >>> score("NumNonrelRet", found=[1], relevant=1, nonrelevant=[2, 3])
    2.0
    """
    return ranks.nonrelevant(rel).found(cutoff)


# Judged documents


@measure("Judged", at="cutoff", cite="ir_measures")
def judged(ranks: Ranks, *, cutoff: Cutoff | None = None) -> Scores:
    """Judged: the share of the first N documents that were judged.

        Judged = J / min(N, L)

    J is the number of judged documents among the first N. Where the share is low, other measures are unreliable.

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

    J is the number of judged documents among the first N. For a short list, Judged@N + Unjudged@N is below 1.

    >>> score("Unjudged@10", found=[1], relevant=1, nonrelevant=[2, 3], retrieved=6)
    0.3
    """
    return (np.minimum(ranks.retrieved, cutoff) - ranks.judged().found(cutoff)) / cutoff
