"""The ranking models as a list to read, made from their definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.listing import Listing, described
from antecede.search.models import Definition, models, parse_model
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

MANUAL_HEAD = """# Ranking models

Made from the code by `make docs`; a model's documentation stands in its own file in `src/antecede/search/models/`.

The score of a document is the sum over the terms of the query: the term's weight in the query times what the model says
here for the term in the document. n is how often the term occurs in the document, |d| the document's length in tokens,
avg|d| the mean of these, N the number of documents, df the number of those that have the term, cf how often it occurs
in all, |C| the tokens of all; N, df, cf, |C| and avg|d| are of the language that is searched. A model is written
`bm25(k1=0.9,b=0.4)`; parameters left out have the values shown.
"""


def table(entries: Sequence[Definition]) -> Table:
    """How each model is written, and what it is."""
    rows = tuple((each.usage, each.summary) for each in entries)
    note = "A model in full: antecede models NAME. Values shown are the defaults."
    return Table(("model", "what it says"), rows, notes=(note,))


def in_full(each: Definition) -> str:
    """What a model says of itself, with its parameters' ranges and its source."""
    ranges = ", ".join(each.ranges[name].written for name in each.defaults)
    return f"{each.doc}\n\nRange: {ranges}\nSource: {each.cite}"


def data(each: Definition) -> dict[str, Any]:
    """A model as JSON knows it."""
    return {
        **described(each),
        "parameters": each.defaults,
        "ranges": {name: within.written for name, within in each.ranges.items()},
    }


def section(each: Definition) -> str:
    """A model on the page of the documentation."""
    ranges = ", ".join(f"`{each.ranges[name].written}`" for name in each.defaults)
    return f"## {each.name}\n\n`{each.usage}`\n\n{each.doc}\n\nRange: {ranges}. Source: {each.cite}."


LISTING = Listing(
    registered=models,
    called=lambda name: parse_model(name).definition,
    table=table,
    in_full=in_full,
    data=data,
    manual_head=MANUAL_HEAD,
    manual_section=section,
)
