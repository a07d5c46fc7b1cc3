"""The search report as a document for word processors (DOCX): what the page `report.html` says, in the same order."""

from __future__ import annotations

import io
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from docx.document import Document
    from docx.text.paragraph import Paragraph

    from antecede.review.exports import DocumentFacts
    from antecede.review.marks import Mark
    from antecede.review.search_history import SearchRow
    from antecede.review.store import CaseRow
    from antecede.review.views import Cell, Chart, PassageView, Progress, TopicSummary
    from antecede.search.facets import CollectionCoverage

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TERMS = 12
"""The terms of a search that a report names."""


def write_report(
    *,
    case: CaseRow,
    topic: TopicSummary,
    cited: Sequence[Mark],
    facts: Mapping[str, DocumentFacts],
    passages: Mapping[str, Sequence[PassageView]],
    chart: Chart,
    cells: Mapping[tuple[int, str], Cell],
    searches: Sequence[SearchRow],
    progress: Progress,
    index: Mapping[str, str],
    coverage: CollectionCoverage,
    version: str,
    across: int,
    **_: Any,
) -> bytes:
    """The report as the bytes of a file; the claim chart has so many documents beside each other."""
    import docx

    document = docx.Document()
    properties = document.core_properties
    properties.title, properties.author = _plain(f"Search report: {case.name}"), _plain(case.user)
    properties.comments, properties.created = f"Made with antecede {version}.", _time_of(case.changed)
    document.add_heading(_plain(case.name), 0)
    document.add_heading("Application", 1)
    date = f"{topic.date} ({topic.date_is} date)" if topic.date else "not known"
    _add_facts(
        document,
        (
            ("Number", topic.doc_id if topic.source != "text" else ""),
            ("Title", topic.title),
            ("Relevant date", date),
            ("Language", topic.language or "not known"),
            ("Applicants", "; ".join(topic.applicants)),
            ("IPC", "; ".join(topic.ipc)),
            ("CPC", "; ".join(topic.cpc)),
            ("Claims", str(len(topic.claims) or "none")),
            ("Notes", case.notes),
        ),
    )
    document.add_heading("Documents considered relevant", 1)
    _add_cited(document, cited, facts, passages)
    document.add_heading("Claim chart", 1)
    _add_chart(document, chart, cells, across)
    document.add_heading("Extent of the search", 1)
    _add_extent(document, progress)
    document.add_heading("Searches", 1)
    rows = (
        (
            str(search.number),
            search.time[:16].replace("T", " "),
            search.user,
            ": ".join(filter(None, (search.name, search.label))),
            ", ".join(term["word"] for term in search.facts["terms"][:TERMS]),
            f"{search.facts['documents']['searched']:,}",
            f"{len(search.ranking):,}",
        )
        for search in searches
    )
    names = ("No.", "Time (UTC)", "User", "Query", "Terms with the largest weights", "Searched", "Retrieved")
    _add_table(document, names, rows, "Nothing was searched.")
    document.add_heading("What was searched", 1)
    years = f"{min(coverage.years)} to {max(coverage.years)}" if coverage.years else "none known"
    counts = [", ".join(f"{name} {n:,}" for name, n in of.items()) for of in (coverage.offices, coverage.languages)]
    _add_facts(
        document,
        (
            ("Index", f"{index['name']} (state {index['state'][:16]}), {coverage.documents:,} documents"),
            ("Years", f"{years}; {coverage.undated:,} without any date"),
            ("Offices", counts[0]),
            ("Languages", counts[1]),
        ),
    )
    document.add_paragraph(f"What is not in the index was not searched. Made with antecede {version}.")
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def _plain(text: str) -> str:
    """A text without the characters that a document cannot hold."""
    return NOT_IN_XML.sub(" ", text)


def _time_of(text: str) -> datetime:
    from datetime import datetime

    return datetime.fromisoformat(text).replace(tzinfo=None)


def _add_facts(document: Document, facts: Iterable[tuple[str, str]]) -> None:
    for name, value in facts:
        if value:
            paragraph = document.add_paragraph()
            paragraph.add_run(f"{name}: ").bold = True
            paragraph.add_run(_plain(value))


