"""What an experiment came to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from antecede.experiment.folder import REPORT
from antecede.experiment.loading import results_of
from antecede.experiment.written import costs, summary
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from antecede.experiment.evaluated import EvaluatedPart
    from antecede.experiment.steps import Event
    from antecede.report.results import Results


@dataclass(frozen=True, eq=False)
class Outcome(Tabled):
    """The outcome of an experiment that was run."""

    folder: Path
    parts: tuple[EvaluatedPart, ...]
    record: Mapping[str, Any]
    events: tuple[Event, ...]
    """The outcome of each step."""

    @cached_property
    def results(self) -> Results:
        """The results that the report shows."""
        return results_of(self.parts, self.record)

    @property
    def report(self) -> Path:
        """The path of the report."""
        return self.folder / REPORT

    def tables(self) -> tuple[Table, ...]:
        """The tables of a paper: scores with their marks, and costs, over all parts."""
        return tuple(table for table in (summary(self.parts), costs(self.parts)) if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "title": self.record["title"],
            "folder": str(self.folder),
            "report": str(self.report),
            "steps": self.record["steps"],
            "parts": [
                {
                    "name": part.name,
                    "title": part.title,
                    **part.scores.to_dict(),
                    "comparison": part.comparison.to_dict() if part.comparison is not None else None,
                    "facts": {name: dict(facts) for name, facts in part.facts.items()},
                    "notes": [*part.given_notes],
                }
                for part in self.parts
            ],
        }
