"""antecede review calibrate"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, SearchOptions, Settings, verb
from antecede.cli.outputs import Input, Output
from antecede.cli.review_loop import Target
from antecede.ranges import COUNT, RELEVANCE


class From(StrEnum):
    fields = "fields"
    text = "text"
    both = "both"


@verb(
    "antecede review calibrate clefip.index --out clefip.calibration.json",
    "antecede review calibrate qrels.txt a.run --out a.calibration.json --figure reliability.svg",
    "antecede review calibrate qrels.txt a.run --out a.calibration.json --rules-figure rules.svg",
)
def calibrate(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="INDEX|QRELS", help="The folder of an index; or judgements, for a run.", show_default=False
        ),
        Input(),
    ],
    topics: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPICS|RUN]",
            help="With an index: patents with known answers, in the forms of antecede run. Default: patents of the "
            "index that cite others of it. With judgements: the run that is read.",
            show_default=False,
        ),
        Input(),
    ] = None,
    qrels: Annotated[
        str | None,
        typer.Argument(metavar="[QRELS]", help="Which documents are relevant to the topics.", show_default=False),
        Input(),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(metavar="FILE.json", help="Where the calibration is written.", show_default=False),
        Output("calibration"),
    ],
    target: Target = 0.95,
    feedback: Annotated[
        str, typer.Option(metavar="static|one-shot|active", help="How the order changes with what is found.")
    ] = "static",
    citations: Annotated[
        From, typer.Option(help="Where citations are taken from: the fields, numbers in the description, or both.")
    ] = From.fields,
    most: Annotated[int, typer.Option(**COUNT.bounds, help="Use at most so many topics, drawn at random.")] = 300,
    rel: Annotated[int, typer.Option(**RELEVANCE.bounds, help="The lowest relevance that counts as relevant.")] = 1,
    compare: Annotated[
        bool, typer.Option("--compare", help="Show every published rule and estimator on the same topics. Slow.")
    ] = False,
    rules_figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg|png|pdf", help="Draw the reliability of all rules against their cost."),
        Output("figure"),
    ] = None,
    estimates_figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg|png|pdf", help="Draw the estimates of all estimators against the truth."),
        Output("figure"),
    ] = None,
    seed: options.Seed = 0,
    settings: Annotated[Settings, SearchOptions(without=("k", "relevant", "irrelevant"))],
    showing: DisplayOptions,
    quiet: options.Quiet = False,
) -> None:
    """Learn from topics with known answers how much is left after reading so far, and when stopping is safe.

    The stopping rule and the estimator calibrated(file=FILE.json) use the result. What is reported about a topic comes
    from a calibration that has not seen it: topics are split into two halves by date. Recall is that of the documents
    that can be read.
    """
    from antecede.cli.indexing import require_folder
    from antecede.cli.output import progress
    from antecede.review.assessment import calibrate as make_calibration
    from antecede.review.calibration import write_calibration
    from antecede.review.calibration_topics import calibration_readings

    showing.check()
    require_folder(source, "review calibrate")
    for each in (rules_figure, estimates_figure):
        if each is not None:
            from antecede.report.figures import resolve_format

            resolve_format(each)
    with progress("reading topics", quiet=quiet) as report:
        judged, method = calibration_readings(
            source, topics, qrels, settings, feedback=feedback, citations=citations.value, most=most, rel=rel,
            seed=seed, progress=report,
        )  # fmt: skip
    with progress("simulating rules", quiet=quiet) as report:
        made = make_calibration(
            judged.readings,
            method=method,
            target=target,
            dropped=dict(judged.dropped),
            compare=compare or rules_figure is not None or estimates_figure is not None,
            progress=report,
        )
    write_calibration(made.calibration, out)
    if rules_figure is not None and made.rules is not None:
        made.rules.plot(rules_figure)
    if estimates_figure is not None and made.estimators is not None:
        made.estimators.plot(estimates_figure)
    showing.show(made, *made.tables())
