"""The query of a case, its searches, documents, chart, progress, comparison and exports."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from antecede.web import answers, requests
from antecede.web.charts import change_cell, change_chart, choose_claims, view_chart
from antecede.web.context import Here, InCase, InWorkbench
from antecede.web.documents import view_document
from antecede.web.exports import export
from antecede.web.gate import POLICY
from antecede.web.progress import view_progress
from antecede.web.queries import add_words, put_state, step_state, view_expression, view_query
from antecede.web.searches import compare_searches, run_feedback, run_search, search_info, view_facets, view_search
from antecede.web.workbench import clean_line

router = APIRouter(prefix="/api/cases/{case_id}", tags=["searching"])

Number = Annotated[int, Path(ge=1, le=2**31, description="The number of the search in its case.")]
SearchNumber = Annotated[int | None, Query(ge=1, le=2**31, description="The number of the search in its case.")]
ClassCode = Annotated[str, Query(max_length=40, description="The class whose subclasses are counted.")]


@router.get("/query")
async def get_query(here: Here) -> answers.QueryView:
    """The current query with all its terms."""
    return await here.read(answers.QueryView, view_query)


@router.put("/query")
async def put_query(state: requests.QueryState, here: Here) -> answers.QueryView:
    """Change the query; one step that can be undone."""
    return await here.read(answers.QueryView, put_state, state)


@router.post("/query/words")
async def post_words(asked: requests.WordsRequest, here: Here) -> answers.QueryView:
    """Add a word, or a phrase that must occur, to the query."""
    return await here.read(answers.QueryView, add_words, asked.words, asked.weight)


@router.post("/query/expression")
async def post_expression(asked: requests.ExpressionRequest, here: Here) -> answers.ExpressionView:
    """Count the documents that meet an expression, and each of its parts."""
    return await here.search(answers.ExpressionView, view_expression, asked)


@router.post("/query/{step}")
async def post_step(step: Literal["undo", "redo", "reset"], here: Here) -> answers.QueryView:
    """Undo or redo a change of the query, or restore the query that the topic gives."""
    return await here.read(answers.QueryView, step_state, step)


@router.post("/search")
async def post_search(asked: requests.SearchRequest, here: Here) -> answers.Results:
    """Search with the current query."""
    return await here.search(answers.Results, run_search, here.user, asked)


@router.post("/more")
async def post_more(asked: requests.SearchRequest, here: Here) -> answers.Results:
    """More like these: search with the current query, moved by the marks."""
    return await here.search(answers.Results, run_feedback, here.user, asked)


@router.get("/searches")
def list_searches(case: InCase, workbench: InWorkbench) -> list[answers.SearchInfo]:
    """The searches of a case."""
    return [search_info(search) for search in workbench.store.searches(case.id)]


@router.patch("/searches/{number}")
def patch_search(
    number: Number, change: requests.SearchChange, case: InCase, workbench: InWorkbench
) -> answers.SearchInfo:
    """Name a search."""
    return search_info(workbench.store.name_search(case.id, number, clean_line(change.name)))


@router.get("/searches/{number}")
async def get_results(number: Number, here: Here, asked: Annotated[requests.SearchRequest, Query()]) -> answers.Results:
    """One page of the results of a search."""
    return await here.search(answers.Results, view_search, number, asked)


@router.get("/searches/{number}/facets")
async def get_facets(
    number: Number,
    here: Here,
    ipc: ClassCode = "",
    cpc: ClassCode = "",
    applicant: Annotated[str, Query(max_length=300, description="What the names of applicants contain.")] = "",
) -> answers.FacetView:
    """How many documents there are of each year, office, language, applicant and class."""
    wanted = {"ipc": ipc, "cpc": cpc, "applicant": applicant}
    return await here.read(answers.FacetView, view_facets, number, wanted)


@router.get("/document")
async def get_document(
    here: Here,
    doc_id: Annotated[requests.DocumentName | None, Query(alias="id")] = None,
    search: SearchNumber = None,
    against: Annotated[bool, Query(description="Also its best passage for each claim of the application.")] = False,
) -> answers.DocumentView:
    """A document, or without an id the application itself, with the terms of a search in its texts."""
    return await here.read(answers.DocumentView, view_document, doc_id, search, against)


@router.get("/chart", tags=["chart"])
async def get_chart(here: Here) -> answers.Chart:
    """The claim chart."""
    return await here.read(answers.Chart, view_chart)


@router.put("/chart", tags=["chart"])
async def put_chart(asked: requests.ChartRequest, here: Here) -> answers.Chart:
    """Set the features and documents of the chart."""
    return await here.search(answers.Chart, change_chart, asked)


@router.post("/chart/features", tags=["chart"])
async def post_features(asked: requests.ClaimsRequest, here: Here) -> answers.Chart:
    """Set the features of the chart to those of some claims."""
    return await here.search(answers.Chart, choose_claims, asked.claims)


@router.put("/chart/cell", tags=["chart"])
async def put_cell(asked: requests.CellRequest, here: Here) -> answers.Chart:
    """Set the text of a cell of the chart."""
    return await here.search(answers.Chart, change_cell, asked)


@router.get("/progress", tags=["progress"])
async def get_progress(here: Here) -> answers.Progress:
    """How much has been found."""
    return await here.read(answers.Progress, view_progress)


@router.get("/compare", tags=["progress"])
async def get_comparison(
    here: Here,
    first: Annotated[int, Query(ge=1, le=2**31)],
    second: Annotated[int, Query(ge=1, le=2**31)],
    depth: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> answers.Comparison:
    """Two searches side by side."""
    return await here.search(answers.Comparison, compare_searches, first, second, depth)


@router.get("/export/{kind}", tags=["export"], response_class=Response)
async def get_export(
    kind: Annotated[str, Path(max_length=40)], here: Here, search: SearchNumber = None, view: bool = False
) -> Response:
    """A file of the case: report.html, marks.csv, marks.ris, marks.bib, results.csv, case.xlsx, qrels.txt, run.txt,
    trec.zip, chart.xlsx, chart.html, case.json. With `view` a page is shown instead of saved.
    """
    made = await here.workers.search(here.request, lambda: export(here.workbench, here.case, kind, search))
    how = "inline" if view and made.policy is not None else "attachment"
    headers = {
        "Content-Disposition": f'{how}; filename="{made.name}"',
        "Content-Security-Policy": made.policy or POLICY,
    }
    return Response(made.data, media_type=made.media_type, headers=headers)
