"""BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model(
    "bm25",
    cite="Robertson & Zaragoza, Foundations and Trends in IR 2009; the weight of rare terms as in Lucene",
    b="0 ≤ b ≤ 1",
)
def bm25(at: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: float = 0.75) -> Floats:
    """BM25: a term counts more the rarer it is, less the more often it stood before, less in long documents.

    log(1 + (N − df + .5) / (df + .5)) · n·(k1 + 1) / (n + k1·(1 − b + b·|d| / avg|d|)). Never below 0.
    k1: how soon more occurrences stop to count; b: how much length counts, from 0 to 1.
    """
    idf = np.log(1 + (collection.documents - at.df + 0.5) / (at.df + 0.5))
    norm = k1 * (1 - b + b * at.lengths / collection.average_length)
    return idf * at.counts * (k1 + 1) / (at.counts + norm)
