"""The report: one HTML file with all tables, figures and topics of an experiment, that needs nothing but a browser.

    from antecede.report.html import write_report
    write_report(results, Path("report.html"))

The page loads nothing, runs only the script it was written with, and shows somebody else's names as text, whatever
they hold. The same results give the same bytes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from antecede.report.sections import overview, standings, studies
from antecede.report.sections.charts import mean_intervals
from antecede.report.sections.findings import Findings, findings
from antecede.report.sections.glossary import glossary
from antecede.report.sections.record import leaves, when
from antecede.report.sections.runs import RunNotes, made_grid, run_notes
from antecede.report.sections.texts import clean, counted, name_of, title_of
from antecede.report.sections.topics import Topics, topics
from antecede.whole_files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.report.results import Part, Results
    from antecede.report.sections.grids import Explained, Grid
    from antecede.report.sections.inline_svg import Picture

SCRIPTS = ("report.js", "topics.js")
"""In this order: the second uses the first."""
SAFE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Section:
    """One part of the results, ready for the page."""

    anchor: str
    title: str
    facts: str
    notes: tuple[str, ...]
    findings: Findings
    scores: Grid
    details: Grid | None
    made: Grid | None
    run_notes: tuple[RunNotes, ...]
    pictures: dict[str, Picture]
    intervals: Picture | None
    studies: tuple[studies.Shown, ...]
    topics: Topics


def write_report(results: Results, path: Path) -> None:
    """Write the report to a file, whole or not at all."""
    write_whole(path, page(results).encode())


def page(results: Results) -> str:
    """The report as HTML."""
    words = glossary(results.parts)
    anchors = anchors_of(results.parts)
    parts = [section(part, anchor, words.explained) for part, anchor in zip(results.parts, anchors, strict=True)]
    script, style = "\n".join(map(template_text, SCRIPTS)), template_text("report.css")
    return (
        environment()
        .get_template("report.html")
        .render(
            title=title_of(results.title) or "Report",
            when=when(results.record),
            facts=overview.facts(results.parts),
            record=leaves(results.record),
            headline=overview.headline(results.parts, words.explained),
            methods=overview.methods_by_part(results.parts, words.explained),
            robustness=overview.robustness_by_part(results.parts, words.explained),
            parts=parts,
            glossary=words.entries,
            script=script,
            script_hash=b64encode(sha256(script.encode()).digest()).decode(),
            style=style,
        )
    )


def environment() -> Environment:
    """Templates that escape everything, and fail where they name what is not there."""
    return Environment(
        loader=PackageLoader("antecede.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def template_text(name: str) -> str:
    """A file of the templates as it stands."""
    return (files("antecede.report") / "templates" / name).read_text(encoding="utf-8")


def anchors_of(parts: tuple[Part, ...]) -> list[str]:
    """An id for each part: its name, unless that is no id or another part has it too."""
    seen = Counter(part.name for part in parts)
    return [
        part.name if SAFE_NAME.fullmatch(part.name) and seen[part.name] == 1 else f"part-{number}"
        for number, part in enumerate(parts, 1)
    ]


def section(part: Part, anchor: str, explained: Explained) -> Section:
    """All that the page shows of a part."""
    scores = part.scores
    facts = f"{counted(len(scores.runs), 'run')}, {counted(len(scores.topics), 'topic')} evaluated"
    return Section(
        anchor=anchor,
        title=title_of(part.title) or name_of(part.name),
        facts=facts,
        notes=tuple(clean(note) for note in part.notes),
        findings=findings(part.audit),
        scores=standings.scores_grid(part, explained),
        details=standings.details_grid(part, explained),
        made=made_grid(part),
        run_notes=run_notes(part),
        pictures=studies.pictures(part, anchor),
        intervals=mean_intervals(part),
        studies=studies.studies(part, anchor, explained),
        topics=topics(part, anchor),
    )
