"""A fixed depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.registry import Count
from antecede.review.stopping.registry import Decision, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@stopping_rule("depth", cite="common practice")
def depth(reading: Reading, target: float, *, n: Count = 100) -> Decision:
    """A fixed depth: stop after n documents, whatever they were.

    The baseline that any other rule must beat. It does not look at the target.

    >>> decide("depth(n=3)", Reading([True, False, False], documents=9))
    Decision(stop=True, reason='3 documents are read, 3 were planned')
    """
    read = "1 document is" if reading.read == 1 else f"{reading.read} documents are"
    return Decision(reading.read >= n, f"{read} read, {n} {'was' if n == 1 else 'were'} planned")
