"""A patent → a query."""

from antecede.query.query import Query, query_from, read_query
from antecede.query.query_maker import BuiltQuery, QueryMaker

__all__ = ["BuiltQuery", "Query", "QueryMaker", "query_from", "read_query"]
