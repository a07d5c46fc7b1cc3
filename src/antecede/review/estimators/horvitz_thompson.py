"""The Horvitz–Thompson estimator on a sample with known inclusion probabilities, as in AutoStop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from antecede.errors import UsageError
from antecede.registry import OpenShare
from antecede.review.distributions import largest_unseen, normal_quantile
from antecede.review.estimators.registry import Bounds, estimator

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@estimator(
    "horvitz_thompson",
    cite="Horvitz & Thompson 1952; Li & Kanoulas, TOIS 2020 (AutoStop)",
    assumption="documents were drawn with the given inclusion probabilities, and every document could be drawn",
    needs="probabilities",
)
def horvitz_thompson(reading: Reading, *, level: OpenShare = 0.95) -> Bounds:
    """Horvitz–Thompson: each relevant document counts for the inverse of its probability of being in the sample.

        N = Σ 1/π_i,  Var N = Σ (1 − π_i)/π_i²

    over the relevant documents read, π_i the probability with which document i is in a sample like this one. Draws
    with replacement exclude each other slightly (π_ij ≤ π_i π_j), so that this variance errs on the safe side. The
    interval is normal. With nothing found, the upper end is the number of documents that would all stay unseen with
    probability (1 − level)/2 at the mean inclusion probability.

    Unbiased, but a relevant document at the end of a ranking has a small π and stays unseen in most samples: the
    estimate is then too low, and too high by 1/π when it is seen.

    >>> print(estimate("horvitz_thompson", Reading([1, 0, 1], documents=20, probabilities=[0.5, 0.5, 0.25])))
    6.0 (2.0–13.3), recall 0.33 (0.15–1.00)
    """
    if reading.probabilities is None:
        raise UsageError("the estimator horvitz_thompson needs the inclusion probabilities of a sampling reader")
    if not reading.found:
        return Bounds(0.0, 0.0, largest_unseen(reading.read / reading.documents, level))
    total, deviation = total_and_deviation(reading)
    reach = normal_quantile(level) * deviation
    return Bounds(total, total - reach, total + reach)


def total_and_deviation(reading: Reading) -> tuple[float, float]:
    """The estimated number of relevant documents, and its standard deviation."""
    if reading.probabilities is None:
        raise UsageError("a sample without inclusion probabilities cannot be weighted")
    chances = reading.probabilities[reading.relevant]
    return float((1 / chances).sum()), math.sqrt(float(((1 - chances) / chances**2).sum()))
