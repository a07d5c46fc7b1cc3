"""What a review costs and misses: effort, work saved over sampling, losses, total cost, utility."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.errors import MeasureError
from antecede.measures.definition import Cutoff, Documents, Level, Percent, Worth, measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks, Scores

    Numbers = NDArray[np.float64] | NDArray[np.int64]


UNBOUNDED = (0.0, float("inf"))
TAR_EVAL = "tar_eval (CLEF TAR 2017)"
LOSS_CITE = f"Cormack & Grossman, TREC Total Recall 2015; {TAR_EVAL}"


# Effort to reach a level of recall


def required_count(n: NDArray[np.float64], percent: int) -> NDArray[np.float64]:
    """The number of documents that make up `percent` of n, rounded up, in integer arithmetic: 95 % of 20 is 19."""
    whole = np.nan_to_num(n).astype(np.int64)
    return np.maximum(-(-percent * whole // 100), 1).astype(np.float64)


@measure("Effort", at="percent", cite="Cormack & Grossman, SIGIR 2014", better="lower", bounds=(1.0, float("inf")))
def effort(ranks: Ranks, *, percent: Percent, docs: Documents | None = None, rel: Level = 1) -> Scores:
    """Effort: how many documents must be read to see the given percentage of the relevant ones.

        Effort = r_j, j = ⌈p·n / 100⌉

    p is the percentage: the effort is the rank of the jth relevant document.

    If a run never reaches this percentage on a topic, the effort is ∞, and so is the mean, which is reported with the
    number of such topics. With docs=D, such a topic counts as reading all D.

    >>> score("Effort@80", found=[1, 5, 9, 30], relevant=5)
    30.0
    >>> score("Effort@95", found=[1, 5, 9, 30], relevant=5)
    inf
    """
    relevant = ranks.relevant(rel)
    reached = relevant.at(required_count(relevant.n, percent))
    if docs is None:
        return reached
    return np.where(np.isinf(reached), docs.resolve(ranks, "Effort"), reached)


# Work saved


@measure("WSS", at="percent", cite="Cohen et al., JAMIA 2006", bounds=(-1.0, 1.0))
def wss(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """Work saved over sampling: the share of the collection that need not be read to reach a percentage of recall.

        WSS = (D − E) / D − (1 − p / 100)

    E is the number of documents read to reach p percent recall (Effort); all D if it is never reached.

    Relative to reading in random order. Its maximum depends on n and D, so it should not be averaged over collections:
    see TNR.

    >>> score("WSS(docs=1000)@95", found=[10, 20], relevant=2)
    0.93
    """
    size = docs.resolve(ranks, "WSS")
    return (size - effort(ranks, percent=percent, docs=docs, rel=rel)) / size - (1 - percent / 100)


@measure("TNR", at="percent", cite="Kusa, Lipani, Knoth & Hanbury, 2023: normalised WSS")
def tnr(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """True negative rate at a percentage of recall: the share of the non-relevant documents that need not be read.

        TNR = (D − n − w) / (D − n)

    w is the number of non-relevant documents read to reach that recall; all D documents if it is never reached. The
    normalised form of WSS.

    >>> score("TNR(docs=102)@100", found=[1, 52], relevant=2)
    0.5
    """
    relevant = ranks.relevant(rel)
    n = relevant.n
    size = docs.resolve(ranks, "TNR")
    read = effort(ranks, percent=percent, rel=rel)
    wasted = np.where(np.isinf(read), size - n, read - required_count(n, percent))
    nonrelevant = size - n
    saved = nonrelevant - wasted
    scores: Scores = np.divide(saved, nonrelevant, out=np.ones_like(saved), where=nonrelevant > 0)
    return scores


@measure("TarWSS", at="percent", cite=TAR_EVAL, bounds=(-1.0, 1.0))
def tar_wss(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """Work saved over sampling as tar_eval computes it: for wss_95 and wss_100 of reviews.

        TarWSS = (D − r_j) / D − (1 − p / 100),  j = p·n / 100, rounded to the nearest integer, halves to even

    Unlike WSS, j is rounded and not rounded up (95 % of 30 documents are 28), and a list that never reaches the
    percentage scores 0, not −(1 − p/100).

    >>> score("TarWSS(docs=1000)@95", found=[10], relevant=2)
    0.0
    """
    relevant = ranks.relevant(rel)
    size = docs.resolve(ranks, "TarWSS")
    wanted = np.round(np.nan_to_num(relevant.n) * (percent / 100))
    reached = np.where(wanted > 0, relevant.at(np.maximum(wanted, 1)), 0.0)
    saved: Scores = np.where(np.isinf(reached), 0.0, (size - reached) / size - (1 - percent / 100))
    return saved


# The losses of tar_eval: what a review that reads this list has missed, and what it has cost


EFFORT_OFFSET = 100
"""A reasonable effort is to read n + 100 documents."""


def _read_documents(ranks: Ranks, cutoff: int | None) -> NDArray[np.float64]:
    """float64[R, T]: how many documents of the list are read."""
    shown = ranks.retrieved.astype(np.float64)
    return shown if cutoff is None else np.minimum(shown, cutoff)


def lost_recall(recall: NDArray[np.float64]) -> NDArray[np.float64]:
    """(1 − R)²"""
    lost: NDArray[np.float64] = (1 - recall) ** 2
    return lost


def lost_effort(read: NDArray[np.float64], relevant: Numbers, documents: Numbers | float) -> NDArray[np.float64]:
    """(100 / D)² · (L / (n + 100))², for L of D documents read and n relevant ones."""
    lost: NDArray[np.float64] = (EFFORT_OFFSET / documents * read / (relevant + EFFORT_OFFSET)) ** 2
    return lost


@measure("LossR", at="cutoff", cite=TAR_EVAL, better="lower", trec_eval={"loss_r": {}})
def loss_r(ranks: Ranks, *, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Loss of recall: the square of the share of the relevant documents that the list, or its first N, misses.

        LossR = (1 − k / n)²

    As tar_eval's loss_r.

    >>> score("LossR", found=[1, 2, 3], relevant=4)
    0.0625
    """
    relevant = ranks.relevant(rel)
    return lost_recall(relevant.found(cutoff) / relevant.n)


