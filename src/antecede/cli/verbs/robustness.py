"""antecede robustness"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, verb
from antecede.cli.outputs import Input
from antecede.ranges import SAMPLES


@verb(
    "antecede robustness qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --samples 100 --figure robustness.svg",
    "antecede robustness qrels.txt runs/*.gz --lose depth --keep 10,20,50,100",
    "antecede robustness qrels.txt runs/*.gz --lose group --groups groups.txt",
    "antecede robustness qrels.txt runs/*.gz -m AP,Bpref,infAP --lose judgements --lost unjudged",
)
def robustness(
    *,
    measures: options.Measures = None,
    rel: options.Rel = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="F,F,…",
            help="Shares of relevant documents to keep; with --lose depth, the depths of the pool.",
            show_default="0.2,0.4,0.6,0.8; depth: 10,20,50,100",
        ),
    ] = None,
    samples: Annotated[int, typer.Option(**SAMPLES.bounds, help="How often judgements are lost at each level.")] = 20,
    seed: options.Seed = 0,
    lose: Annotated[
        str,
        typer.Option(
            metavar="random|judgements|group|depth|late",
            help="What is lost: relevant documents at random (as in the study on PRES), judgements of relevant and "
            "non-relevant documents alike (what Bpref was made for), what only one group found, what lies outside a "
            "shallow pool, or what few runs found.",
        ),
    ] = "random",
    lost: Annotated[
        str,
        typer.Option(
            metavar="dropped|unjudged",
            help="What becomes of a lost document: dropped, as if it had never been in the pool, so that infAP is "
            "nearly AP; or unjudged (relevance -1), still in the pool, which is what infAP estimates from.",
        ),
    ] = "dropped",
    groups: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Which group made which run, for --lose group: lines of `run group`."),
        Input(),
    ] = None,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show which measures still order the runs alike when judgements are missing: Kendall's τ, mean and worst."""
    from antecede.cli.bundles import ScoreOptions
    from antecede.cli.inputs import numbers
    from antecede.cli.output import progress
    from antecede.study import read_groups, robustness

    showing.check()
    chosen = ScoreOptions(measures, rel).chosen()
    levels = None if keep is None else numbers(keep, "--keep")
    named = None if groups is None else read_groups(groups)
    table = reading.table()
    with progress("losing judgements", quiet=reading.quiet) as report:
        result = robustness(
            table,
            chosen,
            keep=levels,
            samples=samples,
            seed=seed,
            lose=lose,
            lost=lost,
            groups=named,
            rel=1 if rel is None else rel,
            progress=report,
        )
    showing.show(result, result.table(), *([result.groups_table()] if result.sample_names else []))
