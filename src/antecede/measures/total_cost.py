"""The cost of a review, as tar_eval counts it, and the rank of the last relevant document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.measures.loss import shown_documents
from antecede.measures.registry import Cutoff, Documents, Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores

CITE = "tar_eval (CLEF TAR 2017)"
UNBOUNDED = (0.0, float("inf"))
PENALTY = 2.0
"""What one of the unread documents costs for which a missed one is sought."""


@measure("LastRel", cite=CITE, better=None, bounds=UNBOUNDED, trec_eval={"last_rel": {}})
def last_rel(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """The rank of the last relevant document of the list; 0 where it has none.

        LastRel = r_k

    As tar_eval's last_rel. A list that misses relevant documents is not penalised, and one that finds none scores 0:
    read it beside recall.

    >>> score("LastRel", found=[3, 17], relevant=5)
    17.0
    """
    relevant = ranks.relevant(rel)
    return relevant.max(np.where(np.isfinite(relevant.ranks), relevant.ranks, 0.0))


@measure(
    "TotalCost",
    at="cutoff",
    cite=CITE,
    better="lower",
    bounds=UNBOUNDED,
)
def total_cost(
    ranks: Ranks,
    *,
    docs: Documents,
    penalty: Literal["uniform", "weighted", "none"] = "uniform",
    cutoff: Cutoff | None = None,
    rel: Level = 1,
) -> Scores:
    """Total cost: the documents read, plus a penalty for those that would have to be read for what is missed.

        TotalCost = L + 2·U·m / n

    L documents are read, U = D − L are not, m = n − k relevant ones are missed. penalty=weighted replaces m/n by
    1/2 + 1/4 + … over m − 1 terms, penalty=none leaves the penalty out. As tar_eval's total_cost_uniform,
    total_cost_weighted and total_cost for runs without feedback. D is given as in LossE.

    >>> score("TotalCost(docs=1000)", found=[1], relevant=2, retrieved=100)
    1000.0
    """
    relevant = ranks.relevant(rel)
    read = shown_documents(ranks, cutoff)
    if penalty == "none":
        docs.resolve(ranks, "TotalCost")
        return read
    missed = relevant.n - relevant.found(cutoff)
    share = missed / relevant.n if penalty == "uniform" else 1 - 0.5 ** np.maximum(missed - 1, 0)
    cost: Scores = read + PENALTY * (docs.resolve(ranks, "TotalCost") - read) * share
    return cost
