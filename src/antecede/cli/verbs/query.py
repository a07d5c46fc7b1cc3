"""antecede query"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style
from antecede.cli.outputs import Input
from antecede.cli.querying import IndexFolder, Making, Terms


@verb(
    "antecede query clefip.index EP1234567",
    "antecede query clefip.index application.xml --method tfidf --terms 30 --fields claims",
    "antecede query clefip.index EP1234567 --json",
)
def query(
    *,
    index: IndexFolder,
    patent: Annotated[
        str,
        typer.Argument(
            metavar="PATENT",
            help="A patent of the index by its number, a file of any format, or - for standard input.",
            show_default=False,
        ),
        Input(),
    ],
    method: Annotated[str, typer.Option(help="The query method; all of them: antecede methods.")] = "logtfidf",
    terms: Terms = None,
    making: Making,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Show the weighted terms that a patent is searched with.

    With --json they can be edited and given to search --query.
    """
    from antecede.cli.output import show_json, show_table, show_text
    from antecede.index import open_index
    from antecede.query.listing import query_table
    from antecede.query.making import QueryMaker
    from antecede.search import topic_from
    from antecede.search.prior_art import prior_art

    maker = QueryMaker(open_index(index))
    topic = maker.topic(topic_from(maker.index, patent), making.fields, making.language)
    made = maker.make(
        topic,
        method,
        terms=terms,
        weights=making.weights.value if making.weights is not None else None,
        filters=prior_art(topic.patent, making.before),
    )
    for note in made.notes:
        show_text(f"antecede: {note}", error=True)
    if json:
        show_json(made.query.to_dict())
    else:
        show_table(query_table(made), format_)
