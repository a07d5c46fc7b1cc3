"""Query likelihood with Dirichlet smoothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import Positive
from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


def penalise_length(lengths: Floats, *, mu: float = 2000.0) -> Floats:
    """log(μ / (|d| + μ)): the penalty of a long document per unit of query weight."""
    return np.log(mu / (lengths + mu))


@model(
    "lm_dirichlet",
    cite="Zhai & Lafferty, SIGIR 2001",
    document=penalise_length,
    script="return Math.log1p(n / (mu * cf / tokens));",
    document_script="return Math.log(mu / (length + mu));",
)
def lm_dirichlet(at: Postings, collection: CollectionFacts, *, mu: Positive = 2000.0) -> Floats:
    """Query likelihood with Dirichlet smoothing: the document model with μ pseudo-counts of the collection model.

        impact = log(1 + n / (μ·cf/|C|))

    log(μ / (|d| + μ)) is added for each unit of query weight, so that the score is the logarithm of the query
    likelihood, up to a constant of the query. mu: μ, the number of pseudo-counts.
    """
    return np.log1p(at.counts / (mu * at.cf / collection.tokens))
