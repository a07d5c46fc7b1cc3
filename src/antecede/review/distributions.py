"""Quantiles and exact bounds that estimators and stopping rules share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def normal_quantile(level: float) -> float:
    """The half-width, in standard deviations, of a two-sided normal interval: 1.96 for 0.95."""
    return float(special.ndtri((1 + level) / 2))


def clopper_pearson(found: int, drawn: int, level: float) -> tuple[float, float]:
    """The exact two-sided binomial interval of a proportion (Clopper & Pearson 1934).

    >>> [round(end, 4) for end in clopper_pearson(0, 59, 0.90)]
    [0.0, 0.0495]
    """
    tail = (1 - level) / 2
    low = 0.0 if found == 0 else float(special.betaincinv(found, drawn - found + 1, tail))
    high = 1.0 if found == drawn else float(special.betaincinv(found + 1, drawn - found, 1 - tail))
    return low, high


def poisson_quantile(mean: float, probability: float) -> int:
    """The smallest k with P(X ≤ k) ≥ probability, for X ~ Poisson(mean).

    >>> poisson_quantile(0.0, 0.95), poisson_quantile(1.0, 0.95), poisson_quantile(100.0, 0.975)
    (0, 3, 120)
    """
    if mean <= 0:
        return 0
    k = max(int(np.floor(np.nan_to_num(special.pdtrik(probability, mean)))), 0)
    while k > 0 and special.pdtr(k - 1, mean) >= probability:
        k -= 1
    while special.pdtr(k, mean) < probability:
        k += 1
    return k


def hypergeometric_cdf(
    found: NDArray[np.int64], relevant: NDArray[np.int64], drawn: NDArray[np.int64], documents: NDArray[np.int64]
) -> Floats:
    """P(X ≤ found), X the relevant ones among `drawn` of `documents`, of which `relevant` are relevant; for arrays.

    >>> few = [np.array([each]) for each in (0, 1, 2, 4)]
    >>> hypergeometric_cdf(*few).round(6).tolist()
    [0.5]
    """
    columns = np.arange(int(found.max(initial=0)) + 1)[None, :]
    relevant, drawn, documents, most = (each[:, None] for each in (relevant, drawn, documents, found))
    possible = (columns <= most) & (columns <= drawn) & (columns >= drawn - (documents - relevant))
    with np.errstate(invalid="ignore"):
        logs = (
            log_choose(relevant, columns)
            + log_choose(documents - relevant, drawn - columns)
            - log_choose(documents, drawn)
        )
    terms = np.where(possible, np.exp(np.where(possible, logs, 0.0)), 0.0)
    below: Floats = np.minimum(terms.sum(axis=1), 1.0)
    return below


def log_choose(n: ArrayLike, k: ArrayLike) -> Floats:
    """The logarithm of the binomial coefficient."""
    n, k = np.asarray(n, np.float64), np.asarray(k, np.float64)
    logs: Floats = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return logs


def largest_unseen(inclusion: float, level: float) -> float:
    """How many relevant documents all stay unseen with probability (1 − level)/2, if each is seen with `inclusion`."""
    if inclusion >= 1:
        return 0.0
    return math.inf if inclusion <= 0 else math.log((1 - level) / 2) / math.log1p(-inclusion)
