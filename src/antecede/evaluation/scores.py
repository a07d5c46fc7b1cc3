"""Scores: every measure for every run and topic, to look at, to pass on, and to compute with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from antecede.errors import UsageError
from antecede.evaluation.audit import counts_of, warnings_of
from antecede.measures.parse import DEFAULT_MEASURES, parse_measure, parse_measures
from antecede.plots import PlotMixin, draw
from antecede.tables import Table, Tabled, best_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import polars as pl
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.registry import Measure

Missing = Literal["zero", "skip"]
NoRelevant = Literal["skip", "zero"]


@dataclass(frozen=True, eq=False)
class Scores(Tabled, PlotMixin):
    """Measures × runs × topics. A topic left out is NaN."""

    rank_table: RankTable
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    """float64[measures, runs, topics]."""
    totals: NDArray[np.float64]
    """float64[measures, runs]: what each measure makes of the topics, most often their mean."""
    missing: Missing = "zero"
    no_relevant: NoRelevant = "skip"

    @property
    def runs(self) -> tuple[str, ...]:
        return self.rank_table.runs

    @property
    def evaluated(self) -> NDArray[np.bool_]:
        """bool[topics of the qrels]: those that are evaluated, most often those with a relevant document."""
        return ~self.rank_table.without_relevant | (self.no_relevant == "zero")

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that are evaluated."""
        return tuple(name for name, kept in zip(self.rank_table.topics, self.evaluated, strict=True) if kept)

    def of(self, measure: str) -> NDArray[np.float64]:
        """float64[runs, topics] of one measure, over the topics that are evaluated."""
        return np.asarray(self.values[place_of(measure, self.measures)][:, self.evaluated])

    def never(self) -> NDArray[np.int64]:
        """int64[measures, runs]: for how many topics a run never reaches what the measure asks (see Effort)."""
        return np.asarray(np.isinf(self.values).sum(axis=2))

    def left_out(self) -> dict[str, int]:
        """For each measure that needs a higher relevance: how many evaluated topics have no such document."""
        if self.no_relevant == "zero":
            return {}
        ranks = self.rank_table.ranks
        counts = {str(m): int(np.isnan(ranks.relevant(m.rel).n[self.evaluated]).sum()) for m in self.measures}
        return {name: count for name, count in counts.items() if count}

    def sorted_by(self, measure: str) -> Scores:
        """The same with the runs sorted by one of the measures, best first."""
        at = place_of(measure, self.measures)
        falling = self.measures[at].definition.better != "lower"
        order = np.argsort(-self.totals[at] if falling else self.totals[at], kind="stable")
        return replace(
            self,
            rank_table=self.rank_table.select([self.runs[run] for run in order]),
            values=self.values[:, order],
            totals=self.totals[:, order],
        )

    def plot(self, path: str | Path | None = None, *, sort: str | None = None) -> Figure:
        """Draw the runs sorted by one measure (by default the first), and write the figure if a path is given."""
        return draw(self, path, sort=sort)

    def table(self) -> Table:
        """A row a run; the best of each column is marked."""
        never = self.never()
        rows = tuple((name, *map(shown_total, self.totals[:, at], never[:, at])) for at, name in enumerate(self.runs))
        better = [m.definition.better for m in self.measures]
        return Table(
            columns=("run", *map(str, self.measures)),
            rows=rows,
            notes=self.notes(),
            best=best_of([list(map(float, column)) for column in self.totals], better),
        )

    def per_topic(self) -> Table:
        """A row a run and topic. A measure that is defined for sets of topics only has no value here."""
        rows = tuple(
            (run, self.rank_table.topics[t], *map(topic_value, self.measures, self.values[:, r, t]))
            for r, run in enumerate(self.runs)
            for t in np.flatnonzero(self.evaluated)
        )
        return Table(("run", "topic", *map(str, self.measures)), rows, notes=self.notes(per_topic=True))

    def to_polars(self, *, per_topic: bool = False) -> pl.DataFrame:
        """A frame with a row a run, or a row a run and topic."""
        import polars as pl

        table = self.per_topic() if per_topic else self.table()
        texts = 2 if per_topic else 1
        columns = list(zip(*table.rows, strict=True))
        data: dict[str, Any] = {"run": columns[0], **({"topic_id": columns[1]} if per_topic else {})}
        numbers = self.totals if not per_topic else None
        for at, name in enumerate(table.columns[texts:]):
            values = columns[texts + at] if numbers is None else numbers[at]
            data[name] = pl.Series(name, values, dtype=pl.Float64, nan_to_null=True)
        return pl.DataFrame(data)

    def to_dict(self, *, per_topic: bool = False) -> dict[str, Any]:
        """What `antecede evaluate --json` prints."""
        counts = counts_of(self.rank_table)
        never = self.never()
        runs = []
        for r, run in enumerate(self.runs):
            entry: dict[str, Any] = {
                "name": run,
                "scores": {str(m): json_number(self.totals[i, r]) for i, m in enumerate(self.measures)},
                "counts": counts[r],
            }
            unreached = {str(m): int(never[i, r]) for i, m in enumerate(self.measures) if never[i, r]}
            if unreached:
                entry["never"] = unreached
            if per_topic:
                entry["per_topic"] = self.topics_of_run(r)
            runs.append(entry)
        result: dict[str, Any] = {"topics": len(self.topics), "measures": [str(m) for m in self.measures]}
        without = int(self.rank_table.without_relevant.sum())
        if without:
            result["topics_without_relevant"] = without
        if self.left_out():
            result["topics_left_out"] = self.left_out()
        return {**result, "runs": runs}

    def topics_of_run(self, run: int) -> dict[str, dict[str, float | None]]:
        skipped = self.rank_table.missing[run] & (self.missing == "skip")
        return {
            self.rank_table.topics[t]: {
                str(m): json_number(topic_value(m, self.values[i, run, t])) for i, m in enumerate(self.measures)
            }
            for t in np.flatnonzero(self.evaluated & ~skipped)
        }

    def notes(self, *, per_topic: bool = False) -> tuple[str, ...]:
        """What a reader of the table must know: how many topics, what was left out, what is odd."""
        left = [
            f"{count} topics have no document relevant enough for {name}" for name, count in self.left_out().items()
        ]
        aggregates = [str(m) for m in self.measures if m.definition.aggregate_only]
        only = [f"{', '.join(aggregates)}: defined for a set of topics only"] if aggregates and per_topic else []
        return (
            f"{len(self.topics)} topics",
            *left,
            *only,
            *warnings_of(self.rank_table, self.missing, self.no_relevant),
        )


