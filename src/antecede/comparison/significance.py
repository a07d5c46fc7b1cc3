"""Paired significance tests, each over many pairs of runs at once: Student's t, Wilcoxon's and the randomization test.

A test takes `differences`, float64[pairs, topics], first run minus second, NaN where a topic is left out of a pair,
and returns a `Significance`. All p-values are two-sided. Where every difference is zero, p is 1 by definition.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from antecede.comparison.arrays import average_ranks
from antecede.measures.definition import mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from antecede.comparison.arrays import Flags, Floats, Ints

WILCOXON_EXACT_TOPICS = 50
"""Up to here SciPy uses the exact null distribution, provided that no difference is zero or equal to another."""

WILCOXON_EXACT_TIED_TOPICS = 13
"""Up to here SciPy enumerates every sign pattern where there are ties or zeros."""

WILCOXON_BLOCK = 2**18
"""Differences ranked at a time, which bounds the memory and keeps them in the cache."""

RANDOMIZATION_EXACT_TOPICS = 16
"""Up to this many topics with a difference, every sign pattern is counted; beyond that, patterns are sampled."""

SUM_TOLERANCE = 1e-10
"""Sums closer than this, relative to the sum of all |d|, count as equal: they differ only by the order of addition."""

PATTERN_BLOCK = 1024
"""Sign patterns drawn at a time. Fixed, so that a pair's p-value does not depend on the pairs tested with it."""

PAIR_BLOCK = 4096
"""Pairs processed at a time, which bounds the memory at 32 MB per step."""


@dataclass(frozen=True)
class Sampling:
    """Random sampling of a test; the same seed gives the same p-values."""

    samples: int = 10_000
    seed: int = 0


DEFAULT_SAMPLING = Sampling()


@dataclass(frozen=True, eq=False)
class Significance:
    """The result of a test; each array has one value per pair."""

    statistic: Floats
    """Positive where the first run is ahead according to this test."""
    p: Floats
    """Two-sided; NaN for a pair with fewer than two topics."""
    topics: Ints
    """Topics for which both runs have a score."""
    identical: Flags
    """Every difference is zero: p is 1 by definition, not by calculation."""
    smallest: Floats
    """The smallest p this test could have given for this pair; 0 where there is no lower bound."""
    tied: Floats
    """Share of the topics that a rank test cannot distinguish (no difference, or the same as on another topic)."""
    sampled: Flags
    """p was estimated from random samples, not calculated exactly."""


class PairedTest(Protocol):
    """The signature of a test; one that does not sample ignores `sampling`."""

    def __call__(self, differences: Floats, sampling: Sampling, /) -> Significance: ...


def make_significance(
    differences: Floats,
    statistic: Floats,
    p: Floats,
    *,
    smallest: Floats | None = None,
    tied: Floats | None = None,
    sampled: Flags | None = None,
) -> Significance:
    """The result of a test, with the rules that all tests share: all differences zero, and too few topics."""
    topics = np.count_nonzero(~np.isnan(differences), axis=1)
    identical = (topics > 0) & ~np.any(np.nan_to_num(differences) != 0, axis=1)
    zeros = np.zeros(len(differences))
    return Significance(
        statistic=np.where(topics < 2, np.nan, np.where(identical, 0.0, statistic)),
        p=np.where(topics < 2, np.nan, np.where(identical, 1.0, p)),
        topics=topics,
        identical=identical,
        smallest=zeros if smallest is None else smallest,
        tied=zeros if tied is None else tied,
        sampled=zeros.astype(bool) if sampled is None else sampled,
    )


