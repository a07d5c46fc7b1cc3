"""The cosine of term vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.features.registry import feature
from antecede.registry import Count

if TYPE_CHECKING:
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats


@feature("cosine", kind="text", cite="Salton & Buckley, Information Processing & Management 1988")
def cosine(at: Evidence, *, terms: Count = 200) -> Floats:
    """The cosine of the vectors of (1 + log n)·log((N + 1) / df) of the topic and of the document.

    Σ_t q(t)·d(t) / |d| over the heaviest terms of the topic; the length |d| is that of the document's whole vector. It
    rewards documents that are about the same as a whole, where BM25 rewards single rare terms. terms: how many of the
    heaviest, at most 300.
    """
    matches, query = at.matches, at.task.query
    rarity = np.log((at.vectors.statistics.documents + 1) / np.maximum(at.frequencies.documents, 1))
    often = 1 + np.log(np.maximum(query.counts, 1)) if query.counts else query.weights
    weights = np.where(np.arange(len(query)) < terms, often, 0.0) * rarity
    sums = matches.add_up_counts(lambda counts: 1 + np.log(counts), weights * rarity)
    norms = at.vectors.norms
    return np.divide(sums, norms, out=np.zeros(len(norms)), where=norms > 0)
