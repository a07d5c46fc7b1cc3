"""The rank table, and the scores and counts computed from it."""

from antecede.evaluation.audit import Audit, audit
from antecede.evaluation.rank_table import RankTable, rank_table
from antecede.evaluation.scores import Scores, evaluate

__all__ = ["Audit", "RankTable", "Scores", "audit", "evaluate", "rank_table"]
