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
from typing import TYPE_CHECKING, Any

from antecede import plots

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from antecede.comparison import (
        Agreement,
        Anova,
        Comparison,
        Correlations,
        Gate,
        agreement,
        anova,
        compare,
        correlate,
        discriminative_power,
        gate,
        read_score_table,
    )
    from antecede.corpus import Collection, Ledger, Topics, make_topics
    from antecede.corpus.applications import read_application
    from antecede.engine import open_index
    from antecede.errors import (
        AntecedeError,
        DuplicateDocumentError,
        InputError,
        MalformedInputError,
        MeasureError,
        UsageError,
    )
    from antecede.evaluation import Audit, RankTable, Scores, audit, evaluate, rank_table
    from antecede.experiment import Outcome, load_experiment, run_experiment
    from antecede.index import (
        BuildReport,
        Index,
        SpacePlan,
        SpaceReport,
        VerificationReport,
        add_to_index,
        build_index,
        learn_space,
        merge_index,
        verify_index,
    )
    from antecede.index.filters import Filters
    from antecede.measures import Measure, parse_measure, score
    from antecede.opensearch.engine import ClusterEngine
    from antecede.patent import Citation, Patent, PatentNumber
    from antecede.query import Query, QueryMaker, read_query
    from antecede.query.feedback import feedback
    from antecede.review.active_learning import ActiveLearner
    from antecede.review.assessment import (
        CalibrationReport,
        EstimatorAssessment,
        Reliability,
        RuleAssessment,
        calibrate,
    )
    from antecede.review.batches import LearningSettings
    from antecede.review.calibration import Calibration, read_calibration, write_calibration
    from antecede.review.estimators import Estimate, estimate
    from antecede.review.judged_readings import JudgedReading, JudgedReadings, read_judged
    from antecede.review.judged_topics import topics_from_index, topics_from_run
    from antecede.review.marks import Mark, Marks, read_marks, read_marks_from_qrels
    from antecede.review.reading import Reading
    from antecede.review.session import Review, ReviewPlan
    from antecede.review.simulation import ReviewSimulation, simulate_reviews
    from antecede.review.sources import start_review, start_review_of_run
    from antecede.review.status import ReviewStatus, decide_stop, review_status
    from antecede.review.stopping import Decision, decide
    from antecede.review.vectors import DocumentVectors, vectors_of_index, vectors_of_matrix, vectors_of_texts
    from antecede.search import (
        EmbeddedEngine,
        Hits,
        Ranker,
        Searcher,
        SearchResult,
        SearchSettings,
        explain,
        make_query,
        rank,
        search_index,
    )
    from antecede.search.batch import Batch, run_topics
    from antecede.search.hits import fuse
    from antecede.search.retrieval_counts import RetrievalCounts, count_retrievals
    from antecede.study import (
        Cutoffs,
        JudgeComparison,
        MetaEvaluation,
        Published,
        Retrievability,
        Robustness,
        compare_judges,
        cutoffs,
        meta_evaluate,
        published,
        read_groups,
        retrievability,
        robustness,
        simulate,
    )
    from antecede.study.term_counts import TermCounts, term_counts
    from antecede.synthetic import Synthesis, synthesize
    from antecede.tables import Table
    from antecede.trec import Policies, Qrels, Run, fuse_runs, read_qrels, read_run, write_qrels, write_run
    from antecede.trec.output import export_run

__all__ = [
    "ActiveLearner",
    "Agreement",
    "Anova",
    "AntecedeError",
    "Audit",
    "Batch",
    "BuildReport",
    "Calibration",
    "CalibrationReport",
    "Citation",
    "ClusterEngine",
    "Collection",
    "Comparison",
    "Correlations",
    "Cutoffs",
    "Decision",
    "DocumentVectors",
    "DuplicateDocumentError",
    "EmbeddedEngine",
    "Estimate",
    "EstimatorAssessment",
    "Filters",
    "Gate",
    "Hits",
    "Index",
    "InputError",
    "JudgeComparison",
    "JudgedReading",
    "JudgedReadings",
    "LearningSettings",
    "Ledger",
    "MalformedInputError",
    "Mark",
    "Marks",
    "Measure",
    "MeasureError",
    "MetaEvaluation",
    "Outcome",
    "Patent",
    "PatentNumber",
    "Policies",
    "Published",
    "Qrels",
    "Query",
    "QueryMaker",
    "RankTable",
    "Ranker",
    "Reading",
    "Reliability",
    "Retrievability",
    "RetrievalCounts",
    "Review",
    "ReviewPlan",
    "ReviewSimulation",
    "ReviewStatus",
    "Robustness",
    "RuleAssessment",
    "Run",
    "Scores",
    "SearchResult",
    "SearchSettings",
    "Searcher",
    "SpacePlan",
    "SpaceReport",
    "Synthesis",
    "Table",
    "TermCounts",
    "Topics",
    "UsageError",
    "VerificationReport",
    "add_to_index",
    "agreement",
    "anova",
    "audit",
    "build_index",
    "calibrate",
    "compare",
    "compare_judges",
    "correlate",
    "count_retrievals",
    "cutoffs",
    "decide",
    "decide_stop",
    "discriminative_power",
    "estimate",
    "evaluate",
    "explain",
    "export_run",
    "feedback",
    "fuse",
    "fuse_runs",
    "gate",
    "learn_space",
    "load_experiment",
    "make_query",
    "make_topics",
    "merge_index",
    "meta_evaluate",
    "open_index",
    "parse_measure",
    "published",
    "rank",
    "rank_table",
    "read_application",
    "read_calibration",
    "read_groups",
    "read_judged",
    "read_marks",
    "read_marks_from_qrels",
    "read_qrels",
    "read_query",
    "read_run",
    "read_score_table",
    "retrievability",
    "review_status",
    "robustness",
    "run_experiment",
    "run_topics",
    "score",
    "search_index",
    "simulate",
    "simulate_reviews",
    "start_review",
    "start_review_of_run",
    "synthesize",
    "term_counts",
    "topics_from_index",
    "topics_from_run",
    "vectors_of_index",
    "vectors_of_matrix",
    "vectors_of_texts",
    "verify_index",
    "write_calibration",
    "write_qrels",
    "write_run",
]

