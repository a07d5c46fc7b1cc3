"""A random audit sample of what the ranking did not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import OpenShare
from antecede.review.distributions import clopper_pearson
from antecede.review.estimators.registry import Bounds, estimator

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@estimator(
    "audit",
    cite="Clopper & Pearson 1934",
    assumption="the audited documents are a uniform random sample of those that the ranking has not shown",
    needs="audited",
)
def audit(reading: Reading, *, level: OpenShare = 0.95) -> Bounds:
    """A random audit sample: the share of relevant documents in it, times the size of what it was drawn from.

        N = f + U·x / m

    x of m audited documents are relevant, U is the number of documents that the ranking has not shown, f the relevant
    ones that it has. The interval is the exact binomial one (Clopper & Pearson), which is conservative for a sample
    without replacement.

    The only assumption is that the sample is random, so that this interval can be trusted anywhere; but it is wide
    where relevant documents are rare: after 59 misses of 59, up to 6.1 % of the rest may be relevant. A sample that
    was drawn before the ranking was read counts as far as the ranking has not arrived at it.

    >>> audited = [0, 0] + [1] * 10
    >>> print(estimate("audit", Reading([1, 0] + [1] + [0] * 9, documents=102, audited=audited)))
    11.0 (2.0–45.5), recall 0.18 (0.04–1.00)
    """
    reached = reading.reached
    drawn = int(np.count_nonzero(~reached))
    found = int(np.count_nonzero(reading.relevant & reached))
    population = reading.documents - int(np.count_nonzero(reached))
    if not drawn:
        return Bounds(reading.found, reading.found, reading.found + reading.unread)
    hits = reading.found - found
    low, high = clopper_pearson(hits, drawn, level)
    return Bounds(found + population * hits / drawn, found + population * low, found + population * high)
