"""antecede compare"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.options import OnDuplicates, OnMalformed, OnMissing, OnNoRelevant, OnTies, Style


@options.examples(
    "antecede compare qrels.txt runs/*.gz --baseline full.run",
    "antecede compare qrels.txt a.run b.run c.run -m PRES@1000 --test wilcoxon --correction bh --format latex",
    "antecede compare ranks.npz -m AP@1000 --details --figure differences.svg",
)
def compare(
    qrels: options.QrelsOrTable,
    runs: options.RunsIfAny = None,
    measures: options.Measures = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Test each run against this one, by name; without it, every pair of runs."),
    ] = None,
    test: options.Test = "t",
    correction: options.Correction = "holm",
    alpha: options.Alpha = 0.05,
    samples: Annotated[int, typer.Option(help="Sign patterns of the randomization test, where it draws.")] = 10_000,
    seed: options.Seed = 0,
    details: Annotated[
        bool, typer.Option("--details", help="A row for each pair: difference, interval, effect size and p.")
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
    """Put runs side by side: which differences are significant, how large they are, and how sure that is."""
    from antecede.cli.inputs import check_figure, table_from
    from antecede.cli.output import show_json, show_table
    from antecede.comparison import compare
    from antecede.evaluation import evaluate
    from antecede.measures import DEFAULT_MEASURES, parse_measures

    check_figure(figure)
    chosen = parse_measures(measures or DEFAULT_MEASURES, rel=rel)
    table = table_from(qrels, runs, duplicates=duplicates, malformed=malformed, ties=ties, depth=depth, quiet=quiet)
    scores = evaluate(table, chosen, missing=missing.value, no_relevant=no_relevant.value)
    result = compare(
        scores, baseline=baseline, test=test, correction=correction, alpha=alpha, samples=samples, seed=seed
    )
    if figure is not None:
        from antecede.report import figures

        figures.compare(result, figure)
    if json:
        show_json(result.to_dict())
    else:
        show_table(result.details() if details else result.table(), format_)
