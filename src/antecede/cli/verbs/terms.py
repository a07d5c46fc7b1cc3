"""antecede terms"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, SearchOptions, Settings, verb
from antecede.cli.collections import Fields, PresetName, field_names, show_note
from antecede.ranges import TERMS


@verb(
    "antecede terms clefip.index topics.jsonl qrels.txt --method tfidf",
    "antecede terms clefip.index topics.jsonl qrels.txt --method tf,tfidf,bm25,lm --at 10,20,50,100,200 --figure m.svg",
)
def terms(
    *,
    index: options.IndexFolder,
    topics: options.Topics,
    qrels: options.Qrels,
    at: Annotated[str, typer.Option(metavar="N,N,…", help="The numbers of terms.")] = (
        "5,10,20,30,45,60,75,100,150,200,300"
    ),
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="MEASURE",
            help="What to compute; may be repeated, or comma-separated. All of them: antecede measures.",
            show_default="PRES@1000 AP@1000 R@100",
        ),
    ] = None,
    settings: Annotated[Settings, SearchOptions(without=("terms", "fusion"), defaults={"k": 1000})],
    field: Fields = None,
    preset: PresetName = None,
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Show how scores change with the number of terms in the queries, and how many are enough."""
    import os

    from antecede.cli.inputs import whole_numbers
    from antecede.cli.output import progress, show_text
    from antecede.engine import open_index
    from antecede.errors import shown
    from antecede.search.batch import TermSweep
    from antecede.search.topics import read_topics
    from antecede.study.term_counts import MEASURES, term_counts

    showing.check()
    counts = whole_numbers(at, "--at", TERMS)
    opened = open_index(index)
    with progress("reading topics", quiet=quiet) as report:
        wanted = read_topics(
            opened, topics, names=field_names(field, preset), on_note=None if quiet else show_note, progress=report
        )
    sweep = TermSweep(opened, wanted, settings, max(counts), threads=os.cpu_count() or 1)
    with progress("searching", quiet=quiet) as report:
        result = term_counts(
            qrels, sweep.rankings, settings.method, at=counts, measures=measures or MEASURES, progress=report
        )
    for topic_id, why in sweep.failed.items():
        show_text(f"antecede: topic {shown(topic_id)}: {why}", error=True)
    showing.show(result, result.table())
