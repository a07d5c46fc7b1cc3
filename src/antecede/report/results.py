"""The contents of a report: the results of an experiment in parts, one per set of topics (a language, for example)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.comparison import Agreement, Comparison, Correlations
    from antecede.evaluation import Audit, RankTable, Scores
    from antecede.study import Cutoffs, Robustness
    from antecede.study.judges import JudgeComparison
    from antecede.study.published import Published
    from antecede.study.retrievability import Retrievability
    from antecede.study.term_counts import TermCounts


@dataclass(frozen=True, eq=False)
class KeptStudy:
    """The tables of a study that was kept because it cannot be made again from the ranks alone; its figure is a file.

    It has what the report shows of a study.
    """

    figure: str
    """The name of its figure."""
    shown: tuple[Table, ...]

    def table(self) -> Table:
        return self.shown[0]

    def tables(self) -> tuple[Table, ...]:
        return self.shown

    def to_dict(self) -> dict[str, Any]:
        """The tables in a JSON-compatible form."""
        return {"figure": self.figure, "tables": [table.to_document() for table in self.shown]}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> KeptStudy:
        """The study that `to_dict` wrote."""
        return cls(document["figure"], tuple(map(Table.from_document, document["tables"])))


if TYPE_CHECKING:
    OfRuns = Agreement | Correlations | Cutoffs | JudgeComparison | Robustness
    MadeStudy = OfRuns | Published | Retrievability | TermCounts
    Study = MadeStudy | KeptStudy

Queries = Mapping[str, Mapping[str, float]]
"""Topic → term → weight, in descending order of weight."""


@dataclass(frozen=True)
class RunFacts:
    """What is known about a run besides its rankings; nothing for an external run."""

    method: str = ""
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of query construction and search."""
    terms: float | None = None
    """Mean number of query terms per topic."""
    milliseconds: float | None = None
    """Mean time per topic, from its text to its ranking."""
    making: float | None = None
    """The share of that time, in milliseconds, spent on building the query."""
    notes: tuple[str, ...] = ()
    """Messages about topics, including those without results and the reason."""


@dataclass(frozen=True, eq=False)
class ReportPart:
    """Runs over one set of topics: their scores, figures and topics in the report."""

    name: str
    """A short, unique name of letters and digits."""
    title: str
    ranks: RankTable
    scores: Scores
    audit: Audit
    comparison: Comparison | None = None
    """The comparison with the baseline; None for a single run."""
    studies: Mapping[str, Study] = field(default_factory=dict)
    """By the name of the verb: agreement, correlation, cutoffs, robustness, query_length and others."""
    runs: Mapping[str, RunFacts] = field(default_factory=dict)
    queries: Callable[[str], Queries] = lambda _: {}
    """The queries of a run, read on demand; empty for an external run."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The known titles of topics and of judged documents."""
    figures: Mapping[str, bytes] = field(default_factory=dict)
    """SVG files of figures that are drawn already, by name; the report draws the others."""
    notes: tuple[str, ...] = ()

    @property
    def best_run(self) -> int:
        """The index of the best run by the first measure."""
        totals = self.scores.totals[0] * self.direction(0)
        return int(np.argmax(np.where(np.isnan(totals), -np.inf, totals)))

    @property
    def baseline_run(self) -> int | None:
        """The index of the baseline of the comparison, if there is one."""
        name = self.comparison.baseline if self.comparison is not None else None
        return self.scores.runs.index(name) if name in self.scores.runs else None

    def direction(self, measure: int) -> int:
        """1 where higher scores are better, −1 where lower scores are."""
        return -1 if self.scores.measures[measure].definition.better == "lower" else 1

    @property
    def topic_measures(self) -> list[int]:
        """The indices of the measures that are defined for a single topic."""
        return [at for at, measure in enumerate(self.scores.measures) if not measure.definition.aggregate_only]


@dataclass(frozen=True, eq=False)
class ReportContents:
    """The contents of a report."""

    title: str
    parts: tuple[ReportPart, ...]
    record: Mapping[str, Any] = field(default_factory=dict)
    """What is needed to repeat the experiment: versions, options, seeds, checksums, machine, dates, steps."""
