"""antecede cutoffs"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, verb

MOST_SHOWN = 40
"""The number of crossings that are printed; --json has all."""


@verb(
    "antecede cutoffs qrels.txt a.run b.run c.run",
    "antecede cutoffs qrels.txt a.run b.run -m PRES -m nDCG --at 10,20,50,100 --figure curves.svg",
)
def cutoffs(
    *,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="A measure that takes a cut-off, named without one; may be repeated, or comma-separated.",
            show_default="PRES AP R",
        ),
    ] = None,
    at: Annotated[str, typer.Option(metavar="N,N,…", help="The cut-offs.")] = "10,50,100,500,1000",
    highlight: options.Highlight = None,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show how scores grow with the documents a searcher reads, and where two runs change places."""
    from dataclasses import replace

    from antecede.cli.inputs import find_highlights, numbers
    from antecede.cli.output import progress
    from antecede.study.cutoffs import FAMILIES, cutoffs

    showing.check()
    chosen = numbers(at, "--at")
    table = reading.table()
    highlighted = find_highlights(highlight, table)
    with progress("evaluating cut-offs", quiet=reading.quiet) as report:
        result = cutoffs(table, measures or FAMILIES, at=chosen, progress=report)
    if showing.figure is not None:
        from antecede.plots import draw

        draw(result, showing.figure, highlight=highlighted)
        showing = replace(showing, figure=None)
    showing.show(result, result.table(), result.crossings_table(most=MOST_SHOWN))