def _add_table(document: Document, names: Sequence[str], rows: Iterable[Sequence[str]], nothing: str) -> None:
    """A table whose first row is repeated on each page; a sentence where it has no row."""
    table = None
    for row in rows:
        if table is None:
            table = document.add_table(1, len(names), "Table Grid")
            for cell, name in zip(table.rows[0].cells, names, strict=True):
                cell.paragraphs[0].add_run(_plain(name)).bold = True
            _repeat_head(table.rows[0])
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = _plain(text)
    document.add_paragraph("" if table is not None else nothing)


def _repeat_head(row: Any) -> None:
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _add_cited(
    document: Document,
    cited: Sequence[Mark],
    facts: Mapping[str, DocumentFacts],
    passages: Mapping[str, Sequence[PassageView]],
) -> None:
    if not cited:
        document.add_paragraph("No document is marked as relevant or maybe.")
    for mark in cited:
        known = facts[mark.doc_id]
        document.add_heading(_plain(f"{mark.category or '–'}  {mark.doc_id}"), 2)
        document.add_paragraph(_plain(known.title or mark.title))
        about = (mark.relevance, f"claims {mark.claims}" if mark.claims else "", known.dates, known.applicants)
        document.add_paragraph(_plain(" · ".join(filter(None, about))))
        for passage in passages[mark.doc_id]:
            paragraph = document.add_paragraph(style="Quote")
            _add_runs(paragraph, passage)
            paragraph.add_run(f" ({passage.location})")
        _add_facts(document, (("Note", mark.note), ("Marked by", mark.user)))


def _add_runs(paragraph: Paragraph, passage: PassageView) -> None:
    """A passage with the words of the query in bold."""
    for run in passage.runs:
        marked = not isinstance(run, str)
        paragraph.add_run(_plain(run[0] if marked else str(run))).bold = marked


def _add_chart(document: Document, chart: Chart, cells: Mapping[tuple[int, str], Cell], across: int) -> None:
    if not chart.features or not chart.documents:
        document.add_paragraph(chart.note or "The chart is empty.")
    documents = iter(chart.documents)
    while beside := [*islice(documents, across)]:
        rows = (
            (
                f"{f'Claim {feature.claim}: ' if feature.claim else ''}{feature.text}",
                *(_cell_text(cells[feature.id or 0, each.doc_id]) for each in beside),
            )
            for feature in chart.features
        )
        _add_table(document, ("Feature", *(f"{each.doc_id} {each.title}" for each in beside)), rows, "")


def _cell_text(cell: Cell) -> str:
    place = f" ({cell.location})" if cell.location else " (edited)" if cell.edited else ""
    return f"{cell.text or '–'}{place}"


def _add_extent(document: Document, progress: Progress) -> None:
    counts = f"{progress.relevant} relevant, {progress.maybe} maybe, {progress.not_} not relevant"
    document.add_paragraph(f"{progress.read} of {progress.documents:,} documents were read and marked: {counts}.")
    if progress.read:
        document.add_paragraph(" ".join(_describe_advice(progress)))
    for estimate in progress.estimates:
        low, high = (
            f"{end:,.0f}" if end is not None and end < 1e15 else "any number" for end in (estimate.low, estimate.high)
        )
        document.add_paragraph(
            f"{estimate.title}: between {low} and {high} relevant documents ({100 * estimate.level:.0f} %), if "
            f"{estimate.assumption}."
        )
    for note in progress.notes:
        if "`" not in note:  # what names a command is for the searcher, not for the client
            document.add_paragraph(_plain(note), style="List Bullet")


def _describe_advice(progress: Progress) -> Iterator[str]:
    yield "The search may stop." if progress.advice.stop else "The search is not yet complete."
    yield f"{progress.advice.reason[:1].upper()}{progress.advice.reason[1:]}."
    if progress.advice.more:
        yield f"About {progress.advice.more:,} more documents would have to be read, if none of them is relevant."
    yield f"{progress.advice.rule[:1].upper()}{progress.advice.rule[1:]}."
