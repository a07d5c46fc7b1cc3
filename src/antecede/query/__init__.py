"""A patent → a query."""

from antecede.query.query import Query, parse_query, read_query
from antecede.query.query_maker import BuiltQuery, QueryMaker

__all__ = ["BuiltQuery", "Query", "QueryMaker", "parse_query", "read_query"]
