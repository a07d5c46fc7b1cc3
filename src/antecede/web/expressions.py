"""The Boolean expression of a query while it is written: how many documents meet it and each of its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.index.filters import Filters
from antecede.search.conditions import Condition
from antecede.search.expression import And, ExpressionError, Not, Or, parse_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.index import Index
    from antecede.review.store import CaseRow, SearchRow
    from antecede.search.expression import Node
    from antecede.web.requests import ExpressionRequest
    from antecede.web.workbench import Workbench

MOST_PARTS = 30
"""Parts of an expression that are counted."""


def view_expression(workbench: Workbench, _: CaseRow, asked: ExpressionRequest) -> dict[str, Any]:
    """How many documents meet an expression, each of its parts and each set; or what is wrong, and where."""
    index = workbench.index
    try:
        sets = [parse_expression(text, asked.sets[:number]) for number, text in enumerate(asked.sets)]
        node = parse_expression(asked.where, asked.sets) if asked.where.strip() else None
    except ExpressionError as error:
        return {"problem": {"what": error.what, "place": error.place, "text": error.text}}
    parts = [*describe_parts(index, node)][:MOST_PARTS] if node is not None else []
    return {
        "documents": count_meeting(index, node) if node is not None else None,
        "parts": parts,
        "sets": [count_meeting(index, each) for each in sets],
    }


def expression_of(search: SearchRow | None) -> Node | None:
    """The expression that the documents of a search meet, if it has one."""
    settings = search.settings if search is not None else {}
    where = settings.get("where")
    return parse_expression(where, settings.get("sets") or ()) if where else None


def describe_parts(index: Index, node: Node, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The parts that AND, OR and NOT join, with their documents.

    `left` are the documents that meet a part and those before it, where all must be met: the first part that leaves
    none is the one that empties the result.
    """
    members = node.members if isinstance(node, And | Or) else (node,)
    for number, part in enumerate(members, 1):
        met = {"text": str(part), "documents": count_meeting(index, part), "depth": depth}
        yield {**met, "left": count_meeting(index, And(members[:number])) if isinstance(node, And) else None}
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, And | Or):
            yield from describe_parts(index, inner, depth + 1)


def count_meeting(index: Index, node: Node) -> int:
    """The number of documents that meet an expression."""
    return index.tally((), Filters(conditions=(Condition(index, node),))).passed
