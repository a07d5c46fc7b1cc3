"""PL2, divergence from randomness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import Positive
from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model(
    "pl2",
    cite="Amati & van Rijsbergen, ACM TOIS 2002",
    script="""
        double f = n * Math.log(1 + c * average / length) / Math.log(2);
        double rate = cf / documents;
        return (f * Math.log(f / rate) + rate - f + 0.5 * Math.log(2 * Math.PI * f)) / Math.log(2) / (f + 1);
    """,
)
def pl2(at: Postings, collection: CollectionFacts, *, c: Positive = 1.0) -> Floats:
    """PL2: divergence of the term frequency from a Poisson process, with Laplace's after-effect.

        impact = 1 / (f + 1) · (f·log₂(f/λ) + (λ − f)·log₂e + ½·log₂(2πf)),
        f = n·log₂(1 + c·avg|d| / |d|),
        λ = cf / N

    c: the strength of length normalisation. Negative for a term that is common everywhere.
    """
    f = at.counts * np.log2(1 + c * collection.average_length / at.lengths)
    rate = at.cf / collection.documents
    information: Floats = f * np.log2(f / rate) + (rate - f) * np.log2(np.e) + 0.5 * np.log2(2 * np.pi * f)
    return information / (f + 1)
