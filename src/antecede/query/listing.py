"""The query methods as a table, a manual page and data, generated from their definitions; and a query as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.query.methods import METHODS, MethodDefinition, parse_method
from antecede.registry import Listing
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.query.query_maker import BuiltQuery

DIGITS = 5
MANUAL_HEAD = """# Query methods

Generated from the code by `make docs`; each method is documented in its own file in `src/antecede/query/methods/`.

A query method weights each term of a topic, which is a patent. n(t) is the frequency of the term in the topic's text
(the description by default), |d| the number of tokens of that text; N is the number of documents of that language in
the index, df the number of them that contain the term, cf the term's frequency in all of them, |C| = Σ cf, avg|d| their
mean length. The topic and its family are excluded from all of these. A term that occurs in no other document is
dropped, as is one whose weight w is not positive. Methods that use the heaviest terms use 75 by default, in French 45.
Parameters are written as in `bm25(k1=1.2, k3=7)`. For a comparison of the methods on real patents, see
[from a patent to a query](queries.md).
"""


def tabulate(entries: Sequence[MethodDefinition]) -> Table:
    """One row per method."""
    rows = tuple((each.name, each.summary, "the heaviest" if each.cut else "all") for each in entries)
    note = "Details of a method: antecede methods NAME. The heaviest: 75 terms, 45 in French, unless --terms is given."
    return Table(("method", "description", "terms"), rows, notes=(note,))


def explain(each: MethodDefinition) -> str:
    """Formula, parameters and source of a method."""
    return f"{each.doc}\n\nSource: {each.cite}"


def write_section(each: MethodDefinition) -> str:
    """A method as a section of the manual page."""
    taken = "the heaviest terms" if each.cut else "all terms"
    return f"## {each.name}\n\n`{each.usage}`: {taken}, weights `{each.weights}`\n\n{explain(each)}."


LISTING = Listing(
    registry=METHODS,
    choose=lambda name: parse_method(name).definition,
    tabulate=tabulate,
    explain=explain,
    describe=MethodDefinition.describe,
    manual_head=MANUAL_HEAD,
    write_section=write_section,
)


def query_table(built: BuiltQuery) -> Table:
    """The terms of a query with weight, term frequency in the topic, and document frequency."""
    query = built.query
    values = (query.weights.tolist(), query.counts, query.df)
    rows = tuple(zip(query.terms, query.words or query.terms, *values, strict=True))
    title = (
        f"{query.topic}: {len(query)} terms by {query.method} from its {' and '.join(built.fields)}"
        f" ({query.language or 'unknown language'})"
    )
    dropped = (f"{built.unmatched} terms of the topic are in no other document and were dropped.",)
    complete = Table(("term", "word", "weight", "n", "df"), rows)
    return Table(
        complete.columns[1:],
        tuple(row[1:] for row in rows),
        title=title,
        notes=dropped if built.unmatched else (),
        digits=DIGITS,
        complete=complete,
    )