def concatenate(parts: Sequence[Significance]) -> Significance:
    """The results of several blocks of pairs as one."""
    names = [each.name for each in fields(Significance)]
    return Significance(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def decide(significance: Significance, significant: Flags, direction: int = 1) -> Ints:
    """For each pair +1 where the first run is significantly better, −1 where the second is, 0 where neither is.

    `direction` is −1 for a measure where lower scores are better.
    """
    return np.where(significant, np.sign(np.nan_to_num(significance.statistic)) * direction, 0).astype(np.int64)


def t(differences: Floats, _sampling: Sampling = DEFAULT_SAMPLING, /) -> Significance:
    """Student's paired t (Student, 1908): mean / (s/√n), with n − 1 degrees of freedom.

    Compares means, and assumes that the mean difference is approximately normal, which holds for a few dozen topics.
    Equals `scipy.stats.ttest_rel`. Robust in retrieval practice (Smucker, Allan & Carterette, CIKM 2007).
    """
    from scipy.special import stdtr

    present = ~np.isnan(differences)
    count = present.sum(axis=1)
    known = np.where(present, differences, 0.0)
    average = known.sum(axis=1) / np.maximum(count, 1)
    squares = np.where(present, known - average[:, None], 0.0) ** 2
    error = np.sqrt(squares.sum(axis=1) / np.maximum(count - 1, 1) / np.maximum(count, 1))
    statistic = np.divide(average, error, out=np.copysign(np.inf, average), where=error > 0)
    p: Floats = 2 * stdtr(np.maximum(count - 1, 1), -np.abs(statistic))
    return make_significance(differences, statistic, p)


def wilcoxon(differences: Floats, _sampling: Sampling = DEFAULT_SAMPLING, /) -> Significance:
    """Signed ranks (Wilcoxon, 1945): W⁺, the ranks of |d| summed over topics where the first run is ahead.

    Topics without a difference are dropped; tied differences share their mean rank. The p-value is that of
    `scipy.stats.wilcoxon` with its defaults (as of SciPy 1.15) for each pair alone: exact up to 50 topics without
    ties or zeros, exact over all sign patterns up to 13 topics with them, otherwise the normal approximation with the
    variance corrected for ties, without continuity correction. Ties are exact: 0.3 − 0.2 and 0.1 are not equal here.

    Compares ranks, not means: the two may favour different runs. Assumes that differences are distributed
    symmetrically. The reported statistic is W⁺ − W⁻, so its sign shows which run is ahead.
    """
    pairs, topics = differences.shape
    step = max(1, WILCOXON_BLOCK // max(1, topics))
    return concatenate([rank_signed_differences(differences[at : at + step]) for at in range(0, max(1, pairs), step)])


def rank_signed_differences(differences: Floats) -> Significance:
    """Wilcoxon's test for one block of pairs."""
    topics = np.count_nonzero(~np.isnan(differences), axis=1)
    moves = np.nan_to_num(differences) != 0
    ranks, sizes = average_ranks(np.where(moves, np.abs(differences), np.inf))
    ranks, sizes = np.where(moves, ranks, 0.0), np.where(moves, sizes, 1.0)
    count = moves.sum(axis=1)
    plus = np.where(np.nan_to_num(differences) > 0, ranks, 0.0).sum(axis=1)

    clean = (count == topics) & (sizes == 1).all(axis=1)
    exact = clean & (topics <= WILCOXON_EXACT_TOPICS)
    tied = ~clean & (topics <= WILCOXON_EXACT_TIED_TOPICS)
    p = approximate_p(plus, count, (sizes**2 - 1).sum(axis=1))
    p[exact] = exact_p(plus[exact], count[exact])
    p[tied] = exact_tied_p(plus[tied], ranks[tied])

    indistinct = np.count_nonzero(sizes > 1, axis=1) + topics - count
    return make_significance(
        differences,
        2 * plus - count * (count + 1) / 2,
        p,
        smallest=np.where(exact | tied, np.exp2(1.0 - count), 0.0),
        tied=indistinct / np.maximum(topics, 1),
    )


def approximate_p(plus: Floats, count: Ints, ties: Floats) -> Floats:
    """p by the normal approximation of W⁺; `ties` is the sum of s³ − s over groups of s tied differences."""
    from scipy.special import ndtr

    expected = count * (count + 1) / 4
    variance = (count * (count + 1.0) * (2 * count + 1) - ties / 2) / 24
    z = np.divide(plus - expected, np.sqrt(variance), out=np.zeros(len(plus)), where=variance > 0)
    p: Floats = 2 * ndtr(-np.abs(z))
    return p


def exact_p(plus: Floats, count: Ints) -> Floats:
    """Exact p of W⁺ where the ranks are 1, 2, …, n."""
    p = np.empty(len(plus))
    for n in np.unique(count):
        rows = count == n
        below, above = null_tails(int(n))
        at = plus[rows].astype(np.int64)
        p[rows] = np.minimum(1.0, 2 * np.minimum(below[at], above[at]))
    return p


@lru_cache(maxsize=WILCOXON_EXACT_TOPICS + 1)
def null_tails(n: int) -> tuple[Floats, Floats]:
    """P(W⁺ ≤ w) and P(W⁺ ≥ w) for w = 0, 1, …, n(n+1)/2, when both signs are equally likely."""
    share = null_distribution(np.arange(1, n + 1, dtype=np.int64)[None, :])[0]
    return np.cumsum(share), np.cumsum(share[::-1])[::-1]


def exact_tied_p(plus: Floats, ranks: Floats) -> Floats:
    """Exact p of W⁺ for any ranks, including halves, over all sign patterns."""
    # Doubled, mean ranks are whole numbers.
    share = null_distribution(np.rint(2 * ranks).astype(np.int64))
    at = np.rint(2 * plus).astype(np.int64)[:, None]
    value = np.arange(share.shape[1])[None, :]
    below = np.where(value <= at, share, 0.0).sum(axis=1)
    above = np.where(value >= at, share, 0.0).sum(axis=1)
    p: Floats = np.minimum(1.0, 2 * np.minimum(below, above))
    return p


def null_distribution(ranks: Ints) -> Floats:
    """float64[rows, 1 + largest sum]: the probability of each sum when each rank is included with probability 1/2.

    Computed rank by rank: P(s) = P(s) before / 2 + P(s − rank) before / 2.
    """
    largest = int(ranks.sum(axis=1).max(initial=0))
    share = np.zeros((len(ranks), largest + 1))
    share[:, 0] = 1.0
    value = np.arange(largest + 1)
    for step in ranks.T:
        source = value[None, :] - step[:, None]
        reachable: Flags = source >= 0
        shifted = np.where(reachable, np.take_along_axis(share, np.maximum(source, 0), axis=1), 0.0)
        share = (share + shifted) / 2
    return share


def randomization(differences: Floats, sampling: Sampling = DEFAULT_SAMPLING, /) -> Significance:
    """Sign-flip test of the mean difference (Fisher, 1935; for retrieval Smucker, Allan & Carterette, CIKM 2007).

    If the runs were equally good, each topic's difference could equally well have the opposite sign. p is the share of
    sign patterns whose |mean| is at least the observed one: over all 2ⁿ for n ≤ 16 topics with a difference, otherwise
    (1 + hits) / (1 + samples) over patterns drawn with the seed, so that p is never 0.

    Assumes nothing about the distribution of the differences beyond symmetry under the null hypothesis. A sampled p
    below 0.05 has a standard error of about √(p/samples). All pairs are tested with the same patterns.
    """
    known = np.nan_to_num(differences)
    moving = np.count_nonzero(known, axis=1)
    few = moving <= RANDOMIZATION_EXACT_TOPICS
    p = np.ones(len(known))
    p[few] = enumerate_patterns(known[few])
    p[~few] = sample_patterns(known[~few], sampling)
    smallest = np.where(few, np.exp2(1.0 - np.maximum(moving, 1)), 1.0 / (1 + sampling.samples))
    return make_significance(differences, mean(differences), p, smallest=smallest, sampled=~few)


def enumerate_patterns(differences: Floats) -> Floats:
    """The share of all sign patterns that reach the observed |sum|."""
    if not differences.size:
        return np.ones(len(differences))
    longest = max(1, int(np.count_nonzero(differences, axis=1).max()))
    # The largest differences first, so that only zeros are cut off; a zero doubles hits and patterns alike.
    order = np.argsort(-np.abs(differences), axis=1)[:, :longest]
    kept = np.take_along_axis(differences, order, axis=1)
    # A pattern and its mirror image have the same |sum|, so the first sign can be fixed.
    codes = np.arange(2 ** (longest - 1))[:, None] >> np.arange(longest - 1)[None, :]
    signs = np.hstack([np.ones((len(codes), 1)), 1.0 - 2.0 * (codes & 1)])
    blocks = (signs[at : at + PATTERN_BLOCK] for at in range(0, len(signs), PATTERN_BLOCK))
    return count_hits(kept, blocks) / len(signs)


def sample_patterns(differences: Floats, sampling: Sampling) -> Floats:
    """The share of sampled sign patterns that reach the observed |sum|, the observed pattern included."""
    if not len(differences):
        return np.ones(0)
    rng = np.random.default_rng(sampling.seed)
    topics = differences.shape[1]
    blocks = (
        rng.integers(0, 2, size=(min(PATTERN_BLOCK, sampling.samples - at), topics), dtype=np.int8) * 2.0 - 1.0
        for at in range(0, sampling.samples, PATTERN_BLOCK)
    )
    return (1 + count_hits(differences, blocks)) / (1 + sampling.samples)


def count_hits(differences: Floats, blocks: Iterable[npt.NDArray[np.floating]]) -> Ints:
    """For each pair, how many of the sign patterns give a |sum| at least as large as the observed one."""
    needed = np.abs(differences.sum(axis=1)) - SUM_TOLERANCE * np.abs(differences).sum(axis=1)
    hits = np.zeros(len(differences), dtype=np.int64)
    for signs in blocks:
        for at in range(0, len(differences), PAIR_BLOCK):
            rows = slice(at, at + PAIR_BLOCK)
            sums = np.abs(differences[rows] @ signs.T)
            hits[rows] += np.count_nonzero(sums >= needed[rows, None], axis=1)
    return hits


TESTS: Mapping[str, PairedTest] = {"t": t, "wilcoxon": wilcoxon, "randomization": randomization}
