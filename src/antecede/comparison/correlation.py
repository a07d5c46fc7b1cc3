"""Correlation of the systems' order under two measures, or under one measure and many samples of judgements.

Each coefficient takes `reference`, float64[runs], and `samples`, float64[samples, runs], and returns float64[samples].
Where either side is the same for all runs there is no order to correlate, and the answer is NaN;
so it is where a score is NaN, and with fewer than two runs. Higher scores are better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from antecede.comparison.ranks import average_ranks
from antecede.comparison.validation import find
from antecede.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.paired import Flags
    from antecede.comparison.ranks import Floats


class Correlation(Protocol):
    """The shape of a coefficient."""

    def __call__(self, reference: Floats, samples: Floats, /) -> Floats: ...


def kendall_many(reference: Floats, samples: Floats, /) -> Floats:
    """Kendall's τ-b: (concordant − discordant) / √(pairs untied in one · pairs untied in the other) (Kendall, 1945).

    Equals `scipy.stats.kendalltau`. A swap at the bottom of the list costs as much as one at the top.
    """
    columns = np.ascontiguousarray(samples.T)
    net = np.zeros(len(samples))
    for i in range(len(reference) - 1):
        net += np.sign(reference[i + 1 :] - reference[i]) @ np.sign(columns[i + 1 :] - columns[i])
    untied = np.sqrt(untied_pairs(reference[None, :])) * np.sqrt(untied_pairs(samples))
    return bounded(net, untied, defined(reference, samples))


def untied_pairs(values: Floats) -> Floats:
    """How many pairs of each row differ."""
    _, sizes = average_ranks(values)
    untied: Floats = (values.shape[-1] - sizes).sum(axis=-1) / 2
    return untied


def tau_ap_many(reference: Floats, samples: Floats, /) -> Floats:
    """AP correlation: τ_AP = 2/(n−1) · Σᵢ₌₂ⁿ C(i)/(i−1) − 1 (Yilmaz, Aslam & Robertson, SIGIR 2008).

    C(i) counts the runs ranked above place i in the sample that belong above it by the reference, so a swap
    at the top costs more than one at the bottom. Not symmetric: the reference is the truth, the sample the estimate.

    Ties are broken in all possible ways, on both sides, and the results averaged, in closed form. For ties in the
    sample alone this is the τ_AP,a of Urbano & Marrero (ICTIR 2017). As ties cost, a ranking with ties stays below 1
    even beside itself.
    """
    columns = np.ascontiguousarray(samples.T)
    weights = place_weights(samples).T
    net = np.zeros(len(samples))
    for i in range(len(reference)):
        above = (columns > columns[i]).astype(np.float64)
        net += weights[i] * (np.sign(reference - reference[i]) @ above)
    return bounded(net, np.full(len(samples), len(reference) - 1.0), defined(reference, samples))


def place_weights(samples: Floats) -> Floats:
    """For each run the mean of 1/(place − 1) over the places its group of equals takes; 0 where nobody is above."""
    ranks, sizes = average_ranks(-samples)
    first = np.rint(ranks - (sizes - 1) / 2).astype(np.int64)
    last = np.rint(ranks + (sizes - 1) / 2).astype(np.int64)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, samples.shape[1] + 1))])
    return np.where(first > 1, (harmonic[last - 1] - harmonic[np.maximum(first - 2, 0)]) / sizes, 0.0)


def spearman_many(reference: Floats, samples: Floats, /) -> Floats:
    """Spearman's ρ: Pearson's r of the ranks, equal scores sharing their mean rank (Spearman, 1904).

    Equals `scipy.stats.spearmanr`. One run moving far weighs more than many moving one place.
    """
    known = defined(reference, samples)
    rho = pearson_many(average_ranks(reference)[0], average_ranks(samples)[0])
    return np.where(known, rho, np.nan)


def pearson_many(reference: Floats, samples: Floats, /) -> Floats:
    """Pearson's r of the scores themselves: Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²) (Pearson, 1895).

    Equals `scipy.stats.pearsonr`. Measures the straight line, not the order; a few outlying runs can make it.
    """
    known = defined(reference, samples)
    return bounded(unit(samples) @ unit(reference), np.ones(len(samples)), known)


def unit(values: Floats) -> Floats:
    """Each row less its mean, brought to length 1; a row of equal values is left at length 0."""
    if not values.shape[-1]:
        return values
    apart = values - values.mean(axis=-1, keepdims=True)
    largest = np.abs(apart).max(axis=-1, keepdims=True)
    apart = np.divide(apart, largest, out=np.zeros_like(apart), where=largest > 0)
    length = np.linalg.norm(apart, axis=-1, keepdims=True)
    scaled: Floats = np.divide(apart, length, out=np.zeros_like(apart), where=length > 0)
    return scaled


def defined(reference: Floats, samples: Floats) -> Flags:
    """For which samples there is something to correlate: at least two runs, no NaN, not all equal on a side."""
    if len(reference) < 2:
        return np.zeros(len(samples), dtype=bool)
    moves: Flags = (samples != samples[:, :1]).any(axis=1)
    usable: Flags = ~np.isnan(samples).any(axis=1) & moves
    return usable & bool((reference != reference[0]).any() and not np.isnan(reference).any())


def bounded(value: Floats, over: Floats, known: Flags) -> Floats:
    """value/over where known, kept within [−1, 1] against rounding; NaN elsewhere."""
    ratio = np.divide(value, over, out=np.full(len(value), np.nan), where=known)
    kept: Floats = np.clip(ratio, -1.0, 1.0)
    return kept


CORRELATIONS: Mapping[str, Correlation] = {
    "kendall": kendall_many,
    "tau_ap": tau_ap_many,
    "spearman": spearman_many,
    "pearson": pearson_many,
}


def correlation(first: Sequence[float] | Floats, second: Sequence[float] | Floats, method: str = "kendall") -> float:
    """One coefficient of two lists of scores, the systems in the same order; `first` is the reference."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise UsageError(f"the lists to correlate have shapes {one.shape} and {other.shape}; they must be as long")
    return float(find(CORRELATIONS, method, "correlation")(one, other[None, :])[0])
