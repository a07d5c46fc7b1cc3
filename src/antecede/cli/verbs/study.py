"""Study measures and judgements, and what they make of the order of runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from antecede import plots
from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, SearchOptions, Settings, Source, verb
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import find_highlights, require_folder, topics_to_search
from antecede.cli.options import argument, option
from antecede.cli.output import show_note
from antecede.cli.outputs import Input
from antecede.errors import printable


@verb(
    "antecede study agreement ranks.npz -m AP@100,PRES@100 --contradictions",
    "antecede study agreement ranks.npz -m AP@1000,R@1000,PRES@1000 --figure agreement.svg",
)
def agreement(
    *,
    call: Annotated[Call, Derived("antecede.comparison:agreement")],
    contradictions: bool = option("Show the pairs of runs that measures put in opposite order.", False),
    showing: DisplayOptions,
) -> None:
    """Show how often measures agree on pairs of runs: better, worse or not distinguishable."""
    result = call.run()
    showing.show(result, result.contradictions_table() if contradictions else result.table())


MOST_SHOWN = 40
"""The number of crossings that are printed; --json has all."""


@verb(
    "antecede study cutoffs qrels.txt a.run b.run c.run",
    "antecede study cutoffs qrels.txt a.run b.run -m PRES -m nDCG --at 10,20,50,100 --figure curves.svg",
)
def cutoffs(
    *,
    call: Annotated[Call, Derived("antecede.study:cutoffs")],
    highlight: options.Highlight = None,
    showing: DisplayOptions,
) -> None:
    """Show how scores grow with the documents a searcher reads, and where two runs change places."""
    table = call.table()
    highlighted = find_highlights(highlight, table)
    result = call.run(table=table)
    tables = (result.table(), result.crossings_table(most=MOST_SHOWN))
    showing.show(result, *tables, draw=lambda path: plots.draw(result, path, highlight=highlighted))


STUDIES_OF_SEARCHES = "antecede.experiment.search_studies"


@verb(
    "antecede study retrievability clefip.index --sample 100 --figure retrievability.svg",
    "antecede study retrievability clefip.index --method tfidf,full --model bm25,lm_dirichlet --at 10,100",
    "antecede study retrievability clefip.index --words 2 --model bm25,tfidf",
    "antecede study retrievability clefip.index topics/ --qrels qrels.txt --method tfidf --model all",
)
def retrievability(
    *,
    index: options.LocalIndex,
    topics: str | None = argument(
        "[TOPICS]", "Patents to search for, as for run. Default: documents of the index.", None, path=Input()
    ),
    call: Annotated[Call, Derived(f"{STUDIES_OF_SEARCHES}:retrievability")],
    settings: Annotated[
        Settings,
        SearchOptions(
            only=("terms", "fields", "weights", "language", "before", "after", "undated", "ipc", "cpc", "country"),
            defaults={"before": "off"},
        ),
    ],
    source: Source,
    showing: DisplayOptions,
) -> None:
    """Show how evenly documents can be found, by query method and ranking model, and which can never be found."""
    from antecede.engine import open_index

    require_folder(index, "study retrievability")
    opened = open_index(index)
    wanted = None if topics is None else topics_to_search(opened, topics, source.names, quiet=call.quiet)
    workers = call.given.get("workers") or os.cpu_count() or 1
    result = call.run(index=opened, topics=wanted, settings=settings, workers=workers)
    showing.show(result, *result.tables())


@verb(
    "antecede study query-length clefip.index topics.jsonl qrels.txt --method tfidf",
    "antecede study query-length clefip.index topics.jsonl qrels.txt --method tf,lm --at 10,50,200 --figure m.svg",
)
def query_length(
    *,
    index: options.IndexFolder,
    topics: options.Topics,
    qrels: options.Qrels,
    call: Annotated[Call, Derived(f"{STUDIES_OF_SEARCHES}:query_length")],
    settings: Annotated[Settings, SearchOptions(without=("terms", "fusion"))],
    source: Source,
    showing: DisplayOptions,
) -> None:
    """Show how scores change with the number of terms in the queries, and how many are enough."""
    from antecede.engine import open_index

    opened = open_index(index)
    wanted = topics_to_search(opened, topics, source.names, quiet=call.quiet)
    result = call.run(index=opened, topics=wanted, qrels=qrels, settings=settings)
    for topic_id, why in result.failed.items():
        show_note(f"topic {printable(topic_id)}: {why}")
    showing.show(result, result.table())


@verb(
    "antecede study published --figure published.svg",
    "antecede study published --figure pres-recall.svg --draw pres-recall",
    "antecede study published --figure pres-rr.svg --draw pres-rr",
)
def published(
    *,
    call: Annotated[Call, Derived("antecede.study:published")],
    draw: Literal["published", "pres-recall", "pres-rr"] = option(
        "The figure: the tables, PRES against recall and rank, or PRES against RR for n = 1.", "published"
    ),
    showing: DisplayOptions,
) -> None:
    """Recompute the tables of the papers on PRES and robustness, next to the published values; name the misprints."""
    result = call.run()

    def draw_figure(path: Path) -> None:
        from antecede.report.figures import FIGURES

        FIGURES[draw.replace("-", "_")].write(path)

    showing.show(result, *result.tables(), draw=None if draw == "published" else draw_figure)
