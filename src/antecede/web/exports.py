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
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, shown
from antecede.patent.links import espacenet_link
from antecede.report.workbook import make_workbook
from antecede.review.marks import LEVELS
from antecede.tables import Table
from antecede.web.case_file import export_case
from antecede.web.charts import WEAKEST, chart_table, view_chart
from antecede.web.progress import view_progress
from antecede.web.queries import NothingToDoError, current_state, dump_state
from antecede.web.searches import HitViews
from antecede.web.topics import understand
from antecede.web.workbench import clean_line, environment, read_patent, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.patent import Patent
    from antecede.review.marks import Mark
    from antecede.review.store import CaseRow, SearchRow
    from antecede.web.workbench import Workbench

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


@dataclass(frozen=True)
class Export:
    """A file that leaves a case."""

    name: str
    media_type: str
    data: bytes
    policy: str | None = None
    """The Content-Security-Policy of a page that may be opened; None for a file that is saved."""


def export(workbench: Workbench, case: CaseRow, kind: str, search: int | None = None) -> Export:
    """Make one of the files in `KINDS`.

    Args:
        workbench: The index and the store.
        case: The case.
        kind: The file, such as `report.html`.
        search: The number of a search, for its results and run; by default the last query.
    """
    if kind not in KINDS:
        raise UsageError(f"there is no export {shown(kind)!r}; there are {', '.join(KINDS)}")
    media_type, make = KINDS[kind]
    made = make(workbench, case, search)
    data, policy = made if isinstance(made, tuple) else (made, None)
    stem = NOT_IN_NAMES.sub("-", case.name).strip("-.")[:60] or case.id
    return Export(f"{stem}-{kind}", media_type, data, policy)


# TREC files


def trec_id(doc_id: str) -> str:
    """A document in qrels and runs."""
    if not doc_id or any(each.isspace() for each in doc_id):
        raise UsageError(f"document {shown(doc_id)!r} has white space in its name, which TREC files cannot have")
    return doc_id


def make_qrels(workbench: Workbench, case: CaseRow) -> bytes:
    """The marks as qrels: relevant 2, maybe 1, not 0, or the grade."""
    marks = sorted(workbench.store.marks(case).current.values(), key=lambda mark: mark.doc_id)
    if not marks:
        raise NothingToDoError("nothing is marked yet; qrels need at least one mark")
    return "".join(f"{case.topic_id} 0 {trec_id(mark.doc_id)} {mark.level}\n" for mark in marks).encode()


def run_lines(case: CaseRow, search: SearchRow) -> bytes:
    """The ranking of a search as a run."""
    return make_run(case, [doc_id for doc_id, _ in search.ranking], f"search{search.number}")


def make_run(case: CaseRow, order: Sequence[str], tag: str) -> bytes:
    """Documents as a run. Scores fall strictly with the rank, so that every program reads this order."""
    lines = (
        f"{case.topic_id} Q0 {trec_id(doc_id)} {rank} {len(order) - rank + 1} {tag}\n"
        for rank, doc_id in enumerate(order, 1)
    )
    return "".join(lines).encode()


def choose_search(workbench: Workbench, case: CaseRow, number: int | None) -> SearchRow:
    """A search by its number; by default that of the current query, else the last.

    Searches by feedback are passed over where there are others, since they leave out what was marked.
    """
    if number is not None:
        return workbench.store.search(case.id, number)
    searches = workbench.store.searches(case.id)
    if not searches:
        raise NothingToDoError("nothing was searched yet")
    queries = [each for each in searches if each.kind == "query"] or searches
    state = dump_state(current_state(workbench, case))
    return next((each for each in reversed(queries) if each.state == state), queries[-1])


def make_archive(workbench: Workbench, case: CaseRow) -> bytes:
    """Qrels, one run per search, and the order of reading as a run."""
    reading = make_run(case, [*workbench.store.marks(case).current], "reading")
    parts = {"qrels.txt": make_qrels(workbench, case), "reading.run": reading}
    parts |= {f"search{each.number}.run": run_lines(case, each) for each in workbench.store.searches(case.id)}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


