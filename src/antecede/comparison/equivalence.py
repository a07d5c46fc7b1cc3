"""Are two runs practically the same? Two one-sided tests, and the Bayesian answer with a region of equivalence.

A test that finds no significant difference does not show that there is none: there may be too few topics. Both methods
here need a margin, the largest difference that does not matter to the user of the system, stated before the runs are
looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from antecede.comparison.inputs import Floats, check_level, find_entry
from antecede.comparison.pair_table import Column, PairTable, describe_differences, read_pairs
from antecede.comparison.significance import CORRECTIONS
from antecede.operations import Help
from antecede.ranges import ALPHA, MARGIN

if TYPE_CHECKING:
    from antecede.comparison.inputs import TopicValues
    from antecede.comparison.significance import Correction
    from antecede.evaluation.scores import Scores
    from antecede.operations import Alpha

Margin = Annotated[float, MARGIN, Help("The largest difference of the measure that does not matter.")]
Baseline = Annotated[
    str | None, Help("Compare all runs with this one (name, path or tag); without it, every pair.", metavar="RUN")
]


def equivalence(
    scores: Scores | TopicValues,
    *,
    margin: Margin,
    baseline: Baseline = None,
    alpha: Alpha = 0.05,
    correction: Annotated[Correction, Help("The correction of p-values for many pairs of runs.")] = "holm",
) -> PairTable:
    """Test whether runs are equivalent: whether their difference is smaller than a margin (TOST; Schuirmann, 1987).

    Two one-sided paired t tests, of a difference of at most −margin and of at least +margin; p is the larger of both.
    Runs are equivalent where it is at most α, that is, where the interval of the difference lies within the margin:
    for one pair, that with a confidence of 1 − 2α. Use it to claim that a cheaper or a reproduced system is as good as
    another, which a test without a significant difference does not show.

    Args:
        scores: The evaluation, or scores per topic computed elsewhere.

    Shell:
        antecede study equivalence qrels.txt a.run b.run c.run -m AP --margin 0.02 --baseline a.run
    """
    check_level(alpha)
    MARGIN.check(margin, "margin")
    correct, given = find_entry(CORRECTIONS, correction, "correction"), read_pairs(scores, baseline)
    by_measure: dict[str, dict[str, Column]] = {}
    for measure in given.by_measure:
        columns = two_one_sided(given.differences(measure), margin, alpha)
        adjusted = correct(columns["p"])
        by_measure[measure] = {**columns, "adjusted p": adjusted, "equivalent": adjusted <= alpha}
    notes = (
        (
            f"Equivalent: the difference is within ±{margin:g} (two one-sided t tests, {correction} correction, "
            f"α = {alpha:g}). Low to high: {100 * (1 - 2 * alpha):g} % interval of the difference, not corrected."
        ),
        *given.notes(),
    )
    settings = {"margin": margin, "alpha": alpha, "correction": correction}
    return PairTable("Equivalence of runs", given.runs, given.baseline, given.pairs, by_measure, settings, notes)


def two_one_sided(differences: Floats, margin: float, alpha: float = 0.05) -> dict[str, Floats]:
    """Two one-sided paired t tests of each row of differences. Equals `statsmodels` `ttost_paired`.

    Differences that are all equal have no spread: they are equivalent if they lie within the margin.
    """
    from scipy.special import stdtr, stdtrit

    topics, average, error = describe_differences(differences)
    freedom = topics - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        below, above = (average + margin) / error, (average - margin) / error
    low, high = stdtr(freedom, -below), stdtr(freedom, above)
    flat = error == 0
    low[flat] = np.where(average[flat] > -margin, 0.0, 1.0)
    high[flat] = np.where(average[flat] < margin, 0.0, 1.0)
    reach = stdtrit(freedom, 1 - alpha) * error
    return {
        "difference": average,
        "low": average - reach,
        "high": average + reach,
        "p low": low,
        "p high": high,
        "p": np.maximum(low, high),
    }


def bayes(
    scores: Scores | TopicValues,
    *,
    margin: Margin,
    baseline: Baseline = None,
    level: Annotated[float, ALPHA, Help("The probability that the interval of the difference contains.")] = 0.95,
) -> PairTable:
    """Show how probable it is that a run is worse, practically the same, or better (Benavoli et al., JMLR 2017).

    The Bayesian t test: with the reference prior, the mean difference has a t distribution around the observed mean.
    Its mass below −margin, within ±margin (the region of practical equivalence, ROPE) and above +margin are the three
    probabilities. Use it where you want to know how sure you can be, rather than whether a hypothesis can be rejected;
    no correction is made for many pairs.

    Args:
        scores: The evaluation, or scores per topic computed elsewhere.

    Shell:
        antecede study bayes qrels.txt a.run b.run c.run -m AP --margin 0.01 --baseline a.run
    """
    check_level(level)
    MARGIN.check(margin, "margin")
    given = read_pairs(scores, baseline)
    by_measure = {measure: posterior(given.differences(measure), margin, level) for measure in given.by_measure}
    lower = [name for name, better in given.better.items() if better == "lower"]
    sides = (f"Better and worse are higher and lower scores, also under {', '.join(lower)}.",) if lower else ()
    notes = (
        (
            f"Same: the mean difference is within ±{margin:g}. Low to high: the {100 * level:g} % interval of the "
            "posterior; it contains the mean difference with this probability."
        ),
        *sides,
        *given.notes(),
    )
    settings = {"margin": margin, "level": level}
    return PairTable(
        *("Probability that a run is better", given.runs, given.baseline, given.pairs, by_measure, settings, notes)
    )


def posterior(differences: Floats, margin: float, level: float = 0.95) -> dict[str, Floats]:
    """The posterior of the mean of each row of differences. Equals `baycomp` `CorrelatedTTest` without correlation.

    Differences that are all equal leave no doubt: the probability is 1 where their mean is.
    """
    from scipy.special import stdtr, stdtrit

    topics, average, error = describe_differences(differences)
    freedom = topics - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        worse = stdtr(freedom, (-margin - average) / error)
        better = stdtr(freedom, (average - margin) / error)
    flat = error == 0
    worse[flat], better[flat] = average[flat] < -margin, average[flat] > margin
    reach = stdtrit(freedom, (1 + level) / 2) * error
    return {
        "difference": average,
        "low": average - reach,
        "high": average + reach,
        "worse": worse,
        "same": 1 - worse - better,
        "better": better,
    }
