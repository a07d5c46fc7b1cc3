"""antecede compare"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, ReadOptions, ScoreOptions, verb


class Drawing(StrEnum):
    compare = "compare"
    topics = "topics"


@verb(
    "antecede compare qrels.txt runs/*.gz --baseline full.run",
    "antecede compare qrels.txt a.run b.run c.run -m PRES@1000 --test wilcoxon --correction bh --format latex",
    "antecede compare ranks.npz -m AP@1000 --details --figure differences.svg",
    "antecede compare qrels.txt a.run b.run --baseline a.run -m AP --figure topics.svg --draw topics",
    "antecede compare qrels.txt a.run b.run c.run -m AP --anova",
)
def compare(
    *,
    scoring: ScoreOptions,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Test each run against this one, given by its name, path or tag; without it, every pair of runs.",
        ),
    ] = None,
    test: options.Test = "t",
    correction: options.Correction = "holm",
    alpha: options.Alpha = 0.05,
    samples: options.Patterns = 10_000,
    seed: options.Seed = 0,
    details: Annotated[
        bool, typer.Option("--details", help="One row per pair: difference, interval, effect size and p.")
    ] = False,
    anova: Annotated[
        bool,
        typer.Option(
            "--anova", help="Add a two-way analysis of variance (topics and systems) with Tukey's test of all pairs."
        ),
    ] = False,
    draw: Annotated[
        Drawing,
        typer.Option(
            help="What --figure shows: the mean differences with their intervals (without a baseline, all pairs), or "
            "the difference of each topic from the baseline under the first measure."
        ),
    ] = Drawing.compare,
    highlight: options.Highlight = None,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Compare runs: which differences are significant, how large they are, and how certain."""
    from antecede.cli.output import show_json, show_tables
    from antecede.comparison import anova as analyse
    from antecede.comparison import compare

    showing.check()
    scores = scoring.scores(reading)
    result = compare(
        scores,
        baseline=baseline,
        test=test,
        correction=correction,
        alpha=alpha,
        samples=samples,
        seed=seed,
    )
    if showing.figure is not None and draw is Drawing.topics:
        from antecede.cli.inputs import find_highlights
        from antecede.report.figures import FIGURES

        named = find_highlights(highlight, scores.rank_table)
        FIGURES["topic_differences"].write(showing.figure, scores, baseline=baseline, highlight=named)
        showing = replace(showing, figure=None)
    variance = analyse(scores, alpha=alpha, baseline=baseline) if anova else None
    tables = [result.details() if details else result.table()]
    if variance is not None:
        tables += [variance.table(), variance.pairs_table(every=details)]
    if showing.figure is not None:
        result.plot(showing.figure)
    if showing.json:
        show_json(result.to_dict() | ({} if variance is None else {"anova": variance.to_dict()}))
    else:
        show_tables(tables, showing.format_)
