"""antecede retrievability"""

from __future__ import annotations

from typing import Annotated

import typer

from antecede.cli import options
from antecede.cli.bundles import DisplayOptions, SearchOptions, Settings, verb
from antecede.cli.collections import Fields, PresetName, field_names, show_note
from antecede.cli.outputs import Input
from antecede.ranges import COUNT, DOCUMENTS, PASSAGES, THREADS

ALL = "all"


@verb(
    "antecede retrievability clefip.index --sample 100 --figure retrievability.svg",
    "antecede retrievability clefip.index --method tfidf,full --model bm25,lm_dirichlet --at 10,100",
    "antecede retrievability clefip.index --words 2 --model bm25,tfidf",
    "antecede retrievability clefip.index topics/ --qrels qrels.txt --method tfidf --model all",
)
def retrievability(
    *,
    index: options.LocalIndex,
    topics: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPICS]",
            help="Patents to search for, as for run; without them queries are generated from documents of the index.",
            show_default=False,
        ),
        Input(),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="METHOD,…|all", help="The query methods. All methods: antecede methods.")
    ] = ALL,
    model: Annotated[
        str, typer.Option(metavar="MODEL,…|all", help="The ranking models. All models: antecede models.")
    ] = ALL,
    at: Annotated[str, typer.Option(metavar="N,N,…", help="Cut-offs: a document counts as found above.")] = "10,50,100",
    gravity: Annotated[
        float,
        typer.Option(
            min=0, max=100, help="Count a document at rank r as 1 / r^β; with 0 every document found counts 1."
        ),
    ] = 0.0,
    sample: Annotated[
        int,
        typer.Option(**COUNT.bounds, help="Generate queries from so many documents, drawn at random; at most all."),
    ] = 1000,
    words: Annotated[
        int,
        typer.Option(
            **PASSAGES.bounds,
            help="Generate short queries of so many words of a document instead of whole patents; they have no method.",
        ),
    ] = 0,
    qrels: Annotated[
        str | None,
        typer.Option(
            metavar="QRELS", help="Judgements of the topics: also show how well relevant documents can be found."
        ),
        Input(),
    ] = None,
    seed: options.Seed = 0,
    settings: Annotated[
        Settings,
        SearchOptions(
            only=("terms", "fields", "weights", "language", "before", "after", "undated", "ipc", "cpc", "country"),
            defaults={"before": "off"},
        ),
    ],
    workers: Annotated[
        int | None, typer.Option(**THREADS.bounds, help="The number of processes.", show_default="one per core")
    ] = None,
    field: Fields = None,
    preset: PresetName = None,
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Show how evenly documents can be found, by query method and ranking model, and which can never be found.

    Each document is counted as often as queries retrieve it (Azzopardi & Vinay, 2008): Gini coefficient, Lorenz curve,
    and the documents by class, year, language and length.
    """
    import os

    from antecede.cli.indexing import require_folder
    from antecede.cli.inputs import whole_numbers
    from antecede.cli.output import progress
    from antecede.errors import UsageError
    from antecede.index import open_index
    from antecede.registry import split_list
    from antecede.search.retrieval_counts import count_retrievals
    from antecede.search.topics import read_topics
    from antecede.study.retrievability import retrievability
    from antecede.trec import read_qrels

    showing.check()
    cutoffs = whole_numbers(at, "--at", DOCUMENTS)
    if words and method != ALL:
        raise UsageError("--words generates queries without a method; leave --method out")
    if words and topics is not None:
        raise UsageError("--words generates queries, so it takes no topics; leave one of them out")
    relevant: dict[str, list[str]] | None = None
    if qrels is not None:
        judged = read_qrels(qrels).to_polars()
        relevant = {}
        for topic_id, doc_id, relevance in judged.iter_rows():
            if relevance > 0:
                relevant.setdefault(topic_id, []).append(doc_id)
    methods = None if method == ALL else split_list(method)
    models = None if model == ALL else split_list(model)
    require_folder(index, "retrievability")
    opened = open_index(index)
    wanted = None
    if topics is not None:
        with progress("reading topics", quiet=quiet) as report:
            wanted = read_topics(
                opened, topics, names=field_names(field, preset), on_note=None if quiet else show_note, progress=report
            )
    with progress("searching", quiet=quiet) as report:
        counts = count_retrievals(
            opened,
            wanted,
            settings,
            methods=methods,
            models=models,
            cutoffs=cutoffs,
            gravity=gravity,
            sample=sample,
            words=words,
            seed=seed,
            judgements=relevant,
            workers=workers or os.cpu_count() or 1,
            progress=report,
        )
    if relevant is not None and not counts.judged:
        raise UsageError(f"{qrels}: judges none of the topics that were searched for; give the qrels of these topics")
    result = retrievability(counts)
    showing.show(result, *result.tables())
