"""What leaves a case: the search report, tables for spreadsheets, qrels and runs, references, the chart, the case.

References are for Zotero, EndNote, Citavi and LaTeX. Whatever a title or a note contains, it stays within its field:
RIS has one line per value, and in BibTeX every character that TeX or its braces would act on is written as a command.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from antecede.engine import split_values
from antecede.errors import UsageError, printable
from antecede.patent.links import espacenet_link
from antecede.review.case_file import export_case
from antecede.review.claim_chart import WEAKEST, chart_table, make_chart
from antecede.review.estimators import percent_at_least
from antecede.review.marks import LEVELS
from antecede.review.progress import make_progress
from antecede.review.queries import NothingToDoError, current_state
from antecede.review.records import clean_line, day_text, dump_state, title_of
from antecede.review.report_document import write_report
from antecede.review.searches import HitViews
from antecede.review.topics import understand
from antecede.review.workbench import kind_of_date
from antecede.tables import Table
from antecede.workbook import make_workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.patent import Patent
    from antecede.review.case import Review
    from antecede.review.marks import Mark
    from antecede.review.search_history import SearchRow
    from antecede.review.views import PassageView

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of files in an archive, so that the same case gives the same bytes."""
CELL = 32_000
"""Characters of a text in a cell."""
ACROSS = 3
"""Documents beside each other in the claim chart of a report, so that it can be read on paper."""
TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{each: f"\\{each}" for each in "#$%&_"},
    }
)
"""Escaped braces would still be counted by BibTeX, so they are named."""
NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9.:-]+")


def export(review: Review, kind: str, search: int | None = None) -> bytes:
    """Make one of the files in `KINDS`.

    Args:
        case: The case.
        kind: The file, such as `report.html`.
        search: The number of a search, for its results and run; by default the last query.
    """
    if kind not in KINDS:
        raise UsageError(f"there is no export {printable(kind)!r}; there are {', '.join(KINDS)}")
    return KINDS[kind][1](review, search)


def trec_id(doc_id: str) -> str:
    if not doc_id or any(each.isspace() for each in doc_id):
        raise UsageError(f"document {printable(doc_id)!r} has white space in its name, which TREC files cannot have")
    return doc_id


def make_qrels(review: Review) -> bytes:
    """The marks as qrels: relevant 2 or its grade, not 0; maybe is 1 where the case counts it as relevant, else 0."""
    marks = sorted(review.marks.current.values(), key=lambda mark: mark.doc_id)
    if not marks:
        raise NothingToDoError("nothing is marked yet; qrels need at least one mark")
    return "".join(
        f"{review.case.topic_id} 0 {trec_id(mark.doc_id)} {mark.level_of(maybe=review.plan.maybe)}\n" for mark in marks
    ).encode()


def run_lines(review: Review, search: SearchRow) -> bytes:
    return make_run(review, [doc_id for doc_id, _ in search.ranking], f"search{search.number}")


def make_run(review: Review, order: Sequence[str], tag: str) -> bytes:
    """Documents as a run. Scores fall strictly with the rank, so that every program reads this order."""
    lines = (
        f"{review.case.topic_id} Q0 {trec_id(doc_id)} {rank} {len(order) - rank + 1} {tag}\n"
        for rank, doc_id in enumerate(order, 1)
    )
    return "".join(lines).encode()


def choose_search(review: Review, number: int | None) -> SearchRow:
    """A search by its number; by default that of the current query, else the last.

    Searches by feedback are passed over where there are others, since they leave out what was marked.
    """
    if number is not None:
        return review.search(number)
    searches = review.searches
    if not searches:
        raise NothingToDoError("nothing was searched yet")
    queries = [each for each in searches if each.kind == "query"] or searches
    state = dump_state(current_state(review))
    return next((each for each in reversed(queries) if each.state == state), queries[-1])


