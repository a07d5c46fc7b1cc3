"""TF-IDF with pivoted length normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model("tfidf", cite="Singhal, Buckley & Mitra, SIGIR 1996; Singhal et al., TREC-7 1998", s="0 ≤ s ≤ 1")
def tfidf(at: Postings, collection: CollectionFacts, *, s: float = 0.2) -> Floats:
    """TF-IDF, pivoted: occurrences damped twice, rare terms worth more, long documents less.

    (1 + log(1 + log n)) / (1 − s + s·|d|/avg|d|) · log((N + 1)/df). s: the slope of length.
    """
    damped = 1 + np.log1p(np.log(at.counts))
    return damped / (1 - s + s * at.lengths / collection.average_length) * np.log((collection.documents + 1) / at.df)
