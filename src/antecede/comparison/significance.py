"""Paired significance tests of many pairs of runs at once, and the correction of their p-values for multiple plan.

A test takes `differences`, float64[pairs, topics], first run minus second, NaN where a topic is left out of a pair,
and returns a `Significance`. All p-values are two-sided. Where every difference is zero, p is 1 by definition. A
correction takes the p-values of one family of tests and returns adjusted ones, in the same order, to be compared with
the same α. Of 100 pairs without a real difference, about 5 appear significant at α = 0.05 by chance alone; this is what
a correction accounts for.

The values are those of `scipy.stats`, which takes half a second to import and treats pairs with missing topics one by
one: for 48 runs and 50 topics, 2 % of them missing, t takes 180 ms instead of 1.3 and Wilcoxon's test 240 instead of
6.6. Its `wilcoxon` chooses one method for all pairs, and its `permutation_test` takes 19 ms a pair instead of 0.12.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from math import ceil
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import numpy as np

from antecede.comparison.effect_sizes import cohen_d
from antecede.comparison.inputs import Flags, Floats, Ints, average_ranks, check_level, find_entry
from antecede.errors import UsageError, printable
from antecede.measures.definition import mean, sum_exactly
from antecede.operations import Alpha, Bundle, Help, Seed
from antecede.ranges import SAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt


_WILCOXON_EXACT_TOPICS = 50
"""Up to here SciPy uses the exact null distribution, provided that no difference is zero or equal to another."""

_WILCOXON_EXACT_TIED_TOPICS = 13
"""Up to here SciPy enumerates every sign pattern where there are ties or zeros."""

WILCOXON_BLOCK = 2**18
"""Differences ranked at a time, which bounds the memory and keeps them in the cache."""

_RANDOMIZATION_EXACT_TOPICS = 16
"""Up to this many topics with a difference, every sign pattern is counted; beyond that, patterns are sampled."""

_SUM_TOLERANCE = 1e-10
"""Sums closer than this, relative to the sum of all |d|, count as equal: they differ only by the order of addition."""

_PATTERN_BLOCK = 1024
"""Sign patterns drawn at a time. Fixed, so that a pair's p-value does not depend on the pairs tested with it."""

_PAIR_BLOCK = 4096
"""Pairs processed at a time, which bounds the memory at 32 MB per step."""


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


def _make_significance(
    differences: Floats,
    statistic: Floats,
    p: Floats,
    *,
    smallest: Floats | float = 0.0,
    tied: Floats | float = 0.0,
    sampled: Flags | bool = False,
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
        smallest=zeros + smallest,
        tied=zeros + tied,
        sampled=np.logical_or(zeros, sampled),
    )


def t(differences: Floats, _samples: int = 0, _seed: int = 0, /) -> Significance:
    """Student's paired t (Student, 1908): mean / (s/√n), with n − 1 degrees of freedom.

    Compares means, and assumes that the mean difference is approximately normal, which holds for a few dozen topics.
    Equals `scipy.stats.ttest_rel`. Robust in retrieval practice (Smucker, Allan & Carterette, CIKM 2007).
    """
    from scipy.special import stdtr

    present = ~np.isnan(differences)
    count = present.sum(axis=1)
    known = np.where(present, differences, 0.0)
    average = sum_exactly(known) / np.maximum(count, 1)
    squares = np.where(present, known - average[:, None], 0.0) ** 2
    error = np.sqrt(sum_exactly(squares) / np.maximum(count - 1, 1) / np.maximum(count, 1))
    statistic = np.divide(average, error, out=np.copysign(np.inf, average), where=error > 0)
    p: Floats = 2 * stdtr(np.maximum(count - 1, 1), -np.abs(statistic))
    return _make_significance(differences, statistic, p)


def wilcoxon(differences: Floats, _samples: int = 0, _seed: int = 0, /) -> Significance:
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
    blocks = [_rank_signed_differences(differences[at : at + step]) for at in range(0, max(1, pairs), step)]
    joined = {part.name: np.concatenate([getattr(block, part.name) for block in blocks]) for part in fields(blocks[0])}
    return Significance(**joined)


