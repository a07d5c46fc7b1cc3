"""InL2, divergence from randomness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import Positive
from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model(
    "inl2",
    cite="Amati & van Rijsbergen, ACM TOIS 2002",
    script="""
        double f = n * Math.log(1 + c * average / length) / Math.log(2);
        return f / (f + 1) * Math.log((documents + 1) / (df + 0.5)) / Math.log(2);
    """,
)
def inl2(at: Postings, collection: CollectionFacts, *, c: Positive = 1.0) -> Floats:
    """InL2: inverse document frequency with Laplace's after-effect and length normalisation 2.

        impact = f / (f + 1) · log₂((N + 1) / (df + .5)),
        f = n·log₂(1 + c·avg|d| / |d|)

    c: the strength of length normalisation.
    """
    f = at.counts * np.log2(1 + c * collection.average_length / at.lengths)
    return f / (f + 1) * np.log2((collection.documents + 1) / (at.df + 0.5))
