"""Utility: a sum of the values of relevant, non-relevant and missed documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import MeasureError
from antecede.measures.registry import Documents, Level, Worth, measure

if TYPE_CHECKING:
    from antecede.measures.ranks import Ranks, Scores


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

    L is the length of the list, D (`docs`, as in WSS) the size of the collection, which only `rest` requires.

    Evaluates a set, not an order: a ranking of fixed length, such as 1000, scores far below 0. Unbounded, so topics
    with many documents dominate the mean. The four prices are those of trec_eval, where `utility.2,-1,0,0` is
    `Utility(found=2)`.

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
