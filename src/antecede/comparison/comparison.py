"""Comparison of systems: every relevant pair under every measure, tested, corrected and marked as in papers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, product
from string import ascii_lowercase
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from antecede.comparison.effect_sizes import bootstrap
from antecede.comparison.inputs import Better, Floats, TopicValues, find_baseline, topic_values
from antecede.comparison.significance import (
    Differences,
    GivenPlan,
    Pairs,
    SignificancePlan,
    all_pairs,
    baseline_pairs,
    give_advice,
    run_tests,
)
from antecede.measures.definition import mean
from antecede.operations import Help, operation
from antecede.plots import PlotMixin
from antecede.ranges import SAMPLES
from antecede.results import to_json
from antecede.tables import PValue, Table, Tabled, best_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    import polars as pl
    from typing_extensions import Unpack

    from antecede.comparison.effect_sizes import Interval
    from antecede.evaluation.scores import Scores
    from antecede.tables import Value

MARKS: Mapping[int, str] = {1: "†", -1: "‡", 0: ""}
"""What marks a verdict; † and ‡ mean the same in every table."""
PAIR_LEGEND = "† the run is significantly better, ‡ significantly worse than the one it is held against"
"""After a score compared with a baseline: significantly better, significantly worse, neither."""

_SHORTEST_SPAN = 3
"""From this many consecutive letters on, `a–d` is written instead of `abcd`."""

_STATISTICS = {
    "p": "p",
    "p_adjusted": "adjusted",
    "significant": "significant",
    "effect": "effect",
    "difference": "difference",
    "interval": "interval",
    "topics": "topics",
}
"""What JSON has of each pair, and the attribute of `Differences` that holds it."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tabled, PlotMixin):
    """Systems compared side by side, from `compare`."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    baseline: str | None
    plan: SignificancePlan
    pairs: Pairs
    scores: Mapping[str, Floats]
    """Mean over each run's own topics, by measure."""
    topics: int
    """Topics in the input, including those left out."""
    better: Better
    by_measure: Mapping[str, Differences]
    advice: tuple[str, ...] = ()
    uneven: frozenset[str] = frozenset()
    """Measures whose means are over different topics, of which none is the best."""

    def runs_beaten(self, measure: str, run: int) -> list[int]:
        """The positions of the runs that this one is significantly better than."""
        sides = zip(self.pairs.first, self.pairs.second, self.by_measure[measure].verdicts, strict=True)
        decided = [(a, b) if verdict > 0 else (b, a) for a, b, verdict in sides if verdict]
        return [int(loser) for winner, loser in decided if winner == run]

    def table(self) -> Table:
        """Scores, one row per run: marked † or ‡ against a baseline, otherwise with the letters of the runs beaten."""
        head = ("run",) if self.baseline is not None else ("", "run")
        rows: list[tuple[Value, ...]] = []
        for place, name in enumerate(self.runs):
            lead = (name,) if self.baseline is not None else (run_letter(place), name)
            rows.append((*lead, *(float(self.scores[measure][place]) for measure in self.measures)))
        best = best_of(
            [self.scores[measure].tolist() for measure in self.measures],
            [None if measure in self.uneven else self.better[measure] for measure in self.measures],
            first=len(head),
        )
        table = Table(
            (*head, *self.measures),
            tuple(rows),
            title="Comparison of runs",
            notes=(self._legend(), *(f"Note: {text}" for text in self.advice)),
            best=best,
            marks=self._marks(len(head)),
        )
        complete = self._with_p_values(table, *(("adjusted p",) if self.baseline is None else ("p", "adjusted p")))
        return replace(table, complete=_with_all_marks(complete, range(len(head), len(table.columns))))

    def _with_p_values(self, table: Table, *kinds: str) -> Table:
        """The table with the p-values of each run against the baseline, or against every run; none against itself."""
        columns, rows = [*table.columns], [[*row] for row in table.rows]
        against = {name: f" against {name}" for name in self.runs} if self.baseline is None else {self.baseline: ""}
        first, second = self.pairs.first, self.pairs.second
        for measure, kind in product(self.measures, kinds):
            tests = self.by_measure[measure]
            p = np.full((len(self.runs), len(self.runs)), np.nan)
            p[first, second] = p[second, first] = tests.p if kind == "p" else tests.adjusted
            columns += [f"{measure} {kind}{name}" for name in against.values()]
            for row, values in zip(rows, p[:, [self.runs.index(name) for name in against]].tolist(), strict=True):
                row += values
        return replace(table, columns=tuple(columns), rows=tuple(map(tuple, rows)))

    def with_p_values(self) -> Table:
        """One row per run: scores, p-values and adjusted p-values, against the baseline or every other run."""
        return self._with_p_values(self.table(), "p", "adjusted p")

    def to_pandas(self) -> pd.DataFrame:
        """The scores and p-values of each run as a pandas frame; `details().to_pandas()` has one row per pair."""
        return self.with_p_values().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The same as a polars frame."""
        return self.with_p_values().to_polars()

    def _legend(self) -> str:
        used = [int(bound) for tests in self.by_measure.values() for bound in (tests.topics.min(), tests.topics.max())]
        low, high = min(used), max(used)
        topics = f"{self.topics:,} topics"
        if low < self.topics:
            topics = f"{low:,}{f' to {high:,}' * (low < high)} of {topics}"
        if self.baseline is None:
            return f"A letter: significantly better than the run with that letter ({self.plan}; {topics})."
        return f"† significantly better, ‡ significantly worse than {self.baseline} ({self.plan}; {topics})."

    def _marks(self, first: int) -> dict[tuple[int, int], str]:
        marks: dict[tuple[int, int], str] = {}
        for column, measure in enumerate(self.measures, start=first):
            if self.baseline is None:
                beaten = {place: format_letters(self.runs_beaten(measure, place)) for place in range(len(self.runs))}
                by_run = {place: f" {letters}" for place, letters in beaten.items() if letters}
            else:
                verdicts = self.by_measure[measure].verdicts
                by_run = {int(run): MARKS[int(v)] for run, v in zip(self.pairs.first, verdicts, strict=True)}
            marks.update({(row, column): mark for row, mark in by_run.items() if mark})
        return marks

    def details(self) -> Table:
        """One row per pair and measure, with all statistics."""
        columns = ("measure", "run", "against", "difference", "low", "high", "d", "p", "adjusted p", "topics")
        rows: list[tuple[Value, ...]] = []
        marks: dict[tuple[int, int], str] = {}
        for measure, tests in self.by_measure.items():
            for i, (first, second) in enumerate(zip(self.pairs.first, self.pairs.second, strict=True)):
                statistics = (tests.difference, tests.low, tests.high, tests.effect)
                p = (PValue(tests.p[i]), PValue(tests.adjusted[i]))
                if tests.verdicts[i]:
                    marks[len(rows), columns.index("adjusted p")] = MARKS[int(tests.verdicts[i])]
                names = (measure, self.runs[int(first)], self.runs[int(second)])
                rows.append((*names, *(float(of[i]) for of in statistics), *p, int(tests.topics[i])))
        level = f"{100 * (1 - self.plan.alpha):g} %"
        notes = (
            f"{PAIR_LEGEND} ({self.plan}). Low to high: {level} bootstrap interval of the difference, not corrected.",
            *(f"Note: {text}" for text in self.advice),
        )
        table = Table(columns, tuple(rows), title="Differences between runs", notes=notes, marks=marks)
        return replace(table, complete=_with_all_marks(table, [columns.index("adjusted p")]))

    def to_dict(self) -> dict[str, Any]:
        """For `--json`: the statistics of every pair under `pairs`, and those against a baseline also with each run.

        Values that are NaN or infinite are None; so is everything about the baseline except its scores.
        """
        by_pair = self._statistics()
        of_run = dict(zip(self.pairs.first.tolist(), by_pair, strict=True)) if self.baseline is not None else {}
        empty = {name: dict.fromkeys(self.measures, False if name == "significant" else None) for name in _STATISTICS}
        runs = []
        for place, name in enumerate(self.runs):
            scores = to_json({measure: self.scores[measure][place] for measure in self.measures})
            run: dict[str, Any] = {"name": name, "scores": scores}
            if self.baseline is not None:
                run |= of_run.get(place, empty)
            else:
                run["letter"] = run_letter(place)
                run["better_than"] = {m: [self.runs[i] for i in self.runs_beaten(m, place)] for m in self.measures}
            runs.append(run)
        sides = zip(self.pairs.first.tolist(), self.pairs.second.tolist(), by_pair, strict=True)
        return {
            "baseline": self.baseline,
            "measures": [*self.measures],
            "test": self.plan.test,
            "correction": self.plan.correction,
            "alpha": self.plan.alpha,
            "topics": self.topics,
            "runs": runs,
            "advice": [*self.advice],
            "pairs": [{"first": self.runs[a], "second": self.runs[b], **statistics} for a, b, statistics in sides],
        }

    def _statistics(self) -> list[dict[str, dict[str, Any]]]:
        columns = {
            name: {measure: to_json(getattr(tests, of)) for measure, tests in self.by_measure.items()}
            for name, of in _STATISTICS.items()
        }
        return [
            {name: {m: values[pair] for m, values in by_measure.items()} for name, by_measure in columns.items()}
            for pair in range(len(self.pairs))
        ]


@operation
def compare(
    scores: Scores | TopicValues,
    *,
    baseline: Annotated[
        str | None,
        Help("Compare all runs with this one (name, path or tag); without it, every pair.", metavar="RUN"),
    ] = None,
    resamples: Annotated[int, SAMPLES, Help("Bootstrap samples for the intervals.")] = 2_000,
    interval: Annotated[Interval, Help("The bootstrap interval of the mean difference.")] = "bca",
    plan: SignificancePlan = SignificancePlan(),
    **_given: Unpack[GivenPlan],
) -> Comparison:
    """Test the runs of an evaluation for significant differences under each measure.

    Args:
        scores: The evaluation, from `evaluate`, or scores per topic that were computed elsewhere.
        plan: The test, as one value.
    """
    given = topic_values(scores)
    directions = given.directions
    baseline, runs = find_baseline(scores, baseline), given.runs
    pairs = all_pairs(len(runs)) if baseline is None else baseline_pairs(len(runs), [*runs].index(baseline))
    by_measure: dict[str, Differences] = {}
    for name, values in given.by_measure.items():
        tests = run_tests(name, values, pairs, given.runs, plan, direction=directions[name])
        ends = bootstrap(
            tests.by_topic, confidence=1 - plan.alpha, resamples=resamples, seed=plan.seed, method=interval
        )
        by_measure[name] = replace(tests, low=ends.low, high=ends.high)
    return Comparison(
        runs=tuple(given.runs),
        measures=tuple(given.by_measure),
        baseline=baseline,
        plan=plan,
        pairs=pairs,
        scores={name: mean(values) for name, values in given.by_measure.items()},
        topics=next(iter(given.by_measure.values())).shape[1],
        better={name: given.better.get(name, "higher") for name in given.by_measure},
        by_measure=by_measure,
        advice=(*given.caveats, *give_advice(by_measure, given.runs, plan)),
        uneven=frozenset(name for name, values in given.by_measure.items() if _are_uneven(values)),
    )


def _are_uneven(values: Floats) -> bool:
    """Whether some run is scored on topics that another is not."""
    lacking = np.isnan(values)
    return bool((lacking != lacking[:1]).any())


def _with_all_marks(table: Table, columns: Iterable[int]) -> Table:
    """The table for programs, with marks for these columns even where there are none."""
    return replace(table, marks={(0, column): "" for column in columns} | table.marks)


def run_letter(number: int) -> str:
    """a, b, …, z, aa, ab, … for 0, 1, 2, …, as papers use to mark runs."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, len(ascii_lowercase))
        letters = ascii_lowercase[digit] + letters
    return letters


def format_letters(numbers: Iterable[int]) -> str:
    """The letters of several runs, in order; separated by commas where a part is longer than one letter."""
    ordered = sorted({*numbers})
    parts: list[str] = []
    # Consecutive numbers have a constant distance to their position in the list.
    for _, members in groupby(enumerate(ordered), key=lambda entry: entry[1] - entry[0]):
        span = [number for _, number in members]
        long = len(span) >= _SHORTEST_SPAN
        parts += [f"{run_letter(span[0])}–{run_letter(span[-1])}"] if long else [run_letter(number) for number in span]
    single = all(len(part) == 1 for part in parts)
    return ("" if single else ",").join(parts)
