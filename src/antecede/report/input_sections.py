"""The sections of the report on what went in: qrels and runs, the measures, and the record of the experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from antecede.evaluation.audit import ALWAYS, QRELS_COUNTS, list_runs
from antecede.measures.names import find_measure
from antecede.report.display_text import clean, clean_lines, clean_name, count_noun
from antecede.report.page import Explained, PageTable, make_table
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.evaluation import Audit
    from antecede.measures.definition import MeasureDefinition
    from antecede.report.results import ReportPart
    from antecede.tables import Value

HARMLESS = frozenset({*ALWAYS, "comments"})
"""Counts that are not findings."""
MAX_NOTES = 200
"""Notes shown per run; the number of omitted notes is given."""


def make_input(part: ReportPart) -> dict[str, Any]:
    """The section on the input of a part: the findings of the audit, how the runs were made, notes on their topics."""
    audit = part.audit
    topics, relevant, judged = (audit.qrels[key] for key in ("topics", "relevant", "judged"))
    notes = {run: part.runs[run].notes for run in part.scores.runs if run in part.runs}
    return {
        "qrels": f"Qrels: {count_noun(topics, 'topic')}, {relevant:,} relevant of {judged:,} judged documents.",
        "findings": _list_findings(audit),
        "no_findings": f"No irregularities were found in the qrels and {count_noun(len(audit.runs), 'run')}.",
        "counts": make_table(audit.table(), caption="Audit counts by run"),
        "settings": _make_settings_table(part),
        "run_notes": [
            {
                "run": clean_name(run),
                "notes": [clean(note) for note in lines[:MAX_NOTES]],
                "more": max(0, len(lines) - MAX_NOTES),
            }
            for run, lines in notes.items()
            if lines
        ],
    }


def _list_findings(audit: Audit) -> list[str]:
    lines = [f"Qrels: {audit.qrels[key]:,} {meaning}." for key, meaning in QRELS_COUNTS.items() if audit.qrels.get(key)]
    for key in [key for key in audit.counts[0] if key not in HARMLESS and not key.startswith("unjudged@")]:
        affected = [(run, count[key]) for run, count in zip(audit.runs, audit.counts, strict=True) if count[key]]
        if affected:
            meaning = audit.explain(key)
            lines.append(f"{meaning[0].upper()}{meaning[1:]}: {clean(list_runs(affected, len(audit.runs)))}.")
    return lines


def _make_settings_table(part: ReportPart) -> PageTable | None:
    """One row per run: method, model, settings; settings shared by all runs are given once, below the table."""
    known = {run: part.runs[run] for run in part.scores.runs if run in part.runs}
    facts = {run: fact for run, fact in known.items() if fact.method or fact.model or fact.settings}
    if not facts:
        return None
    first, *others = (fact.settings for fact in facts.values())
    shared = {name: value for name, value in first.items() if all(name in o and o[name] == value for o in others)}
    shared = shared if others else {}
    rows: list[tuple[Value, ...]] = []
    for run, fact in facts.items():
        own = {name: value for name, value in fact.settings.items() if name not in shared}
        rows.append((run, clean(fact.method) or None, clean(fact.model) or None, _format_settings(own) or None))
    columns = ("run", "method", "model", "settings")
    kept = [c for c in range(len(columns)) if any(row[c] is not None for row in rows)]
    table = Table(
        tuple(columns[c] for c in kept),
        tuple(tuple(row[c] if row[c] is not None else "–" for c in kept) for row in rows),
        notes=(f"Shared by all: {_format_settings(shared)}.",) if shared else (),
    )
    return make_table(table, caption="How the runs were made")


def _format_settings(settings: Mapping[str, Any]) -> str:
    """`terms = 75, fields = title+claims`."""
    return clean(", ".join(f"{name} = {value}" for name, value in settings.items()))


NAME = re.compile(r"[^(@]+")


def make_glossary(parts: Iterable[ReportPart]) -> tuple[list[dict[str, Any]], Explained]:
    """An entry for every measure that appears in a table, by name; and the anchor of each measure as written."""
    entries: dict[str, dict[str, Any]] = {}
    explained: dict[str, str] = {}
    for written in [
        str(measure)
        for part in parts
        for of in (part.scores, *part.studies.values())
        for measure in getattr(of, "measures", ())
    ]:
        definition = find_measure(NAME.findall(written)[0], written)
        entries.setdefault(definition.name, _make_entry(definition))
        explained[clean(written)] = entries[definition.name]["anchor"]
    return [entries[name] for name in sorted(entries, key=str.lower)], explained


def _make_entry(definition: MeasureDefinition) -> dict[str, Any]:
    text, _, example = definition.doc.partition("\n\n>>> ")
    summary, *paragraphs = (" ".join(block.split("\n")) for block in text.replace("`", "").split("\n\n"))
    return {
        "anchor": f"measure-{definition.name}",
        "name": definition.name,
        "usage": definition.usage,
        "summary": summary,
        "paragraphs": paragraphs,
        "example": f">>> {example}".rstrip() if example else "",
        "cite": definition.cite,
        "trec_eval": definition.other_names,
    }


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
"""In English whatever the locale."""


def describe_record(value: Any) -> Any:
    """A record, which is JSON-compatible, for the templates: mappings as lists of pairs, everything else as a text."""
    if isinstance(value, Mapping):
        return [(clean(str(name)), describe_record(inner)) for name, inner in value.items()] or "–"
    if isinstance(value, str):
        return clean_lines(value) if "\n" in value.strip() else clean(value.strip())
    if not isinstance(value, list | tuple):
        return "–" if value is None else str(value)
    if any(isinstance(item, Mapping | list | tuple) or "\n" in str(item) for item in value):
        return [(str(place), describe_record(item)) for place, item in enumerate(value, 1)]
    return ", ".join(clean(str(item)) for item in value) or "–"


def format_date(text: str) -> str:
    """`15 November 2026, 08:02 UTC` for an ISO time; any other text as it is."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return clean(text)
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} {moment.tzname() or ''}".strip()
