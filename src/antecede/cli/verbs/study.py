"""Study measures and judgements, and what they make of the order of runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

from antecede import plots
from antecede.cli import options
from antecede.cli.bundles import (
    DisplayOptions,
    PolicyOptions,
    ReadOptions,
    ScoreOptions,
    SearchOptions,
    Settings,
    verb,
)
from antecede.cli.inputs import (
    find_highlights,
    keep_freed_memory,
    list_topics,
    numbers,
    refuse_repeated_input,
    require_folder,
    topics_to_search,
    warn_of_order,
    whole_numbers,
)
from antecede.cli.options import argument, option
from antecede.cli.output import progress, show_note
from antecede.cli.outputs import Input
from antecede.errors import UsageError, shown
from antecede.ranges import COUNT, DOCUMENTS, PASSAGES, SAMPLES, TERMS, THREADS, Range
from antecede.registry import split_list

if TYPE_CHECKING:
    from antecede.study.judgement_loss import LossName, Lost


@verb(
    "antecede study robustness qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --samples 100 --figure robustness.svg",
    "antecede study robustness qrels.txt runs/*.gz --remove depth --keep 10,20,50,100",
    "antecede study robustness qrels.txt runs/*.gz --remove group --groups groups.txt --figure groups.svg",
    "antecede study robustness qrels.txt runs/*.gz -m AP,Bpref,infAP --remove judgements --treat-as unjudged",
)
def robustness(
    *,
    measures: options.Measures = None,
    rel: options.Rel = None,
    keep: str | None = option(
        "Shares of relevant documents to keep; with --remove depth, the depths of the pool.",
        metavar="F,F,…",
        show_default="0.2,0.4,0.6,0.8; depth: 10,20,50,100",
    ),
    samples: int | None = option(
        "The number of samples at each level; depth and group have one.", within=SAMPLES, show_default="20"
    ),
    seed: options.Seed = 0,
    remove: str = option(
        "What is lost: relevant documents at random, judgements at random, what only one group found, what "
        "lies outside a shallow pool, or what few runs found.",
        "random",
        metavar="random|judgements|group|depth|late",
    ),
    treat_as: str = option(
        "A lost document: leaves the pool, or stays in it unjudged (relevance -1).",
        "dropped",
        metavar="dropped|unjudged",
    ),
    groups: options.Groups = None,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show which measures still order the runs alike when judgements are missing: Kendall's τ, mean and worst."""
    from antecede.study import read_groups, robustness

    chosen = ScoreOptions(measures, rel).chosen()
    levels = None if keep is None else numbers(keep, "--keep")
    named = None if groups is None else read_groups(groups)
    table = reading.table()
    with progress("losing judgements", quiet=reading.quiet) as report:
        result = robustness(
            table,
            chosen,
            keep=levels,
            samples=samples,
            seed=seed,
            remove=cast("LossName", remove),
            treat_as=cast("Lost", treat_as),
            groups=named,
            rel=1 if rel is None else rel,
            progress=report,
        )
    showing.show(result, result.table(), *([result.groups_table()] if result.sample_names else []))


