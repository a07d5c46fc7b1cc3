"""The sections of the report on what went in: qrels and runs, the measures, and the record of the experiment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from antecede.evaluation.audit import ALWAYS, QRELS_COUNTS, list_runs
from antecede.measures.names import find_measure
from antecede.report.display_text import clean, clean_lines, clean_name, count_noun
from antecede.report.page import Explained, PageTable, make_table
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.evaluation import Audit
    from antecede.measures.definition import MeasureDefinition
    from antecede.report.results import Part
    from antecede.tables import Value

HARMLESS = frozenset({*ALWAYS, "comments"})
"""Counts that are not findings."""
MAX_NOTES = 200
"""Notes shown per run; the number of omitted notes is given."""


def make_input(part: Part) -> dict[str, Any]:
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


def _make_settings_table(part: Part) -> PageTable | None:
    """One row per run: method, model, settings; settings shared by all runs are given once, below the table."""
    facts = {run: part.runs[run] for run in part.scores.runs if run in part.runs}
    facts = {run: fact for run, fact in facts.items() if fact.method or fact.model or fact.settings}
    if not facts:
        return None
    first, *others = (fact.settings for fact in facts.values())
    shared = {name: value for name, value in first.items() if all(name in o and o[name] == value for o in others)}
    if not others:
        shared = {}
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


def make_glossary(parts: Iterable[Part]) -> tuple[list[dict[str, Any]], Explained]:
    """An entry for every measure that appears in a table, by name; and the anchor of each measure as written."""
    entries: dict[str, dict[str, Any]] = {}
    explained: dict[str, str] = {}
    for written in [
        str(measure) for part in parts for of in (part.scores, *part.studies.values()) for measure in of.measures
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
DATE_KEYS = ("finished", "ended", "when", "date", "written", "started", "begun")
"""Keys under which a record may give its date, in order of preference."""


def describe_record(value: Any) -> Any:
    """A record for the templates: mappings as lists of pairs, and everything else as a text; of sets, in order."""
    if isinstance(value, Mapping):
        return [(clean(str(name)), describe_record(inner)) for name, inner in value.items()] or "–"
    if isinstance(value, str):
        return clean_lines(value) if "\n" in value.strip() else clean(value.strip())
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
        values = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
        if all(_is_simple(item) for item in values):
            return ", ".join(clean(str(item)) for item in values) or "–"
        return [(str(place), describe_record(item)) for place, item in enumerate(values, 1)]
    return "–" if value is None else clean(str(value))


def _is_simple(value: Any) -> bool:
    """Whether a value is a scalar that fits on one line."""
    scalar = isinstance(value, str | int | float | bool) or value is None
    return scalar and "\n" not in str(value)


def find_date(record: Mapping[str, Any]) -> str:
    """The date of the experiment as people write it; empty where the record gives none."""
    places = [record, *(value for value in record.values() if isinstance(value, Mapping))]
    dates = (place[key] for key in DATE_KEYS for place in places if key in place and _is_simple(place[key]))
    return _format_date(clean(str(next(dates, "") or "")))


def _format_date(text: str) -> str:
    """`15 November 2026, 08:02 UTC` for an ISO date; any other text as it is."""
    try:
        moment = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        return text
    day = f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
    if "T" not in text and ":" not in text:
        return day
    zone = "UTC" if text.endswith(" UTC") else (moment.tzname() or "")
    return f"{day}, {moment:%H:%M} {zone}".strip()
