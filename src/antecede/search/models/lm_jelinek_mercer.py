"""Query likelihood with Jelinek–Mercer smoothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.search.models.registry import model

if TYPE_CHECKING:
    from antecede.search.models.registry import CollectionFacts, Floats, Postings


@model("lm_jelinek_mercer", cite="Zhai & Lafferty, SIGIR 2001", lam="0 < lam < 1")
def lm_jelinek_mercer(at: Postings, collection: CollectionFacts, *, lam: float = 0.7) -> Floats:
    """Language model, Jelinek–Mercer smoothing: the document's words mixed with a share λ of the collection's.

    log(1 + (1 − λ)/λ · (n/|d|) / (cf/|C|)), `lam` being λ; .7 suits long queries.
    """
    return np.log1p((1 - lam) / lam * (at.counts / at.lengths) / (at.cf / collection.tokens))
