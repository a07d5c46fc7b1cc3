"""antecede agreement"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.options import OnDuplicates, OnMalformed, OnMissing, OnNoRelevant, OnTies, Style


@options.examples(
    "antecede agreement qrels.txt runs/*.gz -m AP@1000 -m R@1000 -m PRES@1000",
    "antecede agreement ranks.npz -m AP@100,PRES@100 --contradictions",
    "antecede agreement ranks.npz -m AP@1000,R@1000,PRES@1000 --figure agreement.svg",
)
def agreement(
    qrels: options.QrelsOrTable,
    runs: options.RunsIfAny = None,
    measures: options.Measures = None,
    test: options.Test = "wilcoxon",
    correction: options.Correction = "none",
    alpha: options.Alpha = 0.05,
    samples: Annotated[int, typer.Option(help="Sign patterns of the randomization test, where it draws.")] = 10_000,
    seed: options.Seed = 0,
    contradictions: Annotated[
        bool, typer.Option("--contradictions", help="Instead, the pairs of runs that measures put in opposite order.")
    ] = False,
    rel: options.Rel = None,
    missing: options.Missing = OnMissing.zero,
    no_relevant: options.NoRelevant = OnNoRelevant.skip,
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    ties: options.Ties = OnTies.docid,
    depth: options.Depth = None,
    figure: options.Figure = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Show how often measures agree on pairs of runs: better, worse or not to be told apart."""
    from antecede.cli.inputs import check_figure, table_from
    from antecede.cli.output import show_json, show_table
    from antecede.comparison import agreement
    from antecede.evaluation import evaluate
    from antecede.measures import DEFAULT_MEASURES, parse_measures

    check_figure(figure)
    chosen = parse_measures(measures or DEFAULT_MEASURES, rel=rel)
    table = table_from(qrels, runs, duplicates=duplicates, malformed=malformed, ties=ties, depth=depth, quiet=quiet)
    scores = evaluate(table, chosen, missing=missing.value, no_relevant=no_relevant.value)
    result = agreement(scores, test=test, correction=correction, alpha=alpha, samples=samples, seed=seed)
    if figure is not None:
        from antecede.report import figures

        figures.agreement(result, figure)
    if json:
        show_json(result.to_dict())
    else:
        show_table(result.contradictions_table() if contradictions else result.table(), format_)
