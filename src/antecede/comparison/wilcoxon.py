"""Wilcoxon's signed-rank test over many pairs of runs at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.paired import DEFAULT_SAMPLING, Sampling, Significance, joined, settle
from antecede.comparison.ranks import average_ranks

if TYPE_CHECKING:
    from antecede.comparison.paired import Flags
    from antecede.comparison.pairs import Ints
    from antecede.comparison.ranks import Floats

EXACT_TOPICS = 50
"""Up to here SciPy uses the exact null distribution, provided that no difference is zero or equal to another."""

EXACT_TIED_TOPICS = 13
"""Up to here SciPy goes through every sign pattern where there are ties or zeros."""

BLOCK = 2**18
"""Differences ranked at a time, which bounds the memory and keeps them in the cache."""


def wilcoxon(differences: Floats, _sampling: Sampling = DEFAULT_SAMPLING, /) -> Significance:
    """Signed ranks (Wilcoxon, 1945): W⁺, the ranks of |d| summed over topics where the first run is ahead.

    Topics without a difference are dropped, equal ones share their mean rank. The p-value is that of
    `scipy.stats.wilcoxon` with its defaults (as of SciPy 1.15) for each pair alone: exact up to 50 topics without
    ties or zeros, exact over all sign patterns up to 13 topics with them, else the normal approximation with the
    variance corrected for ties, without continuity correction. Ties are exact: 0.3 − 0.2 and 0.1 are not equal here.

    Compares ranks, not means: the two may point to different runs. Assumes differences spread symmetrically.
    The statistic given is W⁺ − W⁻, so its sign says which run is ahead.
    """
    pairs, topics = differences.shape
    step = max(1, BLOCK // max(1, topics))
    return joined([signed_ranks(differences[at : at + step]) for at in range(0, max(1, pairs), step)])


def signed_ranks(differences: Floats) -> Significance:
    """The test for as many pairs as fit into memory at once."""
    topics = np.count_nonzero(~np.isnan(differences), axis=1)
    moves = np.nan_to_num(differences) != 0
    ranks, sizes = average_ranks(np.where(moves, np.abs(differences), np.inf))
    ranks, sizes = np.where(moves, ranks, 0.0), np.where(moves, sizes, 1.0)
    count = moves.sum(axis=1)
    plus = np.where(np.nan_to_num(differences) > 0, ranks, 0.0).sum(axis=1)

    clean = (count == topics) & (sizes == 1).all(axis=1)
    exact = clean & (topics <= EXACT_TOPICS)
    tied = ~clean & (topics <= EXACT_TIED_TOPICS)
    p = normal(plus, count, (sizes**2 - 1).sum(axis=1))
    p[exact] = untied(plus[exact], count[exact])
    p[tied] = over_sign_patterns(plus[tied], ranks[tied])

    unclear = np.count_nonzero(sizes > 1, axis=1) + topics - count
    return settle(
        differences,
        2 * plus - count * (count + 1) / 2,
        p,
        smallest=np.where(exact | tied, np.exp2(1.0 - count), 0.0),
        tied=unclear / np.maximum(topics, 1),
    )


def normal(plus: Floats, count: Ints, ties: Floats) -> Floats:
    """Normal approximation; `ties` is the sum of s³ − s over groups of s equal differences."""
    from scipy.special import ndtr

    mean = count * (count + 1) / 4
    variance = (count * (count + 1.0) * (2 * count + 1) - ties / 2) / 24
    z = np.divide(plus - mean, np.sqrt(variance), out=np.zeros(len(plus)), where=variance > 0)
    p: Floats = 2 * ndtr(-np.abs(z))
    return p


def untied(plus: Floats, count: Ints) -> Floats:
    """Exact p-values where the ranks are 1, 2, …, n."""
    p = np.empty(len(plus))
    for n in np.unique(count):
        rows = count == n
        below, above = tails(int(n))
        at = plus[rows].astype(np.int64)
        p[rows] = np.minimum(1.0, 2 * np.minimum(below[at], above[at]))
    return p


@lru_cache(maxsize=EXACT_TOPICS + 1)
def tails(n: int) -> tuple[Floats, Floats]:
    """P(W⁺ ≤ w) and P(W⁺ ≥ w) for w = 0, 1, …, n(n+1)/2, when every sign is a fair coin."""
    share = null_distribution(np.arange(1, n + 1, dtype=np.int64)[None, :])[0]
    return np.cumsum(share), np.cumsum(share[::-1])[::-1]


def over_sign_patterns(plus: Floats, ranks: Floats) -> Floats:
    """Exact p-values for any ranks, halves included: all ways to set the signs, weighed by their number."""
    # Doubled, mean ranks are whole numbers.
    share = null_distribution(np.rint(2 * ranks).astype(np.int64))
    at = np.rint(2 * plus).astype(np.int64)[:, None]
    value = np.arange(share.shape[1])[None, :]
    below = np.where(value <= at, share, 0.0).sum(axis=1)
    above = np.where(value >= at, share, 0.0).sum(axis=1)
    p: Floats = np.minimum(1.0, 2 * np.minimum(below, above))
    return p


def null_distribution(ranks: Ints) -> Floats:
    """float64[rows, 1 + largest sum]: the chance of each sum when each rank of a row is taken or left by a fair coin.

    Built rank by rank: the chance of s is half that of s before, and half that of s − rank before.
    """
    largest = int(ranks.sum(axis=1).max(initial=0))
    share = np.zeros((len(ranks), largest + 1))
    share[:, 0] = 1.0
    value = np.arange(largest + 1)
    for step in ranks.T:
        source = value[None, :] - step[:, None]
        taken: Flags = source >= 0
        shifted = np.where(taken, np.take_along_axis(share, np.maximum(source, 0), axis=1), 0.0)
        share = (share + shifted) / 2
    return share
