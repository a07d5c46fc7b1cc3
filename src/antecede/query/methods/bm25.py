"""BM25 as a weighting of the terms of a topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method
from antecede.registry import Share

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("bm25", cite="Robertson et al., TREC-3 1994; in Zhou et al., NLPCC 2013", cut=True)
def bm25(at: Terms, *, k1: float = 1.2, b: Share = 0.75, k3: float = 7.0) -> Floats:
    """The contribution of a term to the BM25 score of the topic for itself.

        w = log((N − df + .5) / (df + .5)) · (k1 + 1)n(t) / (K + n(t)) · (k3 + 1)n(t) / (k3 + n(t)),
        K = k1·((1 − b) + b·|d| / avg|d|)

    k1: how quickly term frequency saturates in a document; b: the strength of length normalisation; k3: how quickly
    term frequency saturates in the query. A term that occurs in more than half of the documents has a negative weight
    and is dropped. (The paper prints the formula with a superfluous sum sign.)
    """
    n, norm = at.counts, k1 * ((1 - b) + b * at.length / at.average_length)
    rarity = np.log((at.documents - at.df + 0.5) / (at.df + 0.5))
    return rarity * (k1 + 1) * n / (norm + n) * (k3 + 1) * n / (k3 + n)
