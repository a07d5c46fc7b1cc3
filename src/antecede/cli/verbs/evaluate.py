"""antecede evaluate"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.options import OnDuplicates, OnMalformed, OnMissing, OnNoRelevant, OnTies, Style


class Drawing(StrEnum):
    systems = "systems"
    rank_changes = "rank-changes"


@options.examples(
    "antecede evaluate qrels.txt runs/*.gz",
    "antecede evaluate qrels.txt a.run b.run -m PRES@1000,R@100 -m map --format latex",
    "antecede evaluate qrels.txt runs/*.gz --save ranks.npz; antecede evaluate ranks.npz -m nDCG@10",
    "antecede evaluate ranks.npz -m PRES@1000,AP@1000,R@1000 --figure ranks.svg --draw rank-changes",
)
def evaluate(
    qrels: options.QrelsOrTable,
    runs: options.RunsIfAny = None,
    measures: options.Measures = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Also, or for tables instead, a row a topic.")] = False,
    sort: Annotated[str | None, typer.Option(metavar="MEASURE", help="Sort runs by this measure, best first.")] = None,
    rel: options.Rel = None,
    missing: options.Missing = OnMissing.zero,
    no_relevant: options.NoRelevant = OnNoRelevant.skip,
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    ties: options.Ties = OnTies.docid,
    depth: options.Depth = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE.npz", help="Save the rank table, to evaluate it again at once.")
    ] = None,
    figure: options.Figure = None,
    draw: Annotated[
        Drawing, typer.Option(help="What --figure shows: the runs sorted by a measure, or how their ranks change.")
    ] = Drawing.systems,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Score runs against qrels: PRES, recall, average precision and every other common measure."""
    from antecede.cli.inputs import check_figure, table_from
    from antecede.cli.output import show_json, show_table
    from antecede.evaluation import evaluate
    from antecede.evaluation.scores import place_of
    from antecede.measures import DEFAULT_MEASURES, parse_measures

    check_figure(figure)
    chosen = parse_measures(measures or DEFAULT_MEASURES, rel=rel)
    if sort is not None:
        place_of(sort, chosen)
    table = table_from(qrels, runs, duplicates=duplicates, malformed=malformed, ties=ties, depth=depth, quiet=quiet)
    if save is not None:
        table.save(save)
    scores = evaluate(table, chosen, missing=missing.value, no_relevant=no_relevant.value)
    if sort is not None:
        scores = scores.sorted_by(sort)
    if figure is not None:
        from antecede.report import figures

        if draw is Drawing.systems:
            figures.systems(scores, figure, sort=sort)
        else:
            figures.rank_changes(scores, figure)
    if json:
        show_json(scores.to_dict(per_topic=per_topic))
    else:
        show_table(scores.per_topic() if per_topic else scores.table(), format_)
