"""antecede: find what came before, and know how much of it you found.

    import antecede as ac
    ranks = ac.rank_table("qrels.txt", ["a.run", "b.run.gz"])
    ac.evaluate(ranks, ["PRES@1000", "AP"]).table()

The names below are the public API. Each is imported when it is first used, so that the program starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from antecede.tables import Table
    from antecede.trec import Policies, Qrels, Run, read_qrels, read_run, write_qrels, write_run

__all__ = [
    "AntecedeError",
    "Audit",
    "DuplicateDocumentError",
    "InputError",
    "MalformedInputError",
    "Measure",
    "MeasureError",
    "Policies",
    "Qrels",
    "RankTable",
    "Run",
    "Scores",
    "Table",
    "UsageError",
    "audit",
    "evaluate",
    "parse_measure",
    "rank_table",
    "read_qrels",
    "read_run",
    "score",
    "write_qrels",
    "write_run",
]

ROOMS = ("errors", "tables", "trec", "measures", "evaluation")


def __getattr__(name: str) -> object:
    if name in __all__:
        for room in ROOMS:
            found = getattr(import_module(f"antecede.{room}"), name, None)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module 'antecede' has no attribute {name!r}")
