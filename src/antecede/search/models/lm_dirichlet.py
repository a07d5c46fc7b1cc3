"""Query likelihood with Dirichlet smoothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


def shorter(lengths: Floats, *, mu: float = 2000.0) -> Floats:
    """log(μ / (|d| + μ)): what a long document loses, for every unit of the query."""
    return np.log(mu / (lengths + mu))


@model("lm_dirichlet", cite="Zhai & Lafferty, SIGIR 2001", document=shorter, mu="0 < mu")
def lm_dirichlet(at: Postings, collection: CollectionFacts, *, mu: float = 2000.0) -> Floats:
    """Language model, Dirichlet smoothing: how likely the document's words, filled up with μ of the collection's.

    log(1 + n / (μ·cf/|C|)) for each term, and log(μ / (|d| + μ)) for each unit of the query's weight, so that the score
    is the logarithm of the query's likelihood, up to a constant of the query.
    """
    return np.log1p(at.counts / (mu * at.cf / collection.tokens))
