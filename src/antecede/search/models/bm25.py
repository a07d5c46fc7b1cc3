"""BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import Share
from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model(
    "bm25",
    cite="Robertson & Zaragoza, Foundations and Trends in IR 2009; the weight of rare terms as in Lucene",
    script="""
        double idf = Math.log(1 + (documents - df + 0.5) / (df + 0.5));
        return idf * n * (k1 + 1) / (n + k1 * (1 - b + b * length / average));
    """,
)
def bm25(at: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: Share = 0.75) -> Floats:
    """BM25: rare terms weigh more, term frequency saturates, and long documents are normalised.

        impact = log(1 + (N − df + .5) / (df + .5)) · n·(k1 + 1) / (n + k1·(1 − b + b·|d| / avg|d|))

    k1: how quickly term frequency saturates; b: the strength of length normalisation, from 0 to 1. Never negative.
    """
    idf = np.log(1 + (collection.documents - at.df + 0.5) / (at.df + 0.5))
    norm = k1 * (1 - b + b * at.lengths / collection.average_length)
    return idf * at.counts * (k1 + 1) / (at.counts + norm)
