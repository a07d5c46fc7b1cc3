"""antecede: find what came before, and know how much of it you found.

    import antecede as ac
    ranks = ac.rank_table("qrels.txt", ["a.run", "b.run.gz"])
    scores = ac.evaluate(ranks, ["PRES@1000", "AP"])
    ac.compare(scores, baseline="a.run").plot()

    ac.index.build(ac.Collection("clefip/"), "clefip.index")
    index = ac.open_index("clefip.index")
    query = ac.make_query(index.patent("EP-1000000"), index, method="tfidf", terms=75)
    index.search(query, k=100)

The names below are the public API, with the namespaces `study`, `review`, `learn` and `index` for the verbs of these
groups. Each is imported when it is first used, so that the program starts quickly.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from antecede import hooks, names

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from antecede.comparison import Comparison as Comparison
    from antecede.comparison import anova as anova
    from antecede.comparison import compare as compare
    from antecede.comparison import discriminative_power as discriminative_power
    from antecede.comparison import gate as gate
    from antecede.corpus import Collection as Collection
    from antecede.corpus import make_topics
    from antecede.corpus.applications import read_application as read_application
    from antecede.errors import AntecedeError as AntecedeError
    from antecede.errors import DuplicateDocumentError as DuplicateDocumentError
    from antecede.errors import InputError as InputError
    from antecede.errors import MalformedInputError as MalformedInputError
    from antecede.errors import MeasureError as MeasureError
    from antecede.errors import UnusableIndexError as UnusableIndexError
    from antecede.errors import UsageError as UsageError
    from antecede.evaluation import Audit as Audit
    from antecede.evaluation import RankTable as RankTable
    from antecede.evaluation import Scores as Scores
    from antecede.evaluation import audit as audit
    from antecede.evaluation import evaluate as evaluate
    from antecede.evaluation import rank_table as rank_table
    from antecede.experiment import load_experiment as load_experiment
    from antecede.experiment import run_experiment as run_experiment
    from antecede.index import SpacePlan as SpacePlan
    from antecede.index.objects import index_documents
    from antecede.measures import parse_measure as parse_measure
    from antecede.measures import score as score
    from antecede.names import index as index
    from antecede.names import learn as learn
    from antecede.names import review as review
    from antecede.names import study as study
    from antecede.patent import Patent as Patent
    from antecede.query import Query as Query
    from antecede.review.case import Review as Review
    from antecede.review.reading import Reading as Reading
    from antecede.search import Index as Index
    from antecede.search import SearchResult as SearchResult
    from antecede.search import SearchSettings as SearchSettings
    from antecede.search import make_query as make_query
    from antecede.search import open_index as open_index
    from antecede.search import search_index as search_index
    from antecede.search.batch import run_topics
    from antecede.synthetic import synthesize as synthesize
    from antecede.tables import Table as Table
    from antecede.trec import Policies as Policies
    from antecede.trec import Qrels as Qrels
    from antecede.trec import Run as Run
    from antecede.trec import fuse as fuse
    from antecede.trec import read_qrels as read_qrels
    from antecede.trec import read_run as read_run
    from antecede.trec import write_qrels as write_qrels
    from antecede.trec import write_run as write_run
    from antecede.trec.output import export_run

    build_index = index_documents
    export = export_run
    run = run_topics
    topics = make_topics


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return __dir__()
        if name in names.GROUPS:
            value: object = import_module(f"antecede.names.{name}")
        elif name in names.RENAMED:
            return names.load_renamed(name)
        else:
            place = None if name.startswith("_") else names.find_place(__name__, name)
            if place is None:
                raise AttributeError(f"module 'antecede' has no attribute {name!r}")
            value = names.load(place[1], name, place[0])
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """The public names, for completion."""
        return sorted(names.declared_names(__name__))


def _plot_result(result: object, path: "str | Path | None" = None, **options: Any) -> "Figure":
    """Draw a result, loading the figures on first use."""
    return cast("Figure", import_module("antecede.report.figures").plot_result(result, path, **options))


def _search_index(*arguments: Any, **options: Any) -> "SearchResult":
    """Search an index, loading what that takes on first use."""
    return cast("SearchResult", import_module("antecede.search").search_index(*arguments, **options))


hooks.install("plot", _plot_result)
hooks.install("search", _search_index)
sys.modules[__name__].__class__ = names.Root
