"""antecede audit"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, verb
from antecede.cli.options import By, OnDuplicates, OnMalformed, Style
from antecede.cli.outputs import Output
from antecede.ranges import DOCUMENTS


@verb(
    "antecede audit qrels.txt runs/*.gz",
    "antecede audit qrels.txt a.run --cutoff 100 --json",
    "antecede audit qrels.txt a.run --figure relevant.svg",
)
def audit(
    qrels: options.Qrels,
    runs: options.Runs,
    cutoff: Annotated[
        int, typer.Option(**DOCUMENTS.bounds, help="The number of documents a ranking should have.")
    ] = 1000,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg|png|pdf", help="Draw how many relevant documents each topic has."),
        Output("figure"),
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    order: options.Order = By.score,
    quiet: options.Quiet = False,
) -> None:
    """Show irregularities in runs and qrels: duplicates, ties, missing topics, broken lines, unjudged documents.

    Reads what evaluate would refuse, and counts it; a run that cannot be read at all is listed with the reason. Exit
    code 1 where a run or a line could not be read or a document occurs twice, since evaluate refuses such a file.
    """
    from antecede.cli.output import show_json, show_tables
    from antecede.evaluation import audit

    DisplayOptions(figure).check()
    reading = ReadOptions(qrels, runs, OnDuplicates.first, OnMalformed.skip, order=order, quiet=quiet)
    unreadable: dict[str, str] = {}
    table = reading.table(warn=False, unreadable=unreadable)
    found = replace(audit(table, cutoff=cutoff), unreadable=unreadable)
    if figure is not None:
        table.plot(figure)
    if json:
        show_json(found.to_dict())
    else:
        show_tables([found.table()], format_)
    if found.refused:
        raise typer.Exit(1)
