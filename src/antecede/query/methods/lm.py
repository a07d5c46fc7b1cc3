"""LM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method
from antecede.registry import Share

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("lm", cite="Mahdabi et al., IRFC 2011; in Zhou et al., NLPCC 2013", cut=True)
def lm(at: Terms, *, lambda_: Share = 0.1) -> Floats:
    """The divergence of the language model of the topic from that of the collection.

        w = Z · P(t|q) · log(P(t|q) / P(t|C)),
        P(t|q) = (1 − λ)·n(t) / |d| + λ·cf / |C|,
        P(t|C) = cf / |C|

    Z normalises the sum of the weights to 1. A term that is rarer in the topic than in the collection has a negative
    weight and is dropped. lambda: the share of the collection model in the mixture, from 0 to 1.
    """
    background = at.cf / at.tokens
    mixed = (1 - lambda_) * at.counts / at.length + lambda_ * background
    weights = np.maximum(mixed * np.log(mixed / background), 0.0)
    total = weights.sum()
    return weights / total if total > 0 else weights
