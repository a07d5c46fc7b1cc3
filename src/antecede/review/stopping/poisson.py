"""The bound of a Poisson process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import Count, OpenShare
from antecede.review.distributions import poisson_quantile
from antecede.review.estimators.poisson import Rate, expected_left
from antecede.review.stopping.registry import Decision, missable, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@stopping_rule("poisson", cite="Sneyd & Stevenson, EMNLP 2019 and SIGIR 2021")
def poisson(
    reading: Reading, target: float, *, rate: Rate = "power", confidence: OpenShare = 0.95, least: Count = 5
) -> Decision:
    """Poisson process: stop where the number of documents left, at the given confidence, still meets the target.

        k ≥ target·(k + q),  q = the quantile of Poisson(Λ) at the confidence

    k documents were found, Λ are expected in the rest by the fitted rate: see the estimator `poisson`. At least
    `least` finds are required for a fit.

    >>> decide("poisson(rate=exponential)", Reading([True] * 20 + [False] * 60, documents=100)).reason
    '20 found; at most 0 left at confidence 0.95, and 1 may be left'
    """
    ranked = reading.from_ranking
    if ranked.found < least:
        return Decision(False, f"{ranked.found} found; a fit requires {least}")
    left = 0.0
    if ranked.unread:
        left = expected_left(ranked.finds.astype(np.float64), ranked.read, ranked.documents, rate)
    most, allowed = poisson_quantile(left, confidence), missable(reading.found, target)
    reason = f"{reading.found} found; at most {most} left at confidence {confidence:g}, and {allowed} may be left"
    return Decision(most <= allowed, reason)
