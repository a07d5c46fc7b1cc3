"""antecede published"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.options import Style


@options.examples("antecede published", "antecede published --json", "antecede published --figure published.svg")
def published(
    samples: Annotated[int, typer.Option(help="Samples at each level of the simulated study.")] = 100,
    seed: options.Seed = 0,
    figure: options.Figure = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Recompute the tables of the papers on PRES and on robustness, ours beside theirs, with the misprints named."""
    from antecede.cli.inputs import check_figure
    from antecede.cli.output import progress, show_json, show_table
    from antecede.study.published import published

    check_figure(figure)
    with progress("losing judgements", quiet=quiet) as report:
        result = published(samples=samples, seed=seed, progress=report)
    if figure is not None:
        from antecede.report import figures

        figures.published(result, figure)
    if json:
        show_json(result.to_dict())
        return
    for number, table in enumerate(result.tables()):
        if number:
            print()
        show_table(table, format_)
