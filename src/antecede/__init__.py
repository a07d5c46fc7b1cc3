"""antecede: find what came before, and know how much of it you found.

    import antecede as ac
    ranks = ac.rank_table("qrels.txt", ["a.run", "b.run.gz"])
    scores = ac.evaluate(ranks, ["PRES@1000", "AP"])
    ac.compare(scores, baseline="a.run").plot()

    ac.build_index(ac.Collection("clefip/"), "clefip.index")
    index = ac.open_index("clefip.index")
    query = ac.make_query(index.patent("EP-1000000"), index, method="tfidf", terms=75)
    index.search(query, k=100)

The names below are the public API. Each is imported when it is first used, so that the program starts quickly.
"""

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from antecede import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from antecede.comparison import Comparison, agreement, anova, compare, correlate, discriminative_power, gate
    from antecede.corpus import Collection, make_topics
    from antecede.corpus.applications import read_application
    from antecede.errors import (
        AntecedeError,
        DuplicateDocumentError,
        InputError,
        MalformedInputError,
        MeasureError,
        UnusableIndexError,
        UsageError,
    )
    from antecede.evaluation import Audit, RankTable, Scores, audit, evaluate, rank_table
    from antecede.experiment import load_experiment, run_experiment
    from antecede.index import SpacePlan, add_to_index, build_index, learn_space, merge_index, verify_index
    from antecede.measures import parse_measure, score
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.review.assessment import calibrate
    from antecede.review.case import Review
    from antecede.review.estimators import estimate
    from antecede.review.judged_topics import read_judged
    from antecede.review.reading import Reading
    from antecede.review.simulation import simulate_reviews
    from antecede.review.sources import start_review
    from antecede.review.status import review_status
    from antecede.review.stopping import decide
    from antecede.search import Index, SearchResult, SearchSettings, make_query, open_index, search_index
    from antecede.search.batch import run_topics
    from antecede.search.retrieval_counts import count_retrievals
    from antecede.study import compare_judges, cutoffs, meta_evaluate, published, retrievability, robustness, simulate
    from antecede.study.term_counts import term_counts
    from antecede.synthetic import synthesize
    from antecede.tables import Table
    from antecede.trec import Policies, Qrels, Run, fuse, read_qrels, read_run, write_qrels, write_run
    from antecede.trec.output import export_run

__all__ = [
    "AntecedeError", "Audit", "Collection", "Comparison", "DuplicateDocumentError", "Index", "InputError",
    "MalformedInputError", "MeasureError", "Patent", "Policies", "Qrels", "Query", "RankTable", "Reading", "Review",
    "Run", "Scores", "SearchResult", "SearchSettings", "SpacePlan", "Table", "UnusableIndexError", "UsageError",
    "add_to_index", "agreement", "anova", "audit", "build_index", "calibrate", "compare", "compare_judges", "correlate",
    "count_retrievals", "cutoffs", "decide", "discriminative_power", "estimate", "evaluate", "export_run", "fuse",
    "gate", "learn_space", "load_experiment", "make_query", "make_topics", "merge_index", "meta_evaluate", "open_index",
    "parse_measure", "published", "rank_table", "read_application", "read_judged", "read_qrels", "read_run",
    "retrievability", "review_status", "robustness", "run_experiment", "run_topics", "score", "search_index",
    "simulate", "simulate_reviews", "start_review", "synthesize", "term_counts", "verify_index", "write_qrels",
    "write_run",
]  # fmt: skip

_MODULES = {
    "errors": "AntecedeError DuplicateDocumentError InputError MalformedInputError MeasureError UnusableIndexError "
    "UsageError",
    "tables": "Table",
    "patent": "Patent",
    "corpus": "Collection make_topics",
    "corpus.applications": "read_application",
    "synthetic": "synthesize",
    "index": "SpacePlan add_to_index build_index learn_space merge_index verify_index",
    "query": "Query",
    "search": "Index SearchResult SearchSettings make_query open_index search_index",
    "search.batch": "run_topics",
    "search.retrieval_counts": "count_retrievals",
    "review.assessment": "calibrate",
    "review.estimators": "estimate",
    "review.judged_topics": "read_judged",
    "review.reading": "Reading",
    "review.case": "Review",
    "review.simulation": "simulate_reviews",
    "review.sources": "start_review",
    "review.status": "review_status",
    "review.stopping": "decide",
    "trec": "Policies Qrels Run fuse read_qrels read_run write_qrels write_run",
    "trec.output": "export_run",
    "measures": "parse_measure score",
    "evaluation": "Audit RankTable Scores audit evaluate rank_table",
    "comparison": "Comparison agreement anova compare correlate discriminative_power gate",
    "study": "compare_judges cutoffs meta_evaluate published retrievability robustness simulate",
    "study.term_counts": "term_counts",
    "experiment": "load_experiment run_experiment",
}
"""The names of each module. Only that module is imported for a name, so that evaluation does not load the search
engine, or the reverse."""
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'antecede' has no attribute {name!r}")
    value: object = getattr(import_module(f"antecede.{_MODULE_OF[name]}"), name)
    if type(value) is FunctionType:
        from antecede.arguments import check_arguments

        value = check_arguments(value)
        value.__module__ = __name__  # where `pickle` looks for it
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)


def _plot_result(result: object, path: "str | Path | None" = None, **options: Any) -> "Figure":
    """Draw a result, loading the figures on first use."""
    return cast("Figure", import_module("antecede.report.figures").plot_result(result, path, **options))


def _search_index(*arguments: Any, **options: Any) -> "SearchResult":
    """Search an index, loading what that takes on first use."""
    return cast("SearchResult", import_module("antecede.search").search_index(*arguments, **options))


hooks.install("plot", _plot_result)
hooks.install("search", _search_index)
