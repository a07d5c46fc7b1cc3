"""Results again from the folder of an experiment: the ranks are read, and the same numbers come out of them."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError
from antecede.experiment.digests import MARK, hashed
from antecede.experiment.evaluated import RANKS, TITLES, EvaluatedPart
from antecede.experiment.folder import read_record
from antecede.report.results import Results

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AGAIN = "run `antecede experiment` again"


def load(folder: str | Path) -> Results:
    """Load the results that an experiment saved.

    Args:
        folder: The output folder of the experiment.
    """
    folder = Path(folder)
    record: dict[str, Any] = read_record(folder)
    check_outputs(folder, record["outputs"])
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
        raise InputError(what, source=str(folder), remedy=AGAIN) from None


def check_outputs(folder: Path, outputs: Mapping[str, str]) -> None:
    """Refuse results that are not those that the experiment wrote."""
    for name, known in outputs.items():
        path = folder / name
        if PurePath(name).name not in (RANKS, TITLES) and PurePath(name).parent.name != "queries":
            continue  # not read here
        try:
            found = MARK + hashed(path)
        except OSError as error:
            told = error.strerror or error
            raise InputError(f"{name} cannot be read ({told})", source=str(folder), remedy=AGAIN) from None
        if found != known:
            raise InputError(f"{name} was changed or is damaged", source=str(folder), remedy=AGAIN)


def results_of(parts: Iterable[EvaluatedPart], record: Mapping[str, Any]) -> Results:
    """All that a report shows."""
    return Results(record["title"], tuple(each.part() for each in parts), record)
