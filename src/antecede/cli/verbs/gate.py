"""antecede gate"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import By, OnDuplicates, OnMalformed, OnTies, Style
from antecede.cli.outputs import Input, Output
from antecede.ranges import DROP


@verb(
    "antecede gate qrels.txt old.run --save baseline.json",
    "antecede gate qrels.txt new.run --baseline baseline.json",
    "antecede gate qrels.txt new.run --baseline old.run -m PRES@1000,R@100 --test wilcoxon --drop 0.005 --json",
)
def gate(
    *,
    qrels: options.Qrels,
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run to check.", show_default=False), Input()],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The previous run, or its scores as saved by --save.", show_default=False),
        Input(renewed_by="save"),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Save the scores per topic of this run, unless the gate fails."),
        Output("topic scores"),
    ] = None,
    measures: options.Measures = None,
    test: options.Test = "t",
    alpha: options.Alpha = 0.05,
    correction: Annotated[
        str, typer.Option(metavar="holm|bh|bonferroni|none", help="How p-values are corrected for many measures.")
    ] = "holm",
    drop: Annotated[float, typer.Option(**DROP.bounds, help="The decrease of the mean that is allowed.")] = 0.0,
    samples: options.Patterns = 10_000,
    seed: options.Seed = 0,
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    ties: options.Ties = OnTies.docid,
    order: options.Order = By.score,
    depth: options.Depth = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
) -> None:
    """Check a run against a baseline: exit code 1 where a measure is significantly below it.

    A topic without results in a run scores 0, as in evaluate. A topic that only one of the two was scored on, since the
    qrels of a saved baseline differ, is left out. Both are counted.
    """
    from antecede.cli.output import show_json, show_table, show_text
    from antecede.comparison.gate import describe_unanswered, gate, scores_of
    from antecede.errors import UsageError

    reading: dict[str, Any] = {
        "duplicates": duplicates.value,
        "malformed": malformed.value,
        "ties": ties.value,
        "order": order.value,
        "depth": depth,
    }
    if baseline is None and save is None:
        raise UsageError("there is nothing to compare with; give --baseline FILE, or make one with --save FILE")
    if [qrels, run, baseline].count("-") > 1:
        raise UsageError("standard input can only be read once; give - for one file")
    if baseline is None and save is not None:
        scores = scores_of(qrels, run, measures, **reading)
        scores.save(save)
        if json:
            show_json({"saved": str(save), **scores.to_dict()})
        else:
            notes = "".join(f"; {note.removesuffix('.')}" for note in describe_unanswered(scores, "this run"))
            show_text(f"{save}: {len(scores.topics)} topics, {', '.join(scores.measures)}{notes}")
        return
    if baseline is not None and qrels == "-":
        raise UsageError("the qrels are needed twice; give a file")
    result = gate(
        *(qrels, run, baseline, measures),
        test=test,
        alpha=alpha,
        correction=correction,
        drop=drop,
        samples=samples,
        seed=seed,
        **reading,
    )
    if json:
        show_json(result.to_dict())
    else:
        show_table(result.table(), format_)
    if not result.passed:
        raise typer.Exit(1)
    if save is not None:
        result.run.save(save)
