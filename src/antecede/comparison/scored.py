"""From the scores of an evaluation, or a table of scores, to the comparisons of this room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.agreement import Agreement, agreement_of_values
from antecede.comparison.compare import compare_values
from antecede.comparison.correlate import Correlations, correlate_values
from antecede.comparison.score_table import ScoreTable
from antecede.comparison.validation import check_runs
from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from antecede.comparison.comparison import Comparison
    from antecede.comparison.ranks import Floats
    from antecede.evaluation.scores import Scores

DIGITS = 12
"""Totals that are equal to so many digits are equal: what rounding does in the last place must not order runs."""


def compare(scores: Scores, **how: Any) -> Comparison:
    """`compare_values` for the runs of an evaluation; takes the same options."""
    return compare_values(by_topic(scores), scores.runs, better=directions_of(scores), **how)


def agreement(scores: Scores, **how: Any) -> Agreement:
    """`agreement_of_values` for the measures of an evaluation; takes the same options."""
    return agreement_of_values(by_topic(scores), scores.runs, better=directions_of(scores), **how)


def correlate(scores: Scores | ScoreTable, **how: Any) -> Correlations:
    """`correlate_values` for the measures of an evaluation, or of a table of scores; takes the same options."""
    if isinstance(scores, ScoreTable):
        return correlate_values(scores.scores, scores.runs, **how)
    endless = np.argwhere(np.isinf(scores.totals))
    if len(endless):
        measure, run = scores.measures[endless[0][0]], shown(scores.runs[endless[0][1]])
        raise UsageError(f"{measure}: run {run} never gets there in some topic; give docs=, or choose another measure")
    totals = {str(measure): np.round(row, DIGITS) for measure, row in zip(scores.measures, scores.totals, strict=True)}
    return correlate_values(totals, scores.runs, **how)


def by_topic(scores: Scores) -> dict[str, Floats]:
    """float64[runs, topics] for each measure; one that is defined for a set of topics only is refused."""
    check_runs(scores.runs)
    whole = next((measure for measure in scores.measures if measure.definition.aggregate_only), None)
    if whole is not None:
        raise UsageError(f"{whole}: is defined for a set of topics only, so runs cannot be tested on it; leave it out")
    return {str(measure): scores.of(str(measure)) for measure in scores.measures}


def directions_of(scores: Scores) -> dict[str, str | None]:
    """For each measure which scores are better."""
    return {str(measure): measure.definition.better for measure in scores.measures}
