"""antecede query"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import SearchOptions, Settings, verb
from antecede.cli.collections import Fields, PresetName, field_names, show_note
from antecede.cli.options import Style
from antecede.cli.outputs import Input


@verb(
    "antecede query clefip.index EP1234567",
    "antecede query clefip.index application.xml --method tfidf --terms 30 --fields claims",
    "antecede query clefip.index application.docx --fields claims",
    "antecede query clefip.index EP1234567 --json",
)
def query(
    *,
    index: options.IndexFolder,
    patent: Annotated[
        str,
        typer.Argument(
            metavar="PATENT",
            help="A patent of the index by its number, a file of any format, the text, PDF or DOCX of an application, "
            "or - for standard input.",
            show_default=False,
        ),
        Input(),
    ],
    settings: Annotated[Settings, SearchOptions(only=("method", "terms", "fields", "weights", "language", "before"))],
    field: Fields = None,
    preset: PresetName = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Show the weighted terms that a patent is searched with.

    With --json they can be edited and given to search --query.
    """
    from dataclasses import replace

    from antecede.cli.output import show_json, show_table, show_text
    from antecede.engine import open_index
    from antecede.errors import UsageError
    from antecede.query.query import with_words
    from antecede.query.query_maker import query_table
    from antecede.query.topic import patent_text
    from antecede.search.engine import find_topic
    from antecede.search.pipeline import build_query

    if len(settings.method) > 1:
        raise UsageError("a query is made by one method; name one")
    opened = open_index(index)
    topic = find_topic(opened, patent, names=field_names(field, preset), on_note=show_note)
    built = build_query(opened, topic, settings)
    query = with_words(opened, built.query, [patent_text(topic, built.query.language)])
    for note in built.notes:
        show_text(f"antecede: {note}", error=True)
    if json:
        show_json(query.to_dict())
    else:
        show_table(query_table(replace(built, query=query)), format_)
