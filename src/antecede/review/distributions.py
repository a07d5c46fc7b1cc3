"""The statistics that estimators, rules and calibration share: bounds, Poisson processes, regressions, states."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from antecede.review.reading import Floats, Ints, Reading


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
    k = max(math.ceil(float(np.nan_to_num(special.pdtrik(probability, mean)))), 0)
    return k - 1 if k > 0 and special.pdtr(k - 1, mean) >= probability else k


def hypergeometric_cdf(found: Ints, relevant: Ints, drawn: Ints, documents: Ints) -> Floats:
    """P(X ≤ found), X the relevant ones among `drawn` of `documents`, of which `relevant` are relevant; for arrays.

    >>> few = [np.array([number]) for number in (0, 1, 2, 4)]
    >>> hypergeometric_cdf(*few).round(6).tolist()
    [0.5]
    """
    columns = np.arange(int(found.max(initial=0)) + 1)[None, :]
    relevant, drawn, documents, most = (column[:, None] for column in (relevant, drawn, documents, found))
    possible = (columns <= most) & (columns <= drawn) & (columns >= drawn - (documents - relevant))
    with np.errstate(invalid="ignore"):
        inside, outside = _log_choose(relevant, columns), _log_choose(documents - relevant, drawn - columns)
        logs = inside + outside - _log_choose(documents, drawn)
    terms = np.where(possible, np.exp(np.where(possible, logs, 0.0)), 0.0)
    below: Floats = np.minimum(terms.sum(axis=1), 1.0)
    return below


def _log_choose(n: ArrayLike, k: ArrayLike) -> Floats:
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


# Logistic and Poisson regression

ROUNDS = 60
LARGEST = 30.0
"""Linear predictors are cut here, far above the logarithm of the size of any collection."""


def fit_logistic(values: Floats, labels: Floats, weights: Floats, ridge: float) -> Floats:
    """The intercept and one weight per feature; P = 1/(1 + e^−(w₀ + w·x)).

    >>> x = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    >>> fit_logistic(x, np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4), 1e-9).round(3).tolist()[0] > 0
    True
    """
    share = (labels @ weights + 0.5) / (weights.sum() + 1)  # of ones, off 0 and 1
    return _fit(values, labels, weights, ridge, special.expit, lambda mean: mean * (1 - mean), special.logit(share))


def fit_poisson(values: Floats, counts: Floats, weights: Floats, ridge: float) -> Floats:
    """The intercept and one weight per feature; the mean is e^(w₀ + w·x)."""
    start = np.log((counts @ weights + 0.5) / (weights.sum() + 0.5))
    return _fit(values, counts, weights, ridge, np.exp, lambda mean: mean, start)


def _fit(
    values: Floats,
    labels: Floats,
    weights: Floats,
    ridge: float,
    mean_of: Callable[[Floats], Floats],
    curvature_of: Callable[[Floats], Floats],
    start: float,
) -> Floats:
    """Minimise the weighted negative log-likelihood plus ridge·|w|²/2, the intercept not penalised.

    Newton's method with step halving on the gradient, from the intercept alone; features should be standardised.
    SciPy's `trust-exact` gives the same weights within 4e-8 and takes 1.4 to 5 times as long on 20,000 states, and a
    calibration makes dozens of fits.
    """
    design = np.column_stack([np.ones(len(values)), values])
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 1e-9

    def describe(point: Floats) -> tuple[Floats, Floats, float]:
        mean = mean_of(np.clip(design @ point, -LARGEST, LARGEST))
        gradient = design.T @ (weights * (mean - labels)) + penalty * point
        return gradient, curvature_of(mean), float(np.sqrt(gradient @ gradient))

    point = np.zeros(design.shape[1])
    point[0] = start
    gradient, curvature, size = describe(point)
    for _ in range(ROUNDS):
        hessian = (design * (weights * curvature)[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(hessian + 1e-9 * np.eye(len(point)), gradient)
        share = 1.0
        while share > 1e-4:
            tried = point - share * step
            there = describe(tried)
            if there[2] < size:
                break
            share /= 2
        else:
            break
        point, (gradient, curvature, size) = tried, there
        if np.abs(share * step).max() < 1e-8:
            break
    return point


# What a reading looks like at some depth, as numbers: the features from which calibration predicts what is left. Scores
# of the ranking are not among them: ratios to the first score and to that of the last find saved no reading on any
# collection that was tried, and a calibration without them also holds for readings whose scores are not comparable.

STEP = 1.05
"""The growth of the depth from one checkpoint to the next."""
FEATURES = (
    "depth",
    "share of the list",
    "found",
    "nothing found",
    "since the last find",
    "since the last find / depth",
    "found in the second half",
    "left by a power law",
    "left by exponential decline",
    "found × since the last find",
)


def checkpoints(documents: int) -> Ints:
    """The depths at which a reading is looked at: 1, 2, 3 … at first, then about 5 % more each time, before the end.

    >>> checkpoints(30).tolist()[-5:]
    [24, 26, 27, 28, 29]
    """
    steps = np.ceil(STEP ** np.arange(0, np.log(max(documents, 2)) / np.log(STEP) + 1)).astype(np.int64)
    depths = np.unique(steps)
    return depths[depths < documents]


def checkpoint_states(reading: Reading) -> tuple[Ints, Floats]:
    """The checkpoints that a reading has passed, and its state at each."""
    # Complete readings are calibrated on and tested on again and again.
    return _keep_states(reading) if reading.complete else _keep_states.__wrapped__(reading)


@lru_cache(maxsize=1024)
def _keep_states(reading: Reading) -> tuple[Ints, Floats]:
    depths = checkpoints(reading.documents)
    depths = depths[depths <= reading.read]
    return depths, describe_states(reading, depths)


def describe_states(reading: Reading, depths: Ints) -> Floats:
    """float64[depths, features]: the reading after each of the depths, counted along the ranking."""
    relevant, documents = reading.relevant, reading.documents
    positions = np.arange(1, reading.read + 1)
    counts = np.concatenate([[0], np.cumsum(relevant)])
    found = counts[depths].astype(np.float64)
    last = np.concatenate([[0], np.maximum.accumulate(np.where(relevant, positions, 0))])[depths]
    logs = np.concatenate([[0.0], np.cumsum(np.where(relevant, np.log(positions), 0.0))])[depths]
    sums = np.concatenate([[0.0], np.cumsum(np.where(relevant, positions, 0.0))])[depths]
    depth = depths.astype(np.float64)
    since = depth - last
    some = found > 0
    power = np.where(some, power_left(np.maximum(found, 1), logs, depth, documents), 0.0)
    mean = np.where(some, sums / np.maximum(found, 1), depth / 2)
    exponential = np.where(some, exponential_left(np.maximum(found, 1), mean, depth, documents), 0.0)
    unread = documents - depth
    values = [
        np.log(depth),
        np.log(depth / documents),
        np.log1p(found),
        (~some).astype(np.float64),
        np.log1p(since),
        since / depth,
        np.log1p(found - counts[depths // 2]),
        np.log1p(np.minimum(power, unread)),
        np.log1p(np.minimum(exponential, unread)),
        np.log1p(found) * np.log1p(since),
    ]
    return np.column_stack(values)
