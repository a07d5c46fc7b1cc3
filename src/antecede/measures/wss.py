"""Work saved: the documents that need not be read to reach a level of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.effort import effort, required_count
from antecede.measures.registry import Documents, Level, Percent, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("WSS", at="percent", cite="Cohen et al., JAMIA 2006", bounds=(-1.0, 1.0))
def wss(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """Work saved over sampling: the share of the collection that need not be read to reach a percentage of recall.

        WSS = (D − E) / D − (1 − p / 100)

    D is the size of the collection, E the number of documents read to reach p percent recall: see Effort.

    Relative to reading in random order. If the run never reaches that recall, all D documents are read. Its maximum
    depends on n and D, so it should not be averaged over collections: see TNR. Where each topic has its own
    collection, as in systematic reviews, docs=judged is the number of documents judged for the topic, and docs=FILE
    a file of lines `topic size`.

    >>> score("WSS(docs=1000)@95", found=[10, 20], relevant=2)
    0.93
    """
    size = docs.resolve(ranks, "WSS")
    return (size - effort(ranks, percent=percent, docs=docs, rel=rel)) / size - (1 - percent / 100)


@measure("TNR", at="percent", cite="Kusa, Lipani, Knoth & Hanbury, 2023: normalised WSS")
def tnr(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """True negative rate at a percentage of recall: the share of the non-relevant documents that need not be read.

        TNR = (D − n − w) / (D − n)

    D is the size of the collection, w the number of non-relevant documents read to reach that recall. The normalised
    form of WSS: true negatives / (true negatives + false positives).

    If the run never reaches that recall, all D documents are read and the score is 0. D is given as in WSS: one number,
    docs=judged or docs=FILE.

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


@measure("TarWSS", at="percent", cite="tar_eval (CLEF TAR 2017)", bounds=(-1.0, 1.0))
def tar_wss(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """Work saved over sampling as tar_eval computes it: for wss_95 and wss_100 of reviews.

        TarWSS = (D − r_j) / D − (1 − p / 100),  j = p·n / 100, rounded to the nearest integer, halves to even

    It differs from WSS in two ways: j is rounded and not rounded up, so that 95 % of 7 documents are 7 but of 6 are 6
    and of 30 are 28; and a list that never reaches the percentage scores 0, not −(1 − p/100).

    >>> score("TarWSS(docs=1000)@95", found=[10, 20], relevant=2)
    0.93
    >>> score("TarWSS(docs=1000)@95", found=[10], relevant=2)
    0.0
    """
    relevant = ranks.relevant(rel)
    size = docs.resolve(ranks, "TarWSS")
    wanted = np.round(np.nan_to_num(relevant.n) * (percent / 100))
    reached = np.where(wanted > 0, relevant.at(np.maximum(wanted, 1)), 0.0)
    saved: Scores = np.where(np.isinf(reached), 0.0, (size - reached) / size - (1 - percent / 100))
    return saved
