"""antecede judges"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, verb
from antecede.cli.options import By, NamedAfter, OnDuplicates, OnMalformed, OnTies
from antecede.cli.outputs import Input
from antecede.ranges import SAMPLES


class OnUnjudged(StrEnum):
    skip = "skip"
    nonrelevant = "nonrelevant"


@verb(
    "antecede judges qrels.txt other-qrels.txt",
    "antecede judges qrels.txt other-qrels.txt runs/*.gz -m AP@1000,PRES@1000 --figure judges.svg",
    "antecede judges qrels.txt other-qrels.txt runs/*.gz -m PRES@1000 --groups groups.txt",
    "antecede judges x-citations.txt a-citations.txt a.run b.run -m RR --unjudged nonrelevant",
)
def judges(
    *,
    qrels_a: Annotated[
        str,
        typer.Argument(metavar="QRELS_A", help="The judgements of the first judge, in any form.", show_default=False),
        Input(),
    ],
    qrels_b: Annotated[
        str,
        typer.Argument(metavar="QRELS_B", help="Those of the second, on the same topics.", show_default=False),
        Input(),
    ],
    runs: options.RunsIfAny = None,
    measures: options.Measures = None,
    rel: options.Rel = None,
    unjudged: Annotated[
        OnUnjudged,
        typer.Option(
            help="A document that only one judged: left out of the agreement, or not relevant for the other, as for "
            "citations. The scores of runs do not depend on it."
        ),
    ] = OnUnjudged.skip,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The kind of each run, lines of `run group`: does the second judge favour one kind?"
        ),
        Input(),
    ] = None,
    test: options.Test = "t",
    correction: options.Correction = "none",
    alpha: options.Alpha = 0.05,
    samples: Annotated[
        int,
        typer.Option(**SAMPLES.bounds, help="Bootstrap samples of the topics, and permutations of the groups."),
    ] = 1000,
    seed: options.Seed = 0,
    duplicates: options.Duplicates = OnDuplicates.error,
    malformed: options.Malformed = OnMalformed.error,
    ties: options.Ties = OnTies.docid,
    order: options.Order = By.score,
    depth: options.Depth = None,
    names: options.RunNames = NamedAfter.file,
    topics: options.OnlyTopics = None,
    without_topics: options.WithoutTopics = None,
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Compare two sets of judgements of the same topics, and what they make of the order of the runs.

    People against a language model, two assessors, X citations against A citations: agreement (Cohen's κ,
    Krippendorff's α, overlap by grade); with runs also rank correlation, which runs profit, and significant
    differences that are reversed.
    """
    from antecede.cli.bundles import ScoreOptions
    from antecede.cli.inputs import keep_freed_memory, list_topics, warn_of_order
    from antecede.cli.output import progress
    from antecede.errors import UsageError
    from antecede.study import compare_judges, read_groups

    showing.check()
    chosen = ScoreOptions(measures, rel).chosen()
    if [qrels_a, qrels_b, *(runs or ())].count("-") > 1:
        raise UsageError("standard input can only be read once; give - for one file")
    if groups is not None and not runs:
        raise UsageError("--groups needs runs; name them after the two qrels")
    members = None if groups is None else read_groups(groups)
    keep_freed_memory()
    with progress("reading runs", quiet=quiet) as report:
        result = compare_judges(
            qrels_a,
            qrels_b,
            runs or None,
            chosen,
            rel=1 if rel is None else rel,
            unjudged=unjudged.value,
            groups=members,
            test=test,
            correction=correction,
            alpha=alpha,
            samples=samples,
            seed=seed,
            topics=None if topics is None else list_topics(topics),
            without=list_topics(without_topics or ""),
            duplicates=duplicates.value,
            malformed=malformed.value,
            ties=ties.value,
            order=order.value,
            depth=depth,
            names=names.value,
            progress=report,
        )
    if result.rank_table is not None:
        warn_of_order(result.rank_table)
    showing.show(result, *result.tables())
