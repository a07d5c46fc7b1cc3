"""The query methods as a list to read, made from their definitions; and a query as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antecede.listing import Listing, described
from antecede.query.methods import Definition, methods, parse_method
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.query.making import Made

DIGITS = 5
MANUAL_HEAD = """# Query methods

Made from the code by `make docs`; a method's documentation stands in its own file in `src/antecede/query/methods/`.

A query method gives a weight to each term of a topic, a patent. n(t) is how often the term occurs in the topic's text
(the description unless told otherwise), |d| how many tokens that text has; N is how many documents of that language the
index has, df in how many of them the term occurs, cf how often, |C| = Σ cf, avg|d| their mean length: all without the
topic and its family. A term that no other document has is dropped, as is one whose weight is not above 0. Methods that
take the heaviest terms take 75 in English, German and other languages, 45 in French, unless told otherwise. A method is
written with parameters as `bm25(k1=1.2, k3=7)`. What they are worth on real patents: [queries](queries.md).
"""


def table(entries: Sequence[Definition]) -> Table:
    """How each method is written, and what it is."""
    rows = tuple((each.name, each.summary, "the heaviest" if each.cut else "all") for each in entries)
    note = (
        "A method in full: antecede methods NAME. The heaviest: 75 terms, in French 45, unless --terms says otherwise."
    )
    return Table(("method", "what it takes of a patent", "terms"), rows, notes=(note,))


def in_full(each: Definition) -> str:
    """Formula, parameters and source of a method."""
    return f"{each.doc}\n\nSource: {each.cite}"


def data(each: Definition) -> dict[str, Any]:
    """A method as JSON knows it."""
    return {
        **described(each),
        "parameters": each.defaults,
        "cut": each.cut,
        "weights": each.weights,
    }


def section(each: Definition) -> str:
    """A method on the page of the documentation."""
    taken = "the heaviest terms" if each.cut else "all terms"
    return f"## {each.name}\n\n`{each.usage}`: {taken}, weights `{each.weights}`\n\n{in_full(each)}."


LISTING = Listing(
    registered=methods,
    called=lambda name: parse_method(name).definition,
    table=table,
    in_full=in_full,
    data=data,
    manual_head=MANUAL_HEAD,
    manual_section=section,
)


def query_table(made: Made) -> Table:
    """The terms of a query with their weights, how often each occurs in the topic, and in how many documents."""
    query = made.query
    rows = tuple(
        (term, weight, count, df)
        for term, weight, count, df in zip(query.terms, query.weights.tolist(), query.counts, query.df, strict=True)
    )
    title = (
        f"{query.topic}: {len(query)} terms by {query.method} from its {' and '.join(made.fields)}"
        f" ({query.language or 'unknown language'})"
    )
    dropped = (f"{made.unmatched} terms of the topic are in no other document and were dropped.",)
    return Table(
        ("term", "weight", "n", "df"), rows, title=title, notes=dropped if made.unmatched else (), digits=DIGITS
    )
