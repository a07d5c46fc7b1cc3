"""Results again from the folder of an experiment: the ranks are read, and the same numbers come out of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError
from antecede.experiment.evaluated import EvaluatedPart
from antecede.experiment.folder import read_record
from antecede.report.results import Results

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def load(folder: str | Path) -> Results:
    """The results that an experiment saved."""
    folder = Path(folder)
    record: dict[str, Any] = read_record(folder)
    try:
        parts = [
            EvaluatedPart(
                folder / "parts" / part["name"], part["title"], record["options"], part["runs"], part["notes"]
            )
            for part in record["parts"]
        ]
        return results_of(parts, record)
    except (KeyError, TypeError, ValueError, OSError) as error:
        what = f"its record does not fit what is there ({type(error).__name__}: {error})"
        raise InputError(what, source=str(folder), remedy="run `antecede experiment` again") from None


def results_of(parts: Iterable[EvaluatedPart], record: Mapping[str, Any]) -> Results:
    """All that a report shows."""
    return Results(record["title"], tuple(each.part() for each in parts), record)
