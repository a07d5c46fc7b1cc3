"""Ranked quasi-sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.registry import OpenShare
from antecede.review.distributions import hypergeometric_cdf
from antecede.review.stopping.registry import Decision, missable, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@stopping_rule("quasi_sampling", cite="Callaghan & Müller-Hansen, Systematic Reviews 2020")
def quasi_sampling(reading: Reading, target: float, *, confidence: OpenShare = 0.95) -> Decision:
    """Ranked quasi-sampling: the documents since some earlier find, taken as if they were a random sample.

        p = min over starts s of P(X ≤ x_s),  X ~ Hypergeometric(D − s, x_s + m + 1, T − s)

    x_s documents were found after rank s among the T read; m + 1 more left would miss the target. Stop when p is below
    1 − confidence. Since the ranking puts relevant documents first, the rest is poorer than a random sample would
    suggest, and the rule errs on the safe side; the minimum over starts, which the authors take too, gives some of
    that back. Starts right after a find suffice: any other start has a larger p.

    >>> decide("quasi_sampling", Reading([True] * 20 + [False] * 80, documents=100)).stop
    True
    """
    ranked = reading.from_ranking
    if not ranked.read or not ranked.unread:
        return Decision(not ranked.unread, "the ranking is read to its end" if ranked.read else "nothing is read yet")
    starts = np.concatenate([[0], ranked.finds[ranked.finds < ranked.read]])
    found = ranked.found - np.searchsorted(ranked.finds, starts, side="right")
    hidden = missable(reading.found, target) + 1
    possible = found + hidden <= ranked.documents - starts
    starts, found = starts[possible], found[possible]
    if not len(starts):
        return Decision(True, f"fewer than {hidden} documents remain, too few to miss the target")
    p = hypergeometric_cdf(found, found + hidden, ranked.read - starts, ranked.documents - starts)
    at = int(np.argmin(p))
    start, level = int(starts[at]), 100 * (1 - confidence)
    few = f"only {found[at]}" if found[at] else "none"
    since = f"since rank {start}" if start else "so far"
    reason = (
        f"if {hidden} or more relevant documents were left, finding {few} among the {ranked.read - start} documents "
        f"read {since} would have a probability of {100 * p[at]:.3g} %; the rule stops below {level:.3g} %"
    )
    return Decision(bool(p[at] < 1 - confidence), reason)