def make_archive(review: Review) -> bytes:
    """Qrels, one run per search, and the order of reading as a run."""
    reading = make_run(review, [*review.marks.current], "reading")
    log = excel_csv(searches_table(review))
    parts = {"qrels.txt": make_qrels(review), "reading.run": reading, "searches.csv": log}
    parts |= {f"search{each.number}.run": run_lines(review, each) for each in review.searches}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def marks_table(review: Review) -> Table:
    rows = []
    for mark in sort_marks(review):
        patent = review.workbench.record(mark.doc_id)
        known = describe_document(patent)
        own = (mark.doc_id, mark.relevance, mark.category, mark.claims, known.title or mark.title)
        made = (mark.note[:CELL], mark.user, mark.time, mark.search, mark.rank)
        facts = (*known.days.values(), known.applicants, known.ipc)
        rows.append(tuple(value or None for value in (*own, *facts, *made)))
    columns = ("patent", "mark", "category", "claims", "title", *DAYS.values(), "applicants", "IPC", "note",
               "marked by", "marked at", "search", "rank")  # fmt: skip
    return Table(columns, tuple(rows), title="Marked documents")


DAYS = {"publication_date": "publication date", "filing_date": "filing date", "priority_date": "priority date"}
"""The dates of a document, each named as what it is."""


@dataclass(frozen=True)
class DocumentFacts:
    """What reports and tables say of a document; nothing of one that is not in the index any more."""

    title: str = ""
    days: Mapping[str, str | None] = field(default_factory=lambda: dict.fromkeys(DAYS))
    applicants: str = ""
    ipc: str = ""

    @property
    def dates(self) -> str:
        """The dates that are known, in words."""
        return ", ".join(f"{DAYS[name]} {day}" for name, day in self.days.items() if day)


def describe_document(patent: Patent | None) -> DocumentFacts:
    if patent is None:
        return DocumentFacts()
    days = {name: day_text(getattr(patent, name)) for name in DAYS}
    return DocumentFacts(title_of(patent), days, "; ".join(patent.applicants), "; ".join(patent.ipc))


def results_table(review: Review, search: SearchRow) -> Table:
    """The documents of a search, with the date from which on each is prior art, and which of its dates that is."""
    index, marks = review.index, review.marks.current
    numbers = index.numbers([doc_id for doc_id, _ in search.ranking])
    columns = ("title", "day", "published", "applicants", "ipc")
    rows = iter(index.columns(numbers[numbers >= 0], *columns))
    table = []
    for rank, ((doc_id, score), number) in enumerate(zip(search.ranking, numbers.tolist(), strict=True), 1):
        title, day, published, applicants, ipc = next(rows) if number >= 0 else (None,) * len(columns)
        kind = "publication" if published else kind_of_date(review.workbench.record(doc_id)) if day else None
        lists = (("; ".join(split_values(value)) if value else None) for value in (applicants, ipc))
        mark = marks.get(doc_id)
        judged = (mark.relevance, mark.category) if mark is not None else (None, None)
        table.append((rank, score, doc_id, day, kind, title, *lists, *judged))
    names = ("rank", "score", "patent", "date", "date is", "title", "applicants", "IPC", "mark", "category")
    return Table(names, tuple(table), title=f"Search {search.number}", notes=(search.title,))


def searches_table(review: Review) -> Table:
    rows = []
    for each in review.searches:
        counts = (each.facts["documents"]["searched"], len(each.ranking))
        made = (each.time, each.user or None, each.facts["index"], each.index_state)
        rows.append((each.number, each.name or None, each.kind, each.label, *counts, *made))
    columns = ("search", "name", "kind", "query", "searched", "retrieved", "time", "user", "index", "index state")
    return Table(columns, tuple(rows), title="Searches")


def sort_marks(review: Review) -> list[Mark]:
    """The marks of a case, relevant first, X before Y before A."""
    marks = review.marks.current.values()
    return sorted(marks, key=lambda mark: (-LEVELS[mark.relevance], mark.category or "Z", mark.doc_id))


def excel_csv(table: Table) -> bytes:
    """A table as CSV that Excel opens correctly: with a byte order mark and its line ends."""
    return b"\xef\xbb\xbf" + table.render("csv").replace("\r\n", "\n").replace("\n", "\r\n").encode("utf-8", "replace")


