"""antecede meta"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, verb
from antecede.ranges import DOCUMENTS, SAMPLES, Range

SHARE = Range(0, 1, open_low=True, open_high=True)


@verb(
    "antecede meta qrels.txt runs/*.gz --samples 20 --at 10,100",
    "antecede meta qrels.txt runs/*.gz -m AP@100,PRES@100,GMAP,nDCG@10,RR --samples 20 --figure meta.svg",
    "antecede meta ranks.npz --docs 528155 --samples 20 --at 100 --json",
)
def meta(
    *,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="The measures to study; may be repeated, or comma-separated.",
            show_default="every measure that antecede has",
        ),
    ] = None,
    rel: options.Rel = None,
    keep: Annotated[
        float, typer.Option(**SHARE.bounds, help="The share of the relevant documents that a sample keeps.")
    ] = 0.2,
    samples: Annotated[int, typer.Option(**SAMPLES.bounds, help="The number of samples of the judgements.")] = 200,
    at: Annotated[
        str, typer.Option(metavar="N,N,…", help="The cut-offs of the measures, where none are named.")
    ] = "10,100,1000",
    docs: Annotated[
        int | None,
        typer.Option(
            **DOCUMENTS.bounds, help="The size of the collection, for measures that require it.", show_default=False
        ),
    ] = None,
    test: options.Test = "t",
    alpha: options.Alpha = 0.05,
    seed: options.Seed = 0,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show which measures are both robust to missing judgements and able to tell runs apart.

    Robustness: Kendall's τ of the order of the runs with a part of the relevant documents. Discriminative power: the
    share of the pairs of runs that a paired test tells apart.
    """
    from antecede.cli.inputs import whole_numbers
    from antecede.cli.output import progress
    from antecede.measures import parse_measures
    from antecede.study import meta_evaluate

    showing.check()
    SHARE.check(keep, "--keep")
    cutoffs = whole_numbers(at, "--at", DOCUMENTS)
    chosen = None if not measures else parse_measures(measures, rel=rel)
    table = reading.table()
    with progress("losing judgements", quiet=reading.quiet) as report:
        result = meta_evaluate(
            table,
            chosen,
            keep=keep,
            samples=samples,
            seed=seed,
            cutoffs=cutoffs,
            docs=docs,
            test=test,
            alpha=alpha,
            rel=1 if rel is None else rel,
            progress=report,
        )
    showing.show(result, result.table())
