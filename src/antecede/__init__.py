"""antecede: find what came before, and know how much of it you found.

    import antecede as ac
    ranks = ac.rank_table("qrels.txt", ["a.run", "b.run.gz"])
    scores = ac.evaluate(ranks, ["PRES@1000", "AP"])
    ac.compare(scores, baseline="a.run").plot()

The names below are the public API. Each is imported when it is first used, so that the program starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antecede.comparison import (
        Agreement,
        Comparison,
        Correlations,
        agreement,
        compare,
        correlate,
        discriminative_power,
        read_score_table,
    )
    from antecede.errors import (
        AntecedeError,
        DuplicateDocumentError,
        InputError,
        MalformedInputError,
        MeasureError,
        UsageError,
    )
    from antecede.evaluation import Audit, RankTable, Scores, audit, evaluate, rank_table
    from antecede.measures import Measure, parse_measure, score
    from antecede.study import Cutoffs, Published, Robustness, cutoffs, published, read_groups, robustness, simulate
    from antecede.tables import Table
    from antecede.trec import Policies, Qrels, Run, read_qrels, read_run, write_qrels, write_run

__all__ = [
    "Agreement",
    "AntecedeError",
    "Audit",
    "Comparison",
    "Correlations",
    "Cutoffs",
    "DuplicateDocumentError",
    "InputError",
    "MalformedInputError",
    "Measure",
    "MeasureError",
    "Policies",
    "Published",
    "Qrels",
    "RankTable",
    "Robustness",
    "Run",
    "Scores",
    "Table",
    "UsageError",
    "agreement",
    "audit",
    "compare",
    "correlate",
    "cutoffs",
    "discriminative_power",
    "evaluate",
    "parse_measure",
    "published",
    "rank_table",
    "read_groups",
    "read_qrels",
    "read_run",
    "read_score_table",
    "robustness",
    "score",
    "simulate",
    "write_qrels",
    "write_run",
]

ROOMS = ("errors", "tables", "trec", "measures", "evaluation", "comparison", "study")


def __getattr__(name: str) -> object:
    if name in __all__:
        for room in ROOMS:
            module = import_module(f"antecede.{room}")
            if name in getattr(module, "__all__", vars(module)):
                found: object = getattr(module, name)
                globals()[name] = found
                return found
    raise AttributeError(f"module 'antecede' has no attribute {name!r}")