SEARCHED_MODULES = ("errors", "tables", "trec", "measures", "evaluation", "comparison", "study")
MODULES = {
    "patent": ("Citation", "Patent", "PatentNumber"),
    "corpus": ("Collection", "Ledger", "Topics", "make_topics"),
    "corpus.applications": ("read_application",),
    "synthetic": ("Synthesis", "synthesize"),
    "index": (
        "BuildReport",
        "Index",
        "SpacePlan",
        "SpaceReport",
        "VerificationReport",
        "add_to_index",
        "build_index",
        "learn_space",
        "merge_index",
        "verify_index",
    ),
    "index.filters": ("Filters",),
    "query": ("Query", "QueryMaker", "read_query"),
    "query.feedback": ("feedback",),
    "review.active_learning": ("ActiveLearner",),
    "review.batches": ("LearningSettings",),
    "review.judged_topics": (
        "topics_from_index",
        "topics_from_run",
    ),
    "review.marks": (
        "Mark",
        "Marks",
        "read_marks",
        "read_marks_from_qrels",
    ),
    "review.assessment": (
        "CalibrationReport",
        "EstimatorAssessment",
        "Reliability",
        "RuleAssessment",
        "calibrate",
    ),
    "review.calibration": ("Calibration", "read_calibration", "write_calibration"),
    "review.estimators": ("Estimate", "estimate"),
    "review.judged_readings": ("JudgedReading", "JudgedReadings", "read_judged"),
    "review.reading": ("Reading",),
    "review.stopping": ("Decision", "decide"),
    "review.session": (
        "Review",
        "ReviewPlan",
    ),
    "review.simulation": (
        "ReviewSimulation",
        "simulate_reviews",
    ),
    "review.sources": (
        "start_review",
        "start_review_of_run",
    ),
    "review.status": (
        "ReviewStatus",
        "decide_stop",
        "review_status",
    ),
    "review.vectors": (
        "DocumentVectors",
        "vectors_of_index",
        "vectors_of_matrix",
        "vectors_of_texts",
    ),
    "search": (
        "EmbeddedEngine",
        "Hits",
        "Ranker",
        "SearchResult",
        "SearchSettings",
        "Searcher",
        "explain",
        "make_query",
        "rank",
        "search_index",
    ),
    "engine": ("open_index",),
    "search.batch": ("Batch", "run_topics"),
    "opensearch.engine": ("ClusterEngine",),
    "search.hits": ("fuse",),
    "search.retrieval_counts": ("RetrievalCounts", "count_retrievals"),
    "study.term_counts": ("TermCounts", "term_counts"),
    "trec.output": ("export_run",),
    "experiment": ("Outcome", "load_experiment", "run_experiment"),
}
"""Names that are imported straight from their module, so that evaluation does not load the search engine, or
the reverse; all other names are looked up in `SEARCHED_MODULES`."""


def __getattr__(name: str) -> object:
    if name in __all__:
        home = next((module_name for module_name, names in MODULES.items() if name in names), None)
        for module_name in SEARCHED_MODULES if home is None else (home,):
            module = import_module(f"antecede.{module_name}")
            if name in getattr(module, "__all__", vars(module)):
                found: object = getattr(module, name)
                globals()[name] = found
                return found
    raise AttributeError(f"module 'antecede' has no attribute {name!r}")


def _plot_result(result: object, path: "str | Path | None" = None, **options: Any) -> "Figure":
    """Draw a result, loading the figures on first use."""
    figure: Figure = import_module("antecede.report.figures").plot_result(result, path, **options)
    return figure


plots.set_plotter(_plot_result)


def __dir__() -> list[str]:
    """The public names, for completion: exactly `__all__`."""
    return sorted(__all__)
