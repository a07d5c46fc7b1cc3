"""All pairs of runs with one error rate: Tukey's honestly significant differences, and their randomised version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from antecede.comparison.anova import anova
from antecede.comparison.inputs import Floats, check_level
from antecede.comparison.pair_table import PairTable, read_pairs
from antecede.errors import UsageError
from antecede.operations import Help
from antecede.ranges import SAMPLES, SEED

if TYPE_CHECKING:
    from antecede.comparison.equivalence import Baseline
    from antecede.comparison.inputs import TopicValues
    from antecede.evaluation.scores import Scores
    from antecede.operations import Alpha, Samples, Seed

Method = Literal["randomised", "normal"]
_BLOCK = 2_000_000
"""Scores permuted at a time, which bounds the memory."""
_TOLERANCE = 1e-12
"""Differences of means that are closer than this are equal."""


def tukey(
    scores: Scores | TopicValues,
    *,
    method: Annotated[Method, Help("By permutations, or by the studentized range of normal errors.")] = "randomised",
    baseline: Baseline = None,
    alpha: Alpha = 0.05,
    samples: Samples = 10_000,
    seed: Seed = 0,
) -> PairTable:
    """Test all pairs of runs with one error rate over all of them: Tukey's HSD (Carterette, TOIS 2012).

    `randomised` permutes the scores of the runs within each topic: if all runs were equal, the largest difference of
    two means would be as large as that of a pair in a share p of the permutations. It assumes no distribution. `normal`
    is Tukey's test of the two-way analysis of variance. Use it to compare many runs with each other; against one
    baseline, paired tests with a correction have more power.

    Args:
        scores: The evaluation, or scores per topic computed elsewhere. Topics that not every run has are left out.

    Shell:
        antecede study tukey qrels.txt runs/*.gz -m AP --samples 10000
    """
    check_level(alpha)
    SAMPLES.check(samples, "samples")
    SEED.check(seed, "seed")
    given = read_pairs(scores, baseline)
    by_measure, left_out = {}, 0
    normal = anova(scores, alpha=alpha) if method == "normal" else None
    for measure, values in given.by_measure.items():
        complete = values[:, ~np.isnan(values).any(axis=0)]
        left_out = max(left_out, values.shape[1] - complete.shape[1])
        if complete.shape[1] < 2:
            raise UsageError(f"{measure}: Tukey's test needs two topics that all runs have, not {complete.shape[1]}")
        difference = given.pairs.differences(complete).mean(axis=1)
        if normal is None:
            p = compare_ranges(difference, draw_ranges(complete, samples, seed))
        else:
            every = zip(normal.pairs.first.tolist(), normal.pairs.second.tolist(), strict=True)
            order = {pair: at for at, pair in enumerate(every)}
            sides = zip(given.pairs.first.tolist(), given.pairs.second.tolist(), strict=True)
            p = normal.by_measure[measure].p[[order[min(a, b), max(a, b)] for a, b in sides]]
        by_measure[measure] = {"difference": difference, "p": p, "differs": p <= alpha}
    how = f"{samples:,} permutations, seed {seed}" if normal is None else "studentized range"
    notes = (
        f"Differs: p ≤ {alpha:g} over all {len(given.runs)} runs ({method} Tukey HSD; {how}).",
        *([f"{left_out} topics that not every run has are left out."] if left_out else []),
        *given.notes(),
    )
    settings = {"method": method, "alpha": alpha, "samples": samples, "seed": seed}
    return PairTable("Tukey's HSD", given.runs, given.baseline, given.pairs, by_measure, settings, notes)


def draw_ranges(values: Floats, samples: int, seed: int) -> Floats:
    """The range of the means of float64[runs, topics] in each of `samples` permutations within the topics."""
    runs, topics = values.shape
    rng, step = np.random.default_rng(seed), max(1, _BLOCK // values.size)
    ranges = []
    for at in range(0, samples, step):
        number = min(step, samples - at)
        order = np.argsort(rng.random((number, runs, topics)), axis=1)
        means = np.take_along_axis(np.broadcast_to(values, order.shape), order, axis=1).mean(axis=2)
        ranges.append(np.ptp(means, axis=1))
    return np.concatenate(ranges)


def compare_ranges(differences: Floats, ranges: Floats) -> Floats:
    """p of each difference: (1 + ranges that are as large) / (1 + ranges), so that p is never 0."""
    ordered = np.sort(ranges)
    larger = len(ordered) - np.searchsorted(ordered, np.abs(differences) - _TOLERANCE, side="left")
    return np.asarray((1 + larger) / (1 + len(ordered)))
