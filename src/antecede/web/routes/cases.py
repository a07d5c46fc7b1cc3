"""Topics, cases and marks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from antecede.errors import UsageError, shown
from antecede.review.case import shorten
from antecede.review.marks import Mark, current_time
from antecede.review.store import CaseRow
from antecede.web import answers, requests
from antecede.web.case_file import adopt_case
from antecede.web.context import InCase, InWorkbench, OnWorkers, Owner, User
from antecede.web.queries import current_state
from antecede.web.searches import search_info
from antecede.web.topics import find_topic, understand
from antecede.web.uploads import read_upload, unpack_upload
from antecede.web.workbench import TITLES, Workbench, clean_line, read_patent, title_of

router = APIRouter(prefix="/api", tags=["cases"])


@router.post("/topics")
async def post_topic(
    asked: requests.TopicRequest, request: Request, workbench: InWorkbench, workers: OnWorkers
) -> answers.Understood:
    """Understand a topic: a patent number in any spelling, or a text."""
    return answers.Understood(**await workers.read(request, lambda: find_topic(workbench, asked)))


@router.post("/topics/file", openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}})
async def post_topic_file(
    request: Request,
    workbench: InWorkbench,
    name: Annotated[str, Query(max_length=requests.LONGEST_NAME)] = "upload",
    doc_id: Annotated[requests.AnyName | None, Query()] = None,
) -> answers.Understood:
    """Understand a topic: a file of any patent format, text, PDF or DOCX. The body is the file."""
    record, notes = await read_upload(request.stream(), name, doc_id)
    return answers.Understood(**understand(workbench, read_patent(record), "file", notes))


@router.get("/cases")
def list_cases(workbench: InWorkbench, owner: Owner) -> list[answers.CaseEntry]:
    """The cases that the user may open."""
    return [
        answers.CaseEntry.model_validate({**vars(case), "topic": {"doc_id": topic.doc_id, "title": title_of(topic)}})
        for case in workbench.store.cases(owner)
        for topic in [read_patent(case.topic)]
    ]


@router.post("/cases", status_code=201)
def post_case(asked: requests.CaseRequest, workbench: InWorkbench, user: User) -> answers.Case:
    """Begin a case."""
    patent = read_patent(asked.patent.model_dump())
    title = title_of(patent)
    described = title if title and asked.source == "text" else f"{patent.doc_id} {title}"
    name = clean_line(asked.name or "") or shorten(clean_line(described))
    case_id = workbench.store.create(patent.to_dict(), name=name, user=user, source=asked.source)
    return view_case(workbench, workbench.store.case(case_id))


@router.post(
    "/cases/import", status_code=201, openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}}
)
async def post_import(request: Request, workbench: InWorkbench, workers: OnWorkers, owner: Owner) -> answers.Case:
    """Import a case. The body is the file."""
    with tempfile.TemporaryDirectory(prefix="antecede-import-") as folder:
        path = await unpack_upload(request.stream(), Path(folder))

        def load() -> answers.Case:
            case_id = adopt_case(workbench.store, path, user=owner)
            return view_case(workbench, workbench.store.case(case_id, owner))

        return await workers.search(request, load)


@router.get("/cases/{case_id}")
def get_case(case: InCase, workbench: InWorkbench) -> answers.Case:
    """A case."""
    return view_case(workbench, case)


@router.get("/cases/{case_id}/topic")
def get_topic(case: InCase, workbench: InWorkbench) -> answers.Understood:
    """The topic of a case with its whole record."""
    return answers.Understood(**understand(workbench, read_patent(case.topic), case.source))


@router.patch("/cases/{case_id}")
def patch_case(change: requests.CaseChange, case: InCase, workbench: InWorkbench, owner: Owner) -> answers.Case:
    """Change the name, the notes or the topic of a case, or share it with all users."""
    values: dict[str, Any] = {}
    if change.name is not None:
        values["name"] = clean_line(change.name)
        if not values["name"]:
            raise UsageError("a case needs a name")
    if change.notes is not None:
        values["notes"] = change.notes
    if change.shared is not None:
        if owner not in (None, case.user):
            raise UsageError("only the owner of a case may share it")
        values["shared"] = change.shared
    if change.patent is not None:
        values["topic"] = read_patent(change.patent.model_dump()).to_dict()
    workbench.store.change_case(case.id, **values)
    return view_case(workbench, workbench.store.case(case.id))


@router.delete("/cases/{case_id}", status_code=204)
def delete_case(case: InCase, workbench: InWorkbench, owner: Owner) -> Response:
    """Delete a case."""
    if owner not in (None, case.user):
        raise UsageError("only the owner of a case may delete it")
    workbench.store.delete(case.id)
    return Response(status_code=204)


@router.get("/cases/{case_id}/marks", tags=["marks"])
def get_marks(case: InCase, workbench: InWorkbench) -> list[Mark]:
    """The marks of a case."""
    return [*workbench.store.marks(case).current.values()]


@router.put("/cases/{case_id}/marks", tags=["marks"])
def put_mark(asked: requests.MarkRequest, case: InCase, workbench: InWorkbench, user: User) -> Mark:
    """Mark a document. The answer is sent when the mark is on disk."""
    header = workbench.header(asked.doc_id)
    before = workbench.store.mark(case.id, header.doc_id if header is not None else asked.doc_id)
    if header is None and before is None:
        raise UsageError(f"document {shown(asked.doc_id)}: is not in the index")
    values = {**asked.model_dump(), "user": user, "time": current_time(), "claims": clean_line(asked.claims)}
    if header is not None:
        values |= {"doc_id": header.doc_id, "title": header.title[:TITLES]}
    if before is not None and before.relevance == asked.relevance:  # what the terminal alone has stays
        values |= {"grade": before.grade, "query": before.query}
    mark = Mark(**values)
    workbench.store.put_marks(case.id, [mark])
    return mark


@router.delete("/cases/{case_id}/marks", status_code=204, tags=["marks"])
def delete_mark(
    case: InCase,
    workbench: InWorkbench,
    user: User,
    doc_id: Annotated[requests.DocumentName, Query(alias="id")],
) -> Response:
    """Withdraw a mark."""
    if not workbench.store.remove_mark(case.id, doc_id, user):
        raise UsageError(f"document {shown(doc_id)} has no mark")
    return Response(status_code=204)


@router.post("/cases/{case_id}/seen", status_code=204, tags=["marks"])
def post_seen(asked: requests.SeenRequest, case: InCase, workbench: InWorkbench, user: User) -> Response:
    """Note that a document was opened."""
    header = workbench.header(asked.doc_id)
    if header is None:
        raise UsageError(f"document {shown(asked.doc_id)}: is not in the index")
    workbench.store.see(case.id, header.doc_id, user, asked.search, asked.rank)
    return Response(status_code=204)


def view_case(workbench: Workbench, case: CaseRow) -> answers.Case:
    """A case with its searches and marks."""
    store = workbench.store
    searches = store.searches(case.id)
    _, undo, redo = store.draft(case.id)
    states = {each.index_state for each in searches if each.index_state}
    values = {
        **vars(case),
        "topic": understand(workbench, read_patent(case.topic), case.source),
        "searches": [search_info(each) for each in searches],
        "marks": [*store.marks(case).current.values()],
        "seen": store.seen(case.id),
        "query": current_state(workbench, case),
        "undo": undo,
        "redo": redo,
        "index_state": workbench.index.state,
        "index_changed": bool(states - {workbench.index.state}),
    }
    return answers.Case.model_validate(values)