def evaluate(
    table: RankTable,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    missing: Missing = "zero",
    no_relevant: NoRelevant = "skip",
) -> Scores:
    """Score every run of a rank table.

    A topic of the qrels that a run lacks scores as if nothing had been retrieved, or is left out of that run's mean
    with missing="skip". A topic without a relevant document is left out, or scores 0 with no_relevant="zero", which
    is what trec_eval does.
    """
    for name, value, choices in (("missing", missing, Missing), ("no_relevant", no_relevant, NoRelevant)):
        if value not in get_args(choices):
            raise UsageError(f"{name}: there is no {value!r}; choose one of {', '.join(get_args(choices))}")
    chosen = parse_measures(measures)
    values = np.array([measure.score(table.ranks, no_relevant=no_relevant) for measure in chosen])
    if missing == "skip":
        values[:, table.missing] = np.nan
    totals = np.array([measure.aggregate(each) for measure, each in zip(chosen, values, strict=True)])
    return Scores(table, chosen, values, totals, missing, no_relevant)


def place_of(written: str, measures: tuple[Measure, ...]) -> int:
    """Which of the measures is written so, in any of the ways it can be."""
    wanted = parse_measure(written)
    if wanted not in measures:
        raise UsageError(f"{wanted} was not evaluated; there are {', '.join(map(str, measures))}")
    return measures.index(wanted)


def topic_value(measure: Measure, value: float) -> float | None:
    """A topic's value as it is shown: none where the measure is for sets of topics only."""
    return None if measure.definition.aggregate_only else float(value)


def shown_total(value: float, never: int) -> float | str:
    """A run's number as it is shown: one that some topics never reach says for how many."""
    return f"never: {never}" if np.isinf(value) and never else float(value)


def json_number(value: float | None) -> float | None:
    """A number that JSON has: neither NaN nor infinite."""
    return float(value) if value is not None and np.isfinite(value) else None
