"""What tests of pairs of runs have in common: their input, and a result with one row per pair and measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.inputs import Better, Flags, Floats, Ints, check_runs, find_baseline, topic_values
from antecede.comparison.significance import Pairs, all_pairs, baseline_pairs
from antecede.errors import UsageError, printable
from antecede.results import to_json
from antecede.tables import PValue, Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from antecede.comparison.inputs import TopicValues
    from antecede.evaluation.scores import Scores
    from antecede.tables import Value

Column = Floats | Ints | Flags
"""One value per pair."""
P_VALUES = ("p", "adjusted p", "p low", "p high")
"""Columns whose numbers are p-values."""


@dataclass(frozen=True, eq=False, repr=False)
class PairTable(Tabled):
    """Figures for pairs of runs under each measure; a column is an array with one value per pair."""

    title: str
    runs: tuple[str, ...]
    baseline: str | None
    pairs: Pairs
    by_measure: Mapping[str, Mapping[str, Column]]
    """By measure, then by column."""
    settings: Mapping[str, Any]
    """What it was computed with."""
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = field(default=("no", "yes"))
    """How a table writes a column of flags."""

    def column(self, measure: str, name: str) -> Column:
        """The values of one column, for every pair."""
        return self.by_measure[measure][name]

    def table(self) -> Table:
        """One row per pair and measure."""
        columns = next(iter(self.by_measure.values()))
        rows: list[tuple[Value, ...]] = []
        for measure, values in self.by_measure.items():
            for at, (first, second) in enumerate(self._names()):
                rows.append((measure, first, second, *(self._cell(name, values[name][at]) for name in columns)))
        head = ("measure", "run", "against", *columns)
        return Table(head, tuple(rows), title=self.title, notes=self.notes, grouped=1)

    def _names(self) -> Iterator[tuple[str, str]]:
        for first, second in zip(self.pairs.first.tolist(), self.pairs.second.tolist(), strict=True):
            yield self.runs[first], self.runs[second]

    def _cell(self, name: str, value: Any) -> Value:
        if isinstance(value, np.bool_):
            return self.answers[int(value)]
        if isinstance(value, np.integer):
            return int(value)
        return PValue(value) if name in P_VALUES else float(value)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`: the settings, and an object for each pair with its figures by measure."""
        pairs = []
        for at, (first, second) in enumerate(self._names()):
            figures = {
                measure: {name.replace(" ", "_"): column[at].item() for name, column in values.items()}
                for measure, values in self.by_measure.items()
            }
            pairs.append({"first": first, "second": second, **figures})
        return dict(to_json({**self.settings, "baseline": self.baseline, "notes": self.notes, "pairs": pairs}))


@dataclass(frozen=True)
class PairInput:
    """The scores of an evaluation by measure, and the pairs of runs to be compared."""

    runs: tuple[str, ...]
    baseline: str | None
    pairs: Pairs
    by_measure: Mapping[str, Floats]
    better: Better
    caveats: tuple[str, ...]

    def differences(self, measure: str) -> Floats:
        """float64[pairs, topics]: first minus second, NaN where one has no score; two topics at least."""
        differences = self.pairs.differences(self.by_measure[measure])
        shared = np.count_nonzero(~np.isnan(differences), axis=1)
        if shared.min(initial=2) < 2:
            at = int(shared.argmin())
            first, second = (printable(self.runs[int(side[at])]) for side in (self.pairs.first, self.pairs.second))
            raise UsageError(f"{measure}: runs {first} and {second} share {shared[at]} topics; a paired test needs two")
        return differences

    def notes(self) -> tuple[str, ...]:
        """What the input lacks, as notes of a table."""
        return tuple(f"Note: {text}" for text in self.caveats)


def read_pairs(scores: Scores | TopicValues, baseline: str | None) -> PairInput:
    """Every pair of runs, or each run with the baseline."""
    given = topic_values(scores)
    check_runs(given.runs)
    name, runs = find_baseline(scores, baseline), tuple(given.runs)
    pairs = all_pairs(len(runs)) if name is None else baseline_pairs(len(runs), runs.index(name))
    return PairInput(runs, name, pairs, given.by_measure, given.better, tuple(given.caveats))


def describe_differences(differences: Floats) -> tuple[Floats, Floats, Floats]:
    """The number of topics of each pair, the mean of its differences, and the standard error of the mean."""
    topics = np.count_nonzero(~np.isnan(differences), axis=1)
    average = np.nanmean(differences, axis=1)
    spread = np.nanstd(differences, axis=1, ddof=1)
    constant = np.nanmax(differences, axis=1) == np.nanmin(differences, axis=1)
    return topics, average, np.where(constant, 0.0, spread / np.sqrt(topics))
