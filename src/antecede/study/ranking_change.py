"""What a second set of judgements does to the ranking of runs under a measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.correlation import kendall_many, rank_biased_overlap, tau_ap_many
from antecede.comparison.inputs import TIE_DECIMALS, check_totals
from antecede.comparison.significance import CORRECTIONS, all_pairs, run_tests
from antecede.errors import UsageError, shown
from antecede.results import concise_repr
from antecede.study.robustness import rank_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.comparison.inputs import Floats, Ints
    from antecede.comparison.significance import SignificancePlan
    from antecede.measures.definition import Measure
    from antecede.measures.ranks import Ranks

LIMIT = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: 95 % of the differences lie within this many standard deviations."""
ROUNDING = 1e-12
"""Preferences that differ by less are equal."""
CATEGORIES = (
    "both significant, same direction",
    "both significant, opposite",
    "one significant, same direction",
    "one significant, opposite",
    "none significant, same direction",
    "none significant, opposite",
)
"""What two sets of judgements may say about a pair of runs (Moffat, Scholer & Thomas, ADCS 2012)."""


@dataclass(frozen=True)
class GroupBias:
    """How much more the second judge favours the runs of a group than the other runs."""

    group: str
    runs: int
    preference: float
    """How much higher the group's runs score under the second judge than other runs with the same total under the
    first; positive where the second judge favours the group."""
    p: float
    """By permutation."""
    adjusted: float
    """Corrected for the number of groups by Holm's method."""


@dataclass(frozen=True, eq=False)
class RankingChange:
    """What the second judgements do to the runs, under one measure."""

    __repr__ = concise_repr

    measure: str
    better: str | None
    totals: Floats
    """float64[2, R]: under the first judgements and under the second, over the same topics."""
    topics: int
    """Topics with a relevant document under both."""
    tau: float
    tau_ap: float
    """The first judgements are the reference."""
    rbo: float
    categories: tuple[int, ...]
    """Pairs of runs by `CATEGORIES`."""
    reversals: tuple[tuple[int, int], ...]
    """Pairs of runs (better under the first, better under the second) where both differences are significant."""
    groups: tuple[GroupBias, ...] = ()

    @property
    def places(self) -> Ints:
        """int64[2, R]: the place of each run, 1 for the best."""
        return rank_runs(-self.totals if self.better == "lower" else self.totals)

    @property
    def drops(self) -> Ints:
        """How many places each run falls under the second judgements; negative where it rises."""
        places = self.places
        return np.asarray(places[1] - places[0])

    @property
    def differences(self) -> Floats:
        """The total under the second judgements minus that under the first."""
        return np.asarray(self.totals[1] - self.totals[0])

    @property
    def bias(self) -> float:
        """The mean difference (Bland & Altman, 1986)."""
        return float(self.differences.mean())

    @property
    def limits(self) -> tuple[float, float]:
        """The limits of agreement: bias ± 1.96 standard deviations of the differences."""
        spread = LIMIT * float(self.differences.std(ddof=1)) if len(self.differences) > 1 else float("nan")
        return self.bias - spread, self.bias + spread


def compare_rankings(
    measure: Measure,
    sides: tuple[Ranks, Ranks],
    runs: Sequence[str],
    plan: SignificancePlan,
    groups: tuple[str, ...],
    samples: int,
) -> RankingChange:
    """The order of the runs under both sets of judgements, over the topics that have a relevant document in both."""
    values = np.stack([measure.score(side) for side in sides])
    lacking = np.isnan(values).any(axis=(0, 1))
    if lacking.all():
        raise UsageError(
            f"{measure}: no topic has a relevant document under both sets of judgements; choose another level (rel)"
        )
    values = values[:, :, ~lacking]
    totals = np.array([measure.aggregate(each) for each in values])
    check_totals(totals[None], [measure], runs)
    direction = -1 if measure.definition.better == "lower" else 1
    rounded = np.round(direction * totals, TIE_DECIMALS)
    terms = measure.definition.aggregate.transform(values)
    categories, reversals = compare_verdicts(str(measure), terms, totals, runs, plan, direction)
    return RankingChange(
        measure=str(measure),
        better=measure.definition.better,
        totals=totals,
        topics=int((~lacking).sum()),
        tau=float(kendall_many(rounded[0], rounded[1:])[0]),
        tau_ap=float(tau_ap_many(rounded[0], rounded[1:])[0]),
        rbo=rank_biased_overlap(rounded[0], rounded[1]),
        categories=categories,
        reversals=reversals,
        groups=find_preferences(direction * totals, groups, samples, plan.sampling.seed),
    )


