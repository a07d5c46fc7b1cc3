"""antecede correlate"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.options import OnDuplicates, OnMalformed, OnMissing, OnNoRelevant, OnTies, Style


@options.examples(
    "antecede correlate qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000",
    "antecede correlate scores.csv",
    "antecede evaluate qrels.txt runs/*.gz --format csv | antecede correlate -",
)
def correlate(
    qrels: Annotated[
        str,
        typer.Argument(
            metavar="QRELS|TABLE",
            help="Judgements or a saved rank table; or, without runs, a table of scores: a line a run, its name first, "
            "and the names of the measures in the first line.",
            show_default=False,
        ),
    ],
    runs: options.RunsIfAny = None,
    measures: options.Measures = None,
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
    """Show how alike measures order the same runs: Kendall's τ-b, τ_AP, Spearman's ρ and Pearson's r."""
    from antecede.cli.inputs import check_figure, is_score_table, table_from
    from antecede.cli.output import show_json, show_table
    from antecede.comparison import correlate, read_score_table
    from antecede.evaluation import evaluate
    from antecede.measures import DEFAULT_MEASURES, parse_measures

    check_figure(figure)
    if is_score_table(qrels, runs):
        result = correlate(read_score_table(qrels).only(measures))
    else:
        chosen = parse_measures(measures or DEFAULT_MEASURES, rel=rel)
        table = table_from(qrels, runs, duplicates=duplicates, malformed=malformed, ties=ties, depth=depth, quiet=quiet)
        result = correlate(evaluate(table, chosen, missing=missing.value, no_relevant=no_relevant.value))
    if figure is not None:
        from antecede.report import figures

        figures.correlation(result, figure)
    if json:
        show_json(result.to_dict())
    else:
        show_table(result.table(), format_)