def _rank_signed_differences(differences: Floats) -> Significance:
    topics = np.count_nonzero(~np.isnan(differences), axis=1)
    moves = np.nan_to_num(differences) != 0
    ranks, sizes = average_ranks(np.where(moves, np.abs(differences), np.inf))
    ranks, sizes = np.where(moves, ranks, 0.0), np.where(moves, sizes, 1.0)
    count = moves.sum(axis=1)
    plus = np.where(np.nan_to_num(differences) > 0, ranks, 0.0).sum(axis=1)

    clean = (count == topics) & (sizes == 1).all(axis=1)
    exact = clean & (topics <= _WILCOXON_EXACT_TOPICS)
    tied = ~clean & (topics <= _WILCOXON_EXACT_TIED_TOPICS)
    p = _approximate_p(plus, count, (sizes**2 - 1).sum(axis=1))
    p[exact] = _exact_p(plus[exact], count[exact])
    p[tied] = _exact_tied_p(plus[tied], ranks[tied])

    indistinct = np.count_nonzero(sizes > 1, axis=1) + topics - count
    return _make_significance(
        differences,
        2 * plus - count * (count + 1) / 2,
        p,
        smallest=np.where(exact | tied, np.exp2(1.0 - count), 0.0),
        tied=indistinct / np.maximum(topics, 1),
    )


def _approximate_p(plus: Floats, count: Ints, ties: Floats) -> Floats:
    """p by the normal approximation of W⁺; `ties` is the sum of s³ − s over groups of s tied differences."""
    from scipy.special import ndtr

    expected = count * (count + 1) / 4
    variance = (count * (count + 1.0) * (2 * count + 1) - ties / 2) / 24
    z = np.divide(plus - expected, np.sqrt(variance), out=np.zeros(len(plus)), where=variance > 0)
    return np.asarray(2 * ndtr(-np.abs(z)))


def _exact_p(plus: Floats, count: Ints) -> Floats:
    """Exact p of W⁺ where the ranks are 1, 2, …, n."""
    p = np.empty(len(plus))
    for n in np.unique(count):
        rows = count == n
        below, above = _null_tails(int(n))
        at = plus[rows].astype(np.int64)
        p[rows] = np.minimum(1.0, 2 * np.minimum(below[at], above[at]))
    return p


@lru_cache(maxsize=_WILCOXON_EXACT_TOPICS + 1)
def _null_tails(n: int) -> tuple[Floats, Floats]:
    """P(W⁺ ≤ w) and P(W⁺ ≥ w) for w = 0, 1, …, n(n+1)/2, when both signs are equally likely."""
    share = _null_distribution(np.arange(1, n + 1, dtype=np.int64)[None, :])[0]
    return np.cumsum(share), np.cumsum(share[::-1])[::-1]


def _exact_tied_p(plus: Floats, ranks: Floats) -> Floats:
    """Exact p of W⁺ for any ranks, including halves, over all sign patterns."""
    # Doubled, mean ranks are whole numbers.
    share = _null_distribution(np.rint(2 * ranks).astype(np.int64))
    at = np.rint(2 * plus).astype(np.int64)[:, None]
    value = np.arange(share.shape[1])[None, :]
    below = np.where(value <= at, share, 0.0).sum(axis=1)
    above = np.where(value >= at, share, 0.0).sum(axis=1)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(below, above)))


def _null_distribution(ranks: Ints) -> Floats:
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


def randomization(differences: Floats, samples: int = 10_000, seed: int = 0, /) -> Significance:
    """Sign-flip test of the mean difference (Fisher, 1935; for retrieval Smucker, Allan & Carterette, CIKM 2007).

    If the runs were equally good, each topic's difference could equally well have the opposite sign. p is the share of
    sign patterns whose |mean| is at least the observed one: over all 2ⁿ for n ≤ 16 topics with a difference, otherwise
    (1 + hits) / (1 + samples) over patterns drawn with the seed, so that p is never 0.

    Assumes nothing about the distribution of the differences beyond symmetry under the null hypothesis. A sampled p
    below 0.05 has a standard error of about √(p/samples). All pairs are tested with the same patterns.
    """
    known = np.nan_to_num(differences)
    moving = np.count_nonzero(known, axis=1)
    few = moving <= _RANDOMIZATION_EXACT_TOPICS
    # Only the sizes of the differences matter, and sorted they are the same for any order of the topics.
    sizes = -np.sort(-np.abs(known), axis=1)
    needed = np.abs(sum_exactly(known)) - _SUM_TOLERANCE * sum_exactly(sizes)
    p = np.ones(len(known))
    p[few] = _enumerate_patterns(sizes[few], needed[few])
    p[~few] = _sample_patterns(sizes[~few], needed[~few], samples, seed)
    smallest = np.where(few, np.exp2(1.0 - np.maximum(moving, 1)), 1.0 / (1 + samples))
    return _make_significance(differences, mean(differences), p, smallest=smallest, sampled=~few)