def compare_verdicts(
    name: str, values: Floats, totals: Floats, runs: Sequence[str], plan: SignificancePlan, direction: int
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """The pairs of runs by `CATEGORIES`, and those with opposite significant differences; none with one topic."""
    pairs = all_pairs(len(runs))
    if values.shape[2] < 2:
        raise UsageError(f"{name}: one topic has a relevant document under both; a paired test needs two")
    if np.isinf(values).any():
        run = shown(runs[int(np.argwhere(np.isinf(values))[0][1])])
        raise UsageError(f"{name}: run {run} has an infinite score; set docs=, or choose another measure")
    verdicts = np.stack([run_tests(name, each, pairs, runs, plan, direction=direction).verdicts for each in values])
    rounded = np.round(direction * totals, TIE_DECIMALS)
    ahead = np.sign(rounded[:, pairs.first] - rounded[:, pairs.second])
    number = np.count_nonzero(verdicts, axis=0)
    # A significant difference has the sign of the test, which for Wilcoxon's need not be that of the means.
    signs = np.where(verdicts != 0, verdicts, ahead)
    opposite = signs[0] * signs[1] < 0
    counts = [int(((number == count) & (opposite == other)).sum()) for count in (2, 1, 0) for other in (False, True)]
    reversed_pairs = np.flatnonzero((number == 2) & opposite)
    found = [
        (int(pairs.first[at]), int(pairs.second[at])) if verdicts[0, at] > 0
        else (int(pairs.second[at]), int(pairs.first[at]))
        for at in reversed_pairs.tolist()
    ]  # fmt: skip
    return tuple(counts), tuple(found)


def find_preferences(totals: Floats, groups: tuple[str, ...], samples: int, seed: int) -> tuple[GroupBias, ...]:
    """For each group, how much higher its runs are under the second judge than other runs of the same first total.

    The analysis of covariance: second = a + b·first + preference·(in the group), by least squares. A judge who finds
    fewer documents relevant lowers the totals of good runs more than those of poor ones, whatever their kind; the slope
    accounts for that. Tested by permuting the residuals of the line without the group (Freedman & Lane, 1983).
    """
    kinds = list(dict.fromkeys(groups))
    if len(kinds) < 2:
        return ()
    first, second = totals
    line = np.stack([np.ones(len(first)), first], axis=1)
    residuals = second - line @ np.linalg.lstsq(line, second, rcond=None)[0]
    member = np.array([[float(group == kind) for group in groups] for kind in kinds])
    weights = np.stack([np.linalg.pinv(np.column_stack([line, each]))[2] for each in member])
    rng = np.random.default_rng(seed)
    shuffled = rng.permuted(np.broadcast_to(residuals, (samples, len(residuals))), axis=1)
    observed = weights @ residuals
    hits = (np.abs(shuffled @ weights.T) >= np.abs(observed) - ROUNDING).sum(axis=0)
    p = (1 + hits) / (1 + samples)
    adjusted = CORRECTIONS["holm"](p)
    return tuple(
        GroupBias(kind, int(member[at].sum()), float(observed[at]), float(p[at]), float(adjusted[at]))
        for at, kind in enumerate(kinds)
    )
