"""How the runs were made, and what was said of their topics on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.report.sections.grids import Grid, grid
from antecede.report.sections.texts import clean, name_of
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from antecede.report.results import Part
    from antecede.tables import Value

MOST_NOTES = 200
"""Notes of a run that are shown; how many more there are is said."""


@dataclass(frozen=True)
class RunNotes:
    """What was said of a run's topics."""

    run: str
    notes: tuple[str, ...]
    more: int


def made_grid(part: Part) -> Grid | None:
    """A row a run: method, model, settings; settings that all runs share are told once, below."""
    known = {run: part.runs[run] for run in part.scores.runs if run in part.runs}
    told = {run: fact for run, fact in known.items() if fact.method or fact.model or fact.settings}
    if not told:
        return None
    shared = shared_settings([fact.settings for fact in told.values()]) if len(told) > 1 else {}
    rows: list[tuple[Value, ...]] = []
    for run, fact in told.items():
        own = {name: value for name, value in fact.settings.items() if name not in shared}
        rows.append((run, clean(fact.method) or None, clean(fact.model) or None, spelt(own) or None))
    columns = ("run", "method", "model", "settings")
    kept = [c for c, name in enumerate(columns) if name == "run" or any(row[c] is not None for row in rows)]
    table = Table(
        tuple(columns[c] for c in kept),
        tuple(tuple(row[c] if row[c] is not None else "–" for c in kept) for row in rows),
        notes=(f"All of them: {spelt(shared)}.",) if shared else (),
    )
    return grid(table, caption="How the runs were made")


def shared_settings(settings: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What is set alike in all of them."""
    first, *others = settings
    return {name: value for name, value in first.items() if all(name in o and o[name] == value for o in others)}


def spelt(settings: Mapping[str, Any]) -> str:
    """`terms = 75, fields = title+claims`."""
    return clean(", ".join(f"{name} = {value}" for name, value in settings.items()))


def run_notes(part: Part) -> tuple[RunNotes, ...]:
    """The notes of every run that has any."""
    return tuple(
        RunNotes(
            name_of(run),
            tuple(clean(note) for note in part.runs[run].notes[:MOST_NOTES]),
            max(0, len(part.runs[run].notes) - MOST_NOTES),
        )
        for run in part.scores.runs
        if run in part.runs and part.runs[run].notes
    )