# Tables


def marks_table(workbench: Workbench, case: CaseRow) -> Table:
    rows = []
    for each in sort_marks(workbench, case):
        facts = document_facts(workbench, each.doc_id)
        title = facts.pop("title") or each.title
        own = (each.doc_id, each.relevance, each.category, each.claims, title)
        made = (each.note[:CELL], each.user, each.time, each.search, each.rank)
        rows.append(tuple(value or None for value in (*own, *facts.values(), *made)))
    columns = ("patent", "mark", "category", "claims", "title", "date", "applicants", "IPC", "note", "marked by",
               "marked at", "search", "rank")  # fmt: skip
    return Table(columns, tuple(rows), title="Marked documents")


def document_facts(workbench: Workbench, doc_id: str) -> dict[str, Any]:
    """Title, date, applicants and classes of a document, empty where it is not in the index any more."""
    found = workbench.index.find_all(doc_id)
    if not found:
        return dict.fromkeys(("title", "date", "applicants", "ipc"))
    segment, number = found[0]
    header = segment.store.headers([number])[0]
    return {
        "title": header.title,
        "date": header.day,
        "applicants": "; ".join(segment.store.lists("applicants", [number])[0]) or None,
        "ipc": "; ".join(header.ipc) or None,
    }


def results_table(workbench: Workbench, case: CaseRow, search: SearchRow) -> Table:
    marks = workbench.store.marks(case).current
    rows = []
    for rank, (doc_id, score) in enumerate(search.ranking, 1):
        facts, mark = document_facts(workbench, doc_id), marks.get(doc_id)
        judged = (mark.relevance, mark.category) if mark is not None else (None, None)
        rows.append((rank, score, doc_id, facts.pop("date"), *facts.values(), *judged))
    columns = ("rank", "score", "patent", "date", "title", "applicants", "IPC", "mark", "category")
    return Table(columns, tuple(rows), title=f"Search {search.number}", notes=(search.title,))


def searches_table(workbench: Workbench, case: CaseRow) -> Table:
    rows = []
    for each in workbench.store.searches(case.id):
        counts = (each.facts["documents"]["searched"], len(each.ranking))
        made = (each.time, each.user or None, each.facts["index"], each.index_state)
        rows.append((each.number, each.name or None, each.kind, each.label, *counts, *made))
    columns = ("search", "name", "kind", "query", "searched", "retrieved", "time", "user", "index", "index state")
    return Table(columns, tuple(rows), title="Searches")


def sort_marks(workbench: Workbench, case: CaseRow) -> list[Mark]:
    """The marks of a case, relevant first, X before Y before A."""
    marks = workbench.store.marks(case).current.values()
    return sorted(marks, key=lambda mark: (-LEVELS[mark.relevance], mark.category or "Z", mark.doc_id))


def excel_csv(table: Table) -> bytes:
    """A table as CSV that Excel opens correctly: with a byte order mark and its line ends."""
    return b"\xef\xbb\xbf" + table.render("csv").replace("\r\n", "\n").replace("\n", "\r\n").encode("utf-8", "replace")


def make_case_workbook(workbench: Workbench, case: CaseRow, number: int | None = None) -> bytes:
    """Marks, searches, the results of one search and the claim chart as a workbook."""
    tables = [marks_table(workbench, case), searches_table(workbench, case)]
    if workbench.store.searches(case.id):
        tables.append(results_table(workbench, case, choose_search(workbench, case, number)))
    chart = view_chart(workbench, case)
    if chart["features"] and chart["documents"]:
        tables.append(chart_table(chart, "Claim chart"))
    return make_workbook(tables)


# References


def list_references(workbench: Workbench, case: CaseRow) -> Iterator[tuple[Mark, Patent | None]]:
    """The documents marked relevant or maybe, with their records."""
    for mark in sort_marks(workbench, case):
        if mark.relevance != "not":
            yield mark, workbench.record(mark.doc_id)


