"""Topics, cases, their marks, and their files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi import Path as PathParameter

from antecede.errors import UsageError, shown
from antecede.review.case import shorten
from antecede.review.marks import Mark, current_time
from antecede.web import answers, requests
from antecede.web.case_file import adopt_case
from antecede.web.context import Case, OnSite
from antecede.web.exports import HTML, KINDS, export, file_stem, page_policy
from antecede.web.gate import POLICY
from antecede.web.queries import current_state
from antecede.web.searches import search_info
from antecede.web.topics import find_topic, understand
from antecede.web.uploads import read_upload, unpack_upload
from antecede.web.workbench import TITLES, OpenCase, clean_line, read_patent, title_of

router = APIRouter(prefix="/api", tags=["cases"])
exporting = APIRouter(prefix="/api/cases/{case_id}", tags=["searching", "export"])
BODY: dict[str, Any] = {"requestBody": {"content": {"application/octet-stream": {}}}}
"""The description of a request whose body is a file."""


@router.post("/topics")
async def post_topic(asked: requests.TopicRequest, site: OnSite) -> answers.Understood:
    """Understand a topic: a patent number in any spelling, or a text."""
    return await site.workers.run("read", site.request, lambda: find_topic(site.workbench, asked))


@router.post("/topics/file", openapi_extra=BODY)
async def post_topic_file(
    site: OnSite,
    name: Annotated[str, Query(max_length=requests.LONGEST_NAME)] = "upload",
    doc_id: Annotated[requests.AnyName | None, Query()] = None,
) -> answers.Understood:
    """Understand a topic: a file of any patent format, text, PDF or DOCX. The body is the file."""
    record, notes = await read_upload(site.request.stream(), name, doc_id)
    return understand(site.workbench, read_patent(record), "file", notes)


@router.get("/cases")
def list_cases(site: OnSite) -> list[answers.CaseEntry]:
    """The cases that the user may open."""
    return [
        answers.CaseEntry.model_validate({**vars(case), "topic": {"doc_id": topic.doc_id, "title": title_of(topic)}})
        for case in site.workbench.store.cases(site.owner)
        for topic in [read_patent(case.topic)]
    ]


@router.post("/cases", status_code=201)
def post_case(asked: requests.CaseRequest, site: OnSite) -> answers.Case:
    """Begin a case."""
    patent = read_patent(asked.patent.model_dump())
    title = title_of(patent)
    described = title if title and asked.source == "text" else f"{patent.doc_id} {title}"
    name = clean_line(asked.name or "") or shorten(clean_line(described))
    case_id = site.workbench.store.create(patent.to_dict(), name=name, user=site.user, source=asked.source)
    return get_case(OpenCase(site.workbench, site.workbench.store.case(case_id)))


@router.post("/cases/import", status_code=201, openapi_extra=BODY)
async def post_import(site: OnSite) -> answers.Case:
    """Import a case. The body is the file."""
    with tempfile.TemporaryDirectory(prefix="antecede-import-") as folder:
        path = await unpack_upload(site.request.stream(), Path(folder))

        def load() -> answers.Case:
            case_id = adopt_case(site.workbench.store, path, user=site.owner)
            return get_case(OpenCase(site.workbench, site.workbench.store.case(case_id, site.owner)))

        return await site.workers.run("search", site.request, load)


@router.get("/cases/{case_id}")
def get_case(case: Case) -> answers.Case:
    """A case."""
    searches = case.searches()
    _, undo, redo = case.store.draft(case.id)
    states = {search.index_state for search in searches if search.index_state}
    values = {
        **vars(case.row),
        "topic": understand(case.workbench, case.topic, case.row.source),
        "searches": [search_info(search) for search in searches],
        "marks": [*case.marks.current.values()],
        "seen": case.seen,
        "query": current_state(case),
        "undo": undo,
        "redo": redo,
        "index_state": case.index.state,
        "index_changed": bool(states - {case.index.state}),
    }
    return answers.Case.model_validate(values)


@router.get("/cases/{case_id}/topic")
def get_topic(case: Case) -> answers.Understood:
    """The topic of a case with its whole record."""
    return understand(case.workbench, case.topic, case.row.source)


@router.patch("/cases/{case_id}")
def patch_case(change: requests.CaseChange, site: OnSite, case: Case) -> answers.Case:
    """Change the name, the notes or the topic of a case, or share it with all users."""
    values = change.model_dump(exclude_none=True, exclude={"patent"})
    if change.name is not None:
        values["name"] = clean_line(change.name)
        if not values["name"]:
            raise UsageError("a case needs a name")
    if change.shared is not None and site.owner not in (None, case.row.user):
        raise UsageError("only the owner of a case may share it")
    if change.patent is not None:
        values["topic"] = read_patent(change.patent.model_dump()).to_dict()
    case.store.change_case(case.id, **values)
    return get_case(case.again())


@router.delete("/cases/{case_id}", status_code=204)
def delete_case(site: OnSite, case: Case) -> Response:
    """Delete a case."""
    if site.owner not in (None, case.row.user):
        raise UsageError("only the owner of a case may delete it")
    case.store.delete(case.id)
    return Response(status_code=204)


@router.get("/cases/{case_id}/marks", tags=["marks"])
def get_marks(case: Case) -> list[Mark]:
    """The marks of a case."""
    return [*case.marks.current.values()]


@router.put("/cases/{case_id}/marks", tags=["marks"])
def put_mark(asked: requests.MarkRequest, case: Case) -> Mark:
    """Mark a document. The answer is sent when the mark is on disk."""
    header = case.workbench.header(asked.doc_id)
    before = case.store.mark(case.id, header.doc_id if header is not None else asked.doc_id)
    if header is None and before is None:
        raise UsageError(f"document {shown(asked.doc_id)}: is not in the index")
    values = {**asked.model_dump(), "user": case.user, "time": current_time(), "claims": clean_line(asked.claims)}
    if header is not None:
        values |= {"doc_id": header.doc_id, "title": header.title[:TITLES]}
    if before is not None and before.relevance == asked.relevance:  # what the terminal alone has stays
        values |= {"grade": before.grade, "query": before.query}
    mark = Mark(**values)
    case.store.put_marks(case.id, [mark])
    return mark


@router.delete("/cases/{case_id}/marks", status_code=204, tags=["marks"])
def delete_mark(doc_id: Annotated[requests.DocumentName, Query(alias="id")], case: Case) -> Response:
    """Withdraw a mark."""
    if not case.store.remove_mark(case.id, doc_id, case.user):
        raise UsageError(f"document {shown(doc_id)} has no mark")
    return Response(status_code=204)


@router.post("/cases/{case_id}/seen", status_code=204, tags=["marks"])
def post_seen(asked: requests.SeenRequest, case: Case) -> Response:
    """Note that a document was opened."""
    header = case.workbench.header(asked.doc_id)
    if header is None:
        raise UsageError(f"document {shown(asked.doc_id)}: is not in the index")
    case.store.see(case.id, header.doc_id, case.user, asked.search, asked.rank)
    return Response(status_code=204)


@exporting.get("/export/{kind}", response_class=Response)
async def get_export(
    kind: Annotated[str, PathParameter(max_length=40)],
    site: OnSite,
    case: Case,
    search: requests.SearchNumber = None,
    view: bool = False,
) -> Response:
    """A file of the case: report.html, marks.csv, marks.ris, marks.bib, results.csv, case.xlsx, qrels.txt, run.txt,
    trec.zip, chart.xlsx, chart.html, case.json. With `view` a page is shown instead of saved.
    """
    data = await site.workers.run("search", site.request, lambda: export(case, kind, search))
    media_type, _ = KINDS[kind]
    page = media_type == HTML
    headers = {
        "Content-Disposition": f'{"inline" if view and page else "attachment"}; filename="{file_stem(case)}-{kind}"',
        "Content-Security-Policy": page_policy() if page else POLICY,
    }
    return Response(data, media_type=media_type, headers=headers)
