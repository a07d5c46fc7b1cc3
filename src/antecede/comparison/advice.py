"""Advice where the assumptions of a test are violated, or its result is easily misread."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.significance import CORRECTIONS
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from antecede.comparison.inputs import Flags
    from antecede.comparison.significance import Differences, SignificancePlan

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
        yield (
            f"the same difference on every topic: {_list_pairs(constant, tests, runs)}. "
            "There is no spread to test against."
        )


def _warn_many_topics(tests: Differences, _runs: Sequence[str], _plan: SignificancePlan) -> Iterator[str]:
    topics = int(tests.topics.max())
    if topics < _MANY_TOPICS:
        return
    tiny = int((tests.significant & (np.abs(tests.effect) < _TINY_EFFECT)).sum())
    significant = int(tests.significant.sum())
    counted = f" ({tiny} of {significant} significant ones have |d| < {_TINY_EFFECT:g})" if tiny else ""
    yield (
        f"with {topics:,} topics even tiny differences become significant{counted}: "
        "judge by the effect size and the interval."
    )


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
            f"{plan.sampling.samples:,} samples are too few: a single difference cannot fall below α = {plan.alpha:g} "
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
    difference = tests.difference
    against = tests.significant & (np.sign(tests.significance.statistic) * np.sign(difference) < 0)
    if against.any():
        pairs = _list_pairs(against, tests, runs)
        yield f"ranks and means favour different runs: {pairs}. Inspect the individual topics."


def _list_pairs(chosen: Flags, tests: Differences, runs: Sequence[str]) -> str:
    """The first few of the chosen pairs by name, and how many more there are."""
    rows = np.flatnonzero(chosen)
    first, second = tests.pairs.first, tests.pairs.second
    names = [f"{shown(runs[int(first[i])])} and {shown(runs[int(second[i])])}" for i in rows[:_LISTED_PAIRS]]
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
