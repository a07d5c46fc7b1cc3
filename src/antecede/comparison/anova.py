"""Two-way analysis of variance, topics × systems, and Tukey's honestly significant differences of all pairs.

A score is modelled as a grand mean, an effect of the topic, an effect of the system, and an error: the model that TREC
has used since Tague-Sutcliffe & Blustein (TREC-3, 1994). The F test answers whether the systems differ at all, Tukey's
test which of them do, with one error rate over all pairs and one estimate of the error from all systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.comparison import MARKS, PAIR_LEGEND
from antecede.comparison.inputs import Floats, TopicValues, check_level, find_baseline, topic_values
from antecede.comparison.significance import Pairs, all_pairs
from antecede.errors import UsageError
from antecede.measures.definition import mean, round_totals, sum_exactly
from antecede.results import to_json
from antecede.tables import PValue, Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.evaluation.scores import Scores
    from antecede.operations import Alpha
    from antecede.tables import Value

_MAX_ROWS = 45
"""Pairs that are printed unless all are asked for: those of ten runs."""
ROUNDING = 1e-12
"""A sum of squares below this share of the total is a rounding error."""
SOURCES = ("systems", "topics", "error")


@dataclass(frozen=True, eq=False)
class Variance:
    """One measure. Arrays have one value per pair of runs, first minus second."""

    topics: int
    """Topics that all runs have."""
    left_out: int
    squares: tuple[float, float, float]
    """Sums of squares: systems, topics, error."""
    freedom: tuple[int, int, int]
    """Degrees of freedom of the three."""
    difference: Floats
    low: Floats
    high: Floats
    """Tukey's simultaneous interval of the difference."""
    p: Floats
    """Tukey's p of each pair, which needs no further correction."""

    @property
    def mean_squares(self) -> tuple[float, float, float]:
        systems, topics, error = (ss / df for ss, df in zip(self.squares, self.freedom, strict=True))
        return systems, topics, error

    def f(self, source: int) -> float:
        """F of the systems (0) or the topics (1)."""
        error = self.mean_squares[2]
        if error == 0:
            return float("inf") if self.mean_squares[source] > 0 else float("nan")
        return self.mean_squares[source] / error

    def p_of_f(self, source: int) -> float:
        """The probability of an F that large where there is no effect."""
        from scipy.special import fdtrc

        value = self.f(source)
        if np.isnan(value):
            return 1.0
        return 0.0 if np.isinf(value) else float(fdtrc(self.freedom[source], self.freedom[2], value))

    @property
    def share(self) -> float:
        """Partial ω² of the systems: the share of the variance that they explain beside the topics, without bias."""
        systems, _, error = self.mean_squares
        runs = self.freedom[0] + 1
        above = self.freedom[0] * (systems - error)
        below = above + runs * self.topics * error
        return max(0.0, above / below) if below > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class Anova(Tabled):
    """The analysis of variance of an evaluation, from `anova`."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    alpha: float
    baseline: str | None
    pairs: Pairs
    by_measure: Mapping[str, Variance]
    directions: Mapping[str, int]
    """−1 for a measure where lower scores are better, otherwise +1."""
    advice: tuple[str, ...] = ()
    """What the runs or the qrels lack, and how it is scored."""

    def __repr__(self) -> str:
        return f"Anova({len(self.runs)} runs, {', '.join(self.measures)})"

    def table(self) -> Table:
        """Systems, topics and error, for each measure."""
        rows: list[tuple[Value, ...]] = []
        for measure, variance in self.by_measure.items():
            for at, source in enumerate(SOURCES):
                tested = (variance.f(at), PValue(variance.p_of_f(at))) if at < 2 else (None, None)
                share = variance.share if at == 0 else None
                spread = (variance.freedom[at], variance.squares[at], variance.mean_squares[at])
                rows.append((measure, source, *spread, *tested, share))
        left = max(variance.left_out for variance in self.by_measure.values())
        notes = (
            "ω²: the share of the variance that the systems explain, beside that of the topics.",
            *([f"{left} topics that not every run has are left out."] if left else []),
            *(f"Note: {text}" for text in self.advice),
        )
        columns = ("measure", "source", "df", "SS", "MS", "F", "p", "ω²")
        return Table(
            columns, tuple(rows), title="Two-way analysis of variance, topics and systems", notes=notes, grouped=1
        )

    def pairs_table(self, *, every: bool = False) -> Table:
        """Tukey's test: one row per pair of runs and measure; of many pairs the significant ones, largest first."""
        columns = ("measure", "run", "against", "difference", "low", "high", "p")
        rows: list[tuple[Value, ...]] = []
        marks: dict[tuple[int, int], str] = {}
        counts = []
        for measure, variance in self.by_measure.items():
            shown = self.shown_pairs()
            significant = [i for i in shown if variance.p[i] <= self.alpha]
            counts.append(f"{measure}: {len(significant)} of {len(shown)} pairs differ")
            listed = shown if every or len(shown) <= _MAX_ROWS else significant
            listed = sorted(listed, key=lambda i: -abs(variance.difference[i]))
            for i in listed if every else listed[:_MAX_ROWS]:
                described = self.describe_pair(variance, i)
                if variance.p[i] <= self.alpha:
                    ahead = np.sign(described[2]) * self.directions[measure]
                    marks[len(rows), columns.index("p")] = MARKS[int(ahead)]
                rows.append((measure, *described, PValue(variance.p[i])))
        level = f"{100 * (1 - self.alpha):g} %"
        notes = (
            f"{PAIR_LEGEND} (α = {self.alpha:g} over all pairs of runs). Low to high: simultaneous {level} interval.",
            "; ".join(counts) + ".",
        )
        return Table(columns, tuple(rows), title="Tukey's honestly significant differences", notes=notes, marks=marks)

    def describe_pair(self, found: Variance, pair: int) -> tuple[str, str, float, float, float]:
        """The two runs, the difference and its interval; with a baseline, run minus baseline."""
        first, second = (self.runs[int(side[pair])] for side in (self.pairs.first, self.pairs.second))
        difference, low, high = (float(of[pair]) for of in (found.difference, found.low, found.high))
        if first == self.baseline:
            return second, first, -difference, -high, -low
        return first, second, difference, low, high

    def shown_pairs(self) -> list[int]:
        """All pairs, or those with the baseline."""
        if self.baseline is None:
            return list(range(len(self.pairs)))
        at = self.runs.index(self.baseline)
        both = zip(self.pairs.first.tolist(), self.pairs.second.tolist(), strict=True)
        return [i for i, pair in enumerate(both) if at in pair]

    def tables(self) -> tuple[Table, ...]:
        return self.table(), self.pairs_table()

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        measures = {name: self._variance_to_dict(variance) for name, variance in self.by_measure.items()}
        document = {"alpha": self.alpha, "measures": measures}
        return dict(to_json(document | ({"advice": self.advice} if self.advice else {})))

    def _variance_to_dict(self, variance: Variance) -> dict[str, Any]:
        document: dict[str, Any] = {"topics": variance.topics, "topics_left_out": variance.left_out}
        for at, source in enumerate(SOURCES):
            spread = {"df": variance.freedom[at], "ss": variance.squares[at], "ms": variance.mean_squares[at]}
            document[source] = spread | ({"f": variance.f(at), "p": variance.p_of_f(at)} if at < 2 else {})
        document["omega_squared"] = variance.share
        document["tukey"] = []
        for pair in self.shown_pairs():
            first, second, difference, *interval = self.describe_pair(variance, pair)
            document["tukey"].append(
                {
                    "first": first,
                    "second": second,
                    "difference": difference,
                    "interval": interval,
                    "p": variance.p[pair],
                    "significant": variance.p[pair] <= self.alpha,
                }
            )
        return document


