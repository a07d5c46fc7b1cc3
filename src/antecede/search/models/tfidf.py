"""TF-IDF with pivoted length normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import Share
from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model(
    "tfidf",
    cite="Singhal, Buckley & Mitra, SIGIR 1996; Singhal et al., TREC-7 1998",
    script="""
        double damped = 1 + Math.log1p(Math.log(n));
        return damped / (1 - s + s * length / average) * Math.log((documents + 1) / df);
    """,
)
def tfidf(at: Postings, collection: CollectionFacts, *, s: Share = 0.2) -> Floats:
    """Pivoted TF-IDF: doubly logarithmic term frequency, inverse document frequency, pivoted length normalisation.

        impact = (1 + log(1 + log n)) / (1 − s + s·|d| / avg|d|) · log((N + 1) / df)

    s: the slope of the length normalisation.
    """
    damped = 1 + np.log1p(np.log(at.counts))
    return damped / (1 - s + s * at.lengths / collection.average_length) * np.log((collection.documents + 1) / at.df)
