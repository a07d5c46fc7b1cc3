"""Power: how likely a real difference is found with these topics, and how many topics are needed to find it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from antecede.comparison.inputs import Floats, Ints, check_level
from antecede.comparison.pair_table import PairTable, describe_differences, read_pairs
from antecede.operations import Help
from antecede.ranges import ALPHA, MARGIN, SAMPLES, SEED

if TYPE_CHECKING:
    from antecede.comparison.equivalence import Baseline
    from antecede.comparison.inputs import TopicValues
    from antecede.evaluation.scores import Scores
    from antecede.operations import Alpha, Samples, Seed

MAX_TOPICS = 1_000_000
"""Where more topics are needed, the difference cannot be found in practice."""
_FAR = 8.0
"""Beyond so many standard errors, a significant difference of the wrong sign has a probability below 1e-15."""
_BLOCK = 4_000_000
"""Topics drawn at a time, which bounds the memory."""


def power(
    scores: Scores | TopicValues,
    *,
    difference: Annotated[float, MARGIN, Help("The smallest difference of the measure that matters.")],
    baseline: Baseline = None,
    target: Annotated[float, ALPHA, Help("The power for which topics are counted.")] = 0.8,
    alpha: Alpha = 0.05,
    samples: Samples = 2_000,
    seed: Seed = 0,
) -> PairTable:
    """Show the power of the paired t test for a difference, and the number of topics it takes (Sakai, 2016).

    The differences between two runs vary from topic to topic; their standard deviation is taken from the data, the mean
    from `difference`. By the formula, they are normal; by simulation, they are drawn from those observed, moved to this
    mean, so that skewed differences are skewed. Use it before a study, with the runs of a pilot, to choose the number
    of topics; the power for the difference that was observed says nothing that p does not say.

    Args:
        scores: The evaluation, or scores per topic computed elsewhere.

    Shell:
        antecede study power qrels.txt a.run b.run c.run -m AP --difference 0.03 --baseline a.run
    """
    for value, name in ((alpha, "alpha"), (target, "target")):
        ALPHA.check(value, name)
    check_level(alpha)
    MARGIN.check(difference, "difference")
    SAMPLES.check(samples, "samples")
    SEED.check(seed, "seed")
    given = read_pairs(scores, baseline)
    by_measure = {}
    for measure in given.by_measure:
        differences = given.differences(measure)
        topics, _, error = describe_differences(differences)
        spread = error * np.sqrt(topics)
        with np.errstate(divide="ignore"):
            effect = difference / spread
        rng = np.random.default_rng(seed)
        draws = [simulate_power(row[~np.isnan(row)], difference, alpha, samples, rng) for row in differences]
        by_measure[measure] = {
            "topics": topics,
            "spread": spread,
            "d": effect,
            "power": power_of_t(effect, topics, alpha),
            "by simulation": np.array(draws),
            "topics needed": topics_needed(effect, alpha, target),
        }
    beyond = any((columns["topics needed"] == 0).any() for columns in by_measure.values())
    notes = (
        (
            f"Power of the paired t test (α = {alpha:g}, two-sided) for a difference of {difference:g}: by the "
            f"formula, and by {samples:,} simulations, seed {seed}. Topics needed: for a power of {target:g}, by the "
            "formula."
        ),
        *([f"0 topics needed: more than {MAX_TOPICS:,}."] if beyond else []),
        *given.notes(),
    )
    settings = {"difference": difference, "target": target, "alpha": alpha, "samples": samples, "seed": seed}
    return PairTable("Power", given.runs, given.baseline, given.pairs, by_measure, settings, notes)


def power_of_t(effect: Floats, topics: Ints | Floats, alpha: float) -> Floats:
    """The power of the two-sided paired t test for an effect d, by the noncentral t. Equals `statsmodels` `TTestPower`.

    Differences without any spread are always found.
    """
    from scipy.stats import nct, t

    freedom = np.asarray(topics, np.float64) - 1
    critical = t.isf(alpha / 2, freedom)
    flat = np.isinf(effect)
    shift = np.where(flat, 0.0, effect) * np.sqrt(freedom + 1)
    opposite = nct.cdf(-critical, freedom, shift)
    opposite = np.where(np.isnan(opposite) & (shift > _FAR), 0.0, opposite)  # SciPy has no value so far out
    return np.where(flat, 1.0, nct.sf(critical, freedom, shift) + opposite)


def topics_needed(effect: Floats, alpha: float, target: float) -> Ints:
    """The smallest number of topics with which the test has this power; 0 where it is more than `MAX_TOPICS`."""
    low, high = np.full((2, len(effect)), 1)
    high += 1
    searching = power_of_t(effect, high, alpha) < target
    while searching.any():
        low[searching], high[searching] = high[searching], 2 * high[searching]
        searching &= (high <= 2 * MAX_TOPICS) & (power_of_t(effect, high, alpha) < target)
    while (high - low > 1).any():
        middle = np.maximum((low + high) // 2, 2)
        enough = power_of_t(effect, middle, alpha) >= target
        high, low = np.where(enough, middle, high), np.where(enough, np.minimum(low, middle - 1), middle)
    return np.where(high <= MAX_TOPICS, high, 0).astype(np.int64)


def simulate_power(
    differences: Floats, mean: float, alpha: float, samples: int, rng: np.random.Generator, topics: int | None = None
) -> float:
    """The share of samples of topics in which the t test finds a mean: drawn from the differences, moved to it."""
    from scipy.special import stdtrit

    count = len(differences) if topics is None else topics
    critical = stdtrit(count - 1, 1 - alpha / 2)
    moved = differences - differences.mean() + mean
    step, rejected = max(1, _BLOCK // count), 0
    for at in range(0, samples, step):
        drawn = moved[rng.integers(0, len(moved), size=(min(step, samples - at), count))]
        average, error = drawn.mean(axis=1), drawn.std(axis=1, ddof=1) / np.sqrt(count)
        rejected += int((np.abs(average) >= critical * error).sum())
    return rejected / samples
