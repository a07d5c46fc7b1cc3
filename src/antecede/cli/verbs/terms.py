"""antecede terms"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import Showing, verb
from antecede.cli.collections import Fields, Patents
from antecede.cli.querying import IndexFolder, Making, Methods, Model, Topics, listed, plan_for
from antecede.ranges import DOCUMENTS, TERMS


@verb(
    "antecede terms clefip.index topics.jsonl qrels.txt --method tfidf",
    "antecede terms clefip.index topics.jsonl qrels.txt --method tf,tfidf,bm25,lm --at 10,20,50,100,200 --figure m.svg",
)
def terms(
    *,
    index: IndexFolder,
    topics: Topics,
    qrels: options.Qrels,
    method: Methods = None,
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
            show_default="AP@1000 R@100 PRES@1000",
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", "--k", **DOCUMENTS.bounds, help="How many documents per topic.")] = 1000,
    making: Making,
    model: Model = "bm25",
    field: Fields = None,
    quiet: options.Quiet = False,
    showing: Showing,
) -> None:
    """Show how scores change with the number of terms in the queries, and how many are enough."""
    import os

    from antecede.cli.inputs import whole_numbers
    from antecede.cli.output import progress, show_text
    from antecede.errors import shown
    from antecede.index import open_index
    from antecede.query.making import DEFAULT
    from antecede.search.sweep import Sweep
    from antecede.search.topic_files import topics_from
    from antecede.study.term_counts import MEASURES, term_counts

    showing.check()
    counts = whole_numbers(at, "--at", TERMS)
    methods = listed(method or [DEFAULT])
    plan = plan_for(methods, making, k=k, model=model)
    opened = open_index(index)
    with progress("reading topics", quiet=quiet) as report:
        wanted = topics_from(opened, topics, names=Patents([topics], field).names(), progress=report)
    sweep = Sweep(opened, wanted, plan, max(counts), threads=os.cpu_count() or 1)
    with progress("searching", quiet=quiet) as report:
        result = term_counts(qrels, sweep.rankings, methods, at=counts, measures=measures or MEASURES, progress=report)
    for topic_id, why in sweep.failed.items():
        show_text(f"antecede: topic {shown(topic_id)}: {why}", error=True)
    showing.show(result, result.table())
