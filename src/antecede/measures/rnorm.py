"""Normalised recall, from which PRES was derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Documents, Level, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


@measure("Rnorm", cite="Rocchio 1964; as given in Magdy & Jones, SIGIR 2010, equation 2")
def rnorm(ranks: Ranks, *, docs: Documents, rel: Level = 1) -> Scores:
    """Normalised recall: the ranks of the relevant documents between the best and the worst order of all D documents.

        Rnorm = 1 − (Σ r_i − Σ i) / (n(D − n))

    Documents not retrieved are ranked at the very end of the D documents.

    Requires the size of the collection. For a large collection it is nearly the recall of the list, which is why PRES
    was introduced. A random order gives 0.5. docs=judged is the number of documents judged for a topic, docs=FILE a
    file of lines `topic size`.

    >>> score("Rnorm(docs=10)", found=[1, 10], relevant=2)
    0.5
    """
    relevant = ranks.relevant(rel)
    n = relevant.n
    size = docs.resolve(ranks, "Rnorm")
    missing = n - relevant.found()
    near = relevant.sum(np.where(np.isfinite(relevant.ranks), relevant.ranks, 0.0))
    total = near + missing * size - missing * (missing - 1) / 2
    spread = n * (size - n)
    worse = total - n * (n + 1) / 2
    scores: Scores = 1 - np.divide(worse, spread, out=np.zeros_like(worse), where=spread != 0)
    return scores
