"""The report: one HTML file with all tables, figures and topics of an experiment, which needs only a browser.

    from antecede.report.html import write_report
    write_report(results, Path("report.html"))

The page loads nothing and runs only its own script, and names from users' files are always shown as text, never
interpreted as markup. The same results give the same bytes.
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

from antecede.files import write_whole
from antecede.report.display_text import clean, clean_name, clean_title, count_noun
from antecede.report.sections.comparison import ComparisonSection, make_comparison
from antecede.report.sections.glossary import make_glossary
from antecede.report.sections.input import InputSection, make_input
from antecede.report.sections.overview import make_overview
from antecede.report.sections.record import find_date, make_record
from antecede.report.sections.scores import ScoresSection, make_scores
from antecede.report.sections.studies import StudySection, make_studies
from antecede.report.sections.topics import TopicsSection, make_topics

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.report.page.tables import Explained
    from antecede.report.results import Part, Results

SCRIPTS = ("report.js", "topics.js")
"""In order: the second uses the first."""
SAFE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class PartView:
    """One part of the results, ready for the templates."""

    anchor: str
    title: str
    facts: str
    notes: tuple[str, ...]
    input: InputSection
    scores: ScoresSection
    comparison: ComparisonSection | None
    studies: tuple[StudySection, ...]
    topics: TopicsSection


def write_report(results: Results, path: Path) -> None:
    """Write the report to a file, atomically."""
    write_whole(path, render_report(results).encode())


def render_report(results: Results) -> str:
    """The report as HTML."""
    glossary = make_glossary(results.parts)
    anchors = make_anchors(results.parts)
    script, style = "\n".join(map(read_template, SCRIPTS)), read_template("report.css")
    return (
        make_environment()
        .get_template("report.html")
        .render(
            title=clean_title(results.title) or "Report",
            date=find_date(results.record),
            record=make_record(results.record),
            overview=make_overview(results.parts, glossary.explained),
            parts=[
                view_part(part, anchor, glossary.explained) for part, anchor in zip(results.parts, anchors, strict=True)
            ],
            glossary=glossary.entries,
            script=script,
            script_hash=b64encode(sha256(script.encode()).digest()).decode(),
            style=style,
        )
    )


def make_environment() -> Environment:
    """Templates that escape every value, and fail on undefined names."""
    return Environment(
        loader=PackageLoader("antecede.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def read_template(name: str) -> str:
    """A file of the template folder, verbatim."""
    return (files("antecede.report") / "templates" / name).read_text(encoding="utf-8")


def make_anchors(parts: tuple[Part, ...]) -> list[str]:
    """An id for each part: its name, unless that is not a valid id or not unique."""
    seen = Counter(part.name for part in parts)
    return [
        part.name if SAFE_NAME.fullmatch(part.name) and seen[part.name] == 1 else f"part-{number}"
        for number, part in enumerate(parts, 1)
    ]


def view_part(part: Part, anchor: str, explained: Explained) -> PartView:
    """All sections of a part."""
    scores = part.scores
    return PartView(
        anchor=anchor,
        title=clean_title(part.title) or clean_name(part.name),
        facts=f"{count_noun(len(scores.runs), 'run')}, {count_noun(len(scores.topics), 'topic')} evaluated",
        notes=tuple(clean(note) for note in part.notes),
        input=make_input(part),
        scores=make_scores(part, anchor, explained),
        comparison=make_comparison(part, anchor, explained),
        studies=make_studies(part, anchor, explained),
        topics=make_topics(part, anchor),
    )
