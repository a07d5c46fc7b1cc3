"""Quantiles, exact bounds and fitted Poisson processes that estimators, stopping rules and calibration share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

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

    >>> few = [np.array([number]) for number in (0, 1, 2, 4)]
    >>> hypergeometric_cdf(*few).round(6).tolist()
    [0.5]
    """
    columns = np.arange(int(found.max(initial=0)) + 1)[None, :]
    relevant, drawn, documents, most = (column[:, None] for column in (relevant, drawn, documents, found))
    possible = (columns <= most) & (columns <= drawn) & (columns >= drawn - (documents - relevant))
    with np.errstate(invalid="ignore"):
        logs = (
            _log_choose(relevant, columns)
            + _log_choose(documents - relevant, drawn - columns)
            - _log_choose(documents, drawn)
        )
    terms = np.where(possible, np.exp(np.where(possible, logs, 0.0)), 0.0)
    below: Floats = np.minimum(terms.sum(axis=1), 1.0)
    return below


def _log_choose(n: ArrayLike, k: ArrayLike) -> Floats:
    """The logarithm of the binomial coefficient."""
    n, k = np.asarray(n, np.float64), np.asarray(k, np.float64)
    logs: Floats = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return logs


def largest_unseen(inclusion: float, level: float) -> float:
    """How many relevant documents all stay unseen with probability (1 − level)/2, if each is seen with `inclusion`."""
    if inclusion >= 1:
        return 0.0
    return math.inf if inclusion <= 0 else math.log((1 - level) / 2) / math.log1p(-inclusion)


# Poisson processes fitted to the discovery curve

Rate = Literal["power", "hyperbolic", "exponential"]
_EXPONENTS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Of the hyperbolic rate: 1 is harmonic decline, ∞ would be exponential."""
_GRID = 64
_NO_DECLINE = 1e-9
"""A rate that falls by less up to the last document read is taken as constant."""


def expected_left(finds: Floats, end: int, documents: int, rate: Rate) -> float:
    """The expected number of relevant documents after rank `end`, if those up to it were at the ranks `finds`."""
    count, depth, size = np.array([len(finds)]), np.array([float(end)]), float(documents)
    if rate == "power":
        left = float(power_left(count, np.log(finds).sum(keepdims=True), depth, size)[0])
    elif rate == "exponential":
        left = float(exponential_left(count, finds.mean(keepdims=True), depth, size)[0])
    else:
        left = _left_by_hyperbola(finds, float(end), size)
    return min(left, size - end)


def power_left(count: Floats, sum_of_logs: Floats, end: Floats, documents: float) -> Floats:
    """λ = a·x^(c−1): c = k / Σ ln(T/x_i), at most 1, and the process has k·((D/T)^c − 1) events left.

    For arrays of states: the number of finds, the sum of the logarithms of their ranks, and T.
    """
    spread = count * np.log(end) - sum_of_logs
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.where(spread > 0, np.minimum(count / spread, 1.0), 1.0)
    left: Floats = count * np.expm1(exponent * np.log(documents / end))
    return left


def exponential_left(count: Floats, mean: Floats, end: Floats, documents: float) -> Floats:
    """λ = a·e^(−bx): b from the mean rank of the finds, at least 0. For arrays of states.

    The mean of a truncated exponential, 1/b − T/(e^(bT) − 1), falls from T/2 at b = 0 towards 0: bisection in bT.
    """
    share = np.clip(mean / end, 1e-12, None)
    low, high = np.zeros_like(share), np.full_like(share, 1.0)
    high = np.maximum(high, 2 / share)  # there, the mean is below 1/b < share
    for _ in range(100):
        middle = (low + high) / 2
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            value = np.where(middle < 1e-4, 0.5 - middle / 12, 1 / middle - 1 / np.expm1(middle))
        settled = (middle == low) | (middle == high) | (high < _NO_DECLINE)
        if settled.all():
            break
        low, high = np.where(value > share, middle, low), np.where(value > share, high, middle)
    decline = (low + high) / 2
    ratio = documents / end
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        falling = count * (np.exp(-decline) - np.exp(-decline * ratio)) / -np.expm1(-decline)
    left: Floats = np.where(decline > _NO_DECLINE, falling, count * (ratio - 1))
    return left


def _left_by_hyperbola(finds: Floats, end: float, documents: float) -> float:
    """λ = a/(1 + bx)^c: the likelihood is maximised over c in _EXPONENTS and b on a grid, refined once around its best.

    For given b and c, a makes the integral up to T equal to k.
    """
    scales = np.geomspace(1e-3, 1e4, _GRID) / end
    best, step = (-math.inf, scales[0], _EXPONENTS[0]), math.log(scales[1] / scales[0])
    for candidates in (scales, None):
        grid = best[1] * np.exp(np.linspace(-step, step, _GRID)) if candidates is None else candidates
        logs = np.log1p(grid[:, None] * finds[None, :]).sum(axis=1)
        for exponent in _EXPONENTS:
            mass = _hyperbolic_mass(grid, exponent, end)
            likelihood = -len(finds) * np.log(mass) - exponent * logs
            at = int(np.argmax(likelihood))
            best = max(best, (float(likelihood[at]), float(grid[at]), exponent))
    _, scale, exponent = best
    inside, whole = (float(_hyperbolic_mass(np.array([scale]), exponent, x)[0]) for x in (end, documents))
    return len(finds) * (whole / inside - 1)


def _hyperbolic_mass(scale: Floats, exponent: float, x: float) -> Floats:
    """∫ (1 + bu)^(−c) du from 0 to x."""
    if exponent == 1.0:
        mass: Floats = np.log1p(scale * x) / scale
    else:
        mass = -np.expm1((1 - exponent) * np.log1p(scale * x)) / (scale * (exponent - 1))
    return mass