def ris_lines(references: Iterable[tuple[Mark, Patent | None]]) -> Iterator[str]:
    """The lines of an RIS file; a document that is not in the index any more has its title alone."""
    for mark, patent in references:
        yield "TY  - PAT"
        for tag, values in _ris_fields(mark, patent):
            yield from (f"{tag}  - {line}" for value in values if value and (line := clean_line(value)))
        yield "ER  - "


def _ris_fields(mark: Mark, patent: Patent | None) -> Iterator[tuple[str, Iterable[str]]]:
    yield "TI", [_title(mark, patent)]
    yield "SN", [mark.doc_id]
    if patent is not None:
        yield "AU", patent.inventors
        yield "PB", patent.applicants
        if (day := patent.publication_date or patent.date) is not None:
            yield from (("PY", [f"{day:%Y}"]), ("DA", [f"{day:%Y/%m/%d}"]))
        yield "AB", [patent.abstract.get(patent.language) or next(iter(patent.abstract.values()), "")]
        yield "LA", [patent.language]
        yield "UR", [espacenet_link(patent.known_number, patent.kinds)] if patent.known_number is not None else []
    yield "KW", [mark.relevance, f"category {mark.category}" if mark.category else ""]
    yield "N1", [mark.note, f"claims {mark.claims}" if mark.claims else ""]


def bibtex_entries(references: Iterable[tuple[Mark, Patent | None]]) -> Iterator[str]:
    """The entries of a BibTeX file: `@patent`, as biblatex and IEEEtran have it."""
    keys: set[str] = set()
    for mark, patent in references:
        key = base = NOT_IN_KEYS.sub("-", mark.doc_id).strip("-") or "document"
        while key in keys:
            key = f"{base}-{len(keys) + 1}"
        keys.add(key)
        fields = "".join(f"  {name} = {{{value}}},\n" for name, value in _bibtex_fields(mark, patent) if value)
        yield f"@patent{{{key},\n{fields}}}\n"


def _bibtex_fields(mark: Mark, patent: Patent | None) -> Iterator[tuple[str, str]]:
    yield "title", _tex(_title(mark, patent))
    yield "number", _tex(mark.doc_id)
    if patent is not None:
        yield "author", " and ".join(map(_bibtex_name, patent.inventors))
        yield "holder", " and ".join(f"{{{_tex(name)}}}" for name in patent.applicants)
        if (day := patent.publication_date or patent.date) is not None:
            yield from (("year", f"{day:%Y}"), ("month", str(day.month)))
        yield "language", _tex(patent.language)
    yield "keywords", _tex(f"{mark.relevance}, category {mark.category}" if mark.category else mark.relevance)
    yield "note", _tex(mark.note)


def _bibtex_name(name: str) -> str:
    """A person as `Müller, Jörg`; what BibTeX would take for several people, or for a suffix, is kept together."""
    plain = name.count(",") <= 1 and not re.search(r"\band\b", name, re.IGNORECASE)
    return _tex(name) if plain else f"{{{_tex(name)}}}"


def _title(mark: Mark, patent: Patent | None) -> str:
    return (title_of(patent) if patent is not None else "") or mark.title or mark.doc_id


def _tex(text: str) -> str:
    return clean_line(text).translate(TEX)


# Pages


def render_case(
    name: str, workbench: Workbench, case: CaseRow, chart: dict[str, Any], across: int, **values: Any
) -> tuple[bytes, str]:
    """A page from a template that escapes every value, and its Content-Security-Policy, which admits its own style."""
    style = (files("antecede.web") / "export_templates" / "export.css").read_text(encoding="utf-8")
    topic = understand(workbench, read_patent(case.topic), case.source)
    cells = {(cell["feature"], cell["doc_id"]): cell for cell in chart["cells"]}
    values |= {"style": style, "weakest": WEAKEST, "case": case, "chart": chart, "cells": cells, "across": across}
    text = environment("export_templates").get_template(name).render(topic=topic, **values)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return text.encode(), policy


