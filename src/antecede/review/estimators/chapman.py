"""Chapman's estimator: capture–recapture between independent queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.registry import OpenShare
from antecede.review.distributions import normal_quantile
from antecede.review.estimators.registry import Bounds, estimator

if TYPE_CHECKING:
    from antecede.review.reading import Reading


@estimator(
    "chapman",
    cite="Chapman 1951; variance of Seber 1970; interval of Chao 1987",
    assumption="the queries find relevant documents independently of each other, each document as easily as any other",
    needs="found_by",
)
def chapman(reading: Reading, *, level: OpenShare = 0.95) -> Bounds:
    """Capture–recapture: how many relevant documents two queries would find if they had missed the same share.

        N = (a + 1)(b + 1) / (m + 1) − 1

    a and b are the relevant documents that either query found, m those that both found. Of more than two queries,
    those at odd and those at even places form the two groups. The interval is log-normal for the number of documents
    that neither found, with Seber's variance (a+1)(b+1)(a−m)(b−m) / ((m+1)²(m+2)).

    Queries on the same topic share words and miss the same documents, so that the estimate tends to be too low; with
    no document in common it is little more than a guess, and its interval says so.

    >>> found_by = [[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 0]]
    >>> print(estimate("chapman", Reading([1, 1, 1, 1, 1, 1], documents=100, found_by=found_by)))
    6.7 (6.1–12.0), recall 0.90 (0.50–0.99)
    """
    captures = reading.found_by
    if captures is None or len(captures) < 2:
        raise UsageError("the estimator chapman needs documents that two or more queries retrieved")
    first, second = captures[0::2].any(axis=0) & reading.relevant, captures[1::2].any(axis=0) & reading.relevant
    a, b, m = (int(np.count_nonzero(each)) for each in (first, second, first & second))
    total = (a + 1) * (b + 1) / (m + 1) - 1
    variance = (a + 1) * (b + 1) * (a - m) * (b - m) / ((m + 1) ** 2 * (m + 2))
    captured = a + b - m
    missed = total - captured
    elsewhere = reading.found - captured
    if missed <= 0 or variance == 0:
        return Bounds(total + elsewhere, total + elsewhere, total + elsewhere)
    factor = math.exp(normal_quantile(level) * math.sqrt(math.log1p(variance / missed**2)))
    known = captured + elsewhere
    return Bounds(total + elsewhere, known + missed / factor, known + missed * factor)
