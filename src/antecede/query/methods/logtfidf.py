"""TFIDF with damped counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.query.methods.registry import method

if TYPE_CHECKING:
    from antecede.query.material import Floats, Terms


@method("logtfidf", cite="Salton & Buckley, Information Processing & Management 1988", cut=True, weights="root")
def logtfidf(at: Terms) -> Floats:
    """As tfidf, but what occurs ten times does not count ten times as much: what is searched with by default.

    log(1 + n(t)) · log((N + 1) / df) chooses the terms: what every document has comes last, but is not nothing, so that
    a handful of documents can be searched too. In the search they weigh √n(t) unless told otherwise: the ranking makes
    rare terms count more by itself, and once is enough.
    """
    return np.log1p(at.counts) * np.log((at.documents + 1) / at.df)
