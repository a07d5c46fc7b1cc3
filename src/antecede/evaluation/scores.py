"""Scores: every measure for every run and topic, as tables, frames, JSON and arrays."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import numpy as np

from antecede.errors import UsageError, describe_given, printable, spell
from antecede.evaluation.audit import (
    READINGS,
    count_answered,
    count_irregularities,
    list_caveats,
    list_order_conflicts,
    list_warnings,
)
from antecede.evaluation.rank_table import RankTable, require_table
from antecede.measures.names import (
    DEFAULT_MEASURES,
    is_whole_number,
    parse_measure,
    parse_measures,
    write_trec_eval_names,
)
from antecede.operations import READING, Help
from antecede.plots import PlotMixin, draw
from antecede.ranges import RELEVANCE
from antecede.results import make_pandas, to_json
from antecede.tables import Table, Tabled, best_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from antecede.measures.definition import Measure
    from antecede.measures.names import Measures

Missing = Literal["zero", "skip"]
NoRelevant = Literal["skip", "zero"]


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Tabled, PlotMixin):
    """Scores of measures × runs × topics. The score of a topic that is left out is NaN."""

    rank_table: RankTable
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    """float64[measures, runs, topics]."""
    totals: NDArray[np.float64]
    """float64[measures, runs]: the aggregate of each measure over the topics, usually the mean."""
    missing: Missing = "zero"
    no_relevant: NoRelevant = "skip"

    @property
    def runs(self) -> tuple[str, ...]:
        return self.rank_table.runs

    @property
    def evaluated(self) -> NDArray[np.bool_]:
        """bool[topics of the qrels]: those that are evaluated, by default those with a relevant document."""
        return ~self.rank_table.without_relevant | (self.no_relevant == "zero")

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that are evaluated."""
        return tuple(name for name, kept in zip(self.rank_table.topics, self.evaluated, strict=True) if kept)

    def of(self, measure: str) -> NDArray[np.float64]:
        """float64[runs, topics] of one measure, over the topics that are evaluated."""
        return np.asarray(self.values[find_measure(measure, self.measures)][:, self.evaluated])

    def never(self) -> NDArray[np.int64]:
        """int64[measures, runs]: for how many topics a run never reaches the target of the measure (see Effort)."""
        return np.asarray(np.isinf(self.values).sum(axis=2))

    def left_out(self) -> dict[str, int]:
        """For each measure that requires a higher relevance: the number of evaluated topics without such a document."""
        if self.no_relevant == "zero":
            return {}
        ranks = self.rank_table.ranks
        counts = {str(m): int(np.isnan(ranks.relevant(m.rel).n[self.evaluated]).sum()) for m in self.measures}
        return {name: count for name, count in counts.items() if count}

    def sorted_by(self, measure: str) -> Scores:
        """The same scores with the runs sorted by one of the measures, best first."""
        at = find_measure(measure, self.measures)
        falling = self.measures[at].definition.better != "lower"
        order = np.argsort(-self.totals[at] if falling else self.totals[at], kind="stable")
        return replace(
            self,
            rank_table=self.rank_table.select([self.runs[run] for run in order]),
            values=self.values[:, order],
            totals=self.totals[:, order],
        )

    def plot(
        self, path: str | Path | None = None, *, sort: str | None = None, highlight: Sequence[str] | None = None
    ) -> Figure:
        """Draw the runs sorted by one measure, and write the figure if a path is given.

        Args:
            path: A file ending in .svg, .png or .pdf.
            sort: The measure, by default the first.
            highlight: The runs whose names are bold.
        """
        return draw(self, path, sort=sort, highlight=highlight)

    def table(self) -> Table:
        """One row per run; the best of each column is marked, unless runs are scored on different topics."""
        never = self.never()
        rows = tuple((name, *map(format_total, self.totals[:, at], never[:, at])) for at, name in enumerate(self.runs))
        missing = self.rank_table.missing[:, self.evaluated]
        uneven = self.missing == "skip" and bool((missing != missing[:1]).any())
        better = [None if uneven else m.definition.better for m in self.measures]
        return Table(
            columns=("run", *map(str, self.measures)),
            rows=rows,
            notes=self.notes(),
            best=best_of([list(map(float, column)) for column in self.totals], better),
        )

    def per_topic(self) -> Table:
        """One row per run and topic. Measures that are defined only for sets of topics have no value here."""
        rows = tuple(
            (run, self.rank_table.topics[t], *self._topic_values(r, t))
            for r, run in enumerate(self.runs)
            for t in np.flatnonzero(self.evaluated).tolist()
        )
        return Table(("run", "topic", *map(str, self.measures)), rows, notes=self.notes(per_topic=True))

    def to_polars(self, *, per_topic: bool = False) -> pl.DataFrame:
        """A frame with one row per run, or per run and topic."""
        import polars as pl

        names = [*map(str, self.measures)]
        numbers = dict.fromkeys(names, pl.Float64)
        if per_topic:
            schema = {"run": pl.String, "topic_id": pl.String, **numbers}
            return pl.DataFrame(self.per_topic().rows, schema, orient="row", nan_to_null=True)
        columns = {"run": self.runs, **dict(zip(names, self.totals, strict=True))}
        return pl.DataFrame(columns, {"run": pl.String, **numbers}, nan_to_null=True)

    def to_pandas(self, *, per_topic: bool = False) -> pd.DataFrame:
        """The same as a pandas frame, which must be installed."""
        return make_pandas(self.to_polars(per_topic=per_topic).to_dict(as_series=False))

    def to_dict(self, *, per_topic: bool = False) -> dict[str, Any]:
        """What `antecede evaluate --json` prints."""
        counts = count_irregularities(self.rank_table)
        answered = count_answered(self.rank_table, self.no_relevant)
        never = self.never()
        names = [*map(str, self.measures)]
        runs = []
        for r, run in enumerate(self.runs):
            entry: dict[str, Any] = {
                "name": run,
                "scores": dict(zip(names, self.totals[:, r], strict=True)),
                "counts": counts[r],
            }
            if self.missing == "skip" and answered[r] < len(self.topics):
                entry["topics"] = int(answered[r])
            if never[:, r].any():
                entry["never"] = {name: count for name, count in zip(names, never[:, r].tolist(), strict=True) if count}
            if per_topic:
                entry["per_topic"] = self.scores_of_run(r)
            runs.append(entry)
        result: dict[str, Any] = {"topics": len(self.topics), "measures": names}
        if self.rank_table.without_relevant.any():
            result["topics_without_relevant"] = int(self.rank_table.without_relevant.sum())
        if left_out := self.left_out():
            result["topics_left_out"] = left_out
        return dict(to_json({**result, "runs": runs}))

    def scores_of_run(self, run: str | Path | int) -> dict[str, dict[str, float | None]]:
        """The scores of one run, given by its name or its place, by topic and measure."""
        run = self._find_run(run)
        skipped = self.rank_table.missing[run] & (self.missing == "skip")
        names = [*map(str, self.measures)]
        by_topic = {
            self.rank_table.topics[t]: dict(zip(names, self._topic_values(run, t), strict=True))
            for t in np.flatnonzero(self.evaluated & ~skipped).tolist()
        }
        return dict(to_json(by_topic))

    def _find_run(self, run: str | Path | int) -> int:
        """The place of a run."""
        if isinstance(run, str | os.PathLike):
            return self.runs.index(self.rank_table.find_run(run))
        try:
            return range(len(self.runs))[run]
        except (IndexError, TypeError):
            known = ", ".join(map(printable, self.runs[:3])) + (" …" if len(self.runs) > 3 else "")
            raise UsageError(
                f"run must be the name of a run ({known}) or a number below {len(self.runs)}, not {describe_given(run)}"
            ) from None

    def _topic_values(self, run: int, topic: int) -> list[float | None]:
        """The values of one topic; None where a measure is defined only for sets of topics."""
        values = zip(self.measures, self.values[:, run, topic].tolist(), strict=True)
        return [None if measure.definition.aggregate_only else value for measure, value in values]

    def to_trec_eval(self, *, run_id: bool = False) -> str:
        """The scores of one run as trec_eval -q prints them: measure, topic and value, all topics and then `all`.

        With `run_id`, the tag of the run comes first among the totals, as trec_eval prints it for groups of measures.
        """
        if len(self.runs) != 1:
            raise UsageError(f"the format of trec_eval has no column for the run; give one run, not {len(self.runs)}")
        names = write_trec_eval_names(self.measures)
        lines: list[tuple[str, str, str]] = []
        for t in sorted(np.flatnonzero(self.evaluated), key=lambda t: self.rank_table.topics[t].encode()):
            for name, measure, value in zip(names, self.measures, self.values[:, 0, t], strict=True):
                if not measure.definition.aggregate_only and measure.definition.name != "NumQ" and not np.isnan(value):
                    lines.append((name, self.rank_table.topics[t], format_trec_eval(measure, value)))
        if run_id:
            lines.append(("runid", "all", self.rank_table.labels.get(self.runs[0], self.runs)[-1]))
        totals = zip(names, self.measures, self.totals[:, 0], strict=True)
        lines += [(name, "all", format_trec_eval(measure, value)) for name, measure, value in totals]
        return "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in lines)

    def notes(self, *, per_topic: bool = False) -> tuple[str, ...]:
        """What a reader of the table must know: the number of topics, what was left out, and irregularities."""
        aggregates = [str(m) for m in self.measures if m.definition.aggregate_only]
        only = [f"{', '.join(aggregates)}: defined for a set of topics only"] if aggregates and per_topic else []
        return (
            f"{len(self.topics)} topics",
            *self._describe_left_out(),
            *only,
            *list_warnings(self.rank_table, self.missing, self.no_relevant, self.measures),
            *self.order_conflicts(),
        )

    def _describe_left_out(self) -> tuple[str, ...]:
        left_out = self.left_out().items()
        return tuple(f"{count} topics have no document relevant enough for {name}" for name, count in left_out)

    def caveats(self) -> tuple[str, ...]:
        """What the input lacks or is doubtful, and how it is scored: a line for each kind, with the runs concerned."""
        return self._describe_left_out() + list_caveats(self.rank_table, self.missing, self.no_relevant, self.measures)

    def order_conflicts(self) -> tuple[str, ...]:
        """A line on the runs whose scores contradict their rank column, or are equal: the score in both readings.

        Of several runs, the one whose score changes most is shown.
        """
        runs, why = list_order_conflicts(self.rank_table)
        if not runs:
            return ()
        scored = np.isfinite(self.totals).any(axis=1)
        at = int(scored.argmax())  # the first measure has no score if none is relevant
        measure, totals = self.measures[at], dict(zip(self.runs, self.totals[at].tolist(), strict=True))
        they = f"{why}. {'It is' if len(runs) == 1 else 'They are'} read by score, as in trec_eval"
        others = {run: self._total_in_other_order(run, measure) for run in runs if run in self.rank_table.other_orders}
        if not others or not scored.any():
            return (f"{they}; {READINGS['rank']} with {spell('order', 'rank')} where the runs are read",)
        run = max(others, key=lambda name: float(np.nan_to_num(abs(others[name] - totals[name]))))
        order = self.rank_table.other_orders[run].order
        both = f"{measure} {totals[run]:.4f}; {READINGS[order]} ({spell('order', order)}): {measure} {others[run]:.4f}"
        return (f"{they}: {both}" if len(runs) == 1 else f"{they}. The largest change is that of {run}: {both}",)

    def _total_in_other_order(self, run: str, measure: Measure) -> float:
        """The total of a run as its rank column, or the order of its file, ranks it."""
        table = self.rank_table.in_other_order(run)
        scores = evaluate(table, measure, missing=self.missing, no_relevant=self.no_relevant)
        return float(scores.totals[0, 0])