def anova(scores: Scores | TopicValues, *, alpha: Alpha = 0.05, baseline: str | None = None) -> Anova:
    """Two-way analysis of variance of an evaluation, and Tukey's test of its pairs of runs.

    Args:
        scores: The scores, from `evaluate` or computed elsewhere. Topics that not every run has are left out and
            counted.
        alpha: The significance level, over all pairs of runs.
        baseline: Show only pairs with this run, given by its name, path or tag.
    """
    baseline = find_baseline(scores, baseline)
    check_level(alpha)
    given = topic_values(scores)
    pairs = all_pairs(len(given.runs))
    by_measure = {name: _analyse(name, values, pairs, alpha) for name, values in given.by_measure.items()}
    names, caveats = tuple(given.runs), tuple(given.caveats)
    return Anova(names, tuple(by_measure), alpha, baseline, pairs, by_measure, given.directions, caveats)


def _analyse(name: str, values: Floats, pairs: Pairs, alpha: float) -> Variance:
    from scipy.stats import studentized_range

    complete = ~np.isnan(values).any(axis=0)
    table = values[:, complete]
    runs, topics = table.shape
    if topics < 2:
        raise UsageError(f"{name}: an analysis of variance needs at least two topics that all runs have, not {topics}")
    grand, of_run, of_topic = mean(table.ravel()), mean(table), mean(table.T)
    systems = float(topics * sum_exactly((of_run - grand) ** 2))
    by_topic = float(runs * sum_exactly((of_topic - grand) ** 2))
    residual = table - of_run[:, None] - of_topic[None, :] + grand
    error = float(sum_exactly((residual**2).ravel()))
    if error <= ROUNDING * float(sum_exactly(((table - grand) ** 2).ravel())):
        error = 0.0
    freedom = (runs - 1, topics - 1, (runs - 1) * (topics - 1))
    difference = round_totals(of_run[pairs.first] - of_run[pairs.second])
    deviation = float(np.sqrt(error / freedom[2] / topics))
    if deviation > 0:
        q, which = np.unique(np.abs(difference) / deviation, return_inverse=True)
        p = np.clip(studentized_range.sf(q, runs, freedom[2]), 0.0, 1.0)[which]
        reach = float(studentized_range.ppf(1 - alpha, runs, freedom[2])) * deviation
    else:
        p, reach = np.where(difference == 0, 1.0, 0.0), 0.0
    return Variance(
        topics,
        int((~complete).sum()),
        (systems, by_topic, error),
        freedom,
        difference,
        difference - reach,
        difference + reach,
        p,
    )
