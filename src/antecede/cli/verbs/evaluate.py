"""antecede evaluate"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, ScoreOptions, verb
from antecede.cli.options import ScoreStyle
from antecede.cli.outputs import Output


@dataclass(frozen=True)
class ScoreDisplay(DisplayOptions):
    """How scores are shown: as tables, or as trec_eval prints them."""

    format_: options.ScoreFormat = ScoreStyle.text  # type: ignore[assignment]


class Drawing(StrEnum):
    systems = "systems"
    rank_changes = "rank-changes"
    precision_recall = "precision-recall"


WITHOUT_NOTES = (ScoreStyle.csv, ScoreStyle.csv_raw, ScoreStyle.csv_excel, ScoreStyle.trec_eval)


@verb(
    "antecede evaluate qrels.txt runs/*.gz",
    "antecede evaluate qrels.txt a.run b.run -m PRES@1000,R@100 -m map --format latex",
    "antecede evaluate qrels.txt runs/*.gz --save ranks.npz; antecede evaluate ranks.npz -m nDCG@10",
    "antecede evaluate qrels.txt a.run -m official --format trec_eval",
    "antecede evaluate ranks.npz -m PRES@1000,AP@1000,R@1000 --figure ranks.svg --draw rank-changes",
    "antecede evaluate qrels.txt a.run b.run --figure curves.svg --draw precision-recall",
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
        Drawing,
        typer.Option(
            help="What --figure shows: the runs sorted by a measure, how their ranks change, or interpolated precision "
            "against recall."
        ),
    ] = Drawing.systems,
    highlight: options.Highlight = None,
    reading: ReadOptions,
    showing: ScoreDisplay,
) -> None:
    """Score runs against qrels: PRES, recall, average precision and every other common measure."""
    from antecede.cli.inputs import find_highlights
    from antecede.cli.output import show_json, show_tables, show_text
    from antecede.evaluation.scores import find_measure
    from antecede.measures.names import GROUPS

    showing.check()
    if sort is not None:
        find_measure(sort, scoring.chosen())
    with_notes = not showing.json and showing.format_ not in WITHOUT_NOTES
    scores = scoring.scores(reading, warn=not with_notes)
    if not with_notes and not showing.json:  # JSON has the counts
        for line in scores.caveats():
            show_text(f"antecede: {line}", error=True)
    if save is not None:
        scores.rank_table.save(save)
    if sort is not None:
        scores = scores.sorted_by(sort)
    if showing.figure is not None:
        from antecede.report.figures import FIGURES

        FIGURES[draw.name].write(showing.figure, scores, highlight=find_highlights(highlight, scores.rank_table))
    if showing.json:
        show_json(scores.to_dict(per_topic=per_topic))
    elif showing.format_ is ScoreStyle.trec_eval:
        groups = [name for words in scoring.measures or () for name in words.split(",") if name.strip() in GROUPS]
        show_text(scores.to_trec_eval(run_id=bool(groups)), end="")
    else:
        show_tables([scores.per_topic() if per_topic else scores.table()], showing.format_)