def evaluate(
    table: RankTable,
    measures: Measures = DEFAULT_MEASURES,
    *,
    rel: Annotated[
        int | None,
        RELEVANCE,
        Help("The lowest relevance that counts as relevant, unless a measure sets it.", default="1"),
    ] = None,
    missing: Annotated[
        Missing,
        Help("A topic of the qrels that a run lacks: scores 0, or is left out of that run's mean.", heading=READING),
    ] = "zero",
    no_relevant: Annotated[
        NoRelevant,
        Help(
            "A topic without a relevant document: is left out of the mean, or scores 0 (as trec_eval).",
            heading=READING,
        ),
    ] = "skip",
) -> Scores:
    """Score every run of a rank table.

    Args:
        table: The rank table, from `rank_table`.
        measures: The measures: names such as `PRES@1000`, separated by commas or in a list, or `Measure` objects.
    """
    require_table(table, "evaluate")
    for name, value, choices in (("missing", missing, Missing), ("no_relevant", no_relevant, NoRelevant)):
        if value not in get_args(choices):
            raise UsageError(f"{name}: there is no {value!r}; choose one of {', '.join(get_args(choices))}")
    chosen = parse_measures(measures, rel=rel)
    values = np.array([measure.score(table.ranks, no_relevant=no_relevant) for measure in chosen])
    if missing == "skip":
        values[:, table.missing] = np.nan
    totals = np.array([measure.aggregate(each) for measure, each in zip(chosen, values, strict=True)])
    return Scores(table, chosen, values, totals, missing, no_relevant)


