"""TF-IDF with logarithmic term frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("logtfidf", cite="Salton & Buckley, Information Processing & Management 1988", cut=True, weights="root")
def logtfidf(at: Terms) -> Floats:
    """Like tfidf, but with logarithmic term frequency. The default method.

        w = log(1 + n(t)) · log((N + 1) / df)

    These weights select the terms. A term that occurs in every document has a low but positive weight, so that a very
    small collection can be searched too. In the search, the terms have the weights √n(t) by default: the ranking model
    already gives rare terms more weight, and the rarity of a term should not count twice.
    """
    return np.log1p(at.counts) * np.log((at.documents + 1) / at.df)
