"""A family of tests: all pairs of one comparison under one measure, tested and corrected together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antecede.comparison.corrections import CORRECTIONS
from antecede.comparison.paired import Sampling, Significance, verdicts
from antecede.comparison.significance import TESTS
from antecede.comparison.validation import check_count, check_level, check_seed, check_topics, find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.comparison.paired import Flags
    from antecede.comparison.pairs import Ints, Pairs
    from antecede.comparison.ranks import Floats


@dataclass(frozen=True)
class Plan:
    """Which test, how corrected, at what level."""

    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        find(TESTS, self.test, "test")
        find(CORRECTIONS, self.correction, "correction")
        check_level(self.alpha)
        check_count(self.sampling.samples, "samples")
        check_seed(self.sampling.seed)

    def __str__(self) -> str:
        corrected = "no correction" if self.correction == "none" else f"{self.correction} correction"
        return f"{self.test} test, {corrected}, α = {self.alpha:g}"


@dataclass(frozen=True, eq=False)
class Family:
    """The tests of one measure, each array over the pairs."""

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


def family(
    measure: str, values: Floats, pairs: Pairs, runs: Sequence[str], plan: Plan, *, direction: int = 1
) -> Family:
    """Tests all pairs under one measure; `values` are float64[runs, topics]."""
    differences = pairs.differences(values)
    check_topics(measure, differences, pairs, runs)
    significance = TESTS[plan.test](differences, plan.sampling)
    adjusted = CORRECTIONS[plan.correction](significance.p)
    significant = adjusted <= plan.alpha
    return Family(
        pairs, differences, significance, adjusted, significant, verdicts(significance, significant, direction)
    )
