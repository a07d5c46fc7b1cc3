"""antecede published"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, verb
from antecede.ranges import SAMPLES


class Drawing(StrEnum):
    published = "published"
    pres_recall = "pres-recall"
    pres_rr = "pres-rr"


@verb(
    "antecede published",
    "antecede published --json",
    "antecede published --figure published.svg",
    "antecede published --figure curves.svg --draw pres-recall",
)
def published(
    *,
    samples: Annotated[int, typer.Option(**SAMPLES.bounds, help="Samples at each level of the simulated study.")] = 100,
    seed: options.Seed = 0,
    draw: Annotated[
        Drawing,
        typer.Option(help="What --figure shows: the tables, or PRES against recall and rank, or against RR for n = 1."),
    ] = Drawing.published,
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Recompute the tables of the papers on PRES and robustness, next to the published values; name the misprints."""
    from antecede.cli.output import progress
    from antecede.study import published

    showing.check()
    with progress("losing judgements", quiet=quiet) as report:
        result = published(samples=samples, seed=seed, progress=report)
    if showing.figure is not None and draw is not Drawing.published:
        from antecede.report.figures import FIGURES

        FIGURES[draw.name].write(showing.figure)
        showing = replace(showing, figure=None)
    showing.show(result, *result.tables())
