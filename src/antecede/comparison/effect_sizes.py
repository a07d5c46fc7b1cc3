"""Effect sizes, and bootstrap confidence intervals of means over topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.comparison.inputs import Flags, Floats, Ints, check_level, find_entry
from antecede.measures.definition import mean, round_totals, sum_exactly
from antecede.ranges import SAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_ROW_BLOCK = 1024
"""Rows processed at a time, which bounds the memory."""

_TOLERANCE = 1e-12
"""Values closer than this, relative to the largest one, differ only by rounding."""


def cohen_d(differences: Floats) -> Floats:
    """Cohen's d for paired scores, d_z = mean / standard deviation (n − 1) of the differences (Cohen, 1988).

    By convention 0.2 is small, 0.5 medium and 0.8 large. It equals t/√n: unlike t, it does not grow with the number of
    topics. Differences that are all zero give 0; differences that are all equal and not zero have no spread and give
    ±∞; fewer than two topics give NaN. Not comparable with the d of unpaired samples, which is divided by the spread
    of the scores themselves.
    """
    present = ~np.isnan(differences)
    count = present.sum(axis=1)
    average = mean(differences)
    deviations = np.where(present, differences - average[:, None], 0.0)
    spread = np.sqrt(sum_exactly(deviations**2) / np.maximum(count - 1, 1))
    largest = np.where(present, np.abs(differences), 0.0).max(axis=1, initial=0.0)
    flat = spread <= _TOLERANCE * largest
    effect: Floats = np.divide(average, spread, out=np.copysign(np.inf, average), where=~flat)
    effect[flat & (largest == 0)] = 0.0
    effect[count < 2] = np.nan
    return effect


@dataclass(frozen=True, eq=False)
class Intervals:
    """One interval per row, ends included; NaN for a row without topics."""

    low: Floats
    high: Floats


def bootstrap(
    values: Floats, *, confidence: float = 0.95, resamples: int = 2_000, seed: int = 0, method: str = "bca"
) -> Intervals:
    """Confidence interval of the mean of each row of float64[rows, topics]; NaN topics are left out (Efron, 1979).

    Topics are drawn with replacement, as many as there are, and the mean is recomputed, `resamples` times. Rows with
    the same topics use the same draws, so an interval does not depend on the other rows. `method` is `bca` or
    `percentile`; the same `seed` gives the same intervals.

    Treats the topics as a random sample of those the systems will encounter. With fewer than about 20 topics the
    interval is somewhat too narrow; a row of equal values has an interval of width zero.
    """

    check_level(1 - confidence)
    SAMPLES.check(resamples, "the number of resamples")
    SEED.check(seed, "the seed")
    levels = find_entry(METHODS, method, "bootstrap interval")
    low, high = np.full((2, len(values)), np.nan)
    known = ~np.isnan(values)
    for members in _group_rows(known):
        topics = known[members[0]]
        if not topics.any():
            continue
        number = int(topics.sum())
        weights = draw_topics(number, resamples, seed) / number
        for at in range(0, len(members), _ROW_BLOCK):
            rows = members[at : at + _ROW_BLOCK]
            some = values[np.ix_(rows, topics)]
            means = np.sort(some @ weights.T, axis=1)
            cuts = levels(some, means, confidence)
            low[rows], high[rows] = (_interpolate_quantile(means, cut) for cut in cuts)
    return Intervals(round_totals(low), round_totals(high))  # products of matrices depend on the other rows


def _group_rows(known: Flags) -> list[Ints]:
    groups: dict[bytes, list[int]] = {}
    for row, bits in enumerate(np.packbits(known, axis=1)):
        groups.setdefault(bits.tobytes(), []).append(row)
    return [np.array(rows) for rows in groups.values()]


def draw_topics(topics: int, resamples: int, seed: int) -> Ints:
    """int64[resamples, topics]: how often each topic is in each resample."""
    drawn = np.random.default_rng(seed).integers(0, topics, size=(resamples, topics))
    drawn += np.arange(resamples)[:, None] * topics
    return np.bincount(drawn.ravel(), minlength=resamples * topics).reshape(resamples, topics)


def percentile(values: Floats, _means: Floats, confidence: float) -> tuple[Floats, Floats]:
    """The percentile interval: (1 − confidence)/2 of the resampled means are cut off at either end."""
    tail = np.full(len(values), (1 - confidence) / 2)
    return tail, 1 - tail


def bca(values: Floats, means: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Bias-corrected and accelerated percentiles (Efron, 1987), the default: Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))).

    z₀ from the share of resampled means below the observed one, a = Σ(x−x̄)³ / 6(Σ(x−x̄)²)^1.5 from the jackknife.
    Scores per topic are skewed, many near 0 and a few high; this shifts the interval with the skew at no extra cost
    for a mean. Without skew it equals the percentile interval.
    """
    from scipy.special import ndtr, ndtri

    observed = values.mean(axis=1, keepdims=True)
    slack = _TOLERANCE * np.abs(values).max(axis=1, keepdims=True)
    # Means equal to the observed one count half; otherwise scores with few distinct values would be biased.
    below = ((means < observed - slack).mean(axis=1) + (means <= observed + slack).mean(axis=1)) / 2
    bias = ndtri(np.clip(below, 0.5 / means.shape[1], 1 - 0.5 / means.shape[1]))
    deviations = values - observed
    spread = (deviations**2).sum(axis=1) ** 1.5
    cubes = (deviations**2 * deviations).sum(axis=1)
    acceleration = np.divide(cubes, 6 * spread, out=np.zeros(len(values)), where=spread > 0)

    def level(z: float) -> Floats:
        # Far out in the tail of very skewed values the divisor could reach zero; the level is then 0 or 1.
        return np.asarray(ndtr(bias + (bias + z) / np.maximum(1 - acceleration * (bias + z), 1e-9)))

    z = float(ndtri((1 + confidence) / 2))
    return level(-z), level(z)


def _interpolate_quantile(ordered: Floats, level: Floats) -> Floats:
    """The quantile of each row of ordered values at that row's own level, interpolated linearly."""
    place = np.clip(level, 0.0, 1.0) * (ordered.shape[1] - 1)
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, ordered.shape[1] - 1)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, lower], ordered[rows, upper]
    return np.asarray(low + (high - low) * (place - lower))


Interval = Literal["bca", "percentile"]
METHODS: Mapping[str, Callable[[Floats, Floats, float], tuple[Floats, Floats]]] = {
    "bca": bca,
    "percentile": percentile,
}
"""Each returns the lower and the upper level at which to cut the ordered means."""
