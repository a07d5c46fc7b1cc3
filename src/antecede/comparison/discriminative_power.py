"""Discriminative power: how many pairs of runs a measure can tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.multiple_testing import SignificancePlan, all_pairs, run_tests
from antecede.comparison.significance import Sampling
from antecede.comparison.validation import check_level, check_runs, check_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.comparison.arrays import Floats

ALPHAS = (0.001, 0.01, 0.05, 0.1)


@dataclass(frozen=True, eq=False)
class DiscriminativePower:
    """The share of pairs told apart at each α, and the p-values it is computed from."""

    alphas: tuple[float, ...]
    share: Floats
    """float64[alphas]"""
    p: Floats
    """The achieved significance levels: the p-values of all pairs in ascending order."""
    test: str
    correction: str

    @property
    def pairs(self) -> int:
        return len(self.p)

    def to_dict(self) -> dict[str, Any]:
        """The shares by α, as JSON data."""
        shares = {f"{alpha:g}": float(share) for alpha, share in zip(self.alphas, self.share, strict=True)}
        return {"pairs": self.pairs, "test": self.test, "correction": self.correction, "share": shares}


def discriminative_power(
    values: Floats,
    alphas: Sequence[float] = ALPHAS,
    *,
    test: str = "t",
    correction: str = "none",
    samples: int = 10_000,
    seed: int = 0,
    runs: Sequence[str] | None = None,
    measure: str = "scores",
) -> DiscriminativePower:
    """Test every pair of runs and count the pairs with p ≤ α (Sakai, SIGIR 2006).

    A measure that distinguishes more pairs at the same α is more stable over topics, but not necessarily more valid: a
    measure can be consistently wrong. Without a correction, about a share α of the pairs that do not differ is counted
    as well. Sakai used a bootstrap test; any of `TESTS` can be used here.

    Args:
        values: The scores of one measure, float64[runs, topics].
        alphas: The significance levels α.
        test: The paired test: `t`, `wilcoxon` or `randomization`.
        correction: The correction for multiple tests: `holm`, `bh`, `bonferroni` or `none`.
        samples: The number of sign patterns of the randomization test.
        seed: Random seed of the randomization test.
        runs: The names of the runs, for error messages.
        measure: The name of the measure, for error messages.
    """
    names = [f"{number}" for number in range(1, len(values) + 1)] if runs is None else runs
    for alpha in alphas:
        check_level(alpha)
    plan = SignificancePlan(test=test, correction=correction, sampling=Sampling(samples, seed))
    check_runs(names)
    checked = check_values({measure: values}, names)[measure]
    tests = run_tests(measure, checked, all_pairs(len(names)), names, plan)
    p = np.sort(tests.adjusted)
    share = np.searchsorted(p, np.asarray(alphas), side="right") / len(p)
    return DiscriminativePower(tuple(alphas), share, p, test, correction)