def _enumerate_patterns(sizes: Floats, needed: Floats) -> Floats:
    """The share of all sign patterns whose |sum| of the descending sizes is at least the one needed."""
    if not sizes.size:
        return np.ones(len(sizes))
    # Only zeros are cut off; a zero doubles hits and patterns alike.
    longest = max(1, int(np.count_nonzero(sizes, axis=1).max()))
    # A pattern and its mirror image have the same |sum|, so the first sign can be fixed.
    codes = np.arange(2 ** (longest - 1))[:, None] >> np.arange(longest - 1)[None, :]
    signs = np.hstack([np.ones((len(codes), 1)), 1.0 - 2.0 * (codes & 1)])
    blocks = (signs[at : at + _PATTERN_BLOCK] for at in range(0, len(signs), _PATTERN_BLOCK))
    return _count_hits(sizes[:, :longest], needed, blocks) / len(signs)


def _sample_patterns(sizes: Floats, needed: Floats, samples: int, seed: int) -> Floats:
    """The share of sampled sign patterns whose |sum| is at least the one needed, the observed pattern included."""
    if not len(sizes):
        return np.ones(0)
    rng = np.random.default_rng(seed)
    topics = sizes.shape[1]
    blocks = (
        rng.integers(0, 2, size=(min(_PATTERN_BLOCK, samples - at), topics), dtype=np.int8) * 2.0 - 1.0
        for at in range(0, samples, _PATTERN_BLOCK)
    )
    return (1 + _count_hits(sizes, needed, blocks)) / (1 + samples)


def _count_hits(sizes: Floats, needed: Floats, blocks: Iterable[npt.NDArray[np.floating]]) -> Ints:
    """For each pair, how many of the sign patterns give a |sum| at least as large as the one needed."""
    hits = np.zeros(len(sizes), dtype=np.int64)
    for signs in blocks:
        for at in range(0, len(sizes), _PAIR_BLOCK):
            rows = slice(at, at + _PAIR_BLOCK)
            sums = np.abs(sizes[rows] @ signs.T)
            hits[rows] += np.count_nonzero(sums >= needed[rows, None], axis=1)
    return hits


Test = Literal["t", "wilcoxon", "randomization"]
TESTS: Mapping[str, Callable[[Floats, int, int], Significance]] = {
    "t": t,
    "wilcoxon": wilcoxon,
    "randomization": randomization,
}


# Multiple testing


def none(p: Floats) -> Floats:
    """The p-values unchanged. Suitable for one planned comparison, or for counting as in the papers on measures."""
    return p.copy()


def bonferroni(p: Floats) -> Floats:
    """min(1, m·p) for m tests (Dunn, 1961). Bounds the probability of any false positive; the most conservative."""
    return np.minimum(1.0, p * p.size)


def holm(p: Floats) -> Floats:
    """Step-down Bonferroni: max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎) (Holm, 1979).

    Gives the same guarantee as Bonferroni's under the same conditions, with p-values that are never larger: prefer it.
    """
    order = np.argsort(p, kind="stable")
    stepped = p[order] * np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return adjusted


def bh(p: Floats) -> Floats:
    """Step-up false discovery rate: min over j ≥ i of min(1, m/j·p₍ⱼ₎) (Benjamini & Hochberg, 1995).

    Bounds the expected share of false positives among the significant differences, not the probability of any.
    The bound is proven for independent or positively dependent tests; pairs that share a run need not be either.
    """
    order = np.argsort(p, kind="stable")
    stepped = p[order] * p.size / np.arange(1, p.size + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(stepped[::-1])[::-1])
    return adjusted