def make_chart_page(workbench: Workbench, case: CaseRow) -> tuple[bytes, str]:
    chart = view_chart(workbench, case)
    return render_case("chart.html", workbench, case, chart, max(1, len(chart["documents"])))


def make_report(workbench: Workbench, case: CaseRow) -> tuple[bytes, str]:
    """The search report: topic, documents cited, claim chart, how much was found, searches, what was searched."""
    cited = [mark for mark in sort_marks(workbench, case) if mark.relevance != "not"]
    searches = workbench.store.searches(case.id)
    return render_case(
        "report.html",
        workbench,
        case,
        view_chart(workbench, case),
        ACROSS,
        cited=cited,
        facts={mark.doc_id: document_facts(workbench, mark.doc_id) for mark in cited},
        passages=best_passages(workbench, case, cited, searches),
        searches=searches,
        progress=view_progress(workbench, case),
        index={"name": workbench.index.name, "state": workbench.index.state},
        coverage=workbench.coverage,
        version=version("antecede"),
        count=lambda number: f"{number:,.0f}" if math.isfinite(number) else "any number",
    )


def best_passages(
    workbench: Workbench, case: CaseRow, marks: list[Mark], searches: list[SearchRow]
) -> dict[str, list[dict[str, Any]]]:
    """The best passage of each marked document for the search that showed it, else for the last one."""
    views = {search.number: HitViews(workbench, case, search) for search in searches}
    best: dict[str, list[dict[str, Any]]] = {mark.doc_id: [] for mark in marks}
    for mark in marks:
        view = views.get(mark.search or 0) or next(reversed(views.values()), None)
        patent = workbench.record(mark.doc_id)
        if view is not None and patent is not None:
            tried = (view.best_passages(patent, language, 1) for language in view.search.facts["languages"])
            best[mark.doc_id] = next(filter(None, tried), [])
    return best


Made = bytes | tuple[bytes, str]
HTML, TEXT, CSV = (f"text/{kind}; charset=utf-8" for kind in ("html", "plain", "csv"))
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
KINDS: dict[str, tuple[str, Callable[[Workbench, CaseRow, int | None], Made]]] = {
    "report.html": (HTML, lambda bench, case, _: make_report(bench, case)),
    "marks.csv": (CSV, lambda bench, case, _: excel_csv(marks_table(bench, case))),
    "marks.ris": (
        "application/x-research-info-systems; charset=utf-8",
        lambda bench, case, _: "".join(f"{line}\r\n" for line in ris_lines(list_references(bench, case))).encode(),
    ),
    "marks.bib": (
        "application/x-bibtex; charset=utf-8",
        lambda bench, case, _: "\n".join(bibtex_entries(list_references(bench, case))).encode(),
    ),
    "results.csv": (
        CSV,
        lambda bench, case, search: excel_csv(results_table(bench, case, choose_search(bench, case, search))),
    ),
    "case.xlsx": (XLSX, make_case_workbook),
    "qrels.txt": (TEXT, lambda bench, case, _: make_qrels(bench, case)),
    "run.txt": (TEXT, lambda bench, case, search: run_lines(case, choose_search(bench, case, search))),
    "trec.zip": ("application/zip", lambda bench, case, _: make_archive(bench, case)),
    "chart.xlsx": (
        XLSX,
        lambda bench, case, _: make_workbook([chart_table(view_chart(bench, case), "Claim chart")]),
    ),
    "chart.html": (HTML, lambda bench, case, _: make_chart_page(bench, case)),
    "case.json": ("application/json", lambda bench, case, _: export_case(bench.store, case.id)),
}
"""The files that a case can be exported to: media type, and the function that makes it."""
NAMED_BY_ENDING = ("marks.csv", "marks.ris", "marks.bib", "report.html", "case.xlsx", "trec.zip", "case.json")
BY_ENDING = {f".{kind.rpartition('.')[2]}": kind for kind in NAMED_BY_ENDING}
"""What the ending of a file name asks for."""
