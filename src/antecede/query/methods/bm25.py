"""BM25 as a way to weigh the terms of a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("bm25", cite="Robertson et al., TREC-3 1994; in Zhou et al., NLPCC 2013", cut=True)
def bm25(at: Terms, *, k1: float = 1.2, b: float = 0.75, k3: float = 7.0) -> Floats:
    """What a term adds to the BM25 score of the topic when it is searched with itself.

    log((N − df + .5) / (df + .5)) · (k1 + 1)n / (K + n) · (k3 + 1)n / (k3 + n), K = k1((1 − b) + b·|d| / avg|d|).
    k1: how soon more occurrences stop to count in a document; b: how much its length counts; k3: the same in a query.
    A term that more than half of the documents have weighs less than nothing and is left out. (The formula is printed
    with a sum sign too many.)
    """
    n, norm = at.counts, k1 * ((1 - b) + b * at.length / at.average_length)
    rarity = np.log((at.documents - at.df + 0.5) / (at.df + 0.5))
    return rarity * (k1 + 1) * n / (norm + n) * (k3 + 1) * n / (k3 + n)
