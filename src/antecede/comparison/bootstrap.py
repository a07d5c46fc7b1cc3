"""Bootstrap confidence intervals of means over topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.validation import check_count, check_level, check_seed, find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antecede.comparison.paired import Flags
    from antecede.comparison.pairs import Ints, Pairs
    from antecede.comparison.ranks import Floats

    Resampled = Callable[[Ints, Flags, Floats], Floats]
    """The means of some rows over some topics, for each draw of weights."""

ROWS = 1024
"""Rows handled at a time, which bounds the memory."""

ROUNDING = 1e-12
"""Resampled means this close to the observed one, beside the largest value, are equal to it."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """One interval a row, ends included; NaN for a row without a topic."""

    low: Floats
    high: Floats


def bootstrap(
    values: Floats, *, confidence: float = 0.95, resamples: int = 2_000, seed: int = 0, method: str = "bca"
) -> Intervals:
    """Confidence interval of the mean of each row of float64[rows, topics]; NaN topics are left out (Efron, 1979).

    Topics are drawn with replacement, as many as there are, and the mean is taken again, `resamples` times.
    Rows with the same topics see the same draws, so an interval does not depend on the rows beside it.

    Takes the topics for a random sample of those the systems will meet. With fewer than about 20 topics
    the interval is somewhat too narrow; a row of equal values gets an interval without width.
    """

    def resampled(rows: Ints, topics: Flags, draws: Floats) -> Floats:
        return values[np.ix_(rows, topics)] @ draws.T

    return intervals(values, resampled, confidence, resamples, seed, method)


def bootstrap_difference(
    values: Floats,
    pairs: Pairs,
    *,
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
    method: str = "bca",
) -> Intervals:
    """Confidence interval of the mean difference of each pair of runs, over the topics both have: a paired bootstrap.

    `values` are float64[runs, topics]. The same as `bootstrap` of the differences.
    """
    differences = pairs.differences(values)

    def resampled(rows: Ints, topics: Flags, draws: Floats) -> Floats:
        first, second = pairs.first[rows], pairs.second[rows]
        runs = np.unique(np.concatenate([first, second]))
        if len(runs) >= len(rows):
            return differences[np.ix_(rows, topics)] @ draws.T
        # The mean of a difference is the difference of the means, and there are far fewer runs than pairs.
        means: Floats = values[np.ix_(runs, topics)] @ draws.T
        return means[np.searchsorted(runs, first)] - means[np.searchsorted(runs, second)]

    return intervals(differences, resampled, confidence, resamples, seed, method)


def intervals(
    values: Floats, resampled: Resampled, confidence: float, resamples: int, seed: int, method: str
) -> Intervals:
    """Intervals of the rows, taken together where the same topics are known."""
    check_level(1 - confidence)
    check_count(resamples, "resamples")
    check_seed(seed)
    levels = find(METHODS, method, "bootstrap interval")
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    known = ~np.isnan(values)
    for members in alike(known):
        topics = known[members[0]]
        if not topics.any():
            continue
        draws = topic_draws(int(topics.sum()), resamples, seed)
        for at in range(0, len(members), ROWS):
            rows = members[at : at + ROWS]
            means = np.sort(resampled(rows, topics, draws), axis=1)
            cuts = levels(values[np.ix_(rows, topics)], means, confidence)
            low[rows], high[rows] = (quantile(means, cut) for cut in cuts)
    return Intervals(low, high)


def alike(known: Flags) -> list[Ints]:
    """The rows in groups that know the same topics."""
    groups: dict[bytes, list[int]] = {}
    for row, bits in enumerate(np.packbits(known, axis=1)):
        groups.setdefault(bits.tobytes(), []).append(row)
    return [np.array(rows) for rows in groups.values()]


def topic_draws(topics: int, resamples: int, seed: int) -> Floats:
    """float64[resamples, topics]: the weight each topic has in each resampled mean."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, topics, size=(resamples, topics))
    drawn += np.arange(resamples)[:, None] * topics
    counts = np.bincount(drawn.ravel(), minlength=resamples * topics)
    return counts.reshape(resamples, topics) / topics


def percentile(values: Floats, _means: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The percentile interval: cut (1 − confidence)/2 of the resampled means off either end."""
    tail = np.full(len(values), (1 - confidence) / 2)
    return tail, 1 - tail


def bca(values: Floats, means: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Bias-corrected and accelerated percentiles (Efron, 1987), the default: Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))).

    z₀ from the share of resampled means below the observed one, a = Σ(x−x̄)³ / 6(Σ(x−x̄)²)^1.5 from the jackknife.
    Scores per topic are skewed, many near 0 and a few high; this shifts the interval with the skew,
    at no cost for a mean, and is the percentile interval where there is none.
    """
    from scipy.special import ndtr, ndtri

    observed = values.mean(axis=1, keepdims=True)
    slack = ROUNDING * np.abs(values).max(axis=1, keepdims=True)
    # Means that equal the observed one count half, or scores of few distinct values would be pushed aside.
    below = ((means < observed - slack).mean(axis=1) + (means <= observed + slack).mean(axis=1)) / 2
    bias = ndtri(np.clip(below, 0.5 / means.shape[1], 1 - 0.5 / means.shape[1]))
    apart = values - observed
    spread = (apart**2).sum(axis=1) ** 1.5
    acceleration = np.divide((apart**2 * apart).sum(axis=1), 6 * spread, out=np.zeros(len(values)), where=spread > 0)

    def level(z: float) -> Floats:
        # Far out in the tail of very skewed values the divisor could pass zero; the level is then 0 or 1.
        moved: Floats = ndtr(bias + (bias + z) / np.maximum(1 - acceleration * (bias + z), 1e-9))
        return moved

    z = float(ndtri((1 + confidence) / 2))
    return level(-z), level(z)


def quantile(ordered: Floats, level: Floats) -> Floats:
    """The value at a level of its own in each row of ordered values, between neighbours by straight line."""
    place = np.clip(level, 0.0, 1.0) * (ordered.shape[1] - 1)
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, ordered.shape[1] - 1)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, lower], ordered[rows, upper]
    between: Floats = low + (high - low) * (place - lower)
    return between


METHODS: Mapping[str, Callable[[Floats, Floats, float], tuple[Floats, Floats]]] = {"bca": bca, "percentile": percentile}
"""Each gives the lower and the upper level at which to cut the ordered means."""
