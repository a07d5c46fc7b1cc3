"""Advice in plain English where the assumptions of a test fail, or its result is easily misread."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.corrections import CORRECTIONS
from antecede.comparison.effect import cohen_d, mean_difference
from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from antecede.comparison.family import Family, Plan
    from antecede.comparison.paired import Flags

FEW_TOPICS = 10
MANY_TOPICS = 1_000
TINY_EFFECT = 0.1
SHOWN_PAIRS = 3
WORTH_SAYING = 0.05
"""Share of the pairs from which on a weakness of single pairs is spoken of."""


def advice(families: Mapping[str, Family], runs: Sequence[str], plan: Plan) -> tuple[str, ...]:
    """One sentence for each thing to heed; what holds for several measures is said once."""
    found: dict[str, list[str]] = {}
    for rule in RULES:
        for measure, tests in families.items():
            for text in rule(tests, runs, plan):
                found.setdefault(text, []).append(measure)
    return tuple(
        text if len(measures) == len(families) else f"{', '.join(measures)}: {text}" for text, measures in found.items()
    )


def few_topics(tests: Family, _runs: Sequence[str], _plan: Plan) -> Iterator[str]:
    topics = int(tests.significance.topics.min())
    if topics < FEW_TOPICS:
        yield f"only {topics} topics: so few can miss real differences, and no test can be relied on."


def topics_left_out(tests: Family, _runs: Sequence[str], _plan: Plan) -> Iterator[str]:
    left_out = tests.differences.shape[1] - tests.significance.topics
    if left_out.max() > 0:
        low, high = int(left_out.min()), int(left_out.max())
        number = f"{high}" if low == high else f"{low} to {high}"
        yield f"{number} of {tests.differences.shape[1]} topics are left out of each pair, as a run has no score there."


def identical_runs(tests: Family, runs: Sequence[str], _plan: Plan) -> Iterator[str]:
    same = tests.significance.identical
    if same.any():
        yield f"the same score on every topic: {named(same, tests, runs)}. p is 1 by definition."


def even_difference(tests: Family, runs: Sequence[str], _plan: Plan) -> Iterator[str]:
    even = np.isinf(cohen_d(tests.differences))
    if even.any():
        yield f"the same difference on every topic: {named(even, tests, runs)}. There is no spread to test against."


def many_topics(tests: Family, _runs: Sequence[str], _plan: Plan) -> Iterator[str]:
    topics = int(tests.significance.topics.max())
    if topics < MANY_TOPICS:
        return
    tiny = int((tests.significant & (np.abs(cohen_d(tests.differences)) < TINY_EFFECT)).sum())
    seen = f" ({tiny} of {int(tests.significant.sum())} significant ones have |d| < {TINY_EFFECT:g})" if tiny else ""
    yield (
        f"with {topics:,} topics even tiny differences become significant{seen}: "
        "judge by the effect size and the interval."
    )


def out_of_reach(tests: Family, _runs: Sequence[str], plan: Plan) -> Iterator[str]:
    """Whether the smallest p the test can give is small enough once corrected."""
    alone = np.ones(len(tests.pairs))
    alone[0] = 1e-12
    factor = float(CORRECTIONS[plan.correction](alone)[0] / alone[0])
    result = tests.significance
    barred = (result.smallest * factor > plan.alpha) & ~result.identical
    drawn, counted = barred & result.sampled, barred & ~result.sampled
    if drawn.any():
        yield (
            f"{plan.sampling.samples:,} samples are too few: a lone difference cannot get below α = {plan.alpha:g} "
            f"in {len(tests.pairs):,} tests ({plan.correction}). Take {ceil(10 * factor / plan.alpha):,} samples."
        )
    if counted.mean() >= WORTH_SAYING:
        least = float(result.smallest[counted].min())
        yield (
            f"{int(counted.sum()):,} of {len(tests.pairs):,} pairs have too few topics with a difference: the smallest "
            f"possible p is {least:.2g}, out of reach of α = {plan.alpha:g} ({plan.correction})."
        )


def many_ties(tests: Family, _runs: Sequence[str], _plan: Plan) -> Iterator[str]:
    tied = (tests.significance.tied > 0.5) & ~tests.significance.identical
    if tied.mean() >= WORTH_SAYING:
        yield (
            f"in {int(tied.sum()):,} of {len(tests.pairs):,} pairs more than half of the topics show no difference, "
            "or the same as another topic: ranks say little there; prefer the randomization test."
        )


def ranks_against_means(tests: Family, runs: Sequence[str], _plan: Plan) -> Iterator[str]:
    mean = mean_difference(tests.differences)
    against = tests.significant & (np.sign(tests.significance.statistic) * np.sign(mean) < 0)
    if against.any():
        yield f"ranks and means point to different runs: {named(against, tests, runs)}. Look at the topics one by one."


def named(chosen: Flags, tests: Family, runs: Sequence[str]) -> str:
    """The first few pairs by name, and how many more there are."""
    rows = np.flatnonzero(chosen)
    first, second = tests.pairs.first, tests.pairs.second
    names = [f"{shown(runs[int(first[i])])} and {shown(runs[int(second[i])])}" for i in rows[:SHOWN_PAIRS]]
    more = len(rows) - len(names)
    return "; ".join([*names, *([f"{more:,} more pair{'s' * (more > 1)}"] if more else [])])


RULES: tuple[Callable[[Family, Sequence[str], Plan], Iterator[str]], ...] = (
    few_topics,
    topics_left_out,
    identical_runs,
    even_difference,
    many_topics,
    out_of_reach,
    many_ties,
    ranks_against_means,
)
