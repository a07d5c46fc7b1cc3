"""The estimator that was calibrated on topics of the same collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.registry import OpenShare
from antecede.review.calibration import cached_calibration
from antecede.review.estimators.registry import Bounds, estimator

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@estimator(
    "calibrated",
    cite="Vovk, Gammerman & Shafer 2005 (conformal prediction)",
    assumption="the topic is like the calibration topics, and the ranking is made by the same method",
    needs="calibration",
)
def calibrated(reading: Reading, *, file: str, level: OpenShare = 0.95) -> Bounds:
    """Calibrated: how many were left on topics of the same collection that had been read as far and found as much.

        N = k + μ(x)

    k documents were found; μ is a Poisson regression on the state x of the reading: its depth, its finds, how long ago
    the last one was and two continued discovery curves. The interval takes the quantiles of a negative
    binomial distribution around μ at levels at which it contained the truth as often as it claims on topics that were
    not fitted. `file` is written by `antecede review calibrate`.

    It holds on average over topics like the calibration topics; a topic of another kind is not covered.

    >>> estimate("calibrated(file=absent.json)", Reading([True, False], documents=9))
    Traceback (most recent call last):
        ...
    antecede.errors.InputError: absent.json: cannot be read (No such file or directory); make it with antecede review \
calibrate
    """
    return cached_calibration(file).estimate(reading, level)
