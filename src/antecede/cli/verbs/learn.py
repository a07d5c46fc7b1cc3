"""antecede learn"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import verb
from antecede.cli.options import LocalIndex, Style
from antecede.cli.outputs import Input, Output
from antecede.ranges import COUNT, THREADS


class From(StrEnum):
    fields = "fields"
    text = "text"
    both = "both"


class Kind(StrEnum):
    linear = "linear"
    trees = "trees"


@verb(
    "antecede learn patents.index --out weights.json",
    "antecede learn patents.index --before 2004-01-01 --out weights.json",
    "antecede learn patents.index topics.jsonl qrels.txt --out weights.json --curve",
    "antecede run patents.index topics.jsonl --ranking weights.json --out learned.run",
)
def learn(
    *,
    index: LocalIndex,
    topics: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPICS]",
            help="Patents to learn from, or a text that names patents of the index. Default: patents of the index that "
            "cite others of it.",
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
        typer.Option(metavar="FILE.json", help="Where the weights are written.", show_default=False),
        Output("weights"),
    ],
    kind: Annotated[
        Kind, typer.Option(help="Linear weights, or gradient-boosted trees (needs antecede[learn]).")
    ] = Kind.linear,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--feature",
            metavar="FEATURE",
            help="A feature to weigh; may be repeated or comma-separated. All features: antecede features.",
            show_default="all that the index has",
        ),
    ] = None,
    citations: Annotated[
        From, typer.Option(help="Where citations are taken from: the fields, numbers in the description, or both.")
    ] = From.fields,
    before: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Learn only from topics before this day: later ones are left to test."),
    ] = None,
    most: Annotated[
        int, typer.Option(**COUNT.bounds, help="Learn from at most so many topics, drawn at random.")
    ] = 500,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same topics.")] = 0,
    curve: Annotated[bool, typer.Option("--curve", help="Show how good weights from fewer topics are.")] = False,
    threads: Annotated[
        int | None, typer.Option(**THREADS.bounds, help="How many topics at a time.", show_default="one per core")
    ] = None,
    json: options.Json = False,
    format_: options.Format = Style.text,
    quiet: options.Quiet = False,
) -> None:
    """Learn the weights of a ranking from citations, and show what each feature is worth.

    Weights are validated on topics that are later than those they were learned from. They are used with
    --ranking FILE.json by every verb that searches.
    """
    from antecede.cli.indexing import require_folder
    from antecede.cli.output import progress, show_json, show_tables
    from antecede.engine import open_index
    from antecede.learning import collect_topics, gather_examples, learn_ranking
    from antecede.learning.learned_ranking import learning_curve
    from antecede.registry import split_list

    chosen = [name for each in features or () for name in split_list(each)] or None
    require_folder(index, "learn")
    opened = open_index(index)
    with progress("reading topics", quiet=quiet) as report:
        wanted = collect_topics(
            opened,
            topics,
            qrels,
            citations=citations.value,
            before=before.date() if before is not None else None,
            most=most,
            seed=seed,
            progress=report,
        )
    with progress("computing features", quiet=quiet) as report:
        examples = gather_examples(
            opened, wanted.patents, wanted.relevant, features=chosen, threads=threads, progress=report
        )
    with progress("learning", quiet=quiet) as report:
        learned = learn_ranking(examples, kind=kind.value, progress=report)
    learned.write(out)
    tables = [*learned.tables(), *([learning_curve(examples)] if curve else [])]
    if json:
        rows = [dict(zip(tables[-1].columns, row, strict=True)) for row in tables[-1].rows] if curve else None
        show_json({**learned.to_dict(), "curve": rows})
    else:
        show_tables(tables, format_)
