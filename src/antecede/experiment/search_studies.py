"""Studies that search: how scores change with the number of query terms, and how evenly documents can be found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from antecede.errors import UsageError, spell
from antecede.measures.names import normalize_measure
from antecede.operations import Bundle, Help, Seed, operation
from antecede.ranges import COUNT, DOCUMENTS, PASSAGES, TERMS, THREADS, Range
from antecede.search.batch import TermSweep
from antecede.search.retrieval_counts import CUTOFFS, count_retrievals
from antecede.search.settings import GivenSettings, SearchSettings, accept_settings
from antecede.study.retrievability import retrievability as study_retrievals
from antecede.study.term_counts import COUNTS, MEASURES, term_counts
from antecede.trec import read_qrels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Unpack

    from antecede.engine import Engine
    from antecede.operations import Progress
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.search.batch import Answer
    from antecede.study.retrievability import Retrievability
    from antecede.study.term_counts import TermCounts

Workers = Annotated[int | None, THREADS, Help("The number of processes.", default="one per core")]


@accept_settings
def query_length(
    index: Engine,
    topics: Iterable[Patent | Answer],
    qrels: object,
    settings: SearchSettings | None = None,
    *,
    at: Annotated[Sequence[int], TERMS, Help("The numbers of terms.")] = COUNTS,
    measures: Annotated[
        str | Sequence[str],
        Help(
            "A measure; may be repeated. All measures: antecede list measures.",
            flags="--measure -m",
            metavar="MEASURE",
            check=normalize_measure,
        ),
    ] = MEASURES,
    threads: int | None = None,
    progress: Progress | None = None,
    **_given: Unpack[GivenSettings],
) -> TermCounts:
    """Show how scores change with the number of terms in the queries, and how many are enough.

    Args:
        index: The index, from `open_index`.
        topics: The patents to search for.
        qrels: The relevance judgements, as for `rank_table`.
        settings: The search settings; every method of them is studied.
        threads: How many topics are searched in parallel; one per core by default.
        progress: Called with (done, total).
    """
    chosen = settings or SearchSettings()
    sweep = TermSweep(index, [*topics], chosen, max(at, default=0), threads=threads or os.cpu_count() or 1)
    result = term_counts(qrels, sweep.rankings, chosen.method, at=at, measures=measures, progress=progress)
    return replace(result, failed=sweep.failed)


@dataclass(frozen=True)
class RetrievalPlan(Bundle):
    """Which queries are searched with, and what counts as retrieved."""

    methods: Annotated[
        Sequence[str] | None,
        Help("The query methods. All methods: antecede list methods.", flags="--method", metavar="METHOD,…|all",
             default="all"),
    ] = None  # fmt: skip
    models: Annotated[
        Sequence[str] | None,
        Help("The ranking models. All models: antecede list models.", flags="--model", metavar="MODEL,…|all",
             default="all"),
    ] = None  # fmt: skip
    at: Annotated[Sequence[int], DOCUMENTS, Help("The cut-offs.")] = CUTOFFS
    gravity: Annotated[float, Range(0, 100), Help("β: a document at rank r counts 1 / r^β.")] = 0.0
    sample: Annotated[
        int | None, COUNT, Help("The number of documents, drawn at random, that queries are made from.")
    ] = 1000
    words: Annotated[int, PASSAGES, Help("Search with N words of a document instead of all; no method is used.")] = 0
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.words and self.methods is not None:
            raise UsageError(f"{spell('words')} generates queries without a method; leave {spell('method')} out")


class GivenRetrieval(GivenSettings, total=False):
    """The same as keyword arguments, for type checkers."""

    methods: Sequence[str] | None
    models: Sequence[str] | None
    at: Sequence[int]
    gravity: float
    sample: int | None
    words: int
    seed: int


@accept_settings
@operation
def retrievability(
    index: Engine,
    topics: Iterable[Patent | Answer | Query | str] | None = None,
    settings: SearchSettings | None = None,
    *,
    qrels: Annotated[
        object,
        Help("Judgements of the topics, to show how well relevant documents are found.", metavar="QRELS", path=True),
    ] = None,
    workers: Workers = 1,
    plan: RetrievalPlan = RetrievalPlan(),
    progress: Progress | None = None,
    **_given: Unpack[GivenRetrieval],
) -> Retrievability:
    """Show how evenly documents can be found, by query method and ranking model, and which can never be found.

    Args:
        index: The index, from `open_index`.
        topics: What to search for; by default, documents of the index as if they were new patents.
        settings: The search settings; methods and models replace those of the settings.
        progress: Called with (done, total).
        plan: The queries and what counts, as one value.
    """
    if plan.words and topics is not None:
        raise UsageError(f"{spell('words')} generates queries, so it takes no topics; leave one of them out")
    relevant = None if qrels is None else read_qrels(qrels).relevant_documents()
    given: dict[str, Any] = {name: getattr(plan, name) for name in ("methods", "models", "gravity", "words", "seed")}
    counts = count_retrievals(
        *(index, topics, settings),
        **given,
        cutoffs=plan.at,
        sample=plan.sample,
        judgements=relevant,
        workers=workers or os.cpu_count() or 1,
        progress=progress,
    )
    if relevant is not None and not counts.judged:
        judged = "judges none of the topics that were searched for"
        raise UsageError(f"{qrels}: {judged}; give the qrels of these topics")
    return study_retrievals(counts)
