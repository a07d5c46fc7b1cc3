"""antecede compare"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, ScoreOptions, verb


@verb(
    "antecede compare qrels.txt runs/*.gz --baseline full.run",
    "antecede compare qrels.txt a.run b.run c.run -m PRES@1000 --test wilcoxon --correction bh --format latex",
    "antecede compare ranks.npz -m AP@1000 --details --figure differences.svg",
)
def compare(
    *,
    scoring: ScoreOptions,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Test each run against this one, given by its name, path or tag; without it, every pair of runs.",
        ),
    ] = None,
    test: options.Test = "t",
    correction: options.Correction = "holm",
    alpha: options.Alpha = 0.05,
    samples: options.Patterns = 10_000,
    seed: options.Seed = 0,
    details: Annotated[
        bool, typer.Option("--details", help="One row per pair: difference, interval, effect size and p.")
    ] = False,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Compare runs: which differences are significant, how large they are, and how certain."""
    from antecede.comparison import compare

    showing.check()
    result = compare(
        scoring.scores(reading),
        baseline=baseline,
        test=test,
        correction=correction,
        alpha=alpha,
        samples=samples,
        seed=seed,
    )
    showing.show(result, result.details() if details else result.table())
