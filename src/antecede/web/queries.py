"""The query of a case, its words and its expression."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from antecede.review import queries, views
from antecede.review.case import Review
from antecede.review.records import LONGEST_WORDS
from antecede.web.requests import ExpressionRequest, QueryChange, Versioned, WordsRequest
from antecede.web.workbench import route


@route("GET", "/query")
def get_query(case: Review) -> views.QueryView:
    """The current query with all its terms."""
    return queries.view_query(case)


@route("PUT", "/query")
def put_query(asked: QueryChange, case: Review) -> views.QueryView:
    """Change the query; one step that can be undone."""
    queries.put_query(case, asked, asked.version)
    return queries.view_query(case)


@route("GET", "/query/words")
def get_words(words: Annotated[str, Field(min_length=1, max_length=LONGEST_WORDS)], case: Review) -> views.WordsView:
    """What it would mean to add words to the query, and how many documents hold them."""
    return queries.describe_words(case, words)


@route("POST", "/query/words")
def post_words(asked: WordsRequest, case: Review) -> views.QueryView:
    """Add words to the query: as terms with a weight, or as what must occur."""
    must = asked.meaning == "must"
    said = queries.add_words(case, asked.words, must=must, weight=asked.weight, seen=asked.version)
    return queries.view_query(case).model_copy(update={"said": said})


@route("POST", "/query/expression", long=True, changes=False)
def post_expression(asked: ExpressionRequest, case: Review) -> views.ExpressionView:
    """Count the documents that meet an expression while it is written, and each of its parts."""
    return queries.count_expression(case, asked.where, asked.sets)


# After the routes with names of their own, which this one would take for steps


@route("POST", "/query/{step}")
def post_step(step: Literal["undo", "redo", "reset"], asked: Versioned, case: Review) -> views.QueryView:
    """Undo or redo a change of the query, or restore the query that the topic gives."""
    queries.step_query(case, step, asked.version)
    return queries.view_query(case)
