"""The outcome of an experiment, and its results loaded from its folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError
from antecede.experiment.digests import hash_file
from antecede.experiment.folder import RANKS, REPORT, TITLES, WORDS, read_record
from antecede.experiment.parts import EvaluatedPart, summarize_costs, summarize_scores
from antecede.report.results import Results
from antecede.results import concise_repr
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.experiment.step_runner import StepEvent

AGAIN = "run `antecede experiment` again"


@dataclass(frozen=True, eq=False)
class Outcome(Tabled):
    """The outcome of an experiment that was run."""

    __repr__ = concise_repr

    folder: Path
    parts: tuple[EvaluatedPart, ...]
    record: Mapping[str, Any]
    events: tuple[StepEvent, ...]
    """What happened to each step."""

    @cached_property
    def results(self) -> Results:
        """The contents of the report."""
        return make_results(self.parts, self.record)

    @property
    def report(self) -> Path:
        """The path of the report."""
        return self.folder / REPORT

    def tables(self) -> tuple[Table, ...]:
        """Scores with significance marks, and costs, for all parts."""
        found = (summarize_scores(self.parts), summarize_costs(self.parts))
        return tuple(table for table in found if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """The outcome in a JSON-compatible form."""
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
                    "notes": [*part.notes],
                }
                for part in self.parts
            ],
        }


def load_experiment(folder: str | Path) -> Results:
    """Load the results that an experiment saved: the ranks are read, and everything else is computed from them.

    Args:
        folder: The output folder of the experiment.
    """
    folder = Path(folder)
    record = read_record(folder)
    check_outputs(folder, record["outputs"])
    try:
        options = record["options"]
        parts = [
            EvaluatedPart(folder / "parts" / part["name"], part["title"], options, part["runs"], part["notes"])
            for part in record["parts"]
        ]
        return make_results(parts, record)
    except (KeyError, TypeError, ValueError, OSError) as error:
        what = f"its record does not match its files ({type(error).__name__}: {error})"
        raise InputError(what, source=str(folder), remedy=AGAIN) from None


def check_outputs(folder: Path, outputs: Mapping[str, str]) -> None:
    """Refuse files that are not those that the experiment wrote."""
    for name, known in outputs.items():
        if PurePath(name).name not in (RANKS, TITLES, WORDS) and PurePath(name).parent.name != "queries":
            continue  # not read here
        try:
            found = hash_file(folder / name)
        except OSError as error:
            what = f"{name} cannot be read ({error.strerror or error})"
            raise InputError(what, source=str(folder), remedy=AGAIN) from None
        if found != known:
            raise InputError(f"{name} was modified or is damaged", source=str(folder), remedy=AGAIN)


def make_results(parts: Iterable[EvaluatedPart], record: Mapping[str, Any]) -> Results:
    """The contents of the report."""
    return Results(record["title"], tuple(each.to_report() for each in parts), record)
