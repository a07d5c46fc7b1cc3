"""Systems side by side: every measure, every pair that matters, tested, corrected and marked as in papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.comparison.advice import advice
from antecede.comparison.bootstrap import bootstrap_difference
from antecede.comparison.comparison import Comparison, Differences
from antecede.comparison.effect import cohen_d, mean_difference
from antecede.comparison.family import Plan, family
from antecede.comparison.paired import Sampling
from antecede.comparison.pairs import against_baseline, all_pairs
from antecede.comparison.validation import check_runs, check_values, directions, near
from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.bootstrap import Intervals
    from antecede.comparison.family import Family
    from antecede.comparison.pairs import Pairs
    from antecede.comparison.ranks import Floats
    from antecede.comparison.validation import Better


def compare_values(
    values_by_measure: Mapping[str, Floats],
    runs: Sequence[str],
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    samples: int = 10_000,
    resamples: int = 2_000,
    interval: str = "bca",
    seed: int = 0,
    better: Better | None = None,
) -> Comparison:
    """Tests each run against the baseline, or without one every pair of runs, under each measure.

    `values_by_measure` holds float64[runs, topics] for each measure, NaN where a topic is left out; a pair is compared
    on the topics both runs have. The correction runs over the pairs within a measure. Intervals are bootstrap
    intervals of the mean difference at 1 − α, each for itself, not corrected. `samples` are the sign patterns of the
    randomisation test, `resamples` those of the bootstrap. `better` says `lower` for a measure where less is better.
    """
    plan = Plan(test=test, correction=correction, alpha=alpha, sampling=Sampling(samples, seed))
    check_runs(runs)
    checked = check_values(values_by_measure, runs)
    sign = directions(checked, better)
    pairs = chosen_pairs(runs, baseline)
    families = {name: family(name, values, pairs, runs, plan, direction=sign[name]) for name, values in checked.items()}

    ends = {
        name: bootstrap_difference(values, pairs, confidence=1 - alpha, resamples=resamples, seed=seed, method=interval)
        for name, values in checked.items()
    }
    return Comparison(
        runs=tuple(runs),
        measures=tuple(checked),
        baseline=baseline,
        plan=plan,
        pairs=pairs,
        scores={name: mean_difference(values) for name, values in checked.items()},
        topics=next(iter(checked.values())).shape[1],
        better={name: (better or {}).get(name, "higher") for name in checked},
        by_measure={name: described(tests, ends[name]) for name, tests in families.items()},
        advice=advice(families, runs, plan),
    )


def described(tests: Family, ends: Intervals) -> Differences:
    """All that is known of the pairs under one measure."""
    return Differences(
        difference=mean_difference(tests.differences),
        low=ends.low,
        high=ends.high,
        effect=cohen_d(tests.differences),
        p=tests.significance.p,
        adjusted=tests.adjusted,
        significant=tests.significant,
        verdicts=tests.verdicts,
        topics=tests.significance.topics,
        identical=tests.significance.identical,
    )


def chosen_pairs(runs: Sequence[str], baseline: str | None) -> Pairs:
    """All pairs, or with a baseline those with it."""
    if baseline is None:
        return all_pairs(len(runs))
    if baseline not in runs:
        few = f"; the runs are {', '.join(shown(name) for name in runs)}" if len(runs) <= 10 else ""
        raise UsageError(f"the baseline '{shown(baseline)}' is not among the runs{near(baseline, runs) or few}")
    return against_baseline(len(runs), list(runs).index(baseline))
