"""antecede published"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import Showing, verb


@verb("antecede published", "antecede published --json", "antecede published --figure published.svg")
def published(
    *,
    samples: Annotated[int, typer.Option(help="Samples at each level of the simulated study.")] = 100,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    showing: Showing,
) -> None:
    """Recompute the tables of the papers on PRES and on robustness, ours beside theirs, with the misprints named."""
    from antecede.cli.output import progress
    from antecede.study import published

    showing.check()
    with progress("losing judgements", quiet=quiet) as report:
        result = published(samples=samples, seed=seed, progress=report)
    showing.show(result, *result.tables())