Correction = Literal["none", "bonferroni", "holm", "bh"]
CORRECTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "none": none,
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": bh,
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pair i compares run `first[i]` with run `second[i]`, both given by row."""

    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.first)

    def differences(self, values: Floats) -> Floats:
        """float64[pairs, topics]: first minus second; NaN where either run has no score."""
        return values[self.first] - values[self.second]


def all_pairs(runs: int) -> Pairs:
    """Each run with each later one: 48 runs make 1,128 pairs."""
    first, second = np.triu_indices(runs, k=1)
    return Pairs(first.astype(np.int64), second.astype(np.int64))


def baseline_pairs(runs: int, baseline: int) -> Pairs:
    """Each other run with the baseline, in the order of the runs."""
    others = np.delete(np.arange(runs, dtype=np.int64), baseline)
    return Pairs(others, np.full(len(others), baseline, dtype=np.int64))


@dataclass(frozen=True)
class SignificancePlan(Bundle):
    """Which paired test is used, how p-values are corrected, and at what level; samples are for random tests."""

    test: Annotated[Test, Help("The paired test.")] = "t"
    correction: Annotated[
        Correction,
        Help(
            "The correction of p-values for many pairs of runs, or for many measures where there is one pair; with any "
            "but none, each may differ further."
        ),
    ] = "holm"
    alpha: Alpha = 0.05
    samples: Annotated[int, SAMPLES, Help("Random samples of a test that is not exact, or of the bootstrap.")] = 10_000
    seed: Seed = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "correction", self.correction.lower())  # BH, Holm and Bonferroni are names
        find_entry(TESTS, self.test, "test")
        find_entry(CORRECTIONS, self.correction, "correction")
        check_level(self.alpha)
        SAMPLES.check(self.samples, "the number of samples")
        SEED.check(self.seed, "the seed")

    def __str__(self) -> str:
        corrected = "no correction" if self.correction == "none" else f"{self.correction} correction"
        return f"{self.test} test, {corrected}, α = {self.alpha:g}"


class GivenPlan(TypedDict, total=False):
    """The same as keyword arguments, for type checkers."""

    test: Test
    correction: Correction
    alpha: float
    samples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Differences:
    """The tests under one measure; every array has one value per pair, first run minus second."""

    pairs: Pairs
    by_topic: Floats
    """float64[pairs, topics]; NaN where either run has no score."""
    significance: Significance
    adjusted: Floats
    """p-values corrected over the pairs."""
    significant: Flags
    """Adjusted p at or below α."""
    verdicts: Ints
    """+1 where the first run is significantly better, −1 where the second is, 0 where they cannot be told apart."""
    low: Floats = field(default_factory=lambda: np.empty(0))
    high: Floats = field(default_factory=lambda: np.empty(0))
    """The ends of the bootstrap interval of the difference, where `compare` computed it."""

    @property
    def p(self) -> Floats:
        return self.significance.p

    @property
    def topics(self) -> Ints:
        """Topics used for the pair."""
        return self.significance.topics

    @property
    def identical(self) -> Flags:
        return self.significance.identical

    @cached_property
    def difference(self) -> Floats:
        """Mean over the topics that both runs have."""
        return mean(self.by_topic)

    @cached_property
    def effect(self) -> Floats:
        """Cohen's d_z; ±∞ where all differences are equal and not zero."""
        return cohen_d(self.by_topic)

    @property
    def interval(self) -> Floats:
        """float64[pairs, 2]."""
        return np.stack((self.low, self.high), axis=1)


def run_tests(
    measure: str, values: Floats, pairs: Pairs, runs: Sequence[str], plan: SignificancePlan, *, direction: int = 1
) -> Differences:
    """Test all pairs under one measure; `values` are float64[runs, topics], `direction` is −1 where lower is better."""
    differences = pairs.differences(values)
    shared = np.count_nonzero(~np.isnan(differences), axis=1)
    if shared.size and shared.min() < 2:  # there is no spread to test against
        worst = int(shared.argmin())
        first, second = (printable(runs[int(side[worst])]) for side in (pairs.first, pairs.second))
        topics = f"{shared[worst]} topic{'' if shared[worst] == 1 else 's'}"
        raise UsageError(f"{measure}: runs {first} and {second} have {topics} in common; a paired test needs two")
    significance = TESTS[plan.test](differences, plan.samples, plan.seed)
    adjusted = CORRECTIONS[plan.correction](significance.p)
    significant = adjusted <= plan.alpha
    ahead = np.sign(np.nan_to_num(significance.statistic)) * direction
    verdicts = np.where(significant, ahead, 0).astype(np.int64)
    return Differences(pairs, differences, significance, adjusted, significant, verdicts)


# Advice where the assumptions of a test are violated, or its result is easily misread


FEW_TOPICS = 10
_MANY_TOPICS = 1_000
_TINY_EFFECT = 0.1
_LISTED_PAIRS = 3
_REPORTED_SHARE = 0.05
"""Share of the pairs from which a weakness of individual pairs is reported."""


def give_advice(families: Mapping[str, Differences], runs: Sequence[str], plan: SignificancePlan) -> tuple[str, ...]:
    """One sentence for each caveat; a caveat that applies to several measures is given once."""
    caveats: dict[str, list[str]] = {}
    for rule in RULES:
        for measure, tests in families.items():
            for text in rule(tests, runs, plan):
                caveats.setdefault(text, []).append(measure)
    return tuple(
        text if len(measures) == len(families) else f"{', '.join(measures)}: {text}"
        for text, measures in caveats.items()
    )