@verb(
    "antecede study agreement ranks.npz -m AP@100,PRES@100 --contradictions",
    "antecede study agreement ranks.npz -m AP@1000,R@1000,PRES@1000 --figure agreement.svg",
)
def agreement(
    *,
    scoring: ScoreOptions,
    test: options.Test = "wilcoxon",
    correction: options.Correction = "none",
    alpha: options.Alpha = 0.05,
    samples: options.Patterns = 10_000,
    seed: options.Seed = 0,
    contradictions: bool = option("Show the pairs of runs that measures put in opposite order.", False),
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show how often measures agree on pairs of runs: better, worse or not distinguishable."""
    from antecede.comparison import agreement

    scores = scoring.scores(reading)
    result = agreement(scores, test=test, correction=correction, alpha=alpha, samples=samples, seed=seed)
    showing.show(result, result.contradictions_table() if contradictions else result.table())


@verb(
    "antecede study correlation qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --figure correlation.svg",
    "antecede study correlation scores.csv",
    "antecede evaluate qrels.txt runs/*.gz --format csv | antecede study correlation -",
)
def correlation(*, scoring: ScoreOptions, reading: ReadOptions, showing: DisplayOptions) -> None:
    """Show how similarly measures order the same runs: Kendall's τ-b, τ_AP, Spearman's ρ and Pearson's r.

    In place of qrels and runs it takes a table of scores: the names of the measures in the first line, then one line
    per run, its name first.
    """
    from antecede.comparison import correlate, read_score_table
    from antecede.evaluation.storage import is_rank_table

    alone = not reading.runs and not reading.qrels.endswith(".npz")
    if alone and not is_rank_table(reading.qrels):
        given = ReadOptions(qrels=reading.qrels, runs=reading.runs, quiet=reading.quiet)
        if reading != given or scoring != ScoreOptions(scoring.measures):
            raise UsageError(
                f"{reading.qrels}: is a table of scores; give options for reading and topics when scores are computed"
            )
        result = correlate(read_score_table(reading.qrels).select(scoring.measures))
    else:
        result = correlate(scoring.scores(reading))
    showing.show(result, result.table())


MOST_SHOWN = 40
"""The number of crossings that are printed; --json has all."""


@verb(
    "antecede study cutoffs qrels.txt a.run b.run c.run",
    "antecede study cutoffs qrels.txt a.run b.run -m PRES -m nDCG --at 10,20,50,100 --figure curves.svg",
)
def cutoffs(
    *,
    measures: list[str] | None = option(
        "A measure, without its cut-off; may be repeated.",
        names="--measure -m",
        metavar="MEASURE",
        show_default="PRES AP R",
    ),
    at: str = option("The cut-offs.", "10,50,100,500,1000", metavar="N,N,…"),
    highlight: options.Highlight = None,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show how scores grow with the documents a searcher reads, and where two runs change places."""
    from antecede.study.cutoffs import FAMILIES, cutoffs

    chosen = numbers(at, "--at")
    table = reading.table()
    highlighted = find_highlights(highlight, table)
    with progress("evaluating cut-offs", quiet=reading.quiet) as report:
        result = cutoffs(table, measures or FAMILIES, at=chosen, progress=report)
    tables = (result.table(), result.crossings_table(most=MOST_SHOWN))
    showing.show(result, *tables, draw=lambda path: plots.draw(result, path, highlight=highlighted))


SHARE = Range(0, 1, open_low=True, open_high=True)


@verb(
    "antecede study measures qrels.txt runs/*.gz -m AP@100,PRES@100,GMAP,nDCG@10,RR --samples 20 --figure meta.svg",
    "antecede study measures ranks.npz --docs 528155 --samples 20 --at 100 --json",
)
def measures(
    *,
    measures: list[str] | None = option(
        "A measure to study; may be repeated.", names="--measure -m", metavar="MEASURE", show_default="all"
    ),
    rel: options.Rel = None,
    keep: float = option("The share of relevant documents in a sample.", 0.2, within=SHARE),
    samples: int = option("The number of samples.", 200, within=SAMPLES),
    at: str = option("The cut-offs, where --measure names none.", "10,100,1000", metavar="N,N,…"),
    docs: int | None = option("The size of the collection, for measures that require it.", within=DOCUMENTS),
    test: options.Test = "t",
    alpha: options.Alpha = 0.05,
    seed: options.Seed = 0,
    reading: ReadOptions,
    showing: DisplayOptions,
) -> None:
    """Show which measures are both robust to missing judgements and able to tell runs apart."""
    from antecede.measures import parse_measures
    from antecede.study import meta_evaluate

    SHARE.check(keep, "--keep")
    cutoffs = whole_numbers(at, "--at", DOCUMENTS)
    chosen = None if not measures else parse_measures(measures, rel=rel)
    table = reading.table()
    with progress("losing judgements", quiet=reading.quiet) as report:
        result = meta_evaluate(
            table,
            chosen,
            keep=keep,
            samples=samples,
            seed=seed,
            cutoffs=cutoffs,
            docs=docs,
            test=test,
            alpha=alpha,
            rel=1 if rel is None else rel,
            progress=report,
        )
    showing.show(result, result.table())


@verb(
    "antecede study judges qrels.txt other-qrels.txt",
    "antecede study judges qrels.txt other-qrels.txt runs/*.gz -m AP@1000,PRES@1000 --figure judges.svg",
    "antecede study judges qrels.txt other-qrels.txt runs/*.gz -m PRES@1000 --groups groups.txt",
    "antecede study judges x-citations.txt a-citations.txt a.run b.run -m RR --unjudged nonrelevant",
)
def judges(
    *,
    qrels_a: str = argument("QRELS_A", "The judgements of the first judge, the reference.", path=Input()),
    qrels_b: str = argument("QRELS_B", "Those of the second.", path=Input()),
    runs: options.RunsIfAny = None,
    measures: options.Measures = None,
    rel: options.Rel = None,
    unjudged: Literal["skip", "nonrelevant"] = option(
        "A document that only one judged: left out of the agreement, or not relevant for the other.", "skip"
    ),
    groups: options.Groups = None,
    test: options.Test = "t",
    correction: options.Correction = "none",
    alpha: options.Alpha = 0.05,
    samples: int = option("Samples of the bootstrap and of the permutation test.", 1000, within=SAMPLES),
    seed: options.Seed = 0,
    policies: PolicyOptions,
    names: options.RunNames = "file",
    topics: options.OnlyTopics = None,
    without_topics: options.WithoutTopics = None,
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Compare two sets of judgements of the same topics, and what they make of the order of the runs.

    The two may be people and a language model, two assessors, or X and A citations.
    """
    from antecede.study import compare_judges, read_groups

    chosen = ScoreOptions(measures, rel).chosen()
    refuse_repeated_input(qrels_a, qrels_b, *(runs or ()))
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
            unjudged=unjudged,
            groups=members,
            test=test,
            correction=correction,
            alpha=alpha,
            samples=samples,
            seed=seed,
            topics=None if topics is None else list_topics(topics),
            without=list_topics(without_topics or ""),
            **vars(policies.policies),
            names=names,
            progress=report,
        )
    if result.rank_table is not None:
        warn_of_order(result.rank_table)
    showing.show(result, *result.tables())


ALL = "all"


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
    method: str = option("The query methods. All methods: antecede list methods.", ALL, metavar="METHOD,…|all"),
    model: str = option("The ranking models. All models: antecede list models.", ALL, metavar="MODEL,…|all"),
    at: str = option("The cut-offs.", "10,50,100", metavar="N,N,…"),
    gravity: float = option("β: a document at rank r counts 1 / r^β.", 0.0, min=0, max=100),
    sample: int = option("The number of documents, drawn at random, that queries are made from.", 1000, within=COUNT),
    words: int = option("Search with N words of a document instead of all; no method is used.", 0, within=PASSAGES),
    qrels: str | None = option(
        "Judgements of the topics, to show how well relevant documents are found.", metavar="QRELS", path=Input()
    ),
    seed: options.Seed = 0,
    settings: Annotated[
        Settings,
        SearchOptions(
            only=("terms", "fields", "weights", "language", "before", "after", "undated", "ipc", "cpc", "country"),
            defaults={"before": "off"},
        ),
    ],
    workers: int | None = option("The number of processes.", within=THREADS, show_default="one per core"),
    field: options.Fields = None,
    preset: options.PresetName = None,
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Show how evenly documents can be found, by query method and ranking model, and which can never be found."""
    from antecede.engine import open_index
    from antecede.search.retrieval_counts import count_retrievals
    from antecede.study.retrievability import retrievability
    from antecede.trec import read_qrels

    cutoffs = whole_numbers(at, "--at", DOCUMENTS)
    if words and method != ALL:
        raise UsageError("--words generates queries without a method; leave --method out")
    if words and topics is not None:
        raise UsageError("--words generates queries, so it takes no topics; leave one of them out")
    relevant = read_qrels(qrels).relevant_documents() if qrels is not None else None
    methods = None if method == ALL else split_list(method)
    models = None if model == ALL else split_list(model)
    require_folder(index, "study retrievability")
    opened = open_index(index)
    wanted = None
    if topics is not None:
        wanted = topics_to_search(opened, topics, field, preset, quiet=quiet)
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


@verb(
    "antecede study query-length clefip.index topics.jsonl qrels.txt --method tfidf",
    "antecede study query-length clefip.index topics.jsonl qrels.txt --method tf,lm --at 10,50,200 --figure m.svg",
)
def query_length(
    *,
    index: options.IndexFolder,
    topics: options.Topics,
    qrels: options.Qrels,
    at: str = option("The numbers of terms.", "5,10,20,30,45,60,75,100,150,200,300", metavar="N,N,…"),
    measures: list[str] | None = option(
        "A measure; may be repeated. All measures: antecede list measures.",
        names="--measure -m",
        metavar="MEASURE",
        show_default="PRES@1000 AP@1000 R@100",
    ),
    settings: Annotated[Settings, SearchOptions(without=("terms", "fusion"))],
    field: options.Fields = None,
    preset: options.PresetName = None,
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Show how scores change with the number of terms in the queries, and how many are enough."""
    from antecede.engine import open_index
    from antecede.search.batch import TermSweep
    from antecede.study.term_counts import MEASURES, term_counts

    counts = whole_numbers(at, "--at", TERMS)
    opened = open_index(index)
    wanted = topics_to_search(opened, topics, field, preset, quiet=quiet)
    sweep = TermSweep(opened, wanted, settings, max(counts), threads=os.cpu_count() or 1)
    with progress("searching", quiet=quiet) as report:
        result = term_counts(
            qrels, sweep.rankings, settings.method, at=counts, measures=measures or MEASURES, progress=report
        )
    for topic_id, why in sweep.failed.items():
        show_note(f"topic {shown(topic_id)}: {why}")
    showing.show(result, result.table())


@verb(
    "antecede study published --figure published.svg",
    "antecede study published --figure pres-recall.svg --draw pres-recall",
    "antecede study published --figure pres-rr.svg --draw pres-rr",
)
def published(
    *,
    samples: int = option("The number of samples at each level.", 100, within=SAMPLES),
    seed: options.Seed = 0,
    draw: Literal["published", "pres-recall", "pres-rr"] = option(
        "The figure: the tables, PRES against recall and rank, or PRES against RR for n = 1.", "published"
    ),
    quiet: options.Quiet = False,
    showing: DisplayOptions,
) -> None:
    """Recompute the tables of the papers on PRES and robustness, next to the published values; name the misprints."""
    from antecede.study import published

    with progress("losing judgements", quiet=quiet) as report:
        result = published(samples=samples, seed=seed, progress=report)

    def draw_figure(path: Path) -> None:
        from antecede.report.figures import FIGURES

        FIGURES[draw.replace("-", "_")].write(path)

    showing.show(result, *result.tables(), draw=None if draw == "published" else draw_figure)
