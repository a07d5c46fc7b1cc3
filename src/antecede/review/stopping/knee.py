"""The knee of the discovery curve, and the budget that bounds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import Count, OpenShare, Positive
from antecede.review.stopping.registry import Decision, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading

CITE = "Cormack & Grossman, SIGIR 2016"


@stopping_rule("knee", cite=CITE)
def knee(reading: Reading, target: float, *, least: Count = 100) -> Decision:
    """Knee: stop where the discovery curve bends so sharply that it has become flat.

        ρ = (k_i / i) / ((1 + k_s − k_i) / (s − i)) ≥ 156 − min(k_s, 150)

    k_s documents were found among the s read; i is the rank at which the curve is farthest above the straight line
    from the start to its end. ρ is the slope before the knee over the slope after it; few finds require a sharper
    knee. At least `least` documents are read. It does not look at the target: it was tuned for about 70–80 % recall.

    >>> decide("knee(least=2)", Reading([True] * 10 + [False] * 300, documents=1000)).reason
    'the slope ratio at the knee, rank 10, is 300.0; 146 is required'
    """
    ranked = reading.from_ranking
    required = 156 - min(ranked.found, 150)
    ratio, at = slope_ratio(ranked)
    if reading.read < least:
        return Decision(False, f"{reading.read} documents are read; at least {least} are")
    return Decision(
        ratio >= required, f"the slope ratio at the knee, rank {at}, is {ratio:.1f}; {required} is required"
    )


@stopping_rule("budget", cite=CITE)
def budget(reading: Reading, target: float, *, ratio: Positive = 6.0, most: OpenShare = 0.75) -> Decision:
    """Budget: stop at a knee once as much was read as a random sample of ten relevant documents would have cost.

        ρ ≥ 6 and s ≥ 10·D / k_s,  or s ≥ 0.75·D

    with the slope ratio ρ of `knee`; 10·D/k_s is about the number of documents that the `target` method would have
    read. In any case it stops at 75 % of the D documents. It does not look at the target.

    >>> decide("budget", Reading([True] * 20 + [False] * 60, documents=100)).reason
    '80 documents are read, 80.0 % of the list'
    """
    ranked = reading.from_ranking
    if reading.read >= most * reading.documents:
        share = f"{100 * reading.read / reading.documents:.1f} %"
        return Decision(True, f"{reading.read} documents are read, {share} of the list")
    found_ratio, at = slope_ratio(ranked)
    if not ranked.found:
        return Decision(False, "nothing is found yet")
    cost = 10 * reading.documents / ranked.found
    reason = (
        f"the slope ratio at the knee, rank {at}, is {found_ratio:.1f} ({ratio:g} is required) and "
        f"{reading.read} documents are read ({cost:.0f} are required)"
    )
    return Decision(found_ratio >= ratio and reading.read >= cost, reason)


def slope_ratio(reading: Reading) -> tuple[float, int]:
    """The slope before the knee over the slope after it, and the rank of the knee; 0 where there is none."""
    if not reading.found or reading.read < 2:
        return 0.0, 0
    # The curve is farthest above its chord right at a find, since it is flat in between.
    ranks = reading.finds[reading.finds < reading.read]
    if not len(ranks):
        return 0.0, 0
    counts = np.arange(1, len(ranks) + 1)
    at = int(np.argmax(counts * reading.read - ranks * reading.found))
    rank, count = int(ranks[at]), int(counts[at])
    after = (1 + reading.found - count) / (reading.read - rank)
    return (count / rank) / after, rank
