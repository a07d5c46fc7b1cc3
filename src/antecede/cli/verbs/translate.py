"""antecede translate"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import Style
from antecede.cli.outputs import Input, Output
from antecede.ranges import COUNT


class Action(StrEnum):
    learn = "learn"
    show = "show"


@verb(
    "antecede translate learn clefip/ --out claims.table",
    "antecede translate learn clefip.index --into clefip.index",
    "antecede translate show claims.table connected Anspruch",
)
def translate(
    *,
    action: Annotated[Action, typer.Argument(metavar="learn|show", help="Learn a table, or show one.")],
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="COLLECTION...|TABLE WORD...",
            help="learn: patents, or the folder of an index; show: a table, or an index with one, and words.",
            show_default=False,
        ),
        Input(),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="TABLE", help="The file to write.", show_default=False), Output("translation")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(metavar="INDEX", help="Store the table with this index.", show_default=False),
        Input(),
    ] = None,
    claims: Annotated[
        int | None,
        typer.Option(**COUNT.bounds, help="The most parallel claims to learn from, for a pair of languages."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="default|published", help="How words become terms.", show_default="that of the index, or default"
        ),
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Learn term translations from claims in several languages, or show those of a table.

    With such a table, --language all also searches documents in languages that the topic has no text in.
    """
    from antecede.cli.output import progress, show_json, show_tables
    from antecede.cli.translations import learn_from, learned_table, open_table, shown_words, words_table
    from antecede.errors import UsageError

    if action is Action.show:
        if out is not None or into is not None or claims is not None or profile is not None:
            raise UsageError("--out, --into, --claims and --profile belong to `translate learn`")
        words = shown_words(open_table(names[0]), names[1:])
        if json:
            show_json(words)
        else:
            show_tables([words_table(words)], format_)
        return
    if out is None and into is None:
        raise UsageError("say where the table goes: --out FILE, --into INDEX, or both")
    with progress("reading", quiet=quiet, megabytes=True) as report:
        facts = learn_from(names, out, into, claims=claims, profile=profile, progress=report)
    if json:
        show_json(facts)
    else:
        show_tables([learned_table(facts)], format_)
