"""Comparison of systems: significance, effect sizes, intervals, rank correlation, agreement of measures."""

from antecede.comparison.agreement import (
    Agreement,
    Contradiction,
    DiscriminativePower,
    agreement,
    discriminative_power,
)
from antecede.comparison.anova import Anova, anova
from antecede.comparison.comparison import Comparison, compare
from antecede.comparison.correlation import (
    CORRELATIONS,
    Correlations,
    correlate,
    correlation,
    kendall_many,
    pearson_many,
    spearman_many,
    tau_ap_many,
)
from antecede.comparison.effect_sizes import Intervals, bootstrap, cohen_d
from antecede.comparison.gate import Gate, gate
from antecede.comparison.inputs import ScoreTable, TopicValues, read_score_table
from antecede.comparison.significance import CORRECTIONS, TESTS, Differences, Sampling, Significance

__all__ = [
    "CORRECTIONS",
    "CORRELATIONS",
    "TESTS",
    "Agreement",
    "Anova",
    "Comparison",
    "Contradiction",
    "Correlations",
    "Differences",
    "DiscriminativePower",
    "Gate",
    "Intervals",
    "Sampling",
    "ScoreTable",
    "Significance",
    "TopicValues",
    "agreement",
    "anova",
    "bootstrap",
    "cohen_d",
    "compare",
    "correlate",
    "correlation",
    "discriminative_power",
    "gate",
    "kendall_many",
    "pearson_many",
    "read_score_table",
    "spearman_many",
    "tau_ap_many",
]
