"""Query likelihood with Jelinek–Mercer smoothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import OpenShare
from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model(
    "lm_jelinek_mercer",
    cite="Zhai & Lafferty, SIGIR 2001",
    script="return Math.log1p((1 - lambda) / lambda * (n / length) / (cf / tokens));",
)
def lm_jelinek_mercer(at: Postings, collection: CollectionFacts, *, lambda_: OpenShare = 0.7) -> Floats:
    """Query likelihood with Jelinek–Mercer smoothing: the document model mixed with a share λ of the collection model.

        impact = log(1 + (1 − λ) / λ · (n/|d|) / (cf/|C|))

    lambda: λ, the share of the collection model; 0.7 suits long queries.
    """
    return np.log1p((1 - lambda_) / lambda_ * (at.counts / at.lengths) / (at.cf / collection.tokens))
