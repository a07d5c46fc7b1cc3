"""A patent → a query."""

from antecede.query.making import Made, QueryMaker, make_query
from antecede.query.query import Query, query_from, read_query

__all__ = ["Made", "Query", "QueryMaker", "make_query", "query_from", "read_query"]
