"""Searches of a case: run, listed, described row by row, counted and compared."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from antecede.conditions.fields import FACETS, WORDS
from antecede.parallel import time_limited
from antecede.review import searches, views
from antecede.review.case import Review
from antecede.review.queries import EXPRESSION_SECONDS, NothingToDoError, view_query
from antecede.review.records import QueryState, clean_line
from antecede.search.facets import count_facets
from antecede.web import answers
from antecede.web.requests import FacetRequest, MoreRequest, SearchChange, SearchRequest
from antecede.web.workbench import route

Number = Annotated[int, Field(ge=1, le=2**31, description="The number of the search in its case.")]


@route("POST", "/search", long=True)
def post_search(asked: SearchRequest, case: Review) -> views.Results:
    """Search with the current query."""
    return searches.view_results(case, searches.store_search(case), **asked.rows())


@route("POST", "/more", long=True)
def post_more(asked: MoreRequest, case: Review) -> views.Results:
    """More like these: learn a query from the marks, make it that of the case, and search with it."""
    results = searches.view_results(case, searches.search_more_like_these(case, asked.version), **asked.rows())
    return results.model_copy(update={"query": view_query(case)})


@route("GET", "/searches")
def list_searches(case: Review) -> list[views.SearchInfo]:
    """The searches of a case."""
    return [searches.search_info(search) for search in case.searches]


@route("PATCH", "/searches/{number}")
def patch_search(number: Number, change: SearchChange, case: Review) -> views.SearchInfo:
    """Name a search."""
    name = clean_line(change.name)
    return searches.search_info(case.store.name_search(case.id, number, name, case.user, change.version))


@route("GET", "/searches/{number}", long=True)
def get_results(number: Number, case: Review, asked: SearchRequest) -> views.Results:
    """Some rows of the results of a search."""
    return searches.view_results(case, case.search(number), **asked.rows())


@route("GET", "/searches/{number}/facets")
def get_facets(number: Number, case: Review, asked: FacetRequest) -> answers.Facets:
    """How many documents there are of each value of each field, under the filters of a search."""
    search = case.search(number)
    result = searches.result_of(case, search)
    if result is None:
        raise NothingToDoError("the index or the application has changed since this search; search again")
    chosen = asked.model_dump()
    nodes = {name: chosen[field.setting] for name, field in FACETS.items() if field.tree}
    containing = {name: chosen[field.setting] for name, field in FACETS.items() if field.match == WORDS}
    with time_limited(EXPRESSION_SECONDS):
        facets = count_facets(
            case.index,
            searches.filters_of(case, QueryState.model_validate(search.state)),
            languages=result.searched,
            retrieved=result.doc_ids,
            nodes=nodes,
            containing=containing,
        )
    return answers.Facets(**facets.to_dict())


@route("GET", "/compare", "progress", long=True)
def get_comparison(
    case: Review,
    first: Annotated[int, Field(ge=1, le=2**31)],
    second: Annotated[int, Field(ge=1, le=2**31)],
    depth: Annotated[int, Field(ge=1, le=1000)] = 100,
) -> views.Comparison:
    """Two searches side by side."""
    return searches.compare_searches(case, first, second, depth)
