"""AutoStop's bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranges import write_number
from antecede.review.estimators.horvitz_thompson import total_and_deviation
from antecede.review.stopping.registry import Decision, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@stopping_rule("autostop", cite="Li & Kanoulas, TOIS 2020", needs="probabilities")
def autostop(reading: Reading, target: float, *, deviations: float = 1.0) -> Decision:
    """AutoStop: stop where what was found reaches the target of an unbiased estimate plus its standard deviation.

        k ≥ target·(N + c·s)

    N and s are the Horvitz–Thompson estimate and its standard deviation; c is `deviations`, 0 for the paper's loose
    condition. Documents must be drawn with known probabilities, not read from the top.

    >>> sample = Reading([1, 0, 1], documents=20, probabilities=[1.0, 0.5, 1.0])
    >>> decide("autostop", sample).reason
    '2 found; 2.0 are estimated, 2.0 with 1 standard deviation'
    """
    if not reading.found:
        return Decision(False, "nothing is found yet")
    total, deviation = total_and_deviation(reading)
    bound = total + deviations * deviation
    units = "1 standard deviation" if deviations == 1 else f"{write_number(deviations)} standard deviations"
    reason = f"{reading.found} found; {total:.1f} are estimated, {bound:.1f} with {units}"
    return Decision(reading.found >= target * bound - 1e-9, reason)
