"""The audit of a part's input: what was found first, and a quiet line where nothing was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.evaluation.audit import ALWAYS, QRELS_SHOWN, named
from antecede.report.sections.grids import Grid, grid
from antecede.report.sections.texts import clean, counted

if TYPE_CHECKING:
    from antecede.evaluation import Audit

HARMLESS = frozenset({*ALWAYS, "comments"})
"""Counts that are no finding."""


@dataclass(frozen=True)
class Findings:
    """What is odd, a line each; and all counts."""

    qrels: str
    lines: tuple[str, ...]
    quiet: str
    """What is said where nothing is odd."""
    table: Grid


def findings(audit: Audit) -> Findings:
    """Every kind of oddity that the qrels or some run has; shares of unjudged documents stand in the table only."""
    q = audit.qrels
    lines = [f"Qrels: {q[key]:,} {meaning}." for key, meaning in QRELS_SHOWN.items() if q.get(key)]
    for key in [key for key in audit.counts[0] if key not in HARMLESS and not key.startswith("unjudged@")]:
        found = [(run, count[key]) for run, count in zip(audit.runs, audit.counts, strict=True) if count[key]]
        if found:
            meaning = audit.meaning(key)
            lines.append(f"{meaning[0].upper()}{meaning[1:]}: {clean(named(found, len(audit.runs)))}.")
    quiet = f"Nothing odd was found in the qrels and {counted(len(audit.runs), 'run')}."
    table = grid(audit.table(), caption="Counts of the audit, a row a run")
    summary = f"Qrels: {counted(q['topics'], 'topic')}, {q['relevant']:,} relevant of {q['judged']:,} judged documents."
    return Findings(summary, tuple(lines), quiet, table)
