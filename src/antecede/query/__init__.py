"""A patent → a query."""

from antecede.query.full import full
from antecede.query.query import Query, query_from, read_query

__all__ = ["Query", "full", "query_from", "read_query"]
