"""Multiple testing: all pairs of runs of one comparison, tested under one measure and corrected together.

A correction takes the p-values of one family of tests and returns adjusted ones, in the same order, to be compared
with the same α. Of 100 pairs without a real difference, about 5 appear significant at α = 0.05 by chance alone; this is
what a correction accounts for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.significance import TESTS, Sampling, Significance, decide
from antecede.comparison.validation import check_count, check_level, check_seed, find_entry
from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.comparison.arrays import Flags, Floats, Ints


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


CORRECTIONS: Mapping[str, Callable[[Floats], Floats]] = {"none": none, "bonferroni": bonferroni, "holm": holm, "bh": bh}


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
class SignificancePlan:
    """Which test is used, how p-values are corrected, and at what level."""

    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        object.__setattr__(self, "correction", self.correction.lower())  # BH, Holm and Bonferroni are names
        find_entry(TESTS, self.test, "test")
        find_entry(CORRECTIONS, self.correction, "correction")
        check_level(self.alpha)
        check_count(self.sampling.samples, "samples")
        check_seed(self.sampling.seed)

    def __str__(self) -> str:
        corrected = "no correction" if self.correction == "none" else f"{self.correction} correction"
        return f"{self.test} test, {corrected}, α = {self.alpha:g}"


@dataclass(frozen=True, eq=False)
class Family:
    """The tests under one measure; each array has one value per pair."""

    pairs: Pairs
    differences: Floats
    """float64[pairs, topics]"""
    significance: Significance
    adjusted: Floats
    """p-values corrected over the pairs."""
    significant: Flags
    """Adjusted p at or below α."""
    verdicts: Ints
    """+1 where the first run is significantly better, −1 where the second is, 0 where they cannot be told apart."""


def run_tests(
    measure: str,
    values: Floats,
    pairs: Pairs,
    runs: Sequence[str],
    plan: SignificancePlan,
    *,
    direction: int = 1,
) -> Family:
    """Test all pairs under one measure; `values` are float64[runs, topics], `direction` is −1 where lower is better."""
    differences = pairs.differences(values)
    check_topics(measure, differences, pairs, runs)
    significance = TESTS[plan.test](differences, plan.sampling)
    adjusted = CORRECTIONS[plan.correction](significance.p)
    significant = adjusted <= plan.alpha
    verdicts = decide(significance, significant, direction)
    return Family(pairs, differences, significance, adjusted, significant, verdicts)


def check_topics(measure: str, differences: Floats, pairs: Pairs, runs: Sequence[str]) -> None:
    """Require two topics in common for every pair; with fewer there is no spread to test against."""
    shared = np.count_nonzero(~np.isnan(differences), axis=1)
    if shared.size and shared.min() < 2:
        worst = int(shared.argmin())
        first, second = (shown(runs[int(side[worst])]) for side in (pairs.first, pairs.second))
        topics = f"{shared[worst]} topic{'' if shared[worst] == 1 else 's'}"
        raise UsageError(f"{measure}: runs {first} and {second} have {topics} in common; a paired test needs two")
