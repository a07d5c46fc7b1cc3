"""The input of a part: the findings of the audit, how the runs were made, and notes on their topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.evaluation.audit import ALWAYS, QRELS_COUNTS, list_runs
from antecede.report.display_text import clean, clean_name, count_noun
from antecede.report.page.tables import PageTable, make_table
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from antecede.evaluation import Audit
    from antecede.report.results import Part
    from antecede.tables import Value

HARMLESS = frozenset({*ALWAYS, "comments"})
"""Counts that are not findings."""
MAX_NOTES = 200
"""Notes shown per run; the number of omitted notes is given."""


@dataclass(frozen=True)
class RunNotes:
    """Notes on the topics of a run."""

    run: str
    notes: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class InputSection:
    """The section on the input."""

    qrels: str
    """A summary of the qrels."""
    findings: tuple[str, ...]
    """One line per finding."""
    no_findings: str
    """The line shown where there are none."""
    counts: PageTable
    settings: PageTable | None
    run_notes: tuple[RunNotes, ...]


def make_input(part: Part) -> InputSection:
    """The section on the input of a part."""
    audit = part.audit
    topics, relevant, judged = (audit.qrels[key] for key in ("topics", "relevant", "judged"))
    return InputSection(
        qrels=f"Qrels: {count_noun(topics, 'topic')}, {relevant:,} relevant of {judged:,} judged documents.",
        findings=tuple(list_findings(audit)),
        no_findings=f"No irregularities were found in the qrels and {count_noun(len(audit.runs), 'run')}.",
        counts=make_table(audit.table(), caption="Audit counts by run"),
        settings=make_settings_table(part),
        run_notes=collect_notes(part),
    )


def list_findings(audit: Audit) -> list[str]:
    """Every irregularity of the qrels or of some run; shares of unjudged documents appear only in the table."""
    lines = [f"Qrels: {audit.qrels[key]:,} {meaning}." for key, meaning in QRELS_COUNTS.items() if audit.qrels.get(key)]
    for key in [key for key in audit.counts[0] if key not in HARMLESS and not key.startswith("unjudged@")]:
        found = [(run, count[key]) for run, count in zip(audit.runs, audit.counts, strict=True) if count[key]]
        if found:
            meaning = audit.explain(key)
            lines.append(f"{meaning[0].upper()}{meaning[1:]}: {clean(list_runs(found, len(audit.runs)))}.")
    return lines


def make_settings_table(part: Part) -> PageTable | None:
    """One row per run: method, model, settings; settings shared by all runs are given once, below the table."""
    facts = {run: part.runs[run] for run in part.scores.runs if run in part.runs}
    facts = {run: fact for run, fact in facts.items() if fact.method or fact.model or fact.settings}
    if not facts:
        return None
    shared = find_shared([fact.settings for fact in facts.values()]) if len(facts) > 1 else {}
    rows: list[tuple[Value, ...]] = []
    for run, fact in facts.items():
        own = {name: value for name, value in fact.settings.items() if name not in shared}
        rows.append((run, clean(fact.method) or None, clean(fact.model) or None, format_settings(own) or None))
    columns = ("run", "method", "model", "settings")
    kept = [c for c, name in enumerate(columns) if name == "run" or any(row[c] is not None for row in rows)]
    table = Table(
        tuple(columns[c] for c in kept),
        tuple(tuple(row[c] if row[c] is not None else "–" for c in kept) for row in rows),
        notes=(f"Shared by all: {format_settings(shared)}.",) if shared else (),
    )
    return make_table(table, caption="How the runs were made")


def find_shared(settings: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The settings that have the same value in all of them."""
    first, *others = settings
    return {name: value for name, value in first.items() if all(name in o and o[name] == value for o in others)}


def format_settings(settings: Mapping[str, Any]) -> str:
    """`terms = 75, fields = title+claims`."""
    return clean(", ".join(f"{name} = {value}" for name, value in settings.items()))


def collect_notes(part: Part) -> tuple[RunNotes, ...]:
    """The notes of every run that has any."""
    return tuple(
        RunNotes(
            clean_name(run),
            tuple(clean(note) for note in part.runs[run].notes[:MAX_NOTES]),
            max(0, len(part.runs[run].notes) - MAX_NOTES),
        )
        for run in part.scores.runs
        if run in part.runs and part.runs[run].notes
    )
