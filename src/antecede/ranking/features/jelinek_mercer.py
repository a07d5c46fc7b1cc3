"""Query likelihood with Jelinek–Mercer smoothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.features.registry import feature
from antecede.registry import Count, OpenShare

if TYPE_CHECKING:
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats


@feature("jelinek_mercer", kind="text", cite="Zhai & Lafferty, SIGIR 2001")
def jelinek_mercer(at: Evidence, *, lambda_: OpenShare = 0.7, terms: Count = 300) -> Floats:
    """Query likelihood with Jelinek–Mercer smoothing, with many terms of the topic, weighted √n.

    Σ_t √n(t) · log(1 + (1 − λ)/λ · (n/|d|) / (cf/|C|)). Unlike BM25 it gains from long queries, since a frequent term
    that both texts share counts little, but counts. lambda: λ, the share of the collection; terms: how many of the
    heaviest, at most 300.
    """
    matches, frequencies, query = at.matches, at.frequencies, at.query(terms)
    impacts = at.task.lexical.impacts(f"lm_jelinek_mercer(lambda={lambda_!r})", at.task.language, matches, frequencies)
    weights = np.zeros(len(at.task.query))
    weights[: len(query)] = query.weights
    return matches.add_up(impacts, weights)
