"""The rule that was calibrated on topics of the same collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.registry import OpenShare
from antecede.review.calibration import cached_calibration
from antecede.review.stopping.registry import Decision, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@stopping_rule("calibrated", cite="Vovk, Gammerman & Shafer 2005 (conformal prediction)", needs="calibration")
def calibrated(
    reading: Reading, target: float, *, file: str, left: OpenShare = 0.05, confidence: OpenShare | None = None
) -> Decision:
    """Calibrated: stop once stopping like this would have missed the target on at most 5 % of topics of the collection.

        (1 + #{j: c_j ≥ s}) / (m + 1) ≤ left

    s is the highest score so far, of a logistic regression that predicts from the state of the reading whether the
    target is reached; c_j is the highest score of calibration topic j, predicted without it, before it reached the
    target. m topics can vouch for a risk of 1/(m + 1) at best: 5 % needs 19. `file` is written by
    `antecede review calibrate`.

    The risk is that of topics like the calibration topics on average, with the same ranking method: one calibration may
    be lucky, another one not. With `confidence` the risk is the upper end of an exact binomial interval, P(Binomial(m,
    risk) ≤ #{…}) = 1 − confidence, which holds for so many of all calibrations; .8 needs 32 topics and reads more.

    >>> decide("calibrated(file=absent.json)", Reading([True, False], documents=9))
    Traceback (most recent call last):
        ...
    antecede.errors.InputError: absent.json: cannot be read (No such file or directory); make it with antecede review \
calibrate
    """
    return cached_calibration(file).decide(reading, target, left, confidence)
