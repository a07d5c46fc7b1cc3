"""Comparison of systems: significance, effect sizes, intervals, rank correlation, agreement of measures."""

from antecede.comparison.agreement import Agreement, agreement, discriminative_power
from antecede.comparison.anova import Anova, anova
from antecede.comparison.comparison import Comparison, compare
from antecede.comparison.correlation import CORRELATIONS, Correlations, coefficient, correlation
from antecede.comparison.effect_sizes import bootstrap, cohen_d
from antecede.comparison.gate import Gate, gate
from antecede.comparison.inputs import ScoreTable, TopicValues, read_score_table
from antecede.comparison.significance import CORRECTIONS, TESTS, Differences

__all__ = [
    "CORRECTIONS",
    "CORRELATIONS",
    "TESTS",
    "Agreement",
    "Anova",
    "Comparison",
    "Correlations",
    "Differences",
    "Gate",
    "ScoreTable",
    "TopicValues",
    "agreement",
    "anova",
    "bootstrap",
    "coefficient",
    "cohen_d",
    "compare",
    "correlation",
    "discriminative_power",
    "gate",
    "read_score_table",
]
