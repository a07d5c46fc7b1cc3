"""antecede robustness"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.options import OnDuplicates, OnMalformed, OnTies, Style


@options.examples(
    "antecede robustness qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --samples 100 --figure robustness.svg",
    "antecede robustness qrels.txt runs/*.gz --lose depth --keep 10,20,50,100",
    "antecede robustness qrels.txt runs/*.gz --lose group --groups groups.txt",
)
def robustness(
    qrels: options.QrelsOrTable,
    runs: options.RunsIfAny = None,
    measures: options.Measures = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="F,F,…",
            help="Shares of relevant documents to keep; with --lose depth, the depths of the pool.",
            show_default="0.2,0.4,0.6,0.8; depth: 10,20,50,100",
        ),
    ] = None,
    samples: Annotated[int, typer.Option(help="How often judgements are lost at each level.")] = 3,
    seed: options.Seed = 0,
    lose: Annotated[
        str,
        typer.Option(
            metavar="random|group|depth|late",
            help="What is lost: relevant documents at random, what only one group found, what lies outside a shallow "
            "pool, or what few runs found.",
        ),
    ] = "random",
    groups: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Which group made which run, for --lose group: lines of `run group`."),
    ] = None,
    rel: options.Rel = None,
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    ties: options.Ties = OnTies.docid,
    depth: options.Depth = None,
    figure: options.Figure = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Show which measures still order the runs alike when judgements are missing: Kendall's τ, mean and worst."""
    from antecede.cli.inputs import check_figure, numbers, table_from
    from antecede.cli.output import progress, show_json, show_table
    from antecede.measures import DEFAULT_MEASURES, parse_measures
    from antecede.study.groups import read_groups
    from antecede.study.robustness import robustness

    check_figure(figure)
    chosen = parse_measures(measures or DEFAULT_MEASURES, rel=rel)
    levels = None if keep is None else numbers(keep, "--keep")
    named = None if groups is None else read_groups(groups)
    table = table_from(qrels, runs, duplicates=duplicates, malformed=malformed, ties=ties, depth=depth, quiet=quiet)
    with progress("losing judgements", quiet=quiet) as report:
        result = robustness(
            table,
            chosen,
            keep=levels,
            samples=samples,
            seed=seed,
            lose=lose,
            groups=named,
            rel=rel or 1,
            progress=report,
        )
    if figure is not None:
        from antecede.report import figures

        figures.robustness(result, figure)
    if json:
        show_json(result.to_dict())
        return
    show_table(result.table(), format_)
    if result.sample_names:
        print()
        show_table(result.groups_table(), format_)
