"""The report: one HTML file with all tables, figures and topics of an experiment, which needs only a browser.

    from antecede.report.html import write_report
    write_report(results, Path("report.html"))

The page loads nothing and runs only its own script, and names from users' files are always shown as text, never
interpreted as markup. The same results give the same bytes.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from antecede.files import write_whole
from antecede.report.display_text import clean, clean_name, clean_title, count_noun
from antecede.report.input_sections import describe_record, format_date, make_glossary, make_input
from antecede.report.score_sections import make_comparison, make_overview, make_scores, make_studies
from antecede.report.topic_section import make_topics

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.report.results import ReportContents

SCRIPTS = ("report.js", "topics.js")
"""In order: the second uses the first."""


def write_report(results: ReportContents, path: Path) -> None:
    """Write the report to a file, atomically."""
    write_whole(path, render_report(results).encode())


def render_report(results: ReportContents) -> str:
    """The report as HTML."""
    glossary, explained = make_glossary(results.parts)
    templates = files("antecede.report") / "templates"
    script = "\n".join((templates / name).read_text(encoding="utf-8") for name in SCRIPTS)
    environment = Environment(
        loader=PackageLoader("antecede.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    parts = []
    for number, part in enumerate(results.parts, 1):
        anchor = part.name if part.name.isidentifier() else f"part-{number}"
        runs, topics = count_noun(len(part.scores.runs), "run"), count_noun(len(part.scores.topics), "topic")
        view = {
            "anchor": anchor,
            "title": clean_title(part.title) or clean_name(part.name),
            "facts": f"{runs}, {topics} evaluated",
            "notes": [clean(note) for note in part.notes],
            "input": make_input(part),
            "scores": make_scores(part, anchor, explained),
            "comparison": make_comparison(part, anchor, explained),
            "studies": make_studies(part, anchor, explained),
            "topics": make_topics(part, anchor),
        }
        parts.append(view)
    return environment.get_template("report.html").render(
        title=clean_title(results.title) or "Report",
        date=format_date(str(results.record.get("ended", ""))),
        record=describe_record(results.record) if results.record else [],
        overview=make_overview(results.parts, explained),
        parts=parts,
        glossary=glossary,
        script=script,
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        style=(templates / "report.css").read_text(encoding="utf-8"),
    )