def _warn_few_topics(tests: Differences, _runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    topics = int(tests.topics.min())
    if topics < FEW_TOPICS:
        yield f"only {topics} topics: real differences may be missed, and no test is reliable."


def _warn_topics_left_out(tests: Differences, _runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    left_out = tests.by_topic.shape[1] - tests.topics
    if left_out.max() > 0:
        low, high = int(left_out.min()), int(left_out.max())
        number = f"{high}" if low == high else f"{low} to {high}"
        topics = tests.by_topic.shape[1]
        yield f"{number} of {topics} topics are left out of each pair because a run has no score there."


def _warn_identical_runs(tests: Differences, runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    same = tests.identical
    if same.any():
        yield f"the same score on every topic: {_list_pairs(same, tests, runs)}. p is 1 by definition."


def _warn_constant_difference(tests: Differences, runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    constant = np.isinf(tests.effect)
    if constant.any():
        pairs = _list_pairs(constant, tests, runs)
        yield f"the same difference on every topic: {pairs}. There is no spread to test against."


def _warn_many_topics(tests: Differences, _runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    topics = int(tests.topics.max())
    if topics < _MANY_TOPICS:
        return
    tiny = int((tests.significant & (np.abs(tests.effect) < _TINY_EFFECT)).sum())
    significant = int(tests.significant.sum())
    counted = f" ({tiny} of {significant} significant ones have |d| < {_TINY_EFFECT:g})" if tiny else ""
    even = f"with {topics:,} topics even tiny differences become significant{counted}"
    yield f"{even}: judge by the effect size and the interval."


def _warn_out_of_reach(tests: Differences, _runs: Sequence[str], plan: SignificancePlan) -> Iterator[str]:
    """Whether the smallest p the test can give is small enough after correction."""
    alone = np.ones(len(tests.pairs))
    alone[0] = 1e-12
    factor = float(CORRECTIONS[plan.correction](alone)[0] / alone[0])
    result = tests.significance
    barred = (result.smallest * factor > plan.alpha) & ~result.identical
    sampled, exact = barred & result.sampled, barred & ~result.sampled
    if sampled.any():
        yield (
            f"{plan.samples:,} samples are too few: a single difference cannot fall below α = {plan.alpha:g} "
            f"in {len(tests.pairs):,} tests ({plan.correction}). Use {ceil(10 * factor / plan.alpha):,} samples."
        )
    if exact.mean() >= _REPORTED_SHARE:
        least = float(result.smallest[exact].min())
        yield (
            f"{int(exact.sum()):,} of {len(tests.pairs):,} pairs have too few topics with a difference: the smallest "
            f"possible p is {least:.2g}, which cannot reach α = {plan.alpha:g} ({plan.correction})."
        )


def _warn_many_ties(tests: Differences, _runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    tied = (tests.significance.tied > 0.5) & ~tests.identical
    if tied.mean() >= _REPORTED_SHARE:
        yield (
            f"in {int(tied.sum()):,} of {len(tests.pairs):,} pairs more than half of the topics show no difference, "
            "or the same as another topic: ranks are uninformative there; prefer the randomization test."
        )


def _warn_ranks_against_means(tests: Differences, runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    against = tests.significant & (np.sign(tests.significance.statistic) * np.sign(tests.difference) < 0)
    if against.any():
        pairs = _list_pairs(against, tests, runs)
        yield f"ranks and means favour different runs: {pairs}. Inspect the individual topics."


def _list_pairs(chosen: Flags, tests: Differences, runs: Sequence[str]) -> str:
    rows = np.flatnonzero(chosen)
    first, second = tests.pairs.first, tests.pairs.second
    names = [f"{printable(runs[int(first[i])])} and {printable(runs[int(second[i])])}" for i in rows[:_LISTED_PAIRS]]
    more = len(rows) - len(names)
    return "; ".join([*names, *([f"{more:,} more pair{'s' * (more > 1)}"] if more else [])])


RULES: tuple[Callable[[Differences, Sequence[str], SignificancePlan], Iterator[str]], ...] = (
    _warn_few_topics,
    _warn_topics_left_out,
    _warn_identical_runs,
    _warn_constant_difference,
    _warn_many_topics,
    _warn_out_of_reach,
    _warn_many_ties,
    _warn_ranks_against_means,
)
