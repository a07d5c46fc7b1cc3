"""A ranking as a weighted sum of evidence over a pool of candidates."""

from antecede.ranking.features import FEATURES, Absent, Feature, FeatureDefinition, feature, parse_feature
from antecede.ranking.weights import Weights, parse_weights, read_weights, write_weights

__all__ = [
    "FEATURES",
    "Absent",
    "Feature",
    "FeatureDefinition",
    "Weights",
    "feature",
    "parse_feature",
    "parse_weights",
    "read_weights",
    "write_weights",
]
