"""antecede agreement"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, ScoreOptions, verb


@verb(
    "antecede agreement qrels.txt runs/*.gz -m AP@1000 -m R@1000 -m PRES@1000",
    "antecede agreement ranks.npz -m AP@100,PRES@100 --contradictions",
    "antecede agreement ranks.npz -m AP@1000,R@1000,PRES@1000 --figure agreement.svg",
)
def agreement(
    *,
    scoring: ScoreOptions,
    test: options.Test = "wilcoxon",
    correction: options.Correction = "none",
    alpha: options.Alpha = 0.05,
    samples: options.Patterns = 10_000,
    seed: options.Seed = 0,
    contradictions: Annotated[
        bool, typer.Option("--contradictions", help="Instead, the pairs of runs that measures put in opposite order.")
    ] = False,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show how often measures agree on pairs of runs: better, worse or not distinguishable."""
    from antecede.comparison import agreement

    showing.check()
    scores = scoring.scores(reading)
    result = agreement(scores, test=test, correction=correction, alpha=alpha, samples=samples, seed=seed)
    showing.show(result, result.contradictions_table() if contradictions else result.table())
