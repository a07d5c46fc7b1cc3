"""Rules that draw a random sample first, and read until the ranking has found it again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from antecede.registry import Count, OpenShare
from antecede.review.stopping.registry import Decision, stopping_rule

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@stopping_rule("target", cite="Cormack & Grossman, SIGIR 2016", needs="audited")
def target_set(reading: Reading, target: float, *, n: Count = 10) -> Decision:
    """Target set: draw documents at random until n relevant ones are found; stop when the ranking has found them all.

    With n = 10, recall is at least 70 % with probability .95 or more, whatever the ranking: 1 − 0.7^10 = .97. It does
    not look at the target. Where fewer than n documents are relevant, everything is read.

    >>> sample = dict(audited=[1, 1, 0, 0], ranks=[3, 9, 1, 2])
    >>> decide("target(n=1)", Reading([1, 0, 0, 0], documents=9, **sample)).reason
    'the ranking has found 1 of 1 relevant documents of the sample; 1 are required'
    """
    return decide_by_sample(reading, n, n)


@stopping_rule("qbcb", cite="Lewis, Yang & Frieder, CIKM 2021", needs="audited")
def qbcb(reading: Reading, target: float, *, n: Count | None = None, confidence: OpenShare = 0.95) -> Decision:
    """QBCB: draw documents at random until n relevant ones are found; stop when the ranking has found j of them.

        j = the smallest with P(B < j) ≥ confidence,  B ~ Binomial(n, target)

    The quantile-based confidence bound: recall reaches the target with at least the given confidence, whatever the
    ranking. By default n is the smallest number with which this is possible, 59 for 95 % and 95 %, and j = n. Where
    fewer documents are relevant, everything is read: the guarantee is expensive where relevant documents are rare.

    >>> required_finds(59, 0.95, 0.95), required_finds(100, 0.95, 0.95), required_finds(10, 0.95, 0.95)
    (59, 99, None)
    """
    least = fewest_positives(target, confidence)
    size = least if n is None else n
    if least is None or size is None:
        return Decision(False, "no sample can guarantee a recall of 100 %; everything must be read")
    needed = required_finds(size, target, confidence)
    if needed is None:
        reason = f"a sample of {size} relevant documents cannot guarantee the target; {least} can"
        return Decision(False, reason)
    return decide_by_sample(reading, size, needed)


def decide_by_sample(reading: Reading, size: int, needed: int) -> Decision:
    """Stop once the sample has `size` relevant documents and the ranking has arrived at `needed` of them."""
    sample = np.zeros(reading.read, np.bool_) if reading.audited is None else reading.audited & reading.relevant
    drawn = np.flatnonzero(sample)[:size]
    if len(drawn) < size:
        return Decision(False, f"the sample has {len(drawn)} of {size} relevant documents")
    seen = int(np.count_nonzero(reading.reached[drawn]))
    reason = f"the ranking has found {seen} of {size} relevant documents of the sample; {needed} are required"
    return Decision(seen >= needed, reason)


def fewest_positives(target: float, confidence: float) -> int | None:
    """The smallest sample of relevant documents that can guarantee the target; None for a target of 1."""
    if target >= 1:
        return None
    return max(math.ceil(round(math.log(1 - confidence) / math.log(target), 9)), 1)


def required_finds(size: int, target: float, confidence: float) -> int | None:
    """How many of the sample's relevant documents the ranking must find; None where even all are not enough."""
    finds = np.arange(1, size + 1)
    enough = np.flatnonzero(special.bdtr(finds - 1.0, size, target) >= confidence - 1e-12)
    return int(finds[enough[0]]) if len(enough) else None
