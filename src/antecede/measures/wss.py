"""Work saved: what need not be read to reach a level of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.effort import effort, needed
from antecede.measures.registry import Documents, Level, Percent, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("WSS", at="percent", cite="Cohen et al., JAMIA 2006", bounds=(-1.0, 1.0))
def wss(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """Work saved over sampling: the share of the collection that need not be read to reach so many percent recall.

    (D − documents read) / D − (1 − percent), D the size of the collection.

    Compares with reading in random order. Where the run never reaches that recall, all D documents are read.
    Its highest value depends on n and D, so it should not be averaged over collections: see TNR.

    >>> score("WSS(docs=1000)@95", found=[10, 20], relevant=2)
    0.93
    """
    ranks.check_collection(docs, "WSS")
    return (docs - effort(ranks, percent=percent, docs=docs, rel=rel)) / docs - (1 - percent / 100)


@measure("TNR", at="percent", cite="Kusa, Lipani, Knoth & Hanbury, 2023: normalised WSS")
def tnr(ranks: Ranks, *, docs: Documents, percent: Percent, rel: Level = 1) -> Scores:
    """True negative rate at so many percent recall: the share of the irrelevant documents that need not be read.

    TN / (TN + FP): (D − n − irrelevant documents read) / (D − n). The normalised form of WSS.

    Where the run never reaches that recall, all D documents are read and it is 0.

    >>> score("TNR(docs=102)@100", found=[1, 52], relevant=2)
    0.5
    """
    relevant = ranks.relevant(rel)
    n = relevant.n
    ranks.check_collection(docs, "TNR")
    read = effort(ranks, percent=percent, rel=rel)
    useless = np.where(np.isinf(read), docs - n, read - needed(n, percent))
    irrelevant = docs - n
    saved = irrelevant - useless
    scores: Scores = np.divide(saved, irrelevant, out=np.ones_like(saved), where=irrelevant > 0)
    return scores
