"""TFIDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("tfidf", cite="Zhou et al., NLPCC 2013", cut=True)
def tfidf(at: Terms) -> Floats:
    """Terms that are frequent in the topic and rare in the collection.

        w = n(t) / max n · log(N / df)

    max n is the frequency of the most frequent term. A term that occurs in every document has weight 0.
    """
    weights: Floats = at.counts / at.counts.max(initial=1.0) * np.log(at.documents / at.df)
    return weights
