"""The query of a case, its searches, documents, chart, progress, comparison and exports."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from antecede.review.store import EMPTY_STATE
from antecede.web import answers, requests
from antecede.web.charts import change_cell, change_chart, choose_claims, match_claims, view_chart
from antecede.web.context import InCase, InWorkbench, OnWorkers, User
from antecede.web.documents import view_document
from antecede.web.exports import export
from antecede.web.gate import POLICY
from antecede.web.progress import view_progress
from antecede.web.queries import add_words, put_state, view_query
from antecede.web.searches import (
    NothingToDoError,
    compare_searches,
    run_feedback,
    run_search,
    search_info,
    view_facets,
    view_results,
)
from antecede.web.workbench import clean_line, read_patent

router = APIRouter(prefix="/api/cases/{case_id}", tags=["searching"])

Number = Annotated[int, Path(ge=1, le=2**31, description="The number of the search in its case.")]
SearchNumber = Annotated[int | None, Query(ge=1, le=2**31, description="The number of the search in its case.")]
ClassCode = Annotated[str, Query(max_length=40, description="The class whose subclasses are counted.")]


@router.get("/query")
async def get_query(request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers) -> answers.QueryView:
    """The current query with all its terms."""
    return answers.QueryView(**await workers.read(request, lambda: view_query(workbench, case)))


@router.put("/query")
async def put_query(
    state: requests.QueryState, request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers
) -> answers.QueryView:
    """Change the query; one step that can be undone."""
    return answers.QueryView(**await workers.read(request, lambda: put_state(workbench, case, state)))


@router.post("/query/words")
async def post_words(
    asked: requests.WordsRequest, request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers
) -> answers.QueryView:
    """Add a word, or a phrase that must occur, to the query."""
    return answers.QueryView(
        **await workers.read(request, lambda: add_words(workbench, case, asked.words, asked.weight))
    )


@router.post("/query/{step}")
async def post_step(
    step: Literal["undo", "redo", "reset"], request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers
) -> answers.QueryView:
    """Undo or redo a change of the query, or restore the query that the topic gives."""
    if step == "reset":
        workbench.store.put_draft(case.id, EMPTY_STATE)
    elif not workbench.store.step_draft(case.id, -1 if step == "undo" else 1):
        raise NothingToDoError(f"there is nothing to {step}")
    return answers.QueryView(**await workers.read(request, lambda: view_query(workbench, case)))


@router.post("/search")
async def post_search(
    asked: requests.SearchRequest,
    request: Request,
    case: InCase,
    workbench: InWorkbench,
    workers: OnWorkers,
    user: User,
) -> answers.Results:
    """Search with the current query."""

    def search() -> answers.Results:
        return answers.Results(**view_results(workbench, case, run_search(workbench, case, user), asked))

    return await workers.search(request, search)


@router.post("/more")
async def post_more(
    asked: requests.SearchRequest,
    request: Request,
    case: InCase,
    workbench: InWorkbench,
    workers: OnWorkers,
    user: User,
) -> answers.Results:
    """More like these: search with the current query, moved by the marks."""

    def search() -> answers.Results:
        return answers.Results(**view_results(workbench, case, run_feedback(workbench, case, user), asked))

    return await workers.search(request, search)


@router.get("/searches")
def list_searches(case: InCase, workbench: InWorkbench) -> answers.SearchList:
    """The searches of a case."""
    found = [answers.SearchInfo(**search_info(each)) for each in workbench.store.searches(case.id)]
    return answers.SearchList(searches=found)


@router.patch("/searches/{number}")
def patch_search(
    number: Number, change: requests.SearchChange, case: InCase, workbench: InWorkbench
) -> answers.SearchInfo:
    """Name a search."""
    workbench.store.search(case.id, number)
    found = workbench.store.name_search(case.id, number, clean_line(change.name))
    return answers.SearchInfo(**search_info(found))


@router.get("/searches/{number}")
async def get_results(
    number: Number,
    request: Request,
    case: InCase,
    workbench: InWorkbench,
    workers: OnWorkers,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 25,
    family: bool = True,
) -> answers.Results:
    """One page of the results of a search."""
    asked = requests.SearchRequest(offset=offset, limit=limit, family=family)

    def look() -> answers.Results:
        return answers.Results(**view_results(workbench, case, workbench.store.search(case.id, number), asked))

    return await workers.search(request, look)


@router.get("/searches/{number}/facets")
async def get_facets(
    number: Number,
    request: Request,
    case: InCase,
    workbench: InWorkbench,
    workers: OnWorkers,
    ipc: ClassCode = "",
    cpc: ClassCode = "",
    applicant: Annotated[str, Query(max_length=300, description="What the names of applicants contain.")] = "",
) -> answers.FacetView:
    """How many documents there are of each year, office, language, applicant and class."""

    def count() -> answers.FacetView:
        search = workbench.store.search(case.id, number)
        return answers.FacetView(**view_facets(workbench, case, search, ipc=ipc, cpc=cpc, applicant=applicant))

    return await workers.read(request, count)


@router.get("/document")
async def get_document(
    request: Request,
    case: InCase,
    workbench: InWorkbench,
    workers: OnWorkers,
    doc_id: Annotated[requests.DocumentName | None, Query(alias="id")] = None,
    search: SearchNumber = None,
    against: Annotated[bool, Query(description="Also its best passage for each claim of the application.")] = False,
) -> answers.DocumentView:
    """A document, or without an id the application itself, with the terms of a search in its texts."""

    def look() -> answers.DocumentView:
        patent = workbench.patent(doc_id) if doc_id is not None else read_patent(case.topic)
        found = workbench.store.search(case.id, search) if search is not None else None
        matches = match_claims(workbench, case, patent) if against else []
        return answers.DocumentView(**view_document(workbench, case, patent, found), against=matches)

    return await workers.read(request, look)


@router.get("/chart", tags=["chart"])
async def get_chart(request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers) -> answers.Chart:
    """The claim chart."""
    return answers.Chart(**await workers.read(request, lambda: view_chart(workbench, case)))


@router.put("/chart", tags=["chart"])
async def put_chart(
    asked: requests.ChartRequest, request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers
) -> answers.Chart:
    """Set the features and documents of the chart."""

    def change() -> answers.Chart:
        change_chart(workbench, case, asked)
        return answers.Chart(**view_chart(workbench, workbench.store.case(case.id)))

    return await workers.search(request, change)


@router.post("/chart/features", tags=["chart"])
async def post_features(
    asked: requests.ClaimsRequest, request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers
) -> answers.Chart:
    """Set the features of the chart to those of some claims."""

    def change() -> answers.Chart:
        choose_claims(workbench, case, asked.claims)
        return answers.Chart(**view_chart(workbench, workbench.store.case(case.id)))

    return await workers.search(request, change)


@router.put("/chart/cell", tags=["chart"])
async def put_cell(
    asked: requests.CellRequest, request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers
) -> answers.Chart:
    """Set the text of a cell of the chart."""

    def change() -> answers.Chart:
        change_cell(workbench, case, asked.feature, asked.doc_id, asked.text)
        return answers.Chart(**view_chart(workbench, workbench.store.case(case.id)))

    return await workers.search(request, change)


@router.get("/progress", tags=["progress"])
async def get_progress(request: Request, case: InCase, workbench: InWorkbench, workers: OnWorkers) -> answers.Progress:
    """How much has been found."""
    found = await workers.read(request, lambda: view_progress(workbench, case))
    return answers.Progress.model_validate(found)


@router.get("/compare", tags=["progress"])
async def get_comparison(
    request: Request,
    case: InCase,
    workbench: InWorkbench,
    workers: OnWorkers,
    first: Annotated[int, Query(ge=1, le=2**31)],
    second: Annotated[int, Query(ge=1, le=2**31)],
    depth: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> answers.Comparison:
    """Two searches side by side."""
    found = await workers.search(request, lambda: compare_searches(workbench, case, first, second, depth))
    return answers.Comparison(**found)


@router.get("/export/{kind}", tags=["export"], response_class=Response)
async def get_export(
    kind: Annotated[str, Path(max_length=40)],
    request: Request,
    case: InCase,
    workbench: InWorkbench,
    workers: OnWorkers,
    search: SearchNumber = None,
    view: bool = False,
) -> Response:
    """A file of the case: report.html, marks.csv, marks.ris, marks.bib, results.csv, case.xlsx, qrels.txt, run.txt,
    trec.zip, chart.xlsx, chart.html, case.json. With `view` a page is shown instead of saved.
    """
    made = await workers.search(request, lambda: export(workbench, case, kind, search))
    how = "inline" if view and made.policy is not None else "attachment"
    headers = {
        "Content-Disposition": f'{how}; filename="{made.name}"',
        "Content-Security-Policy": made.policy or POLICY,
    }
    return Response(made.data, media_type=made.media_type, headers=headers)
