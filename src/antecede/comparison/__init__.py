"""Systems side by side: significance, effect sizes, intervals, rank correlation, agreement of measures."""

from antecede.comparison.agreement import Agreement, Contradiction, agreement_of_values
from antecede.comparison.bootstrap import Intervals, bootstrap, bootstrap_difference
from antecede.comparison.compare import compare_values
from antecede.comparison.comparison import Comparison, Differences
from antecede.comparison.corrections import CORRECTIONS
from antecede.comparison.correlate import Correlations, correlate_values
from antecede.comparison.correlation import (
    CORRELATIONS,
    correlation,
    kendall_many,
    pearson_many,
    spearman_many,
    tau_ap_many,
)
from antecede.comparison.discriminative_power import DiscriminativePower, discriminative_power
from antecede.comparison.effect import cohen_d, mean_difference
from antecede.comparison.gate import Gate, gate
from antecede.comparison.paired import Sampling, Significance
from antecede.comparison.score_table import ScoreTable, read_score_table
from antecede.comparison.scored import agreement, compare, correlate
from antecede.comparison.significance import TESTS

__all__ = [
    "CORRECTIONS",
    "CORRELATIONS",
    "TESTS",
    "Agreement",
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
