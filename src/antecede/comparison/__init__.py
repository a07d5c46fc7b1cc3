"""Comparison of systems: significance, effect sizes, intervals, rank correlation, agreement of measures."""

from antecede.comparison.agreement import (
    Agreement,
    Contradiction,
    DiscriminativePower,
    agreement,
    agreement_of_values,
    discriminative_power,
)
from antecede.comparison.anova import Anova, anova, anova_of_values
from antecede.comparison.comparison import Comparison, Differences, compare, compare_values
from antecede.comparison.correlation import (
    CORRELATIONS,
    Correlations,
    correlate,
    correlate_values,
    correlation,
    kendall_many,
    pearson_many,
    spearman_many,
    tau_ap_many,
)
from antecede.comparison.effect_sizes import Intervals, bootstrap, bootstrap_difference, cohen_d, mean_difference
from antecede.comparison.gate import Gate, gate
from antecede.comparison.inputs import ScoreTable, read_score_table
from antecede.comparison.significance import CORRECTIONS, TESTS, Sampling, Significance

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
    "agreement",
    "agreement_of_values",
    "anova",
    "anova_of_values",
    "bootstrap",
    "bootstrap_difference",
    "cohen_d",
    "compare",
    "compare_values",
    "correlate",
    "correlate_values",
    "correlation",
    "discriminative_power",
    "gate",
    "kendall_many",
    "mean_difference",
    "pearson_many",
    "read_score_table",
    "spearman_many",
    "tau_ap_many",
]
