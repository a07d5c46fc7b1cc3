"""Poisson processes fitted to the discovery curve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.registry import OpenShare
from antecede.review.distributions import clopper_pearson, poisson_quantile
from antecede.review.estimators.registry import Bounds, estimator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.review.reading import Reading

    Floats = NDArray[np.float64]

Rate = Literal["power", "hyperbolic", "exponential"]
EXPONENTS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Of the hyperbolic rate: 1 is harmonic decline, ∞ would be exponential."""
GRID = 64


@estimator(
    "poisson",
    cite="Sneyd & Stevenson, EMNLP 2019 and SIGIR 2021",
    assumption="relevant documents occur along the ranking as a Poisson process whose rate keeps falling as fitted",
)
def poisson(reading: Reading, *, rate: Rate = "power", level: OpenShare = 0.95) -> Bounds:
    """A Poisson process along the ranking: its rate is fitted to where documents were found, and continued to the end.

        N = k + Λ,  Λ = ∫ λ(x) dx from T to D

    k documents were found among the first T of D. The rate λ is `power` (a·x^(c−1), c ≤ 1), `hyperbolic`
    (a/(1 + bx)^c, c ≥ 1) or `exponential` (a·e^(−bx)), each fitted by maximum likelihood. The interval contains Λ's
    Poisson variation, not the uncertainty of the fit, as published: it is too narrow where little was found.

    A power law has a heavy tail and tends to read too much, an exponential decline forgets it and tends to stop too
    early. Documents of an audit sample are set aside for the fit. With nothing found, the rest is assumed to be no
    richer than what was read.

    >>> print(estimate("poisson(rate=power)", Reading([1, 1, 0, 1, 0, 0, 0, 1, 0, 0], documents=20)))
    6.9 (4.0–11.0), recall 0.58 (0.36–1.00)
    """
    ranked = reading.from_ranking
    if not ranked.read or not ranked.unread:
        return Bounds(reading.found, reading.found, reading.found + ranked.unread)
    if not ranked.found:
        _, high = clopper_pearson(0, ranked.read, level)
        return Bounds(reading.found, reading.found, reading.found + high * ranked.unread)
    left = expected_left(ranked.finds.astype(np.float64), ranked.read, ranked.documents, rate)
    tail = (1 - level) / 2
    low, high = poisson_quantile(left, tail), poisson_quantile(left, 1 - tail)
    return Bounds(reading.found + left, reading.found + low, reading.found + high)


def expected_left(finds: Floats, end: int, documents: int, rate: Rate) -> float:
    """The expected number of relevant documents after rank `end`, if those up to it were at the ranks `finds`."""
    fits: dict[str, Callable[[Floats, float, float], float]] = {
        "power": left_by_power,
        "hyperbolic": left_by_hyperbola,
        "exponential": left_by_exponential,
    }
    return min(fits[rate](finds, float(end), float(documents)), float(documents - end))


def left_by_power(finds: Floats, end: float, documents: float) -> float:
    """λ = a·x^(c−1): c = k / Σ ln(T/x_i), at most 1, and the process has k·((D/T)^c − 1) events left."""
    return float(power_left(np.array([len(finds)]), np.log(finds).sum(keepdims=True), np.array([end]), documents)[0])


def power_left(count: Floats, sum_of_logs: Floats, end: Floats, documents: float) -> Floats:
    """The same for arrays of states: the number of finds, the sum of the logarithms of their ranks, and T."""
    spread = count * np.log(end) - sum_of_logs
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.where(spread > 0, np.minimum(count / spread, 1.0), 1.0)
    left: Floats = count * np.expm1(exponent * np.log(documents / end))
    return left


def left_by_exponential(finds: Floats, end: float, documents: float) -> float:
    """λ = a·e^(−bx): b from the mean rank of the finds, at least 0."""
    mean = finds.mean(keepdims=True)
    return float(exponential_left(np.array([len(finds)]), mean, np.array([end]), documents)[0])


def exponential_left(count: Floats, mean: Floats, end: Floats, documents: float) -> Floats:
    """The same for arrays of states.

    The mean of a truncated exponential, 1/b − T/(e^(bT) − 1), falls from T/2 at b = 0 towards 0: bisection in bT.
    """
    share = np.clip(mean / end, 1e-12, None)
    low, high = np.zeros_like(share), np.full_like(share, 1.0)
    high = np.maximum(high, 2 / share)  # there, the mean is below 1/b < share
    for _ in range(100):
        middle = (low + high) / 2
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            value = np.where(middle < 1e-4, 0.5 - middle / 12, 1 / middle - 1 / np.expm1(middle))
        low, high = np.where(value > share, middle, low), np.where(value > share, high, middle)
    decline = (low + high) / 2
    ratio = documents / end
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        falling = count * (np.exp(-decline) - np.exp(-decline * ratio)) / -np.expm1(-decline)
    left: Floats = np.where(decline > 1e-9, falling, count * (ratio - 1))
    return left


def left_by_hyperbola(finds: Floats, end: float, documents: float) -> float:
    """λ = a/(1 + bx)^c: the likelihood is maximised over c in EXPONENTS and b on a grid, refined once around its best.

    For given b and c, a makes the integral up to T equal to k.
    """
    scales = np.geomspace(1e-3, 1e4, GRID) / end
    best, step = (0.0, scales[0], EXPONENTS[0]), math.log(scales[1] / scales[0])
    best = (-math.inf, scales[0], EXPONENTS[0])
    for candidates in (scales, None):
        grid = best[1] * np.exp(np.linspace(-step, step, GRID)) if candidates is None else candidates
        logs = np.log1p(grid[:, None] * finds[None, :]).sum(axis=1)
        for exponent in EXPONENTS:
            mass = hyperbolic_mass(grid, exponent, end)
            likelihood = -len(finds) * np.log(mass) - exponent * logs
            at = int(np.argmax(likelihood))
            best = max(best, (float(likelihood[at]), float(grid[at]), exponent))
    _, scale, exponent = best
    inside, whole = (float(hyperbolic_mass(np.array([scale]), exponent, x)[0]) for x in (end, documents))
    return len(finds) * (whole / inside - 1)


def hyperbolic_mass(scale: Floats, exponent: float, x: float) -> Floats:
    """∫ (1 + bu)^(−c) du from 0 to x."""
    if exponent == 1.0:
        mass: Floats = np.log1p(scale * x) / scale
    else:
        mass = -np.expm1((1 - exponent) * np.log1p(scale * x)) / (scale * (exponent - 1))
    return mass
