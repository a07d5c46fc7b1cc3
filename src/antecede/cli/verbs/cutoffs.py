"""antecede cutoffs"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.options import OnDuplicates, OnMalformed, OnTies, Style

MOST_SHOWN = 40
"""Changes of places that are printed; --json has all."""


@options.examples(
    "antecede cutoffs qrels.txt a.run b.run c.run",
    "antecede cutoffs qrels.txt a.run b.run -m PRES -m nDCG --at 10,20,50,100 --figure curves.svg",
)
def cutoffs(
    qrels: options.QrelsOrTable,
    runs: options.RunsIfAny = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="A measure that takes a cut-off, named without one; may be repeated, or comma-separated.",
            show_default="AP R PRES",
        ),
    ] = None,
    at: Annotated[str, typer.Option(metavar="N,N,…", help="The cut-offs.")] = "10,50,100,500,1000",
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    ties: options.Ties = OnTies.docid,
    depth: options.Depth = None,
    figure: options.Figure = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Show how scores grow with the documents a searcher reads, and where two runs change places."""
    from antecede.cli.inputs import check_figure, numbers, table_from
    from antecede.cli.output import progress, show_json, show_table
    from antecede.study.cutoffs import FAMILIES, cutoffs

    check_figure(figure)
    chosen = numbers(at, "--at")
    table = table_from(qrels, runs, duplicates=duplicates, malformed=malformed, ties=ties, depth=depth, quiet=quiet)
    with progress("cutting off", quiet=quiet) as report:
        result = cutoffs(table, measures or FAMILIES, at=chosen, progress=report)
    if figure is not None:
        from antecede.report import figures

        figures.cutoffs(result, figure)
    if json:
        show_json(result.to_dict())
    else:
        show_table(result.table(), format_)
        print()
        show_table(result.crossings_table(most=MOST_SHOWN), format_)