def require_scores(measures: Iterable[Measure], values: NDArray[np.float64], table: RankTable) -> None:
    """Refuse a measure for which no document is relevant enough, so that no topic has a score.

    Args:
        measures: The measures.
        values: Their scores or totals, float64[measures, …].
        table: The rank table from which they were computed.
    """
    highest = int(table.ranks.relevance.max(initial=-1))
    for measure, of_measure in zip(measures, values, strict=True):
        if highest < measure.rel and np.isnan(of_measure).all():
            raise UsageError(
                f"{measure}: no topic has a document of relevance {measure.rel} or more (the highest is {highest}), so "
                "there is nothing to score; leave the measure out, or set a lower rel"
            )


def find_measure(notation: str, measures: tuple[Measure, ...]) -> int:
    """The index of a measure, given in any of its notations."""
    wanted = parse_measure(notation)
    if wanted not in measures:
        raise UsageError(f"{wanted} was not evaluated; there are {', '.join(map(str, measures))}")
    return measures.index(wanted)


def format_total(value: float, never: int) -> float | str:
    """A run's total as it is shown: for an infinite one, the number of topics that never reach the target."""
    return f"never: {never}" if np.isinf(value) and never else float(value)


def format_trec_eval(measure: Measure, value: float) -> str:
    """A value as trec_eval prints it: counts without decimals, other numbers with four."""
    return f"{value:.0f}" if is_whole_number(measure) and np.isfinite(value) else f"{value:.4f}"
