"""LM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("lm", cite="Mahdabi et al., IRFC 2011; in Zhou et al., NLPCC 2013", cut=True)
def lm(at: Terms, *, lambda_: float = 0.1) -> Floats:
    """What makes the language of the topic differ from that of the collection.

    Z · P(t|q) · log(P(t|q) / P(t|C)), P(t|q) = (1 − λ)·n / Σn + λ·cf / |C|, P(t|C) = cf / |C|; Z makes the weights add
    up to 1. A term that is rarer here than elsewhere weighs less than nothing and is left out.
    lambda: how much of the collection is mixed in, from 0 to 1.
    """
    background = at.cf / at.tokens
    mixed = (1 - lambda_) * at.counts / at.length + lambda_ * background
    weights = np.maximum(mixed * np.log(mixed / background), 0.0)
    total = weights.sum()
    return weights / total if total > 0 else weights