def make_case_workbook(review: Review, number: int | None = None) -> bytes:
    """Marks, searches, the results of one search and the claim chart as a workbook."""
    tables = [marks_table(review), searches_table(review)]
    if review.searches:
        tables.append(results_table(review, choose_search(review, number)))
    chart = make_chart(review)
    if chart.features and chart.documents:
        tables.append(chart_table(chart, "Claim chart"))
    return make_workbook(tables)


def list_references(review: Review) -> Iterator[tuple[Mark, Patent | None]]:
    for mark in sort_marks(review):
        if mark.relevance != "not":
            yield mark, review.workbench.record(mark.doc_id)


def reference_fields(mark: Mark, patent: Patent | None) -> Iterator[tuple[str, str, Sequence[str]]]:
    """What a reference has: the field of RIS, that of BibTeX, and the values; either has fields that the other lacks.

    A document that is not in the index any more has its title alone.
    """
    yield "TI", "title", [(title_of(patent) if patent is not None else "") or mark.title or mark.doc_id]
    yield "SN", "number", [mark.doc_id]
    if patent is not None:
        yield "AU", "author", patent.inventors
        yield "PB", "holder", patent.applicants
        if (day := patent.publication_date) is not None:
            yield "PY", "year", [f"{day:%Y}"]
            yield "DA", "", [f"{day:%Y/%m/%d}"]
            yield "", "month", [str(day.month)]
        yield "AB", "", [patent.abstract.get(patent.language) or next(iter(patent.abstract.values()), "")]
        yield "LA", "language", [patent.language]
        yield "UR", "", [espacenet_link(patent.known_number, patent.kinds)] if patent.known_number is not None else []
    yield "KW", "keywords", [mark.relevance, *([f"category {mark.category}"] if mark.category else [])]
    others = [f"{DAYS[name]} {getattr(patent, name)}" for name in DAYS if getattr(patent, name, None) is not None]
    others = [text for text in others if not text.startswith(DAYS["publication_date"])]
    yield "N1", "note", [text for text in (mark.note, *others) if text]
    yield "N1", "", [f"claims {mark.claims}"] if mark.claims else []


def ris_lines(references: Iterable[tuple[Mark, Patent | None]]) -> Iterator[str]:
    """The lines of an RIS file."""
    for mark, patent in references:
        yield "TY  - PAT"
        for tag, _, values in reference_fields(mark, patent):
            yield from (f"{tag}  - {line}" for value in values if tag and (line := clean_line(value)))
        yield "ER  - "


def bibtex_entries(references: Iterable[tuple[Mark, Patent | None]]) -> Iterator[str]:
    """The entries of a BibTeX file: `@patent`, as biblatex and IEEEtran have it."""
    keys: set[str] = set()
    for mark, patent in references:
        key = base = NOT_IN_KEYS.sub("-", mark.doc_id).strip("-") or "document"
        while key in keys:
            key = f"{base}-{len(keys) + 1}"
        keys.add(key)
        texts = ((name, _bibtex_value(name, values)) for _, name, values in reference_fields(mark, patent) if name)
        fields = "".join(f"  {name} = {{{text}}},\n" for name, text in texts if text)
        yield f"@patent{{{key},\n{fields}}}\n"


def _bibtex_value(name: str, values: Sequence[str]) -> str:
    """Persons as `Müller, Jörg`; what BibTeX would take for several people, or for a suffix, is kept together."""
    texts = [clean_line(value).translate(TEX) for value in values]
    if name not in ("author", "holder"):
        return ", ".join(texts)
    together = (name == "holder" or re.search(r"\band\b|,.*,", text, re.IGNORECASE) for text in texts)
    return " and ".join(f"{{{text}}}" if one else text for text, one in zip(texts, together, strict=True))


@cache
def page_style() -> str:
    return (files("antecede.review") / "templates" / "export.css").read_text(encoding="utf-8")


