"""What leaves a case: the search report, tables for spreadsheets, qrels and runs, references, the chart, the case.

References are for Zotero, EndNote, Citavi and LaTeX. Whatever a title or a note contains, it stays within its field:
RIS has one line per value, and in BibTeX every character that TeX or its braces would act on is written as a command.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from starlette.responses import Response

from antecede.engine import read_headers, read_lists
from antecede.errors import UsageError, shown
from antecede.patent.links import espacenet_link
from antecede.report.workbook import make_workbook
from antecede.review.estimators import percent_at_least
from antecede.review.marks import LEVELS
from antecede.tables import Table
from antecede.web.case_file import export_case
from antecede.web.cases import get_progress, understand
from antecede.web.charts import WEAKEST, chart_table, get_chart
from antecede.web.queries import NothingToDoError, current_state, dump_state
from antecede.web.requests import SearchNumber
from antecede.web.searches import HitViews
from antecede.web.workbench import OpenCase, clean_line, environment, route, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.marks import Mark
    from antecede.review.store import SearchRow
    from antecede.web.answers import PassageView

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
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


@route("GET", "/export/{kind}", "export", long=True)
def get_export(
    kind: Annotated[str, Field(max_length=40)], case: OpenCase, search: SearchNumber = None, view: bool = False
) -> Response:
    """A file of the case: report.html, marks.csv, marks.ris, marks.bib, results.csv, case.xlsx, qrels.txt, run.txt,
    trec.zip, chart.xlsx, chart.html, case.json. With `view` a page is shown instead of saved.
    """
    data = export(case, kind, search)
    media_type, _ = KINDS[kind]
    page = media_type == HTML
    stem = NOT_IN_NAMES.sub("-", case.row.name).strip("-.")[:60] or case.id
    headers = {"Content-Disposition": f'{"inline" if view and page else "attachment"}; filename="{stem}-{kind}"'}
    if page:  # which has a style of its own
        digest = b64encode(sha256(page_style().encode()).digest()).decode()
        sources = f"default-src 'none'; style-src 'sha256-{digest}'"
        headers["Content-Security-Policy"] = f"{sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return Response(data, media_type=media_type, headers=headers)


def export(case: OpenCase, kind: str, search: int | None = None) -> bytes:
    """Make one of the files in `KINDS`.

    Args:
        case: The case.
        kind: The file, such as `report.html`.
        search: The number of a search, for its results and run; by default the last query.
    """
    if kind not in KINDS:
        raise UsageError(f"there is no export {shown(kind)!r}; there are {', '.join(KINDS)}")
    return KINDS[kind][1](case, search)


# TREC files


def trec_id(doc_id: str) -> str:
    if not doc_id or any(each.isspace() for each in doc_id):
        raise UsageError(f"document {shown(doc_id)!r} has white space in its name, which TREC files cannot have")
    return doc_id


def make_qrels(case: OpenCase) -> bytes:
    """The marks as qrels: relevant 2, maybe 1, not 0, or the grade."""
    marks = sorted(case.marks.current.values(), key=lambda mark: mark.doc_id)
    if not marks:
        raise NothingToDoError("nothing is marked yet; qrels need at least one mark")
    return "".join(f"{case.row.topic_id} 0 {trec_id(mark.doc_id)} {mark.level}\n" for mark in marks).encode()


def run_lines(case: OpenCase, search: SearchRow) -> bytes:
    return make_run(case, [doc_id for doc_id, _ in search.ranking], f"search{search.number}")


def make_run(case: OpenCase, order: Sequence[str], tag: str) -> bytes:
    """Documents as a run. Scores fall strictly with the rank, so that every program reads this order."""
    lines = (
        f"{case.row.topic_id} Q0 {trec_id(doc_id)} {rank} {len(order) - rank + 1} {tag}\n"
        for rank, doc_id in enumerate(order, 1)
    )
    return "".join(lines).encode()


def choose_search(case: OpenCase, number: int | None) -> SearchRow:
    """A search by its number; by default that of the current query, else the last.

    Searches by feedback are passed over where there are others, since they leave out what was marked.
    """
    if number is not None:
        return case.search(number)
    searches = case.searches()
    if not searches:
        raise NothingToDoError("nothing was searched yet")
    queries = [each for each in searches if each.kind == "query"] or searches
    state = dump_state(current_state(case))
    return next((each for each in reversed(queries) if each.state == state), queries[-1])


def make_archive(case: OpenCase) -> bytes:
    """Qrels, one run per search, and the order of reading as a run."""
    reading = make_run(case, [*case.marks.current], "reading")
    parts = {"qrels.txt": make_qrels(case), "reading.run": reading}
    parts |= {f"search{each.number}.run": run_lines(case, each) for each in case.searches()}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


# Tables


def marks_table(case: OpenCase) -> Table:
    rows = []
    for each in sort_marks(case):
        facts = document_facts(case.index, each.doc_id)
        title = facts.pop("title") or each.title
        own = (each.doc_id, each.relevance, each.category, each.claims, title)
        made = (each.note[:CELL], each.user, each.time, each.search, each.rank)
        rows.append(tuple(value or None for value in (*own, *facts.values(), *made)))
    columns = ("patent", "mark", "category", "claims", "title", "date", "applicants", "IPC", "note", "marked by",
               "marked at", "search", "rank")  # fmt: skip
    return Table(columns, tuple(rows), title="Marked documents")


def document_facts(index: Engine, doc_id: str) -> dict[str, Any]:
    """Title, date, applicants and classes of a document, empty where it is not in the index any more."""
    numbers = index.numbers_of(doc_id)[:1]
    if not len(numbers):
        return dict.fromkeys(("title", "date", "applicants", "ipc"))
    header = read_headers(index, numbers)[0]
    return {
        "title": header.title,
        "date": header.day,
        "applicants": "; ".join(read_lists(index, numbers, "applicants")[0]) or None,
        "ipc": "; ".join(header.ipc) or None,
    }


def results_table(case: OpenCase, search: SearchRow) -> Table:
    marks = case.marks.current
    rows = []
    for rank, (doc_id, score) in enumerate(search.ranking, 1):
        facts, mark = document_facts(case.index, doc_id), marks.get(doc_id)
        judged = (mark.relevance, mark.category) if mark is not None else (None, None)
        rows.append((rank, score, doc_id, facts.pop("date"), *facts.values(), *judged))
    columns = ("rank", "score", "patent", "date", "title", "applicants", "IPC", "mark", "category")
    return Table(columns, tuple(rows), title=f"Search {search.number}", notes=(search.title,))


def searches_table(case: OpenCase) -> Table:
    rows = []
    for each in case.searches():
        counts = (each.facts["documents"]["searched"], len(each.ranking))
        made = (each.time, each.user or None, each.facts["index"], each.index_state)
        rows.append((each.number, each.name or None, each.kind, each.label, *counts, *made))
    columns = ("search", "name", "kind", "query", "searched", "retrieved", "time", "user", "index", "index state")
    return Table(columns, tuple(rows), title="Searches")


def sort_marks(case: OpenCase) -> list[Mark]:
    """The marks of a case, relevant first, X before Y before A."""
    marks = case.marks.current.values()
    return sorted(marks, key=lambda mark: (-LEVELS[mark.relevance], mark.category or "Z", mark.doc_id))


def excel_csv(table: Table) -> bytes:
    """A table as CSV that Excel opens correctly: with a byte order mark and its line ends."""
    return b"\xef\xbb\xbf" + table.render("csv").replace("\r\n", "\n").replace("\n", "\r\n").encode("utf-8", "replace")


def make_case_workbook(case: OpenCase, number: int | None = None) -> bytes:
    """Marks, searches, the results of one search and the claim chart as a workbook."""
    tables = [marks_table(case), searches_table(case)]
    if case.searches():
        tables.append(results_table(case, choose_search(case, number)))
    chart = get_chart(case)
    if chart.features and chart.documents:
        tables.append(chart_table(chart, "Claim chart"))
    return make_workbook(tables)


# References


def list_references(case: OpenCase) -> Iterator[tuple[Mark, Patent | None]]:
    for mark in sort_marks(case):
        if mark.relevance != "not":
            yield mark, case.workbench.record(mark.doc_id)


def reference_fields(mark: Mark, patent: Patent | None) -> Iterator[tuple[str, str, Sequence[str]]]:
    """What a reference has: the field of RIS, that of BibTeX, and the values; either has fields that the other lacks.

    A document that is not in the index any more has its title alone.
    """
    yield "TI", "title", [(title_of(patent) if patent is not None else "") or mark.title or mark.doc_id]
    yield "SN", "number", [mark.doc_id]
    if patent is not None:
        yield "AU", "author", patent.inventors
        yield "PB", "holder", patent.applicants
        if (day := patent.publication_date or patent.date) is not None:
            yield "PY", "year", [f"{day:%Y}"]
            yield "DA", "", [f"{day:%Y/%m/%d}"]
            yield "", "month", [str(day.month)]
        yield "AB", "", [patent.abstract.get(patent.language) or next(iter(patent.abstract.values()), "")]
        yield "LA", "language", [patent.language]
        yield "UR", "", [espacenet_link(patent.known_number, patent.kinds)] if patent.known_number is not None else []
    yield "KW", "keywords", [mark.relevance, *([f"category {mark.category}"] if mark.category else [])]
    yield "N1", "note", [mark.note]
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


# Pages


@cache
def page_style() -> str:
    return (files("antecede.web") / "static" / "css" / "export.css").read_text(encoding="utf-8")


def render_case(name: str, case: OpenCase, across: int | None = None, **values: Any) -> bytes:
    """A page from a template that escapes every value; the claim chart has so many documents across."""
    topic, chart = understand(case.workbench, case.topic, case.row.source), get_chart(case)
    cells = {(cell.feature, cell.doc_id): cell for cell in chart.cells}
    values |= {"style": page_style(), "weakest": WEAKEST, "case": case.row, "chart": chart, "cells": cells}
    values["across"] = across or max(1, len(chart.documents))
    return environment("export_templates").get_template(name).render(topic=topic, **values).encode()


def make_report(case: OpenCase) -> bytes:
    """The search report: topic, documents cited, claim chart, how much was found, searches, what was searched."""
    cited = [mark for mark in sort_marks(case) if mark.relevance != "not"]
    searches = case.searches()
    return render_case(
        "report.html",
        case,
        ACROSS,
        cited=cited,
        facts={mark.doc_id: document_facts(case.index, mark.doc_id) for mark in cited},
        passages=best_passages(case, cited, searches),
        searches=searches,
        progress=get_progress(case),
        index={"name": case.index.name, "state": case.index.state},
        coverage=case.workbench.coverage,
        version=version("antecede"),
        percent_at_least=percent_at_least,
        count=lambda number: f"{number:,.0f}" if math.isfinite(number) else "any number",
    )


def best_passages(case: OpenCase, marks: list[Mark], searches: list[SearchRow]) -> dict[str, list[PassageView]]:
    """The best passage of each marked document for the search that showed it, else for the last one."""
    views = {search.number: HitViews(case, search) for search in searches}
    best: dict[str, list[PassageView]] = {mark.doc_id: [] for mark in marks}
    for mark in marks:
        view = views.get(mark.search or 0) or next(reversed(views.values()), None)
        patent = case.workbench.record(mark.doc_id)
        if view is not None and patent is not None:
            tried = (view.best_passages(patent, language, 1) for language in view.search.facts["languages"])
            best[mark.doc_id] = next(filter(None, tried), [])
    return best


HTML, TEXT, CSV = (f"text/{kind}; charset=utf-8" for kind in ("html", "plain", "csv"))
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
KINDS: dict[str, tuple[str, Callable[[OpenCase, int | None], bytes]]] = {
    "report.html": (HTML, lambda case, _: make_report(case)),
    "marks.csv": (CSV, lambda case, _: excel_csv(marks_table(case))),
    "marks.ris": (
        "application/x-research-info-systems; charset=utf-8",
        lambda case, _: "".join(f"{line}\r\n" for line in ris_lines(list_references(case))).encode(),
    ),
    "marks.bib": (
        "application/x-bibtex; charset=utf-8",
        lambda case, _: "\n".join(bibtex_entries(list_references(case))).encode(),
    ),
    "results.csv": (CSV, lambda case, search: excel_csv(results_table(case, choose_search(case, search)))),
    "case.xlsx": (XLSX, make_case_workbook),
    "qrels.txt": (TEXT, lambda case, _: make_qrels(case)),
    "run.txt": (TEXT, lambda case, search: run_lines(case, choose_search(case, search))),
    "trec.zip": ("application/zip", lambda case, _: make_archive(case)),
    "chart.xlsx": (XLSX, lambda case, _: make_workbook([chart_table(get_chart(case), "Claim chart")])),
    "chart.html": (HTML, lambda case, _: render_case("chart.html", case)),
    "case.json": ("application/json", lambda case, _: export_case(case.store, case.id)),
}
"""The files that a case can be exported to: media type, and the function that makes it."""
NAMED_BY_ENDING = ("marks.csv", "marks.ris", "marks.bib", "report.html", "case.xlsx", "trec.zip", "case.json")
BY_ENDING = {f".{kind.rpartition('.')[2]}": kind for kind in NAMED_BY_ENDING}
"""What the ending of a file name asks for."""