@measure("LossE", at="cutoff", cite=TAR_EVAL, better=None, bounds=UNBOUNDED)
def loss_e(ranks: Ranks, *, docs: Documents, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Loss of effort: the square of what is read, relative to n + 100 documents and to the size of the collection.

        LossE = (100 / D)² · (L / (n + 100))²

    L is at most N. As tar_eval's loss_e.

    >>> score("LossE(docs=1000)", found=[1, 2], relevant=2, retrieved=510)
    0.25
    """
    size = docs.resolve(ranks, "LossE")
    return lost_effort(_read_documents(ranks, cutoff), ranks.relevant(rel).n, size)


@measure("LossER", at="cutoff", cite=LOSS_CITE, better="lower", bounds=UNBOUNDED)
def loss_er(ranks: Ranks, *, docs: Documents, cutoff: Cutoff | None = None, rel: Level = 1) -> Scores:
    """Loss of effort and recall: how far a review is from finding everything with a reasonable effort.

        LossER = (1 − k / n)² + (100 / D)² · (L / (n + 100))²

    LossR + LossE, as tar_eval's loss_er.

    >>> score("LossER(docs=1000)", found=[1], relevant=2, retrieved=510)
    0.5
    """
    return loss_r(ranks, cutoff=cutoff, rel=rel) + loss_e(ranks, docs=docs, cutoff=cutoff, rel=rel)


# The cost of a review, as tar_eval counts it


PENALTY = 2.0
"""What one of the unread documents costs for which a missed one is sought."""


@measure("LastRel", cite=TAR_EVAL, better=None, bounds=UNBOUNDED, trec_eval={"last_rel": {}})
def last_rel(ranks: Ranks, *, rel: Level = 1) -> Scores:
    """The rank of the last relevant document of the list; 0 where it has none.

        LastRel = r_k

    A list that misses relevant documents is not penalised: read it beside recall. As tar_eval's last_rel.

    >>> score("LastRel", found=[3, 17], relevant=5)
    17.0
    """
    relevant = ranks.relevant(rel)
    return relevant.max(np.where(np.isfinite(relevant.ranks), relevant.ranks, 0.0))


@measure("TotalCost", at="cutoff", cite=TAR_EVAL, better="lower", bounds=UNBOUNDED)
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

    U = D − L documents are not read, m = n − k relevant ones are missed. penalty=weighted replaces m/n by 1/2 + 1/4 + …
    over m − 1 terms, penalty=none leaves the penalty out. As tar_eval's total_cost_uniform, total_cost_weighted and
    total_cost for runs without feedback.

    >>> score("TotalCost(docs=1000)", found=[1], relevant=2, retrieved=100)
    1000.0
    """
    relevant = ranks.relevant(rel)
    read = _read_documents(ranks, cutoff)
    if penalty == "none":
        docs.resolve(ranks, "TotalCost")
        return read
    missed = relevant.n - relevant.found(cutoff)
    share = missed / relevant.n if penalty == "uniform" else 1 - 0.5 ** np.maximum(missed - 1, 0)
    cost: Scores = read + PENALTY * (docs.resolve(ranks, "TotalCost") - read) * share
    return cost


# A value or a price for each document


@measure("Utility", cite="Hull, TREC-6 filtering track, 1997", trec_eval={"utility": {}}, bounds=(-np.inf, np.inf))
def utility(
    ranks: Ranks,
    *,
    found: Worth = 1.0,
    noise: Worth = -1.0,
    missed: Worth = 0.0,
    rest: Worth = 0.0,
    docs: Documents | None = None,
    rel: Level = 1,
) -> Scores:
    """Utility: the value of a set of documents, with a price for each one found, non-relevant, or missed.

        Utility = found·k + noise·(L − k) + missed·(n − k) + rest·(D − L − (n − k))

    Only `rest` requires D.

    Evaluates a set, not an order: a ranking of fixed length, such as 1000, scores far below 0. Topics with many
    documents dominate the mean. trec_eval's `utility.2,-1,0,0` is `Utility(found=2)`.

    >>> score("Utility", found=[1, 4], relevant=4, retrieved=10)
    -6.0
    >>> score("Utility(found=3, noise=-2, missed=-1)", found=[1, 4], relevant=4, retrieved=4)
    0.0
    """
    relevant = ranks.relevant(rel)
    hits = relevant.found()
    lost = np.nan_to_num(relevant.n) - hits
    seen = ranks.retrieved + lost
    scores: Scores = found * hits + noise * (ranks.retrieved - hits) + missed * lost
    if docs is None:
        if rest:
            raise MeasureError(f"Utility(rest={rest:g}) requires the size of the collection; set docs=…")
        return scores
    size = docs.resolve(ranks, "Utility")
    if (size < seen.max(axis=0, initial=0)).any():
        least = seen.max(axis=0)[np.flatnonzero(size < seen.max(axis=0))].max()
        raise MeasureError(
            f"Utility(docs={docs}): the collection has at least {least:.0f} documents; set docs to its size"
        )
    return scores + rest * (size - seen)