@cache
def templates() -> Environment:
    """Templates that escape every value and fail on names that are not there."""
    loader = PackageLoader("antecede.review", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def render_case(name: str, review: Review, across: int | None = None, **values: Any) -> bytes:
    """A page from a template that escapes every value; the claim chart has so many documents across."""
    values |= describe_chart(review) | {"style": page_style(), "weakest": WEAKEST}
    values["across"] = across or max(1, len(values["chart"].documents))
    return templates().get_template(name).render(**values).encode()


def describe_chart(review: Review) -> dict[str, Any]:
    """The claim chart with its cells by place, its case and its topic."""
    chart = make_chart(review)
    cells = {(cell.feature, cell.doc_id): cell for cell in chart.cells}
    topic = understand(review.workbench, review.topic, review.case.source)
    return {"case": review.case, "topic": topic, "chart": chart, "cells": cells}


def make_report(review: Review) -> bytes:
    """The search report as a page."""
    return render_case("report.html", review, ACROSS, **describe_report(review))


def describe_report(review: Review) -> dict[str, Any]:
    """What a search report says besides its claim chart: documents cited, how much was found, what was searched."""
    cited = [mark for mark in sort_marks(review) if mark.relevance != "not"]
    searches = review.searches
    return {
        "cited": cited,
        "facts": {mark.doc_id: describe_document(review.workbench.record(mark.doc_id)) for mark in cited},
        "passages": best_passages(review, cited, searches),
        "searches": searches,
        "progress": make_progress(review),
        "index": {"name": review.index.name, "state": review.index.state},
        "coverage": review.workbench.coverage,
        "version": version("antecede"),
        "percent_at_least": percent_at_least,
        "count": lambda number: f"{number:,.0f}" if math.isfinite(number) else "any number",
    }


def best_passages(review: Review, marks: list[Mark], searches: list[SearchRow]) -> dict[str, list[PassageView]]:
    """The best passage of each marked document for the search that showed it, else for the last one."""
    hit_views = {search.number: HitViews(review, search) for search in searches}
    best: dict[str, list[PassageView]] = {mark.doc_id: [] for mark in marks}
    for mark in marks:
        view = hit_views.get(mark.search or 0) or next(reversed(hit_views.values()), None)
        patent = review.workbench.record(mark.doc_id)
        if view is not None and patent is not None:
            tried = (view.best_passages(patent, language, 1) for language in view.search.facts["languages"])
            best[mark.doc_id] = next(filter(None, tried), [])
    return best


HTML, TEXT, CSV = (f"text/{kind}; charset=utf-8" for kind in ("html", "plain", "csv"))
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
KINDS: dict[str, tuple[str, Callable[[Review, int | None], bytes]]] = {
    "report.html": (HTML, lambda review, _: make_report(review)),
    "report.docx": (
        DOCX,
        lambda review, _: write_report(**describe_chart(review), **describe_report(review), across=ACROSS),
    ),
    "marks.csv": (CSV, lambda review, _: excel_csv(marks_table(review))),
    "marks.ris": (
        "application/x-research-info-systems; charset=utf-8",
        lambda review, _: "".join(f"{line}\r\n" for line in ris_lines(list_references(review))).encode(),
    ),
    "marks.bib": (
        "application/x-bibtex; charset=utf-8",
        lambda review, _: "\n".join(bibtex_entries(list_references(review))).encode(),
    ),
    "results.csv": (CSV, lambda review, search: excel_csv(results_table(review, choose_search(review, search)))),
    "searches.csv": (CSV, lambda review, _: excel_csv(searches_table(review))),
    "case.xlsx": (XLSX, make_case_workbook),
    "qrels.txt": (TEXT, lambda review, _: make_qrels(review)),
    "run.txt": (TEXT, lambda review, search: run_lines(review, choose_search(review, search))),
    "trec.zip": ("application/zip", lambda review, _: make_archive(review)),
    "chart.xlsx": (XLSX, lambda review, _: make_workbook([chart_table(make_chart(review), "Claim chart")])),
    "chart.html": (HTML, lambda review, _: render_case("chart.html", review)),
    "case.json": ("application/json", lambda review, _: export_case(review.store, review.id)),
}
"""The files that a case can be exported to: media type, and the function that makes it."""
NAMED_BY_ENDING = (
    "marks.csv",
    "report.docx",
    "marks.ris",
    "marks.bib",
    "report.html",
    "case.xlsx",
    "trec.zip",
    "case.json",
)
BY_ENDING = {f".{kind.rpartition('.')[2]}": kind for kind in NAMED_BY_ENDING}
"""What the ending of a file name asks for."""
