"""antecede evaluate"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli.bundles import DisplayOptions, ReadOptions, ScoreOptions, verb
from antecede.cli.options import Style
from antecede.cli.outputs import Output


class Drawing(StrEnum):
    systems = "systems"
    rank_changes = "rank-changes"


@verb(
    "antecede evaluate qrels.txt runs/*.gz",
    "antecede evaluate qrels.txt a.run b.run -m PRES@1000,R@100 -m map --format latex",
    "antecede evaluate qrels.txt runs/*.gz --save ranks.npz; antecede evaluate ranks.npz -m nDCG@10",
    "antecede evaluate ranks.npz -m PRES@1000,AP@1000,R@1000 --figure ranks.svg --draw rank-changes",
)
def evaluate(
    *,
    scoring: ScoreOptions,
    per_topic: Annotated[
        bool,
        typer.Option("--per-topic", help="Show scores per topic: in addition in JSON, instead of means in tables."),
    ] = False,
    sort: Annotated[str | None, typer.Option(metavar="MEASURE", help="Sort runs by this measure, best first.")] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.npz", help="Save the rank table, to evaluate it again without reading the runs."),
        Output("rank table"),
    ] = None,
    draw: Annotated[
        Drawing, typer.Option(help="What --figure shows: the runs sorted by a measure, or how their ranks change.")
    ] = Drawing.systems,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Score runs against qrels: PRES, recall, average precision and every other common measure."""
    from antecede.cli.output import show_json, show_tables
    from antecede.evaluation.scores import find_measure

    showing.check()
    if sort is not None:
        find_measure(sort, scoring.chosen())
    with_notes = not showing.json and showing.format_ not in (Style.csv, Style.csv_raw)
    scores = scoring.scores(reading, warn=not with_notes)
    if save is not None:
        scores.rank_table.save(save)
    if sort is not None:
        scores = scores.sorted_by(sort)
    if showing.figure is not None:
        from antecede.report.figures import FIGURES

        FIGURES[draw.name].write(showing.figure, scores)
    if showing.json:
        show_json(scores.to_dict(per_topic=per_topic))
    else:
        show_tables([scores.per_topic() if per_topic else scores.table()], showing.format_)
